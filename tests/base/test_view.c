/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors become views, or a sentence; axes join; strategies are chosen. No device needed.
 */
#include "base/operator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static ocldnn_tensor tensor(uint32_t dtype, uint32_t rank, const int64_t *shape, const int64_t *strides)
{
    ocldnn_tensor t = {.dtype = dtype, .rank = rank};
    for (uint32_t axis = 0; axis < rank && axis < OCLDNN_MAX_RANK; axis++) {
        t.shape[axis] = shape[axis];
        t.strides[axis] = strides ? strides[axis] : 0;
    }
    return t;
}

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

static void expect(ocldnn_status wanted, const char *part, ocldnn_tensor t, od_access access)
{
    od_view view;
    ocldnn_status status = od_view_from_tensor("x", &t, access, OD_FLOATS, 0, OCLDNN_MAX_RANK, &view);
    if (status != wanted || (part && !strstr(ocldnn_last_error(), part)))
        fail_msg("%s \"%s\", wanted %s with \"%s\"", ocldnn_status_name(status), ocldnn_last_error(),
                 ocldnn_status_name(wanted), part ? part : "");
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    expect(OCLDNN_INVALID_DTYPE, "x: dtype 77 is unknown", tensor(77, 1, SHAPE(4), NULL), OD_READ);
    expect(OCLDNN_INVALID_DTYPE, "x: dtype is U8, must be F32, F16, BF16", tensor(OCLDNN_U8, 1, SHAPE(4), NULL),
           OD_READ);
    expect(OCLDNN_INVALID_SHAPE, "x: rank is 9, must be 0 to 8",
           tensor(OCLDNN_F32, 9, SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL), OD_READ);
    expect(OCLDNN_INVALID_SHAPE, "x: axis 1 has length -3", tensor(OCLDNN_F32, 2, SHAPE(4, -3), NULL), OD_READ);
    expect(OCLDNN_INVALID_SHAPE, "x: axis 0 has stride -8", tensor(OCLDNN_F32, 2, SHAPE(4, 3), SHAPE(-8, 1)), OD_READ);
    expect(OCLDNN_INVALID_SHAPE, "overflows 64 bits", tensor(OCLDNN_F32, 2, SHAPE(INT64_MAX, 4), NULL), OD_READ);
    expect(OCLDNN_INVALID_SHAPE, "overflows 64 bits",
           tensor(OCLDNN_F32, 2, SHAPE(INT64_MAX / 2, 3), SHAPE(INT64_MAX / 2, 1)), OD_READ);
    expect(OCLDNN_UNSUPPORTED, "spans 9223372036854775808 elements",
           tensor(OCLDNN_F32, 2, SHAPE(2, 1), SHAPE(INT64_MAX, 1)), OD_READ);
    expect(OCLDNN_UNSUPPORTED, "spans 4294967296 elements", tensor(OCLDNN_F32, 2, SHAPE(65536, 65536), NULL), OD_READ);
    expect(OCLDNN_INVALID_SHAPE, "axis 0 has stride 0", tensor(OCLDNN_F32, 2, SHAPE(4, 3), SHAPE(0, 1)), OD_WRITE);
    expect(OCLDNN_INVALID_SHAPE, "may share memory", tensor(OCLDNN_F32, 2, SHAPE(4, 8), SHAPE(7, 1)), OD_WRITE);
    ocldnn_tensor far = tensor(OCLDNN_F32, 1, SHAPE(4), NULL);
    far.offset = UINT64_MAX - 1;
    expect(OCLDNN_INVALID_SHAPE, "offset 18446744073709551614", far, OD_READ);
}

static void accepts(void **state)
{
    (void)state;
    expect(OCLDNN_SUCCESS, NULL, tensor(OCLDNN_F32, 2, SHAPE(4, 3), SHAPE(0, 1)), OD_READ);
    expect(OCLDNN_SUCCESS, NULL, tensor(OCLDNN_BF16, 2, SHAPE(4, 3), SHAPE(1, 4)), OD_WRITE);
    expect(OCLDNN_SUCCESS, NULL, tensor(OCLDNN_F16, 3, SHAPE(4, 0, 3), NULL), OD_WRITE);
    expect(OCLDNN_SUCCESS, NULL, tensor(OCLDNN_F16, 0, SHAPE(0), NULL), OD_WRITE);
    expect(OCLDNN_SUCCESS, NULL, tensor(OCLDNN_F16, 2, SHAPE(INT64_MAX, 0), NULL), OD_READ);
}

static void fills_strides(void **state)
{
    od_view view;
    ocldnn_tensor t = tensor(OCLDNN_F32, 3, SHAPE(5, 1, 7), NULL);
    (void)state;
    assert_int_equal(od_view_from_tensor("x", &t, OD_READ, OD_FLOATS, 3, 3, &view), OCLDNN_SUCCESS);
    assert_int_equal(view.strides[0], 7);
    assert_int_equal(view.strides[1], 0);
    assert_int_equal(view.strides[2], 1);
    assert_int_equal(view.extent, 35);
    od_view wide = od_view_broadcast(&view, 4, SHAPE(2, 5, 6, 7));
    assert_int_equal(wide.strides[0], 0);
    assert_int_equal(wide.strides[2], 0);
    assert_int_equal(wide.strides[1], 7);
    assert_int_equal(wide.count, 420);
}

static void joins_axes(void **state)
{
    od_view a, b, none = {0};
    od_axes axes;
    ocldnn_tensor ta = tensor(OCLDNN_F32, 4, SHAPE(2, 3, 4, 5), NULL);
    ocldnn_tensor tb = tensor(OCLDNN_F32, 4, SHAPE(2, 3, 4, 5), SHAPE(100, 20, 5, 1));
    (void)state;
    assert_int_equal(od_view_from_tensor("a", &ta, OD_READ, OD_FLOATS, 4, 4, &a), 0);
    assert_int_equal(od_view_from_tensor("b", &tb, OD_READ, OD_FLOATS, 4, 4, &b), 0);
    assert_int_equal(od_axes_join(3, a.shape, (const od_view *[]){&a, &none}, 2, &axes), 0);
    assert_int_equal(axes.shape[3], 24);
    assert_int_equal(axes.shape[2], 1);
    assert_int_equal(axes.strides[0][3], 5);
    assert_int_equal(axes.strides[1][3], 0);
    assert_int_equal(od_axes_join(3, a.shape, (const od_view *[]){&a, &b}, 2, &axes), 0);
    assert_int_equal(axes.shape[3], 12);
    assert_int_equal(axes.shape[2], 2);
    assert_int_equal(axes.strides[1][2], 100);
    assert_int_equal(axes.count, 24);
    ocldnn_tensor tall = tensor(OCLDNN_F32, 6, SHAPE(2, 2, 2, 2, 2, 2), SHAPE(512, 200, 80, 30, 12, 1));
    assert_int_equal(od_view_from_tensor("tall", &tall, OD_READ, OD_FLOATS, 6, 6, &a), 0);
    assert_int_equal(od_axes_join(5, a.shape, (const od_view *[]){&a}, 1, &axes), OCLDNN_UNSUPPORTED);
    assert_non_null(strstr(ocldnn_last_error(), "tall"));
}

static void checks_options(void **state)
{
    (void)state;
    assert_int_equal(od_check_positive("epsilon", 0.0f), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(od_check_positive("epsilon", NAN), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(od_check_positive("epsilon", INFINITY), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(od_check_positive("epsilon", -1.0f), OCLDNN_INVALID_ARGUMENT);
    assert_string_equal(ocldnn_last_error(), "epsilon is -1, must be finite and > 0");
    assert_int_equal(od_check_positive("epsilon", 1e-5f), OCLDNN_SUCCESS);
    assert_int_equal(od_check_finite("scale", INFINITY), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(od_check_enum("layout", 2, 2), OCLDNN_INVALID_ARGUMENT);
    assert_string_equal(ocldnn_last_error(), "layout is 2, must be 0 to 1");
}

/* ---- an operator of our own: the choice -------------------------------------------------------------------------- */

typedef struct toy {
    uint32_t strategy, launches;
} toy;

static const od_source source = {"toy.cl", "", 0};

static ocldnn_status check(const void *op, od_plan *plan, void *problem)
{
    *(toy *)problem = *(const toy *)op;
    plan->requested = ((const toy *)op)->strategy;
    return OCLDNN_SUCCESS;
}

static bool can_on_gpu(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    (void)problem;
    return device->family == OD_FAMILY_TILED || od_cannot(reason, "needs the %s family", "tiled");
}

static ocldnn_status plan_toy(const od_device *device, const void *problem, od_plan *plan)
{
    (void)device;
    for (uint32_t i = 0; i < ((const toy *)problem)->launches; i++) {
        od_step *step = od_plan_kernel(plan, &source, "toy");
        od_define(step, "N", (int32_t)i);
        od_launch(step, 1, 1, 1, 1, 1, 1);
    }
    od_plan_temp(plan, "scratch", OCLDNN_F16, 3);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"tiled", 2, can_on_gpu, plan_toy}, {"plain", 1, NULL, plan_toy}};
static const od_operator operator_toy = {"toy", check, strategies, 2, 2};

static void chooses(void **state)
{
    od_device device = {.family = OD_FAMILY_VECTOR};
    od_plan plan;
    ocldnn_query query;
    (void)state;
    od_plan_init(&plan);
    assert_int_equal(od_plan_operator(&operator_toy, &device, &(toy){0, 9}, &plan, &query), OCLDNN_SUCCESS);
    assert_string_equal(plan.strategy, "plain");
    assert_string_equal(query.strategies[0].refusal, "needs the tiled family");
    assert_string_equal(query.strategies[1].refusal, "");
    assert_int_equal(plan.step_count, 9); /* more than are inline */
    assert_int_equal(plan.steps[8].defines[0].value, 8);
    assert_int_equal(plan.workspace_bytes, OD_TEMP_ALIGNMENT);
    od_plan_free(&plan);

    od_plan_init(&plan);
    assert_int_equal(od_plan_operator(&operator_toy, &device, &(toy){2, 1}, &plan, NULL), OCLDNN_UNSUPPORTED);
    assert_string_equal(ocldnn_last_error(), "toy: needs the tiled family");
    assert_int_equal(od_plan_operator(&operator_toy, &device, &(toy){3, 1}, &plan, NULL), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(od_plan_operator(&operator_toy, &device, NULL, &plan, NULL), OCLDNN_INVALID_ARGUMENT);
    device.family = OD_FAMILY_TILED;
    assert_int_equal(od_plan_operator(&operator_toy, &device, &(toy){0, 1}, &plan, NULL), OCLDNN_SUCCESS);
    assert_string_equal(plan.strategy, "tiled");
    od_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(accepts),        cmocka_unit_test(fills_strides),
        cmocka_unit_test(joins_axes),         cmocka_unit_test(checks_options), cmocka_unit_test(chooses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
