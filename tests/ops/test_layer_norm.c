/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/layer_norm.inc"
#include "reference/twice.h"

/* What a case has; 0 is the plainest one. */
enum { GAMMA = 1, BETA = 2, F32 = 4, RESIDUAL = 8, STORED = 16, MEAN = 32, RSTD = 64, IN_PLACE = 128, ALL = 255 };

/* Not all of them with each other: every one is a program to build. */
static int draw_case(void)
{
    static const int cases[] = {0, GAMMA | BETA | F32, GAMMA | RSTD, BETA | MEAN | RESIDUAL | STORED | IN_PLACE, ALL};
    return cases[kit_between(0, sizeof cases / sizeof *cases - 1)];
}

/* Sums of both signs cancel: what counts is the size of the values, about 3, not that of their mean. */
static void check_means(kit_tensor *mean, const double *exact)
{
    kit_read(mean);
    for (int64_t i = 0; i < mean->count; i++)
        assert_true(fabs(mean->values[i] - exact[i]) <= 1e-6);
}

static void one_shape(uint32_t dtype, uint32_t rank, const int64_t *shape, int what)
{
    int64_t width = shape[rank - 1];
    kit_tensor *x = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, rank, shape);
    kit_tensor *added = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, rank, shape);
    kit_tensor *gamma = kit_input(what & F32 ? OCLDNN_F32 : dtype, KIT_DENSE, KIT_NORMAL, 1, &width);
    kit_tensor *beta = kit_input(what & F32 ? OCLDNN_F32 : dtype, KIT_DENSE, KIT_NORMAL, 1, &width);
    kit_tensor *y = what & IN_PLACE ? x : kit_output(dtype, KIT_STRIDED, rank, shape);
    kit_tensor *sum = what & IN_PLACE ? added : kit_output(dtype, KIT_STRIDED, rank, shape);
    kit_tensor *mean = kit_output(OCLDNN_F32, KIT_STRIDED, rank - 1, shape);
    kit_tensor *rstd = kit_output(OCLDNN_F32, KIT_STRIDED, rank - 1, shape);
    int64_t rows = rstd->count;
    const double *g = what & GAMMA ? gamma->values : NULL, *b = what & BETA ? beta->values : NULL;
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count), *r = kit_doubles(x->count);
    double *exact_mean = kit_doubles(rows), *naive_mean = kit_doubles(rows);
    double *exact_rstd = kit_doubles(rows), *naive_rstd = kit_doubles(rows);
    ocldnn_layer_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-5f};
    for (int64_t i = 0; i < x->count; i++)
        r[i] = what & RESIDUAL ? kit_round(dtype, x->values[i] + added->values[i]) : x->values[i];
    if (what & GAMMA)
        op.gamma = gamma->tensor;
    if (what & BETA)
        op.beta = beta->tensor;
    if (what & RESIDUAL)
        op.residual = added->tensor;
    if (what & STORED)
        op.residual_output = sum->tensor;
    if (what & MEAN)
        op.mean = mean->tensor;
    if (what & RSTD)
        op.rstd = rstd->tensor;
    kit_run(layer_norm, &op);
    layer_norm_double(r, g, b, rows, width, (double)op.epsilon, exact, exact_mean, exact_rstd);
    layer_norm_float(r, g, b, rows, width, (double)op.epsilon, naive, naive_mean, naive_rstd);
    kit_compare(y, exact, naive, width);
    if (what & STORED)
        kit_equal(sum, r);
    if (what & MEAN)
        check_means(mean, exact_mean);
    if (what & RSTD)
        kit_compare(rstd, exact_rstd, naive_rstd, width);
    kit_free_all();
}

static void drawn_case(uint32_t rank, const int64_t *shape)
{
    one_shape(kit_float_dtype(), rank, shape, draw_case());
}

static void matches_reference(void **state)
{
    (void)state;
    kit_drawn_rows(40, 5, drawn_case);
}

static void widths(void **state)
{
    (void)state;
    kit_specified_rows(drawn_case);
}

static kit_tensor *run_values(uint32_t dtype, int64_t rows, int64_t width, const double *values)
{
    kit_tensor *x = kit_values(dtype, KIT_DENSE, 2, (int64_t[]){rows, width}, values);
    kit_tensor *y = kit_output(dtype, KIT_DENSE, 2, (int64_t[]){rows, width});
    ocldnn_layer_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-5f};
    kit_run(layer_norm, &op);
    kit_read(y);
    return y;
}

/* 16 values mean + i * 1e-3 as floats: what is left of a variance of 2e-5 beside a mean of 1e4. */
static void keeps_precision_far_from_zero(void **state)
{
    static const double means[] = {0, 100, 1000, 10000}, wanted[] = {-1.3416, -1.3415, -1.3415, -1.3313};
    double x[64];
    kit_tensor *y;
    (void)state;
    for (int i = 0; i < 64; i++)
        x[i] = (double)(float)(means[i / 16] + (i % 16) * 1e-3);
    y = run_values(OCLDNN_F32, 4, 16, x);
    for (int row = 0; row < 4; row++)
        assert_true(fabs(y->values[row * 16] - wanted[row]) < 1e-4);
    kit_free_all();
}

/* The same for long rows of large numbers, where a sum of 1e5 floats has lost the steps. */
static void long_rows_far_from_zero(void **state)
{
    int64_t width = kit.small ? 300 : 50000;
    double *x = kit_doubles(width), *exact = kit_doubles(width), mean, rstd;
    kit_tensor *y;
    (void)state;
    for (int64_t i = 0; i < width; i++)
        x[i] = (double)(float)(1e4 + (double)kit_between(-4, 4) * 0x1p-9);
    layer_norm_double(x, NULL, NULL, 1, width, 1e-5f, exact, &mean, &rstd);
    y = run_values(OCLDNN_F32, 1, width, x);
    for (int64_t i = 0; i < width; i++)
        assert_true(fabs(y->values[i] - exact[i]) < 1e-4);
    kit_free_all();
}

/* Values near 1e30 stay finite; NaN stays in its row; a row of one value gives zeros. */
static void special_values(void **state)
{
    double x[5 * 4] = {1e30, -2e30, 3e38, -3e38, 1,    NAN,   2,    3,    7,    7,
                       7,    7,     1e30, 1e30,  1e30, -1e30, 1e-3, 2e-3, 3e-3, 4e-3};
    double exact[20], mean[5], rstd[5];
    kit_tensor *y;
    (void)state;
    for (int i = 0; i < 20; i++)
        x[i] = (double)(float)x[i];
    layer_norm_double(x, NULL, NULL, 5, 4, 1e-5f, exact, mean, rstd);
    y = run_values(OCLDNN_F32, 5, 4, x);
    for (int i = 0; i < 20; i++)
        assert_true(i / 4 == 1 ? isnan(y->values[i]) : fabs(y->values[i] - exact[i]) < 1e-5);
    kit_free_all();
}

/* Neither sums of such values nor their distances are floats; what is normalized is. */
static void huge_values(void **state)
{
    enum { WIDTH = 67 };
    double x[2 * WIDTH], exact[2 * WIDTH], mean[2], rstd[2];
    kit_tensor *y;
    (void)state;
    for (int i = 0; i < 2 * WIDTH; i++)
        x[i] = (double)(i < WIDTH ? i % 2 ? 3e38f : -3e38f : i % 3 ? 3.2e38f : 3e38f);
    layer_norm_double(x, NULL, NULL, 2, WIDTH, 1e-5f, exact, mean, rstd);
    y = run_values(OCLDNN_F32, 2, WIDTH, x);
    for (int i = 0; i < 2 * WIDTH; i++)
        assert_true(fabs(y->values[i] - exact[i]) < 1e-5);
    kit_free_all();
}

static void says_what_is_wrong(void **state)
{
    int64_t shape[] = {2, 3, 8};
    kit_tensor *x = kit_input(OCLDNN_BF16, KIT_DENSE, KIT_NORMAL, 3, shape);
    kit_tensor *gamma = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 1, shape + 2);
    kit_tensor *y = kit_output(OCLDNN_BF16, KIT_DENSE, 3, shape);
    kit_tensor *mean = kit_output(OCLDNN_F32, KIT_DENSE, 2, shape);
    const ocldnn_layer_norm good = {.input = x->tensor,
                                    .gamma = gamma->tensor,
                                    .beta = gamma->tensor,
                                    .output = y->tensor,
                                    .mean = mean->tensor,
                                    .epsilon = 1e-6f};
    ocldnn_layer_norm op = good;
    (void)state;
#define REFUSED(CHANGE, STATUS, PART)                                                                                  \
    op = good;                                                                                                         \
    CHANGE;                                                                                                            \
    kit_refuses(layer_norm, &op, STATUS, PART)
    REFUSED(op.input.dtype = 0, OCLDNN_INVALID_ARGUMENT, "input: the tensor is missing");
    REFUSED(op.input.dtype = OCLDNN_U32, OCLDNN_INVALID_DTYPE, "input: dtype is U32");
    REFUSED(op.input.shape[2] = 0, OCLDNN_INVALID_SHAPE, "input: axis 2 is 0, there is nothing to normalize");
    REFUSED(op.input.strides[2] = 2, OCLDNN_INVALID_SHAPE, "input: axis 2 has stride 2");
    REFUSED(op.output.dtype = OCLDNN_F32, OCLDNN_INVALID_DTYPE, "output: dtype is F32, must be BF16");
    REFUSED(op.output.shape[1] = 2, OCLDNN_INVALID_SHAPE, "output: axis 1 is 2, input has 3");
    REFUSED(op.gamma.shape[0] = 7, OCLDNN_INVALID_SHAPE, "gamma: axis 0 is 7, axis 2 of input is 8");
    REFUSED(op.beta.shape[0] = 9, OCLDNN_INVALID_SHAPE, "beta: axis 0 is 9, axis 2 of input is 8");
    REFUSED(op.beta.dtype = OCLDNN_BF16, OCLDNN_INVALID_DTYPE, "beta: dtype is BF16, gamma has F32");
    REFUSED(op.mean.rank = 1, OCLDNN_INVALID_SHAPE, "mean: rank is 1, must be 2");
    REFUSED(op.mean.shape[0] = 1, OCLDNN_INVALID_SHAPE, "mean: axis 0 is 1, input has 2");
    REFUSED(op.residual_output = y->tensor, OCLDNN_INVALID_ARGUMENT, "residual_output: needs a residual");
    REFUSED(op.epsilon = -1, OCLDNN_INVALID_ARGUMENT, "epsilon is -1, must be finite and > 0");
    REFUSED(op.epsilon = INFINITY, OCLDNN_INVALID_ARGUMENT, "epsilon is inf");
#undef REFUSED
    op = good;
    op.output = op.input;
    op.output.offset += 8;
    kit_refuses_run(layer_norm, &op, OCLDNN_INVALID_BUFFER, "output");
    kit_free_all();
}

static void honours_events(void **state)
{
    int64_t shape[] = {4, 20};
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, shape);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, shape);
    ocldnn_layer_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-6f};
    (void)state;
    kit_honours_events(layer_norm, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),
        cmocka_unit_test(widths),
        cmocka_unit_test(keeps_precision_far_from_zero),
        cmocka_unit_test(long_rows_far_from_zero),
        cmocka_unit_test(special_values),
        cmocka_unit_test(huge_values),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("layer_norm", tests);
}
