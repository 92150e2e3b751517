/* SPDX-License-Identifier: Apache-2.0
 *
 * l2_norm: y = x / sqrt(sum(x^2) + epsilon). The kernel is rms_norm's: a mean is a sum divided by something.
 */
#include "ops/rows.h"
#include "runtime/verbs.h"
#include "sources.h"

typedef struct problem {
    od_view input, output;
    od_axes rows; /* strides of input and output */
    int64_t width;
    float epsilon;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_l2_norm *op = opaque;
    problem *p = memory;
    uint32_t most = OCLDNN_MAX_RANK;
    OD_TRY(od_plan_tensor(plan, "input", &op->input, OD_READ, OD_FLOATS, 1, most, &p->input));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, OD_DTYPE(p->input.dtype), 1, most, &p->output));
    OD_TRY(od_rows_check_input(&p->input, &p->width));
    OD_TRY(od_rows_check_like(&p->output, &p->input));
    OD_TRY(od_check_positive("epsilon", op->epsilon));
    p->epsilon = op->epsilon;
    od_plan_may_be(plan, &p->output, &p->input);
    plan->empty = p->input.count == 0;
    return od_axes_join(p->input.rank - 1, p->input.shape, (const od_view *[]){&p->input, &p->output}, 2, &p->rows);
}

static ocldnn_status plan_rows(const od_device *device, const void *memory, od_plan *plan)
{
    const problem *p = memory;
    od_row_teams teams = od_rows_teams(device, p->rows.count, p->width);
    od_step *step = od_plan_kernel(plan, &od_source_norm_rms_norm, "rms_norm");
    od_define(step, "X_TYPE", (int32_t)p->input.dtype);
    od_define(step, "GAMMA_TYPE", 0);
    od_define(step, "HAS_RESIDUAL", 0);
    od_define(step, "HAS_RESIDUAL_OUTPUT", 0);
    od_define(step, "HAS_RSTD", 0);
    od_rows_define(step, &teams);
    od_rows_arg_view(step, &p->input, &p->rows, 0);
    od_rows_arg_view(step, &p->output, &p->rows, 1);
    od_rows_args(step, &teams, &p->rows, p->width);
    od_arg_float(step, 1.0f); /* what the sum is divided by */
    od_arg_float(step, p->epsilon);
    od_arg_float(step, 0.0f);
    od_rows_launch(step, &teams);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"native", 0, NULL, plan_rows}};

const od_operator od_operator_l2_norm = {"l2_norm", check, strategies, 1, 0};
OD_DEFINE_VERBS(l2_norm)
