/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/rows.h"

ocldnn_status od_rows_check_input(const od_view *input, int64_t *width)
{
    uint32_t last = input->rank - 1;
    *width = input->shape[last];
    if (*width == 0)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u is 0, there is nothing to normalize", input->name, last);
    return od_check_last_contiguous(input);
}

ocldnn_status od_rows_check_like(const od_view *view, const od_view *input)
{
    if (!od_present(view))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_same_shape(view, input));
    return od_check_last_contiguous(view);
}

ocldnn_status od_rows_check_vector(const od_view *view, const od_view *input)
{
    if (!od_present(view))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_axis(view, 0, input, input->rank - 1));
    return od_check_last_contiguous(view);
}

ocldnn_status od_rows_check_statistic(const od_view *view, const od_view *input)
{
    uint32_t last = input->rank - 1;
    if (!od_present(view))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_rank(view, last));
    for (uint32_t axis = 0; axis < last; axis++)
        OD_TRY(od_check_axis(view, axis, input, axis));
    return OCLDNN_SUCCESS;
}

/* ---- dealing out rows ---------------------------------------------------------------------------------------------
 */

enum {
    BLOCK_ELEMENTS = 524288, /* a CPU's work-item takes rows of about so many elements in all ... */
    GROUPS_PER_UNIT = 4,     /* ... unless that would leave fewer groups than this for each core */
    GROUP_ITEMS = 64         /* least size of a GPU's group */
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

od_row_teams od_rows_teams(const od_device *device, int64_t rows, int64_t width)
{
    od_row_teams t = {1, 1, 16, 1, rows};
    if (device->family == OD_FAMILY_VECTOR) {
        int64_t units = device->compute_units ? device->compute_units : 1;
        int64_t block = smaller(od_ceil_div(BLOCK_ELEMENTS, width), od_ceil_div(rows, units * GROUPS_PER_UNIT));
        t.block = (int32_t)(block > 0 ? block : 1);
    } else {
        int64_t most = device->max_group_size ? device->max_group_size : 1;
        t.vector = 4;
        t.lanes = (int32_t)(width > 1024 ? 256 : width > 128 ? 64 : 8);
        while (t.lanes > most)
            t.lanes /= 2;
        while (t.lanes * t.teams * 2 <= smaller(most, GROUP_ITEMS))
            t.teams *= 2;
    }
    t.groups = od_ceil_div(rows, (int64_t)t.teams * t.block);
    return t;
}

void od_rows_define(od_step *step, const od_row_teams *teams)
{
    od_define(step, "LANES", teams->lanes);
    od_define(step, "TEAMS", teams->teams);
    od_define(step, "WIDTH", teams->vector);
}

void od_rows_args(od_step *step, const od_row_teams *teams, const od_axes *rows, int64_t width)
{
    od_arg_int4(step, rows->shape);
    od_arg_int(step, rows->count);
    od_arg_int(step, teams->block);
    od_arg_int(step, width);
}

void od_rows_launch(od_step *step, const od_row_teams *teams)
{
    od_launch(step, teams->groups, 1, 1, (uint32_t)(teams->lanes * teams->teams), 1, 1);
}

void od_rows_arg_view(od_step *step, const od_view *view, const od_axes *rows, int place)
{
    if (!od_present(view))
        return;
    od_arg_view(step, view);
    od_arg_int4(step, rows->strides[place]);
}
