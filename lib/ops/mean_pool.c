/* SPDX-License-Identifier: Apache-2.0
 *
 * mean_pool: the mean over a sequence of the rows that a mask lets take part.
 */
#include "runtime/verbs.h"
#include "sources.h"

/* On a CPU an item takes a run of columns: at most MOST (cl/sequence/mean_pool.cl), and not below LEAST, because short
 * runs of memory are slow, to give each compute unit GROUPS_PER_UNIT. */
enum { MOST_COLUMNS = 1024, LEAST_COLUMNS = 64, GROUPS_PER_UNIT = 4 };

typedef struct problem {
    od_view input, mask, output;
} problem;

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_mean_pool *op = opaque;
    problem *p = memory;
    OD_TRY(od_plan_tensor(plan, "input", &op->input, OD_READ, OD_FLOATS, 3, 3, &p->input));
    OD_TRY(od_plan_optional(plan, "mask", &op->mask, OD_READ, OD_DTYPE(OCLDNN_U8), 2, 2, &p->mask));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, OD_DTYPE(p->input.dtype), 2, 2, &p->output));
    OD_TRY(od_check_last_contiguous(&p->input));
    OD_TRY(od_check_last_contiguous(&p->output));
    OD_TRY(od_check_axis(&p->output, 0, &p->input, 0));
    OD_TRY(od_check_axis(&p->output, 1, &p->input, 2));
    if (od_present(&p->mask)) {
        OD_TRY(od_check_axis(&p->mask, 0, &p->input, 0));
        OD_TRY(od_check_axis(&p->mask, 1, &p->input, 1));
    }
    plan->empty = p->output.count == 0;
    return OCLDNN_SUCCESS;
}

static int64_t columns_of_item(const od_device *device, const problem *p)
{
    int64_t columns = MOST_COLUMNS, wanted = (int64_t)device->compute_units * GROUPS_PER_UNIT;
    while (columns > LEAST_COLUMNS && od_ceil_div(p->input.shape[2], columns) * p->input.shape[0] < wanted)
        columns /= 2;
    return columns;
}

static ocldnn_status plan_columns(const od_device *device, const void *memory, od_plan *plan)
{
    const problem *p = memory;
    od_step *step = od_plan_kernel(plan, &od_source_sequence_mean_pool, "mean_pool");
    bool vector = device->family == OD_FAMILY_VECTOR;
    uint32_t items = vector ? 1 : 64;
    int64_t width = vector ? 16 : 4, columns = p->input.shape[2];
    int64_t share = vector ? columns_of_item(device, p) : width, per_group = (int64_t)items * share;
    od_define(step, "TYPE", (int32_t)p->input.dtype);
    od_define(step, "HAS_MASK", od_present(&p->mask));
    od_define(step, "ITEMS", (int32_t)items);
    od_define(step, "WIDTH", (int32_t)width);
    od_arg_view(step, &p->input);
    od_arg_int(step, p->input.strides[0]);
    od_arg_int(step, p->input.strides[1]);
    if (od_present(&p->mask)) {
        od_arg_view(step, &p->mask);
        od_arg_int(step, p->mask.strides[0]);
        od_arg_int(step, p->mask.strides[1]);
    }
    od_arg_view(step, &p->output);
    od_arg_int(step, p->output.strides[0]);
    od_arg_int(step, p->input.shape[1]);
    od_arg_int(step, columns);
    od_arg_int(step, share);
    od_launch(step, od_ceil_div(columns, per_group), p->input.shape[0], 1, items, 1, 1);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"native", 0, NULL, plan_columns}};

const od_operator od_operator_mean_pool = {"mean_pool", check, strategies, 1, 0};
OD_DEFINE_VERBS(mean_pool)
