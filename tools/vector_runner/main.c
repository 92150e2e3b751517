/* SPDX-License-Identifier: Apache-2.0
 *
 * vectors FILE...: runs published test values through the public interface. For each file a line, pass with the worst
 * difference, fail, or skip with the reason; at the end the counts. Exit status 1 if anything failed.
 */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *op;
    handler *run;
} handlers[] = {
    {"Attention", run_attention},
    {"FlexAttention", run_flex_attention},
    {"Gelu", run_gelu},
    {"Gemm", run_gemm},
    {"LayerNormalization", run_layer_norm},
    {"LogSoftmax", run_softmax},
    {"LpNormalization", run_lp_norm},
    {"MatMul", run_matmul},
    {"MeanVarianceNormalization", run_mean_variance},
    {"RMSNormalization", run_rms_norm},
    {"RotaryEmbedding", run_rotary},
    {"Softmax", run_softmax},
    {"SwiGLU", run_swiglu},
    {"TopK", run_top_k},
};

/* How far a result may be from the published number: |got - want| <= absolute + relative * |want|. */
static void tolerance(dtype type, double *relative, double *absolute)
{
    *relative = type == DTYPE_F32 || type == DTYPE_F64 ? 1e-3 : type == DTYPE_F16 ? 2e-3 : 0.0;
    *absolute = type == DTYPE_F32 || type == DTYPE_F64 ? 1e-5 : type == DTYPE_F16 ? 1e-3 : 0.0;
}

static bool same(double got, double want, double relative, double absolute)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return want == got;
    return fabs(got - want) <= absolute + relative * fabs(want);
}

static bool compare(runner *r, int number, const value *got, const value *want, double *worst)
{
    double relative, absolute, farthest = 0.0;
    int64_t wrong = -1, count = 0;
    tolerance(want->type, &relative, &absolute);
    if (!got->present)
        return runner_skip(r, "no way to ask for output %d", number);
    if (got->rank != want->rank || memcmp(got->shape, want->shape, want->rank * sizeof *want->shape) != 0)
        return runner_fail(r, "output %d has another shape", number);
    for (int64_t i = 0; i < want->count; i++) {
        double difference = fabs(got->data[i] - want->data[i]);
        bool fits = same(got->data[i], want->data[i], relative, absolute);
        if (isfinite(difference) && difference > *worst)
            *worst = difference;
        count += !fits;
        if (!fits && (wrong < 0 || difference > farthest)) {
            wrong = i;
            farthest = difference;
        }
    }
    if (wrong >= 0)
        return runner_fail(r, "output %d: %lld of %lld elements differ, most at %lld: %.9g, published %.9g", number,
                           (long long)count, (long long)want->count, (long long)wrong, got->data[wrong],
                           want->data[wrong]);
    return true;
}

static bool run_case(runner *r, const test_case *test, double *worst)
{
    value results[MAX_TENSORS];
    memset(results, 0, sizeof results);
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(handlers[i].op, test->op) == 0) {
            if (!handlers[i].run(r, test, results))
                return false;
            for (int n = 0; n < MAX_TENSORS; n++)
                if (test->outputs[n].present && !compare(r, n, &results[n], &test->outputs[n], worst))
                    return false;
            return true;
        }
    return runner_skip(r, "no operator %s", test->op);
}

int main(int count, char **arguments)
{
    int passed = 0, failed = 0, skipped = 0;
    static test_case test;
    runner r;
    if (count < 2) {
        fprintf(stderr, "usage: vectors FILE...\n");
        return 2;
    }
    if (!runner_open(&r)) {
        fprintf(stderr, "vectors: %s\n", r.problem);
        return 2;
    }
    for (int i = 1; i < count; i++) {
        double worst = 0.0;
        bool ok = case_read(arguments[i], &test, r.problem, sizeof r.problem) && run_case(&r, &test, &worst);
        const char *slash = strrchr(arguments[i], '/');
        const char *name = slash ? slash + 1 : arguments[i];
        if (ok)
            printf("pass  %-60s worst difference %.2g\n", name, worst);
        else
            printf("%s  %-60s %s\n", r.skip ? "skip" : "fail", name, r.problem);
        passed += ok;
        skipped += !ok && r.skip;
        failed += !ok && !r.skip;
        case_free(&test);
        runner_end_case(&r);
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    runner_close(&r);
    return failed ? 1 : 0;
}
