/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/rms_norm.inc"
#include "reference/twice.h"

/* What a case has; 0 is the plainest one. */
enum { GAMMA = 1, GAMMA_F32 = 2, OFFSET = 4, RESIDUAL = 8, STORED = 16, RSTD = 32, IN_PLACE = 64, ALL = 127 };

/* Not all of them with each other: every one is a program to build. */
static int draw_case(void)
{
    static const int cases[] = {0, GAMMA | GAMMA_F32, GAMMA | OFFSET | RSTD, GAMMA | RESIDUAL | STORED | IN_PLACE, ALL};
    return cases[kit_between(0, sizeof cases / sizeof *cases - 1)];
}

static void one_shape(uint32_t dtype, uint32_t rank, const int64_t *shape, int what)
{
    int64_t width = shape[rank - 1];
    float offset = what & OFFSET ? 1.0f : 0.0f;
    kit_tensor *x = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, rank, shape);
    kit_tensor *added = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, rank, shape);
    kit_tensor *gamma = kit_input(what & GAMMA_F32 ? OCLDNN_F32 : dtype, KIT_DENSE, KIT_NORMAL, 1, &width);
    kit_tensor *y = what & IN_PLACE ? x : kit_output(dtype, KIT_STRIDED, rank, shape);
    kit_tensor *sum = what & IN_PLACE ? added : kit_output(dtype, KIT_STRIDED, rank, shape);
    kit_tensor *rstd = kit_output(OCLDNN_F32, KIT_STRIDED, rank - 1, shape);
    int64_t rows = rstd->count;
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count), *r = kit_doubles(x->count);
    double *exact_rstd = kit_doubles(rows), *naive_rstd = kit_doubles(rows);
    ocldnn_rms_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-5f, .gamma_offset = offset};
    for (int64_t i = 0; i < x->count; i++)
        r[i] = what & RESIDUAL ? kit_round(dtype, x->values[i] + added->values[i]) : x->values[i];
    if (what & GAMMA)
        op.gamma = gamma->tensor;
    if (what & RESIDUAL)
        op.residual = added->tensor;
    if ((what & RESIDUAL) && (what & STORED))
        op.residual_output = sum->tensor;
    if (what & RSTD)
        op.rstd = rstd->tensor;
    kit_run(rms_norm, &op);
    rms_norm_double(r, what & GAMMA ? gamma->values : NULL, rows, width, (double)op.epsilon, (double)offset, exact,
                    exact_rstd);
    rms_norm_float(r, what & GAMMA ? gamma->values : NULL, rows, width, (double)op.epsilon, (double)offset, naive,
                   naive_rstd);
    kit_compare(y, exact, naive, width);
    if ((what & RESIDUAL) && (what & STORED))
        kit_equal(sum, r);
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

/* Squares of 1e30 overflow a float; the answer must not. Other rows keep theirs, whatever is beside them. */
static void large_values(void **state)
{
    enum { ROWS = 6, WIDTH = 70 };
    double x[ROWS * WIDTH], exact[ROWS * WIDTH], rstd[ROWS];
    static const double sizes[ROWS] = {1, 1e30, 1e-20, 3e38, 1e-3, 1e18};
    kit_tensor *input, *y, *scale;
    ocldnn_rms_norm op = {.epsilon = 1e-30f};
    (void)state;
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = (double)(float)(sizes[i / WIDTH] * kit_uniform(-1, 1));
    input = kit_values(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){ROWS, WIDTH}, x);
    y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){ROWS, WIDTH});
    scale = kit_output(OCLDNN_F32, KIT_DENSE, 1, (int64_t[]){ROWS});
    op.input = input->tensor;
    op.output = y->tensor;
    op.rstd = scale->tensor;
    kit_run(rms_norm, &op);
    rms_norm_double(x, NULL, ROWS, WIDTH, (double)op.epsilon, 0, exact, rstd);
    kit_read(y);
    kit_read(scale);
    for (int i = 0; i < ROWS * WIDTH; i++)
        assert_true(fabs(y->values[i] - exact[i]) <= 1e-6 * (1 + fabs(exact[i])));
    for (int row = 0; row < ROWS; row++)
        if (sizes[row] < 1e38) /* 1 / 3e38 may be flushed to 0 */
            assert_true(fabs(scale->values[row] / rstd[row] - 1) <= 1e-6);
    kit_free_all();
}

/* A NaN makes its row NaN and no other; an infinity leaves zeros and a NaN in its place. */
static void special_values(void **state)
{
    double x[] = {1, NAN, 2, 3, 4, 5, 1, INFINITY, 2}, want[9], *some = want + 3;
    kit_tensor *input = kit_values(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){3, 3}, x);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){3, 3});
    ocldnn_rms_norm op = {.input = input->tensor, .output = y->tensor, .epsilon = 1e-6f};
    (void)state;
    rms_norm_double(x, NULL, 3, 3, 1e-6, 0, want, NULL);
    kit_run(rms_norm, &op);
    kit_read(y);
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(y->values[i]));
        assert_true(fabs(y->values[3 + i] - some[i]) < 1e-6);
    }
    assert_true(y->values[6] == 0 && isnan(y->values[7]) && y->values[8] == 0);
    kit_free_all();
}

/* One row of residual for all rows, by a stride of 0. */
static void broadcasts_residual(void **state)
{
    int64_t shape[] = {5, 33};
    kit_tensor *x = kit_input(OCLDNN_F16, KIT_STRIDED, KIT_NORMAL, 2, shape);
    kit_tensor *added = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 1, shape + 1);
    kit_tensor *y = kit_output(OCLDNN_F16, KIT_STRIDED, 2, shape);
    kit_tensor *sum = kit_output(OCLDNN_F16, KIT_STRIDED, 2, shape);
    double *r = kit_doubles(x->count), *exact = kit_doubles(x->count), *naive = kit_doubles(x->count);
    ocldnn_rms_norm op = {.input = x->tensor, .residual = added->tensor, .output = y->tensor, .epsilon = 1e-6f};
    (void)state;
    op.residual_output = sum->tensor;
    op.residual.rank = 2;
    op.residual.shape[0] = 5;
    op.residual.shape[1] = 33;
    op.residual.strides[0] = 0;
    op.residual.strides[1] = 1;
    for (int64_t i = 0; i < x->count; i++)
        r[i] = kit_round(OCLDNN_F16, x->values[i] + added->values[i % 33]);
    kit_run(rms_norm, &op);
    rms_norm_double(r, NULL, 5, 33, 1e-6, 0, exact, NULL);
    rms_norm_float(r, NULL, 5, 33, 1e-6, 0, naive, NULL);
    kit_equal(sum, r);
    kit_compare(y, exact, naive, 33);
    kit_free_all();
}

static void says_what_is_wrong(void **state)
{
    int64_t shape[] = {2, 3, 8}, other = 7;
    kit_tensor *x = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 3, shape);
    kit_tensor *gamma = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 1, shape + 2);
    kit_tensor *y = kit_output(OCLDNN_F16, KIT_DENSE, 3, shape);
    kit_tensor *rstd = kit_output(OCLDNN_F32, KIT_DENSE, 2, shape);
    const ocldnn_rms_norm good = {
        .input = x->tensor, .gamma = gamma->tensor, .output = y->tensor, .rstd = rstd->tensor, .epsilon = 1e-6f};
    ocldnn_rms_norm op = good;
    (void)state;
#define REFUSED(CHANGE, STATUS, PART)                                                                                  \
    op = good;                                                                                                         \
    CHANGE;                                                                                                            \
    kit_refuses(rms_norm, &op, STATUS, PART)
    REFUSED(op.input.dtype = 0, OCLDNN_INVALID_ARGUMENT, "input: the tensor is missing");
    REFUSED(op.input.dtype = OCLDNN_U8, OCLDNN_INVALID_DTYPE, "input: dtype is U8");
    REFUSED(op.input.rank = 0, OCLDNN_INVALID_SHAPE, "input: rank is 0, must be 1 to 8");
    REFUSED(op.input.shape[2] = 0, OCLDNN_INVALID_SHAPE, "input: axis 2 is 0, there is nothing to normalize");
    REFUSED((op.input.strides[2] = 2, op.input.strides[1] = 16, op.input.strides[0] = 48), OCLDNN_INVALID_SHAPE,
            "input: axis 2 has stride 2");
    REFUSED(op.output.dtype = OCLDNN_F32, OCLDNN_INVALID_DTYPE, "output: dtype is F32, must be F16");
    REFUSED((op.output = op.input, op.output.shape[1] = 4, op.output.strides[0] = 0, op.output.strides[1] = 0,
             op.output.strides[2] = 0),
            OCLDNN_INVALID_SHAPE, "output: axis 1 is 4, input has 3");
    REFUSED(op.output.strides[1] = 4, OCLDNN_INVALID_SHAPE, "elements of an output may share memory");
    REFUSED(op.gamma.dtype = OCLDNN_BF16, OCLDNN_INVALID_DTYPE, "gamma: dtype is BF16, must be F32, F16");
    REFUSED(op.gamma.shape[0] = other, OCLDNN_INVALID_SHAPE, "gamma: axis 0 is 7, axis 2 of input is 8");
    REFUSED(op.rstd.rank = 1, OCLDNN_INVALID_SHAPE, "rstd: rank is 1, must be 2");
    REFUSED(op.rstd.dtype = OCLDNN_F16, OCLDNN_INVALID_DTYPE, "rstd: dtype is F16, must be F32");
    REFUSED(op.residual_output = y->tensor, OCLDNN_INVALID_ARGUMENT, "residual_output: needs a residual");
    REFUSED(op.epsilon = 0, OCLDNN_INVALID_ARGUMENT, "epsilon is 0, must be finite and > 0");
    REFUSED(op.epsilon = NAN, OCLDNN_INVALID_ARGUMENT, "epsilon is");
    REFUSED(op.gamma_offset = INFINITY, OCLDNN_INVALID_ARGUMENT, "gamma_offset is inf, must be finite");
#undef REFUSED
    op = good;
    op.output = op.input;
    op.output.offset += 8;
    kit_refuses_run(rms_norm, &op, OCLDNN_INVALID_BUFFER, "output");
    kit_free_all();
}

static void honours_events(void **state)
{
    int64_t shape[] = {4, 20};
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, shape);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, shape);
    ocldnn_rms_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-6f};
    (void)state;
    kit_honours_events(rms_norm, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),   cmocka_unit_test(widths),
        cmocka_unit_test(large_values),        cmocka_unit_test(special_values),
        cmocka_unit_test(broadcasts_residual), cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("rms_norm", tests);
}
