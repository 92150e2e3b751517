/* SPDX-License-Identifier: Apache-2.0
 *
 * What the operators over the last axis share: checks of tensors that go along with the input, and how rows are dealt
 * out to work-items.
 */
#ifndef OD_OPS_ROWS_H
#define OD_OPS_ROWS_H

#include "base/plan.h"

/* ---- checks; each takes an absent view for good -------------------------------------------------------------------
 */

/* input's last axis: not empty, contiguous. Writes its length. */
ocldnn_status od_rows_check_input(const od_view *input, int64_t *width);
/* The input's shape, the last axis contiguous. */
ocldnn_status od_rows_check_like(const od_view *view, const od_view *input);
/* [H]: one element for each place of a row. */
ocldnn_status od_rows_check_vector(const od_view *view, const od_view *input);
/* [..]: one element for each row. */
ocldnn_status od_rows_check_statistic(const od_view *view, const od_view *input);

/* ---- dealing out rows ---------------------------------------------------------------------------------------------
 */

/* What cl/common/team.cl asks for: a team of `lanes` items for a row, `teams` of them in a group, each of which takes
 * `block` rows one after the other. */
typedef struct od_row_teams {
    int32_t lanes, teams, vector, block;
    int64_t groups;
} od_row_teams;

od_row_teams od_rows_teams(const od_device *device, int64_t rows, int64_t width);

/* The -D LANES, TEAMS, WIDTH; the arguments `shape, rows, block, width`; the launch. */
void od_rows_define(od_step *step, const od_row_teams *teams);
void od_rows_args(od_step *step, const od_row_teams *teams, const od_axes *rows, int64_t width);
void od_rows_launch(od_step *step, const od_row_teams *teams);

/* A tensor that goes along: pointer, offset and row strides, at its place in the joined axes; nothing if absent. */
void od_rows_arg_view(od_step *step, const od_view *view, const od_axes *rows, int place);

#endif
