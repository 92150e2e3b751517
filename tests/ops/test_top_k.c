/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers are exact: the reference sorts, and equality is demanded.
 */
#include "kit/kit.h"

#include <math.h>

static const double *row;
static bool smallest;

/* Whether a comes before b: NaN is larger than everything, equal values by index. */
static int before(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    double x = isnan(row[a]) ? INFINITY : row[a], y = isnan(row[b]) ? INFINITY : row[b];
    int rank = isnan(row[a]) != isnan(row[b]) ? (isnan(row[a]) ? 1 : -1) : x > y ? 1 : x < y ? -1 : 0;
    if (rank != 0)
        return smallest ? rank : -rank;
    return a - b;
}

static void expected(const kit_tensor *x, int64_t length, int64_t k, double *indices, double *values)
{
    int *order = malloc((size_t)length * sizeof *order + 1);
    assert_non_null(order);
    for (int64_t r = 0; r < x->count / length; r++) {
        row = x->values + r * length;
        for (int i = 0; i < length; i++)
            order[i] = i;
        qsort(order, (size_t)length, sizeof *order, before);
        for (int64_t i = 0; i < k; i++) {
            indices[r * k + i] = order[i];
            values[r * k + i] = row[order[i]];
        }
    }
    free(order);
}

static void one_shape(uint32_t dtype, int64_t rows, int64_t length, int64_t k, bool few_values, bool is_smallest)
{
    kit_tensor *x = kit_input(dtype, KIT_STRIDED, few_values ? KIT_INTEGERS : KIT_NORMAL, 2, (int64_t[]){rows, length});
    kit_tensor *indices = kit_output(OCLDNN_U32, KIT_STRIDED, 2, (int64_t[]){rows, k});
    kit_tensor *values = kit_output(dtype, KIT_STRIDED, 2, (int64_t[]){rows, k});
    double *want = kit_doubles(indices->count), *want_values = kit_doubles(indices->count);
    ocldnn_top_k op = {.input = x->tensor, .indices = indices->tensor, .smallest = is_smallest};
    bool with_values = kit_between(0, 1);
    if (kit_between(0, 3) == 0 && x->count > 0) {
        x->values[kit_between(0, x->count - 1)] = NAN;
        x->values[kit_between(0, x->count - 1)] = -INFINITY;
        x->values[kit_between(0, x->count - 1)] = INFINITY;
        x->values[kit_between(0, x->count - 1)] = -0.0;
        kit_write(x);
    }
    if (with_values)
        op.values = values->tensor;
    kit_run(top_k, &op);
    smallest = is_smallest;
    expected(x, length, k, want, want_values);
    kit_equal(indices, want);
    if (with_values)
        kit_equal(values, want_values);
    kit_free_all();
}

static void matches_reference(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(100); i++) {
        int64_t length = kit_between(1, 300);
        one_shape(kit_float_dtype(), kit_between(0, 5), length, kit_between(1, kit_between(0, 1) ? 1 : length),
                  kit_between(0, 1), kit_between(0, 1));
    }
    one_shape(OCLDNN_F32, 1, 1093, 1000, false, false); /* half of the least local memory of a device */
    if (!kit.small) {
        one_shape(OCLDNN_F32, 2, 32000, 1, false, false);
        one_shape(OCLDNN_F16, 1, 5000, 1024, false, false);
        one_shape(OCLDNN_BF16, 2, 1024, 1024, false, true);
    }
}

/* Rows that the vector family looks through by blocks: many equals, more candidates than it has room for, NaN. */
static void long_rows(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(40); i++)
        one_shape(kit_float_dtype(), kit_between(1, 2), kit_between(512, kit.small ? 800 : 6000),
                  kit_between(1, kit.small || i % 2 ? 64 : 300), kit_between(0, 1), kit_between(0, 1));
}

static void hardly_any_number(void **state)
{
    enum { LENGTH = 1300, K = 40 };
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_ZEROS, 1, (int64_t[]){LENGTH});
    kit_tensor *indices = kit_output(OCLDNN_U32, KIT_DENSE, 1, (int64_t[]){K});
    double want[K], values[K];
    ocldnn_top_k op = {.input = x->tensor, .indices = indices->tensor};
    (void)state;
    for (int i = 0; i < LENGTH; i++)
        x->values[i] = i % 100 == 7 ? i : -HUGE_VAL;
    kit_write(x);
    kit_run(top_k, &op);
    smallest = false;
    expected(x, LENGTH, K, want, values);
    kit_equal(indices, want);
    kit_free_all();
}

static void says_what_is_wrong(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){2, 2000});
    kit_tensor *indices = kit_output(OCLDNN_U32, KIT_DENSE, 2, (int64_t[]){2, 2001});
    const ocldnn_top_k good = {.input = x->tensor, .indices = indices->tensor};
    ocldnn_top_k op = good;
    (void)state;
    kit_refuses(top_k, &op, OCLDNN_INVALID_SHAPE, "indices: axis 1 is k = 2001, must be 1 to 2000");
    op.indices.shape[1] = 0;
    kit_refuses(top_k, &op, OCLDNN_INVALID_SHAPE, "k = 0");
    op.indices.shape[1] = 1025;
    kit_refuses(top_k, &op, OCLDNN_UNSUPPORTED, "k = 1025, at most 1024 is supported");
    op.indices.shape[1] = 3;
    op.smallest = 7;
    kit_refuses(top_k, &op, OCLDNN_INVALID_ARGUMENT, "smallest is 7");
    op.smallest = 0;
    op.indices.shape[0] = 1;
    kit_refuses(top_k, &op, OCLDNN_INVALID_SHAPE, "indices: axis 0 is 1, input has 2");
    op.indices.shape[0] = 2;
    op.indices.dtype = OCLDNN_I32;
    kit_refuses(top_k, &op, OCLDNN_INVALID_DTYPE, "indices: dtype is I32, must be U32");
    op.indices.dtype = OCLDNN_U32;
    op.values = ocldnn_tensor_dense(NULL, OCLDNN_F32, 2, (int64_t[]){2, 4});
    kit_refuses(top_k, &op, OCLDNN_INVALID_SHAPE, "values: axis 1 is 4, indices has 3");
    kit_free_all();
}

static void honours_events(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){2, 20});
    kit_tensor *indices = kit_output(OCLDNN_U32, KIT_DENSE, 2, (int64_t[]){2, 3});
    ocldnn_top_k op = {.input = x->tensor, .indices = indices->tensor};
    (void)state;
    kit_honours_events(top_k, &op, indices);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),  cmocka_unit_test(long_rows),      cmocka_unit_test(hardly_any_number),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("top_k", tests);
}
