/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/internal.h"

#include <math.h>

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

void kit_equal(kit_tensor *output, const double *exact)
{
    kit_read(output);
    for (int64_t i = 0; i < output->count; i++) {
        double wanted = kit_round(output->tensor.dtype, exact[i]);
        if (!same(output->values[i], wanted))
            fail_msg("element %lld is %.9g, must be %.9g", (long long)i, output->values[i], wanted);
    }
}

static double square_of_error(double found, double exact)
{
    double error = found - exact;
    return isfinite(error) ? error * error : 0;
}

/* A 16-bit result is rounded once, to nearest: cutting off instead has twice the RMS error, which is within the bounds
 * below. Where a plain float program's own errors show, ours may be as large as twice those. */
static void check_rounding(const kit_tensor *output, const double *exact, const double *naive)
{
    uint32_t dtype = output->tensor.dtype;
    double squares = 0, rounding = 0, plain = 0, smallest = kit_ulp(dtype, 0.0), limit;
    if (dtype != OCLDNN_F16 && dtype != OCLDNN_BF16)
        return;
    for (int64_t i = 0; i < output->count; i++) {
        if (!isfinite(kit_round(dtype, exact[i])))
            continue;
        squares += square_of_error(output->values[i], exact[i]);
        rounding += square_of_error(kit_round(dtype, exact[i]), exact[i]);
        plain += naive ? square_of_error(kit_round(dtype, naive[i]), exact[i]) : 0;
    }
    limit = 2.5 * rounding + 4 * fmax(plain - rounding, 0) + smallest * smallest * (double)output->count;
    if (squares > limit)
        fail_msg("the RMS error is %.2f times that of rounding to nearest: is it rounded at all, or twice?",
                 sqrt(squares / rounding));
}

void kit_compare(kit_tensor *output, const double *exact, const double *naive, int64_t terms)
{
    static const double rms_bounds[] = {0, 1e-6, 1e-3, 8e-3};
    uint32_t dtype = output->tensor.dtype;
    double naive_worst = 0, worst = 0, excess = 0, squares = 0, exact_squares = 0, bound, denormal;
    int64_t at = 0;
    kit_read(output);
    for (int64_t i = 0; naive && i < output->count; i++) {
        double error = fabs(kit_round(dtype, naive[i]) - exact[i]);
        naive_worst = isfinite(error) && error > naive_worst ? error : naive_worst;
    }
    kit_note_comparison(output, exact, naive_worst, naive != NULL);
    for (int64_t i = 0; i < output->count; i++) {
        double found = output->values[i], error = fabs(found - exact[i]);
        bool special = !isfinite(exact[i]) || !isfinite(kit_round(dtype, exact[i]));
        if (special ? !same(found, kit_round(dtype, exact[i])) : !isfinite(error))
            fail_msg("element %lld is %.9g, must be %.9g", (long long)i, found, exact[i]);
        if (special)
            continue;
        squares += error * error;
        exact_squares += exact[i] * exact[i];
        if (error - kit_ulp(dtype, exact[i]) > excess) {
            excess = error - kit_ulp(dtype, exact[i]);
            worst = error;
            at = i;
        }
    }
    if (excess > 2 * naive_worst)
        fail_msg("element %lld is %.9g, must be %.9g: off by %.3g, a plain float program is off by %.3g at most",
                 (long long)at, output->values[at], exact[at], worst, naive_worst);
    check_rounding(output, exact, naive);
    bound = rms_bounds[dtype] * (dtype == OCLDNN_F32 ? sqrt((double)(terms > 1 ? terms : 1)) : 1.0);
    denormal = 0.5 * kit_ulp(dtype, 0.0) * sqrt((double)output->count); /* what rounding alone does to the smallest */
    if (sqrt(squares) > bound * sqrt(exact_squares) + denormal)
        fail_msg("relative RMS error %.3g, at most %.3g", sqrt(squares / exact_squares), bound);
}
