/* SPDX-License-Identifier: Apache-2.0
 *
 * rotary: rotary position embedding, by caches or by computed angles.
 */
#include "runtime/verbs.h"
#include "sources.h"

#include <math.h>

enum {
    ITEMS = 64,       /* of a group on a GPU */
    MOST_TOKENS = 16, /* of a work-item on a CPU: cl/sequence/rotary_vector.cl */
    GROUPS_PER_UNIT = 4
};

typedef struct problem {
    od_view input, positions, cosine, sine, output;
    int64_t width;
    double base;
    bool interleaved, by_token;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

static ocldnn_status check_cache(problem *p, od_view *cache)
{
    int64_t shape[3] = {p->input.shape[0], p->input.shape[2], p->width / 2};
    od_view whole = {.name = "input's [B, T, W/2]", .rank = 3, .shape = {shape[0], shape[1], shape[2]}};
    OD_TRY(od_check_length(cache, cache->rank - 1, p->width / 2, "half the rotary width"));
    OD_TRY(od_check_last_contiguous(cache));
    if (cache->rank == 2)
        return OCLDNN_SUCCESS;
    if (od_present(&p->positions))
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: rank is 3, with positions it must be 2 ([P, W/2])", cache->name);
    OD_TRY(od_check_broadcastable(cache, &whole));
    *cache = od_view_broadcast(cache, 3, shape);
    return OCLDNN_SUCCESS;
}

static ocldnn_status check_caches(const ocldnn_rotary *op, od_plan *plan, problem *p)
{
    uint32_t dtypes = OD_DTYPE(p->input.dtype) | OD_DTYPE(OCLDNN_F32);
    OD_TRY(od_plan_optional(plan, "cosine", &op->cosine, OD_READ, dtypes, 2, 3, &p->cosine));
    OD_TRY(od_plan_optional(plan, "sine", &op->sine, OD_READ, dtypes, 2, 3, &p->sine));
    if (od_present(&p->cosine) != od_present(&p->sine))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: cosine and sine come together, %s is missing",
                       od_present(&p->cosine) ? "cosine" : "sine", od_present(&p->cosine) ? "sine" : "cosine");
    if (!od_present(&p->cosine))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_same_dtype(&p->sine, &p->cosine));
    OD_TRY(od_check_same_shape(&p->sine, &p->cosine));
    p->by_token = p->cosine.rank == 3;
    OD_TRY(check_cache(p, &p->cosine));
    return check_cache(p, &p->sine);
}

static ocldnn_status check_positions(problem *p)
{
    int64_t shape[2] = {p->input.shape[0], p->input.shape[2]};
    od_view whole = {.name = "input's [B, T]", .rank = 2, .shape = {shape[0], shape[1]}};
    if (!od_present(&p->positions))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_broadcastable(&p->positions, &whole));
    OD_TRY(od_check_axis(&p->positions, 1, &whole, 1));
    p->positions = od_view_broadcast(&p->positions, 2, shape);
    return OCLDNN_SUCCESS;
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_rotary *op = opaque;
    problem *p = memory;
    OD_TRY(od_plan_tensor(plan, "input", &op->input, OD_READ, OD_FLOATS, 4, 4, &p->input));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, OD_DTYPE(p->input.dtype), 4, 4, &p->output));
    OD_TRY(od_check_same_shape(&p->output, &p->input));
    OD_TRY(od_check_last_contiguous(&p->input));
    OD_TRY(od_check_last_contiguous(&p->output));
    p->width = op->width ? (int64_t)op->width : p->input.shape[3];
    if (p->width % 2 != 0 || p->width > p->input.shape[3])
        return od_fail(OCLDNN_INVALID_SHAPE, "width is %lld, must be even and at most axis 3 of input, %lld",
                       (long long)p->width, (long long)p->input.shape[3]);
    OD_TRY(od_check_enum("interleaved", op->interleaved, 2));
    p->interleaved = op->interleaved != 0;
    p->base = 10000.0;
    if (op->base != 0.0f) {
        OD_TRY(od_check_positive("base", op->base));
        p->base = (double)op->base;
    }
    p->by_token = false;
    OD_TRY(od_plan_optional(plan, "positions", &op->positions, OD_READ, OD_IDS, 2, 2, &p->positions));
    OD_TRY(check_positions(p));
    OD_TRY(check_caches(op, plan, p));
    od_plan_may_be(plan, &p->output, &p->input);
    plan->empty = p->output.count == 0;
    return OCLDNN_SUCCESS;
}

static void arg_four(od_step *step, const od_view *view)
{
    int32_t strides[4];
    for (int axis = 0; axis < 4; axis++)
        strides[axis] = (int32_t)view->strides[axis];
    od_arg_view(step, view);
    od_arg_int4(step, strides);
}

static void arg_cache(od_step *step, const problem *p, const od_view *cache)
{
    od_arg_view(step, cache);
    od_arg_int(step, p->by_token ? cache->strides[0] : 0);
    od_arg_int(step, cache->strides[p->by_token ? 1 : 0]);
}

static void arg_angles(od_step *step, const problem *p)
{
    double ratio = pow(p->base, p->width > 0 ? -2.0 / (double)p->width : 0.0);
    float high = (float)ratio;
    if (od_present(&p->positions)) {
        od_arg_view(step, &p->positions);
        od_arg_int(step, p->positions.strides[0]);
        od_arg_int(step, p->positions.strides[1]);
    }
    if (od_present(&p->cosine)) {
        arg_cache(step, p, &p->cosine);
        arg_cache(step, p, &p->sine);
        od_arg_int(step, p->cosine.shape[0]);
    } else {
        od_arg_float(step, high);
        od_arg_float(step, (float)(ratio - (double)high));
    }
}

static void define(od_step *step, const problem *p)
{
    od_define(step, "TYPE", (int32_t)p->input.dtype);
    od_define(step, "CACHE_TYPE", (int32_t)p->cosine.dtype);
    od_define(step, "CACHE_BY_TOKEN", p->by_token);
    od_define(step, "POSITION_KIND", p->positions.dtype == OCLDNN_I32 ? 2 : od_present(&p->positions));
    od_define(step, "INTERLEAVED", p->interleaved);
}

static void arg_all(od_step *step, const problem *p)
{
    arg_four(step, &p->input);
    arg_angles(step, p);
    arg_four(step, &p->output);
    od_arg_int(step, p->input.shape[1]);
    od_arg_int(step, p->input.shape[3]);
    od_arg_int(step, p->width);
}

/* A group for each token. */
static void plan_tokens(const problem *p, od_plan *plan)
{
    od_step *step = od_plan_kernel(plan, &od_source_sequence_rotary, "rotary");
    define(step, p);
    od_define(step, "ITEMS", ITEMS);
    arg_all(step, p);
    od_launch(step, p->input.shape[2], p->input.shape[0], 1, ITEMS, 1, 1);
}

/* A work-item for a run of tokens; shorter runs where there would be too few. */
static void plan_runs(const od_device *device, const problem *p, od_plan *plan)
{
    od_step *step = od_plan_kernel(plan, &od_source_sequence_rotary_vector, "rotary_vector");
    int64_t tokens = p->input.shape[2], wanted = (int64_t)device->compute_units * GROUPS_PER_UNIT, share = MOST_TOKENS;
    while (share > 1 && od_ceil_div(tokens, share) * p->input.shape[0] < wanted)
        share /= 2;
    define(step, p);
    arg_all(step, p);
    od_arg_int(step, tokens);
    od_arg_int(step, share);
    od_launch(step, od_ceil_div(tokens, share), p->input.shape[0], 1, 1, 1, 1);
}

static ocldnn_status plan_native(const od_device *device, const void *memory, od_plan *plan)
{
    if (device->family == OD_FAMILY_VECTOR)
        plan_runs(device, memory, plan);
    else
        plan_tokens(memory, plan);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"native", 0, NULL, plan_native}};

const od_operator od_operator_rotary = {"rotary", check, strategies, 1, 0};
OD_DEFINE_VERBS(rotary)
