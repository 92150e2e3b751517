/* SPDX-License-Identifier: Apache-2.0
 *
 * layer_norm: y = gamma * (x - mean) / sqrt(variance + epsilon) + beta.
 */
#include "ops/rows.h"
#include "runtime/verbs.h"
#include "sources.h"

typedef struct problem {
    od_view input, gamma, beta, residual, output, residual_output, mean, rstd;
    od_axes rows; /* strides in the order of the views above, without gamma and beta */
    int64_t width;
    float epsilon;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

static ocldnn_status take_tensors(const ocldnn_layer_norm *op, od_plan *plan, problem *p)
{
    uint32_t most = OCLDNN_MAX_RANK, f32 = OD_DTYPE(OCLDNN_F32);
    uint32_t x;
    OD_TRY(od_plan_tensor(plan, "input", &op->input, OD_READ, OD_FLOATS, 1, most, &p->input));
    x = OD_DTYPE(p->input.dtype);
    OD_TRY(od_plan_optional(plan, "gamma", &op->gamma, OD_READ, x | f32, 1, 1, &p->gamma));
    OD_TRY(od_plan_optional(plan, "beta", &op->beta, OD_READ, x | f32, 1, 1, &p->beta));
    OD_TRY(od_plan_optional(plan, "residual", &op->residual, OD_READ, x, 1, most, &p->residual));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, x, 1, most, &p->output));
    OD_TRY(od_plan_optional(plan, "residual_output", &op->residual_output, OD_WRITE, x, 1, most, &p->residual_output));
    OD_TRY(od_plan_optional(plan, "mean", &op->mean, OD_WRITE, f32, 0, most - 1, &p->mean));
    return od_plan_optional(plan, "rstd", &op->rstd, OD_WRITE, f32, 0, most - 1, &p->rstd);
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_layer_norm *op = opaque;
    problem *p = memory;
    OD_TRY(take_tensors(op, plan, p));
    OD_TRY(od_rows_check_input(&p->input, &p->width));
    OD_TRY(od_rows_check_vector(&p->gamma, &p->input));
    OD_TRY(od_rows_check_vector(&p->beta, &p->input));
    if (od_present(&p->gamma) && od_present(&p->beta))
        OD_TRY(od_check_same_dtype(&p->beta, &p->gamma));
    OD_TRY(od_rows_check_like(&p->residual, &p->input));
    OD_TRY(od_rows_check_like(&p->output, &p->input));
    OD_TRY(od_rows_check_like(&p->residual_output, &p->input));
    OD_TRY(od_rows_check_statistic(&p->mean, &p->input));
    OD_TRY(od_rows_check_statistic(&p->rstd, &p->input));
    if (od_present(&p->residual_output) && !od_present(&p->residual))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "residual_output: needs a residual");
    OD_TRY(od_check_positive("epsilon", op->epsilon));
    p->epsilon = op->epsilon;
    od_plan_may_be(plan, &p->output, &p->input);
    od_plan_may_be(plan, &p->output, &p->residual);
    od_plan_may_be(plan, &p->residual_output, &p->input);
    od_plan_may_be(plan, &p->residual_output, &p->residual);
    plan->empty = p->input.count == 0;
    return od_axes_join(
        p->input.rank - 1, p->input.shape,
        (const od_view *[]){&p->input, &p->residual, &p->output, &p->residual_output, &p->mean, &p->rstd}, 6, &p->rows);
}

static ocldnn_status plan_rows(const od_device *device, const void *memory, od_plan *plan)
{
    const problem *p = memory;
    od_row_teams teams = od_rows_teams(device, p->rows.count, p->width);
    od_step *step = od_plan_kernel(plan, &od_source_norm_layer_norm, "layer_norm");
    uint32_t gamma_type = od_present(&p->gamma) ? p->gamma.dtype : p->beta.dtype;
    od_define(step, "X_TYPE", (int32_t)p->input.dtype);
    od_define(step, "GAMMA_TYPE", gamma_type ? (int32_t)gamma_type : OCLDNN_F32);
    od_define(step, "HAS_GAMMA", od_present(&p->gamma));
    od_define(step, "HAS_BETA", od_present(&p->beta));
    od_define(step, "HAS_RESIDUAL", od_present(&p->residual));
    od_define(step, "HAS_RESIDUAL_OUTPUT", od_present(&p->residual_output));
    od_define(step, "HAS_MEAN", od_present(&p->mean));
    od_define(step, "HAS_RSTD", od_present(&p->rstd));
    od_rows_define(step, &teams);
    od_rows_arg_view(step, &p->input, &p->rows, 0);
    if (od_present(&p->gamma))
        od_arg_view(step, &p->gamma);
    if (od_present(&p->beta))
        od_arg_view(step, &p->beta);
    od_rows_arg_view(step, &p->residual, &p->rows, 1);
    od_rows_arg_view(step, &p->output, &p->rows, 2);
    od_rows_arg_view(step, &p->residual_output, &p->rows, 3);
    od_rows_arg_view(step, &p->mean, &p->rows, 4);
    od_rows_arg_view(step, &p->rstd, &p->rows, 5);
    od_rows_args(step, &teams, &p->rows, p->width);
    od_arg_float(step, p->epsilon);
    od_rows_launch(step, &teams);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"native", 0, NULL, plan_rows}};

const od_operator od_operator_layer_norm = {"layer_norm", check, strategies, 1, 0};
OD_DEFINE_VERBS(layer_norm)
