/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/softmax.inc"
#include "reference/twice.h"

/* What a case has; 0 is the plainest one. SPREAD: the mask has a length of 1 on axes drawn by chance. */
enum { MASK = 1, MASK_F32 = 2, SPREAD = 4, SCALE = 8, LOGARITHM = 16, IN_PLACE = 32 };

static int draw_case(void)
{
    static const int cases[] = {0,
                                SCALE | LOGARITHM,
                                IN_PLACE | SCALE,
                                MASK | SCALE,
                                MASK | SPREAD | LOGARITHM,
                                MASK | MASK_F32 | SPREAD,
                                MASK | MASK_F32 | SPREAD | IN_PLACE};
    return cases[kit_between(0, sizeof cases / sizeof *cases - 1)];
}

/* The values of a mask repeated to x's shape. */
static double *spread(const kit_tensor *mask, uint32_t rank, const int64_t *shape, int64_t count)
{
    double *wide = kit_doubles(count);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (uint32_t axis = rank; axis-- > 0;) {
            if (mask->tensor.shape[axis] != 1)
                at += rest % shape[axis] * step;
            step *= mask->tensor.shape[axis];
            rest /= shape[axis];
        }
        wide[i] = mask->values[at];
    }
    return wide;
}

static void one_shape(uint32_t dtype, uint32_t rank, const int64_t *shape, int what)
{
    int64_t width = shape[rank - 1], mask_shape[OCLDNN_MAX_RANK];
    kit_tensor *x = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, rank, shape);
    kit_tensor *y = what & IN_PLACE ? x : kit_output(dtype, KIT_STRIDED, rank, shape), *mask;
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count), *added = NULL, scale;
    ocldnn_softmax op = {.input = x->tensor, .output = y->tensor};
    for (uint32_t axis = 0; axis < rank; axis++)
        mask_shape[axis] = (what & SPREAD) && kit_between(0, 1) ? 1 : shape[axis];
    mask = kit_input(what & MASK_F32 ? OCLDNN_F32 : dtype, KIT_STRIDED, KIT_NORMAL, rank, mask_shape);
    if (what & MASK) {
        op.mask = mask->tensor;
        added = spread(mask, rank, shape, x->count);
    }
    if (what & SCALE)
        op.scale = kit_between(0, 1) ? 0.125f : -2.5f;
    op.logarithm = what & LOGARITHM ? 1 : 0;
    scale = what & SCALE ? (double)op.scale : 1;
    softmax_double(x->values, added, x->count / width, width, scale, op.logarithm, exact);
    softmax_float(x->values, added, x->count / width, width, scale, op.logarithm, naive);
    kit_run(softmax, &op);
    kit_compare(y, exact, naive, width);
    kit_free_all();
}

static void drawn_case(uint32_t rank, const int64_t *shape)
{
    one_shape(kit_float_dtype(), rank, shape, draw_case());
}

static void matches_reference(void **state)
{
    (void)state;
    kit_drawn_rows(70, 4, drawn_case);
}

static void widths(void **state)
{
    (void)state;
    kit_specified_rows(drawn_case);
}

/* Rows of only -inf and rows that hold NaN or +inf are NaN; an entry of -inf beside others is exactly 0. */
static void special_rows(void **state)
{
    enum { ROWS = 6, WIDTH = 20 };
    double x[ROWS * WIDTH], exact[ROWS * WIDTH];
    (void)state;
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = i / WIDTH == 0 ? -(double)INFINITY : (i % 7) - 3;
    x[1 * WIDTH + 18] = NAN;
    x[2 * WIDTH + 3] = INFINITY;
    x[3 * WIDTH + 5] = -INFINITY;
    x[3 * WIDTH + 19] = -INFINITY;
    x[4 * WIDTH] = NAN;
    for (uint32_t logarithm = 0; logarithm < 2; logarithm++) {
        kit_tensor *input = kit_values(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){ROWS, WIDTH}, x);
        kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){ROWS, WIDTH});
        ocldnn_softmax op = {.input = input->tensor, .output = y->tensor, .logarithm = logarithm};
        softmax_double(x, NULL, ROWS, WIDTH, 1, logarithm, exact);
        kit_run(softmax, &op);
        kit_read(y);
        for (int i = 0; i < ROWS * WIDTH; i++) {
            int row = i / WIDTH;
            if (row == 0 || row == 1 || row == 2 || row == 4)
                assert_true(isnan(y->values[i]));
            else if (isinf(x[i]))
                assert_true(y->values[i] == (logarithm ? -(double)INFINITY : 0));
            else
                assert_true(fabs(y->values[i] - exact[i]) < 1e-5);
        }
        kit_free_all();
    }
}

/* The largest element gives exactly 1 beside others that vanish, whatever its size. */
static void large_values(void **state)
{
    double x[] = {-3e38, 3e38, 0, 1e30, 1e4, -1e4, 9990, 1, 3e-39, 0, -200, -300}, want[] = {0, 1, 0, 0, 1, 0};
    kit_tensor *input = kit_values(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){3, 4}, x);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){3, 4});
    ocldnn_softmax op = {.input = input->tensor, .output = y->tensor};
    (void)state;
    kit_run(softmax, &op);
    kit_read(y);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(y->values[i] - want[i]) < 1e-4);
    assert_true(fabs(y->values[8] - 0.5) < 1e-6 && y->values[10] == 0);
    kit_free_all();
}

static void says_what_is_wrong(void **state)
{
    int64_t shape[] = {2, 3, 8};
    kit_tensor *x = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 3, shape);
    kit_tensor *mask = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 3, shape);
    kit_tensor *y = kit_output(OCLDNN_F16, KIT_DENSE, 3, shape);
    const ocldnn_softmax good = {.input = x->tensor, .mask = mask->tensor, .output = y->tensor};
    ocldnn_softmax op = good;
    (void)state;
#define REFUSED(CHANGE, STATUS, PART)                                                                                  \
    op = good;                                                                                                         \
    CHANGE;                                                                                                            \
    kit_refuses(softmax, &op, STATUS, PART)
    REFUSED(op.input.dtype = 0, OCLDNN_INVALID_ARGUMENT, "input: the tensor is missing");
    REFUSED(op.output.dtype = 0, OCLDNN_INVALID_ARGUMENT, "output: the tensor is missing");
    REFUSED(op.input.shape[2] = 0, OCLDNN_INVALID_SHAPE, "input: axis 2 is 0");
    REFUSED(op.input.strides[2] = 2, OCLDNN_INVALID_SHAPE, "input: axis 2 has stride 2");
    REFUSED(op.output.dtype = OCLDNN_F32, OCLDNN_INVALID_DTYPE, "output: dtype is F32, must be F16");
    REFUSED(op.output.rank = 2, OCLDNN_INVALID_SHAPE, "output: rank is 2, input has 3");
    REFUSED(op.mask.dtype = OCLDNN_U8, OCLDNN_INVALID_DTYPE, "mask: dtype is U8, must be F32, F16");
    REFUSED(op.mask.shape[1] = 2, OCLDNN_INVALID_SHAPE, "mask: axis 1 is 2, must be 1 or 3 (axis 1 of input)");
    REFUSED(op.mask.rank = 2, OCLDNN_INVALID_SHAPE, "mask: rank is 2, must be 3");
    REFUSED(op.mask.strides[2] = 3, OCLDNN_INVALID_SHAPE, "mask: axis 2 has stride 3");
    REFUSED(op.scale = NAN, OCLDNN_INVALID_ARGUMENT, "scale is");
    REFUSED(op.logarithm = 2, OCLDNN_INVALID_ARGUMENT, "logarithm is 2, must be 0 to 1");
#undef REFUSED
    op = good;
    op.output = op.input;
    op.output.offset += 8;
    kit_refuses_run(softmax, &op, OCLDNN_INVALID_BUFFER, "output");
    kit_free_all();
}

static void honours_events(void **state)
{
    int64_t shape[] = {4, 20};
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, shape);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, shape);
    ocldnn_softmax op = {.input = x->tensor, .output = y->tensor};
    (void)state;
    kit_honours_events(softmax, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),  cmocka_unit_test(widths),
        cmocka_unit_test(special_rows),       cmocka_unit_test(large_values),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("softmax", tests);
}
