/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/l2_norm.inc"
#include "reference/twice.h"

static void one_shape(uint32_t dtype, uint32_t rank, const int64_t *shape, bool in_place)
{
    int64_t width = shape[rank - 1];
    kit_tensor *x = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, rank, shape);
    kit_tensor *y = in_place ? x : kit_output(dtype, KIT_STRIDED, rank, shape);
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count);
    ocldnn_l2_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-6f};
    l2_norm_double(x->values, x->count / width, width, (double)op.epsilon, exact);
    l2_norm_float(x->values, x->count / width, width, (double)op.epsilon, naive);
    kit_run(l2_norm, &op);
    kit_compare(y, exact, naive, width);
    kit_free_all();
}

static void drawn_case(uint32_t rank, const int64_t *shape)
{
    one_shape(kit_float_dtype(), rank, shape, kit_between(0, 3) == 0);
}

static void matches_reference(void **state)
{
    (void)state;
    kit_drawn_rows(60, 5, drawn_case);
}

static void widths(void **state)
{
    (void)state;
    kit_specified_rows(drawn_case);
}

/* A row of zeros gives zeros, a row of length 1e30 the unit vector, a NaN only its own row. */
static void named_cases(void **state)
{
    double x[] = {0, 0, 3e30, 4e30, NAN, 1, 3, 4}, want[] = {0, 0, 0.6, 0.8, NAN, NAN, 0.6, 0.8};
    kit_tensor *input = kit_values(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){4, 2}, x);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){4, 2});
    ocldnn_l2_norm op = {.input = input->tensor, .output = y->tensor, .epsilon = 1e-12f};
    (void)state;
    kit_run(l2_norm, &op);
    kit_read(y);
    for (int i = 0; i < 8; i++)
        assert_true(isnan(want[i]) ? isnan(y->values[i]) : fabs(y->values[i] - want[i]) < 1e-6);
    kit_free_all();
}

static void says_what_is_wrong(void **state)
{
    int64_t shape[] = {3, 8};
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, shape);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, shape);
    const ocldnn_l2_norm good = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-6f};
    ocldnn_l2_norm op = good;
    (void)state;
#define REFUSED(CHANGE, STATUS, PART)                                                                                  \
    op = good;                                                                                                         \
    CHANGE;                                                                                                            \
    kit_refuses(l2_norm, &op, STATUS, PART)
    REFUSED(op.input.dtype = 0, OCLDNN_INVALID_ARGUMENT, "input: the tensor is missing");
    REFUSED(op.input.rank = 0, OCLDNN_INVALID_SHAPE, "input: rank is 0, must be 1 to 8");
    REFUSED(op.input.shape[1] = 0, OCLDNN_INVALID_SHAPE, "input: axis 1 is 0");
    REFUSED(op.output.dtype = OCLDNN_F16, OCLDNN_INVALID_DTYPE, "output: dtype is F16, must be F32");
    REFUSED(op.output.shape[0] = 2, OCLDNN_INVALID_SHAPE, "output: axis 0 is 2, input has 3");
    REFUSED(op.epsilon = 0, OCLDNN_INVALID_ARGUMENT, "epsilon is 0, must be finite and > 0");
#undef REFUSED
    op = good;
    op.output = op.input;
    op.output.offset += 4;
    kit_refuses_run(l2_norm, &op, OCLDNN_INVALID_BUFFER, "output");
    kit_free_all();
}

static void honours_events(void **state)
{
    int64_t shape[] = {4, 20};
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, shape);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, shape);
    ocldnn_l2_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-6f};
    (void)state;
    kit_honours_events(l2_norm, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),  cmocka_unit_test(widths),         cmocka_unit_test(named_cases),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("l2_norm", tests);
}
