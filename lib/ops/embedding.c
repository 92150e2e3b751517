/* SPDX-License-Identifier: Apache-2.0
 *
 * embedding: rows of a table by ids, with position and segment tables added.
 */
#include "runtime/verbs.h"
#include "sources.h"

enum { MOST_ROWS = 16, GROUPS_PER_UNIT = 4 };

typedef struct problem {
    od_view ids, table, position_ids, position_table, segment_ids, segment_table, output;
    od_axes rows; /* ids, position_ids, segment_ids, output */
    int64_t sequence, width;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

static ocldnn_status take_tensors(const ocldnn_embedding *op, od_plan *plan, problem *p)
{
    uint32_t most = OCLDNN_MAX_RANK - 1, t, id;
    OD_TRY(od_plan_tensor(plan, "ids", &op->ids, OD_READ, OD_IDS, 0, most, &p->ids));
    OD_TRY(od_plan_tensor(plan, "table", &op->table, OD_READ, OD_FLOATS, 2, 2, &p->table));
    t = OD_DTYPE(p->table.dtype);
    id = OD_DTYPE(p->ids.dtype);
    OD_TRY(od_plan_optional(plan, "position_ids", &op->position_ids, OD_READ, id, 0, most, &p->position_ids));
    OD_TRY(od_plan_optional(plan, "position_table", &op->position_table, OD_READ, t, 2, 2, &p->position_table));
    OD_TRY(od_plan_optional(plan, "segment_ids", &op->segment_ids, OD_READ, id, 0, most, &p->segment_ids));
    OD_TRY(od_plan_optional(plan, "segment_table", &op->segment_table, OD_READ, t, 2, 2, &p->segment_table));
    return od_plan_tensor(plan, "output", &op->output, OD_WRITE, t, 1, most + 1, &p->output);
}

static ocldnn_status check_table(const problem *p, const od_view *table)
{
    if (!od_present(table))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_axis(table, 1, &p->output, p->output.rank - 1));
    return od_check_last_contiguous(table);
}

/* Ids of an optional table: they need the table, and ids' shape. */
static ocldnn_status check_ids(const problem *p, const od_view *ids, const od_view *table, const char *table_name)
{
    if (!od_present(ids))
        return OCLDNN_SUCCESS;
    if (!od_present(table))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: needs a %s", ids->name, table_name);
    return od_check_same_shape(ids, &p->ids);
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_embedding *op = opaque;
    problem *p = memory;
    uint32_t rank;
    OD_TRY(take_tensors(op, plan, p));
    rank = p->ids.rank;
    OD_TRY(od_check_rank(&p->output, rank + 1));
    for (uint32_t axis = 0; axis < rank; axis++)
        OD_TRY(od_check_axis(&p->output, axis, &p->ids, axis));
    OD_TRY(od_check_last_contiguous(&p->output));
    OD_TRY(check_table(p, &p->table));
    OD_TRY(check_table(p, &p->position_table));
    OD_TRY(check_table(p, &p->segment_table));
    OD_TRY(check_ids(p, &p->position_ids, &p->position_table, "position_table"));
    OD_TRY(check_ids(p, &p->segment_ids, &p->segment_table, "segment_table"));
    p->width = p->output.shape[rank];
    p->sequence = rank > 0 ? p->ids.shape[rank - 1] : 1;
    plan->empty = p->output.count == 0;
    return od_axes_join(rank, p->ids.shape, (const od_view *[]){&p->ids, &p->position_ids, &p->segment_ids, &p->output},
                        4, &p->rows);
}

static void arg_ids(od_step *step, const problem *p, const od_view *ids, int place)
{
    if (!od_present(ids))
        return;
    od_arg_view(step, ids);
    od_arg_int4(step, p->rows.strides[place]);
}

static void arg_table(od_step *step, const od_view *table)
{
    if (!od_present(table))
        return;
    od_arg_view(step, table);
    od_arg_int(step, table->shape[0]);
    od_arg_int(step, table->strides[0]);
}

/* On a CPU a group takes several rows, as far as each compute unit still gets some groups. */
static int64_t rows_of_group(const od_device *device, const problem *p)
{
    int64_t share = p->rows.count / ((int64_t)device->compute_units * GROUPS_PER_UNIT + 1);
    return share < 1 ? 1 : share > MOST_ROWS ? MOST_ROWS : share;
}

static ocldnn_status plan_rows(const od_device *device, const void *memory, od_plan *plan)
{
    const problem *p = memory;
    od_step *step = od_plan_kernel(plan, &od_source_sequence_embedding, "embedding");
    bool vector = device->family == OD_FAMILY_VECTOR;
    uint32_t items = vector ? 1 : 64;
    int64_t share = vector ? rows_of_group(device, p) : 1;
    od_define(step, "TYPE", (int32_t)p->table.dtype);
    od_define(step, "HAS_POSITION", od_present(&p->position_table));
    od_define(step, "HAS_POSITION_IDS", od_present(&p->position_ids));
    od_define(step, "HAS_SEGMENT", od_present(&p->segment_table));
    od_define(step, "HAS_SEGMENT_IDS", od_present(&p->segment_ids));
    od_define(step, "ITEMS", (int32_t)items);
    od_define(step, "WIDTH", vector ? 16 : 4);
    arg_ids(step, p, &p->ids, 0);
    arg_table(step, &p->table);
    arg_ids(step, p, &p->position_ids, 1);
    arg_table(step, &p->position_table);
    arg_ids(step, p, &p->segment_ids, 2);
    arg_table(step, &p->segment_table);
    arg_ids(step, p, &p->output, 3);
    od_arg_int4(step, p->rows.shape);
    od_arg_int(step, p->sequence);
    od_arg_int(step, p->width);
    od_arg_int(step, p->rows.count);
    od_arg_int(step, share);
    od_launch(step, od_ceil_div(p->rows.count, share), 1, 1, items, 1, 1);
    return OCLDNN_SUCCESS;
}

static const od_strategy strategies[] = {{"native", 0, NULL, plan_rows}};

const od_operator od_operator_embedding = {"embedding", check, strategies, 1, 0};
OD_DEFINE_VERBS(embedding)
