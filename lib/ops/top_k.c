/* SPDX-License-Identifier: Apache-2.0
 *
 * top_k: the k largest or smallest of each row, and where they are.
 */
#include "runtime/verbs.h"
#include "sources.h"

enum { MOST = 1024 };

typedef struct problem {
    od_view input, values, indices;
    od_axes rows; /* in the order of the views */
    int64_t length, k;
    bool smallest;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

static ocldnn_status check_leading(const problem *p, const od_view *view)
{
    uint32_t last = p->input.rank - 1;
    OD_TRY(od_check_rank(view, p->input.rank));
    for (uint32_t axis = 0; axis < last; axis++)
        OD_TRY(od_check_axis(view, axis, &p->input, axis));
    return od_check_last_contiguous(view);
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_top_k *op = opaque;
    problem *p = memory;
    uint32_t most = OCLDNN_MAX_RANK, last;
    OD_TRY(od_plan_tensor(plan, "input", &op->input, OD_READ, OD_FLOATS, 1, most, &p->input));
    OD_TRY(od_plan_optional(plan, "values", &op->values, OD_WRITE, OD_DTYPE(p->input.dtype), 1, most, &p->values));
    OD_TRY(od_plan_tensor(plan, "indices", &op->indices, OD_WRITE, OD_DTYPE(OCLDNN_U32), 1, most, &p->indices));
    last = p->input.rank - 1;
    OD_TRY(od_check_last_contiguous(&p->input));
    OD_TRY(check_leading(p, &p->indices));
    p->length = p->input.shape[last];
    p->k = p->indices.shape[last];
    if (od_present(&p->values)) {
        OD_TRY(check_leading(p, &p->values));
        OD_TRY(od_check_axis(&p->values, last, &p->indices, last));
    }
    if (p->k < 1 || p->k > p->length)
        return od_fail(OCLDNN_INVALID_SHAPE, "indices: axis %u is k = %lld, must be 1 to %lld (axis %u of input)", last,
                       (long long)p->k, (long long)p->length, last);
    if (p->k > MOST)
        return od_fail(OCLDNN_UNSUPPORTED, "indices: axis %u is k = %lld, at most %d is supported", last,
                       (long long)p->k, MOST);
    OD_TRY(od_check_enum("smallest", op->smallest, 2));
    p->smallest = op->smallest != 0;
    plan->empty = p->indices.count == 0;
    return od_axes_join(last, p->input.shape, (const od_view *[]){&p->input, &p->values, &p->indices}, 3, &p->rows);
}

/* A power of two from 64 (the group's size) on: few programs. */
static int32_t kept(int64_t k)
{
    int32_t best = 64;
    while (best < k)
        best *= 4;
    return best;
}

static ocldnn_status plan_rows(const od_device *device, const void *memory, od_plan *plan)
{
    const problem *p = memory;
    od_step *step = od_plan_kernel(plan, &od_source_sequence_top_k, "top_k");
    uint32_t items = device->family == OD_FAMILY_VECTOR ? 1 : 64;
    const od_view *views[] = {&p->input, &p->values, &p->indices};
    od_define(step, "TYPE", (int32_t)p->input.dtype);
    od_define(step, "SMALLEST", p->smallest);
    od_define(step, "HAS_VALUES", od_present(&p->values));
    od_define(step, "ITEMS", (int32_t)items);
    od_define(step, "BEST", kept(p->k));
    for (int i = 0; i < 3; i++) {
        if (!od_present(views[i]))
            continue;
        od_arg_view(step, views[i]);
        od_arg_int4(step, p->rows.strides[i]);
    }
    od_arg_int4(step, p->rows.shape);
    od_arg_int(step, p->length);
    od_arg_int(step, p->k);
    od_launch(step, p->rows.count, 1, 1, items, 1, 1);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"native", 0, NULL, plan_rows}};

const od_operator od_operator_top_k = {"top_k", check, strategies, 1, 0};
OD_DEFINE_VERBS(top_k)
