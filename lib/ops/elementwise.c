/* SPDX-License-Identifier: Apache-2.0
 *
 * Element by element over tensors of any strides: the order of the axes does not matter to the result, so they are
 * sorted by the output's strides and joined where all tensors allow. Most calls end as one long row.
 */
#include "ops/elementwise.h"

#include "base/activation.h"
#include "sources.h"

_Static_assert(sizeof(od_elementwise) <= OD_PROBLEM_BYTES, "a problem must fit");

enum { LAST = OCLDNN_MAX_RANK - 1, GROUPS_PER_UNIT = 4, MOST_PIECES = 1024 };

/* ---- checks -------------------------------------------------------------------------------------------------------
 */

ocldnn_status od_elementwise_take(od_plan *plan, const char *a_name, const ocldnn_tensor *a, const char *b_name,
                                  const ocldnn_tensor *b, const ocldnn_tensor *output, od_elementwise *problem)
{
    uint32_t most = OCLDNN_MAX_RANK, same;
    OD_TRY(od_plan_tensor(plan, a_name, a, OD_READ, OD_FLOATS, 0, most, &problem->a));
    same = OD_DTYPE(problem->a.dtype);
    problem->b.dtype = OCLDNN_ABSENT;
    if (b)
        OD_TRY(od_plan_tensor(plan, b_name, b, OD_READ, same, 0, most, &problem->b));
    return od_plan_tensor(plan, "output", output, OD_WRITE, same, 0, most, &problem->output);
}

ocldnn_status od_elementwise_activation(uint32_t kind, float alpha, od_elementwise *problem)
{
    OD_TRY(od_check_enum("kind", kind, OD_ACTIVATIONS));
    OD_TRY(od_check_finite("alpha", alpha));
    problem->kind = kind;
    problem->alpha = od_activation_alpha(kind, alpha);
    return OCLDNN_SUCCESS;
}

/* An axis on which all inputs have length 1 has length 1 in the output too. */
static ocldnn_status check_output(const od_elementwise *p)
{
    const od_view *wider = od_present(&p->b) && p->b.rank > p->a.rank ? &p->b : &p->a;
    if (p->output.rank > wider->rank)
        return od_fail(OCLDNN_INVALID_SHAPE, "output: rank is %u, the inputs' broadcast shape has %u", p->output.rank,
                       wider->rank);
    for (uint32_t from_end = 0; from_end < p->output.rank; from_end++) {
        int64_t length = od_length_from_end(&p->output, from_end);
        if (length != 1 && od_length_from_end(&p->a, from_end) == 1 &&
            (!od_present(&p->b) || od_length_from_end(&p->b, from_end) == 1))
            return od_fail(OCLDNN_INVALID_SHAPE, "output: axis %u is %lld, the inputs' broadcast shape has 1",
                           p->output.rank - 1 - from_end, (long long)length);
    }
    return OCLDNN_SUCCESS;
}

/* The output's axes longer than 1, the one with the greatest stride first. */
static uint32_t sort_axes(const od_view *output, uint32_t order[OCLDNN_MAX_RANK])
{
    uint32_t used = 0;
    for (uint32_t axis = 0; axis < output->rank; axis++) {
        uint32_t place = used;
        if (output->shape[axis] == 1)
            continue;
        while (place > 0 && output->strides[order[place - 1]] < output->strides[axis]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = axis;
        used++;
    }
    return used;
}

/* Whether an axis continues the one at `slot` in all views. */
static bool continues(const od_elementwise *p, const od_view *const wide[OD_ELEMENTWISE_VIEWS], uint32_t axis, int slot)
{
    for (int v = 0; v < OD_ELEMENTWISE_VIEWS; v++)
        if (od_present(wide[v]) && wide[v]->strides[axis] != (int64_t)p->strides[v][slot] * p->shape[slot])
            return false;
    return true;
}

static void join_axes(od_elementwise *p)
{
    od_view a = od_view_broadcast(&p->a, p->output.rank, p->output.shape);
    od_view b = od_view_broadcast(&p->b, p->output.rank, p->output.shape);
    const od_view *const wide[OD_ELEMENTWISE_VIEWS] = {&a, &b, &p->output};
    uint32_t order[OCLDNN_MAX_RANK];
    uint32_t used = sort_axes(&p->output, order);
    int slot = OCLDNN_MAX_RANK;
    for (int i = 0; i < OCLDNN_MAX_RANK; i++) {
        p->shape[i] = 1;
        for (int v = 0; v < OD_ELEMENTWISE_VIEWS; v++)
            p->strides[v][i] = 0;
    }
    while (used-- > 0) {
        uint32_t axis = order[used];
        if (slot < OCLDNN_MAX_RANK && continues(p, wide, axis, slot)) {
            p->shape[slot] = (int32_t)(p->shape[slot] * p->output.shape[axis]);
            continue;
        }
        slot--;
        p->shape[slot] = (int32_t)p->output.shape[axis];
        for (int v = 0; v < OD_ELEMENTWISE_VIEWS; v++)
            p->strides[v][slot] = od_present(wide[v]) ? (int32_t)wide[v]->strides[axis] : 0;
    }
}

ocldnn_status od_elementwise_check(od_plan *plan, od_elementwise *problem)
{
    OD_TRY(od_check_broadcastable(&problem->a, &problem->output));
    if (od_present(&problem->b))
        OD_TRY(od_check_broadcastable(&problem->b, &problem->output));
    OD_TRY(check_output(problem));
    od_plan_may_be(plan, &problem->output, &problem->a);
    od_plan_may_be(plan, &problem->output, &problem->b);
    plan->empty = problem->output.count == 0;
    if (!plan->empty)
        join_axes(problem);
    return OCLDNN_SUCCESS;
}

/* ---- the launch ---------------------------------------------------------------------------------------------------
 */

/* Whether a row of the tensor is one element, repeated. A row of one element is no such thing. */
static bool repeats(const od_elementwise *p, int view)
{
    return p->shape[LAST] > 1 && p->strides[view][LAST] == 0;
}

static bool strided(const od_elementwise *p)
{
    bool found = false;
    for (int v = 0; v < OD_ELEMENTWISE_VIEWS; v++)
        found = found || p->strides[v][LAST] > 1;
    return found;
}

/* Of the eight axes, three go to the far four, four to the near four, and the last is the row. */
static void near_four(const int32_t axes[OCLDNN_MAX_RANK], int32_t four[4])
{
    for (int i = 0; i < 4; i++)
        four[i] = axes[LAST - 4 + i];
}

static void far_four(const int32_t axes[OCLDNN_MAX_RANK], int32_t nothing, int32_t four[4])
{
    four[0] = nothing;
    for (int i = 0; i < 3; i++)
        four[i + 1] = axes[i];
}

static void arg_tensor(od_step *step, const od_elementwise *p, const od_view *view, int place)
{
    int32_t four[4];
    if (!od_present(view))
        return;
    near_four(p->strides[place], four);
    od_arg_view(step, view);
    od_arg_int4(step, four);
    od_arg_int(step, p->strides[place][LAST]);
}

static void arg_far(od_step *step, const od_elementwise *p, int64_t near_count)
{
    int32_t four[4];
    for (int v = 0; v < OD_ELEMENTWISE_VIEWS; v++) {
        if (v == 1 && !od_present(&p->b))
            continue;
        far_four(p->strides[v], 0, four);
        od_arg_int4(step, four);
    }
    far_four(p->shape, 1, four);
    od_arg_int4(step, four);
    od_arg_int(step, near_count);
}

/* How many pieces a group takes: enough groups for every core, and not more than pay. */
static uint32_t share_of(const od_device *device, int64_t pieces, uint32_t items)
{
    int64_t groups = (int64_t)GROUPS_PER_UNIT * (device->compute_units ? device->compute_units : 1);
    int64_t most = items > 1 ? 4 * (int64_t)items : MOST_PIECES, least = items > 1 ? items : MOST_PIECES / 16;
    int64_t share = od_ceil_div(pieces, groups);
    share = od_round_up(share, items);
    return (uint32_t)(share < least ? least : share > most ? most : share);
}

static void define_all(od_step *step, const od_elementwise *p, bool has_far, uint32_t items, int32_t width)
{
    od_define(step, "TYPE", (int32_t)p->output.dtype);
    od_define(step, "OPERATION", (int32_t)p->operation);
    od_define(step, "ACTIVATION", (int32_t)p->kind);
    od_define(step, "A_REPEATS", repeats(p, 0));
    od_define(step, "B_REPEATS", od_present(&p->b) && repeats(p, 1));
    od_define(step, "STRIDED", strided(p));
    od_define(step, "HAS_FAR", has_far);
    od_define(step, "ITEMS", (int32_t)items);
    od_define(step, "WIDTH", width);
}

static ocldnn_status plan_rows(const od_device *device, const void *memory, od_plan *plan)
{
    const od_elementwise *p = memory;
    od_step *step = od_plan_kernel(plan, &od_source_elementwise_elementwise, "elementwise");
    bool vector = device->family == OD_FAMILY_VECTOR;
    uint32_t items = vector ? 1 : 256, share;
    int32_t width = vector ? 16 : 4, shape[4], lanes = strided(p) ? 1 : width;
    int64_t near_count = 1, far_count = 1, pieces;
    near_four(p->shape, shape);
    for (int i = 0; i < LAST; i++)
        *(i < LAST - 4 ? &far_count : &near_count) *= p->shape[i];
    pieces = far_count * near_count * od_ceil_div(p->shape[LAST], lanes);
    share = share_of(device, pieces, items);
    define_all(step, p, far_count > 1, items, width);
    arg_tensor(step, p, &p->a, 0);
    arg_tensor(step, p, &p->b, 1);
    arg_tensor(step, p, &p->output, 2);
    od_arg_int4(step, shape);
    if (far_count > 1)
        arg_far(step, p, near_count);
    od_arg_int(step, p->shape[LAST]);
    od_arg_uint(step, (uint32_t)pieces);
    od_arg_uint(step, share);
    od_arg_float(step, p->alpha);
    od_launch(step, od_ceil_div(pieces, share), 1, 1, items, 1, 1);
    return OCLDNN_SUCCESS;
}

ocldnn_status od_elementwise_plan_copy(const od_device *device, od_plan *plan, const od_view *from, const od_view *to)
{
    od_elementwise copy = {.a = *from, .output = *to, .operation = OD_ELEMENTWISE_ACTIVATION, .kind = OCLDNN_IDENTITY};
    join_axes(&copy);
    return plan_rows(device, &copy, plan);
}

const od_strategy od_elementwise_strategies[1] = {{"native", 0, NULL, plan_rows}};
