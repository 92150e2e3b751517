/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/mean_pool.inc"
#include "reference/twice.h"

static void one_shape(uint32_t dtype, int64_t batch, int64_t sequence, int64_t width, bool masked)
{
    kit_tensor *x = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, 3, (int64_t[]){batch, sequence, width});
    kit_tensor *mask = kit_input(OCLDNN_U8, KIT_ANY, KIT_BITS, 2, (int64_t[]){batch, sequence});
    kit_tensor *y = kit_output(dtype, KIT_STRIDED, 2, (int64_t[]){batch, width});
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count);
    ocldnn_mean_pool op = {.input = x->tensor, .output = y->tensor};
    if (masked)
        op.mask = mask->tensor;
    kit_run(mean_pool, &op);
    mean_pool_double(x->values, masked ? mask->values : NULL, batch, sequence, width, exact);
    mean_pool_float(x->values, masked ? mask->values : NULL, batch, sequence, width, naive);
    kit_compare(y, exact, naive, sequence);
    kit_free_all();
}

static void matches_reference(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(60); i++)
        one_shape(kit_float_dtype(), kit_between(0, 5), kit_between(0, 40), kit_between(1, 150), kit_between(0, 2) > 0);
    one_shape(OCLDNN_F32, 32, kit.small ? 4 : 128, 384, true);
}

/* A NaN behind the mask does not show, a row without any part gives zeros. */
static void named_cases(void **state)
{
    double x[] = {1, 2, NAN, NAN, 3, 6, 5, 5, NAN, 5, 5, 5}, mask[] = {1, 0, 200, 0, 0, 0}, want[] = {2, 4, 0, 0};
    kit_tensor *input = kit_values(OCLDNN_F32, KIT_DENSE, 3, (int64_t[]){2, 3, 2}, x);
    kit_tensor *bits = kit_values(OCLDNN_U8, KIT_DENSE, 2, (int64_t[]){2, 3}, mask);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){2, 2});
    ocldnn_mean_pool op = {.input = input->tensor, .mask = bits->tensor, .output = y->tensor};
    (void)state;
    kit_run(mean_pool, &op);
    kit_equal(y, want);
    kit_free_all();
}

/* Values whose sum is past the largest float; an infinite one stays infinite. */
static void huge_values(void **state)
{
    enum { WIDTH = 21 };
    double x[6 * WIDTH], want[WIDTH];
    kit_tensor *input, *y;
    ocldnn_mean_pool op;
    (void)state;
    for (int i = 0; i < 6 * WIDTH; i++)
        x[i] = i % WIDTH == 3 ? INFINITY : i % WIDTH == 5 ? 1 : 0x1.8p127;
    for (int i = 0; i < WIDTH; i++)
        want[i] = x[i];
    input = kit_values(kit_float_dtype() == OCLDNN_BF16 ? OCLDNN_BF16 : OCLDNN_F32, KIT_DENSE, 3,
                       (int64_t[]){1, 6, WIDTH}, x);
    y = kit_output(input->tensor.dtype, KIT_DENSE, 2, (int64_t[]){1, WIDTH});
    op = (ocldnn_mean_pool){.input = input->tensor, .output = y->tensor};
    kit_run(mean_pool, &op);
    kit_equal(y, want);
    kit_free_all();
}

static void says_what_is_wrong(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 3, (int64_t[]){2, 3, 4});
    kit_tensor *mask = kit_input(OCLDNN_U8, KIT_DENSE, KIT_BITS, 2, (int64_t[]){2, 3});
    kit_tensor *y = kit_output(OCLDNN_F16, KIT_DENSE, 2, (int64_t[]){2, 4});
    const ocldnn_mean_pool good = {.input = x->tensor, .mask = mask->tensor, .output = y->tensor};
    ocldnn_mean_pool op = good;
    (void)state;
    op.input.dtype = 0;
    kit_refuses(mean_pool, &op, OCLDNN_INVALID_ARGUMENT, "input: the tensor is missing");
    op = good;
    op.input.rank = 2;
    kit_refuses(mean_pool, &op, OCLDNN_INVALID_SHAPE, "input: rank is 2, must be 3");
    op = good;
    op.mask.dtype = OCLDNN_F32;
    kit_refuses(mean_pool, &op, OCLDNN_INVALID_DTYPE, "mask: dtype is F32, must be U8");
    op = good;
    op.mask.shape[1] = 2;
    kit_refuses(mean_pool, &op, OCLDNN_INVALID_SHAPE, "mask: axis 1 is 2, input has 3");
    op = good;
    op.output.dtype = OCLDNN_F32;
    kit_refuses(mean_pool, &op, OCLDNN_INVALID_DTYPE, "output: dtype is F32, must be F16");
    op = good;
    op.output.shape[1] = 3;
    kit_refuses(mean_pool, &op, OCLDNN_INVALID_SHAPE, "output: axis 1 is 3, axis 2 of input is 4");
    op = good;
    op.input.strides[2] = 2;
    kit_refuses(mean_pool, &op, OCLDNN_INVALID_SHAPE, "input: axis 2 has stride 2, the last axis must be contiguous");
    op = good;
    op.output.buffer = x->tensor.buffer;
    op.output.offset = x->tensor.offset;
    kit_refuses_run(mean_pool, &op, OCLDNN_INVALID_BUFFER, "overlap input");
    kit_free_all();
}

static void honours_events(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_INTEGERS, 3, (int64_t[]){2, 3, 4});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){2, 4});
    ocldnn_mean_pool op = {.input = x->tensor, .output = y->tensor};
    (void)state;
    kit_honours_events(mean_pool, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),  cmocka_unit_test(named_cases),    cmocka_unit_test(huge_values),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("mean_pool", tests);
}
