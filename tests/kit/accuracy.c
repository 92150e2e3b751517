/* SPDX-License-Identifier: Apache-2.0
 *
 * OCLDNN_TEST_ACCURACY=FILE: appends what kit_compare() measures, a line for each comparison, fields separated by tabs:
 * operator, strategy, family, dtype, elements, and then, of this output and (-1 where there is none) of the plain float
 * program: the worst error in units in the last place of the largest value, the worst error as a part of the plain
 * program's, as a part of the bound, the relative RMS error. tools/accuracy makes a page of them. The first line of a
 * program names the device: "device", its name, its driver.
 */
#include "kit/internal.h"

#include <math.h>
#include <stdio.h>

static FILE *file;
static const char *operator_name;
static ocldnn_query query;

ocldnn_query *kit_noting(void)
{
    static bool looked;
    const char *path = getenv("OCLDNN_TEST_ACCURACY");
    if (!looked && path && *path) {
        file = fopen(path, "a");
        if (!file)
            fail_msg("OCLDNN_TEST_ACCURACY: cannot write %s", path);
        setvbuf(file, NULL, _IOLBF, 1 << 12); /* a line is one write: programs side by side share the file */
        fprintf(file, "device\t%s\t%s\t%s\n", kit.facts.name, kit.facts.platform, kit.facts.driver);
    }
    looked = true;
    return file ? &query : NULL;
}

void kit_note_run(const char *name, ocldnn_status status)
{
    operator_name = name;
    if (status != OCLDNN_SUCCESS)
        query.strategy[0] = '\0';
}

/* The largest of what is finite, and the sum of squares. */
static double largest(const double *values, int64_t count, double *squares)
{
    double most = 0;
    *squares = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            most = fabs(values[i]) > most ? fabs(values[i]) : most;
            *squares += values[i] * values[i];
        }
    return most;
}

void kit_note_comparison(const kit_tensor *output, const double *exact, double naive_worst, bool has_naive)
{
    static const char *const dtypes[] = {"", "f32", "f16", "bf16"};
    uint32_t dtype = output->tensor.dtype;
    double worst = 0, of_bound = 0, squares = 0, exact_squares;
    double ulp = kit_ulp(dtype, kit_round(dtype, largest(exact, output->count, &exact_squares)));
    double floor = 0.5 * ulp; /* what rounding alone may cost: a plain program that is better was lucky */
    if (!file || !operator_name || !query.strategy[0] || output->count == 0 || !(ulp > 0))
        return;
    for (int64_t i = 0; i < output->count; i++) {
        double error = fabs(output->values[i] - exact[i]), bound = 2 * naive_worst + kit_ulp(dtype, exact[i]);
        if (!isfinite(error))
            continue;
        worst = error > worst ? error : worst;
        of_bound = error > of_bound * bound ? error / bound : of_bound;
        squares += error * error;
    }
    fprintf(file, "%s\t%s\t%s\t%s\t%lld\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\n", operator_name, query.strategy,
            kit.facts.family == OD_FAMILY_TILED ? "tiled"
            : kit.facts.amx                     ? "vector, AMX"
                                                : "vector",
            dtypes[dtype], (long long)output->count, worst / ulp, has_naive ? naive_worst / ulp : -1,
            has_naive ? worst / (naive_worst > floor ? naive_worst : floor) : -1, of_bound,
            exact_squares > 0 ? sqrt(squares / exact_squares) : 0.0);
}
