/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax and log-softmax, with an optional scale and additive mask.
 */
#include "ops/rows.h"
#include "runtime/verbs.h"
#include "sources.h"

typedef struct problem {
    od_view input, mask, output; /* the mask broadcast to the input's shape */
    od_axes rows;
    int64_t width;
    float scale;
    bool logarithm;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

enum { KEPT = 4096 }; /* longest row of which a CPU's work-item keeps a float for each element: 16 KiB */

static ocldnn_status check_mask(problem *p)
{
    if (!od_present(&p->mask))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_rank(&p->mask, p->input.rank));
    OD_TRY(od_check_broadcastable(&p->mask, &p->input));
    if (p->mask.strides[p->mask.rank - 1] != 0)
        OD_TRY(od_check_last_contiguous(&p->mask));
    p->mask = od_view_broadcast(&p->mask, p->input.rank, p->input.shape);
    return OCLDNN_SUCCESS;
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_softmax *op = opaque;
    problem *p = memory;
    uint32_t most = OCLDNN_MAX_RANK;
    uint32_t x;
    OD_TRY(od_plan_tensor(plan, "input", &op->input, OD_READ, OD_FLOATS, 1, most, &p->input));
    x = OD_DTYPE(p->input.dtype);
    OD_TRY(od_plan_optional(plan, "mask", &op->mask, OD_READ, x | OD_DTYPE(OCLDNN_F32), 1, most, &p->mask));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, x, 1, most, &p->output));
    OD_TRY(od_rows_check_input(&p->input, &p->width));
    OD_TRY(check_mask(p));
    OD_TRY(od_rows_check_like(&p->output, &p->input));
    OD_TRY(od_check_finite("scale", op->scale));
    OD_TRY(od_check_enum("logarithm", op->logarithm, 2));
    p->scale = op->scale == 0.0f ? 1.0f : op->scale;
    p->logarithm = op->logarithm != 0;
    od_plan_may_be(plan, &p->output, &p->input);
    plan->empty = p->input.count == 0;
    return od_axes_join(p->input.rank - 1, p->input.shape, (const od_view *[]){&p->input, &p->mask, &p->output}, 3,
                        &p->rows);
}

static ocldnn_status plan_rows(const od_device *device, const void *memory, od_plan *plan)
{
    const problem *p = memory;
    od_row_teams teams = od_rows_teams(device, p->rows.count, p->width);
    od_step *step = od_plan_kernel(plan, &od_source_norm_softmax, "softmax");
    od_define(step, "X_TYPE", (int32_t)p->input.dtype);
    od_define(step, "MASK_TYPE", (int32_t)p->mask.dtype);
    od_define(step, "SCALED", p->scale != 1.0f);
    od_define(step, "LOGARITHM", p->logarithm);
    od_define(step, "KEPT", device->family == OD_FAMILY_VECTOR ? KEPT : 0);
    od_rows_define(step, &teams);
    od_rows_arg_view(step, &p->input, &p->rows, 0);
    od_rows_arg_view(step, &p->mask, &p->rows, 1);
    if (od_present(&p->mask))
        od_arg_int(step, p->mask.strides[p->mask.rank - 1]);
    od_rows_arg_view(step, &p->output, &p->rows, 2);
    od_rows_args(step, &teams, &p->rows, p->width);
    od_arg_float(step, p->scale);
    od_rows_launch(step, &teams);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"native", 0, NULL, plan_rows}};

const od_operator od_operator_softmax = {"softmax", check, strategies, 1, 0};
OD_DEFINE_VERBS(softmax)
