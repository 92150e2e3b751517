/* SPDX-License-Identifier: Apache-2.0
 *
 * A checked tensor, and the checks that operators share. No function here calls OpenCL.
 */
#ifndef OD_BASE_VIEW_H
#define OD_BASE_VIEW_H

#include "base/status.h"

#include <stdbool.h>

typedef enum od_access { OD_READ = 0, OD_WRITE = 1 } od_access;

/* A tensor after od_plan_tensor(): strides are spelled out (0 on every axis of length 1), sizes are known to fit.
 * Also stands for a temporary of the plan (od_plan_temp), so that planners need not tell them apart. */
typedef struct od_view {
    const char *name;
    cl_mem buffer;   /* NULL for a temporary, and before _run */
    uint64_t offset; /* elements; of a temporary: from the start of the workspace */
    uint32_t dtype;  /* OCLDNN_ABSENT: nothing else counts */
    uint32_t rank;
    int64_t shape[OCLDNN_MAX_RANK];
    int64_t strides[OCLDNN_MAX_RANK];
    int64_t count;  /* elements, broadcast ones counted each time */
    int64_t extent; /* elements from the first to past the last; 0 if empty; < 2^31 */
    uint8_t access; /* od_access */
    uint8_t index;  /* place in the plan's list of views */
    bool temporary;
} od_view;

/* Sets of dtypes that a tensor may have. */
#define OD_DTYPE(D) (1u << (D))
#define OD_FLOATS (OD_DTYPE(OCLDNN_F32) | OD_DTYPE(OCLDNN_F16) | OD_DTYPE(OCLDNN_BF16))
#define OD_IDS (OD_DTYPE(OCLDNN_U32) | OD_DTYPE(OCLDNN_I32))

static inline bool od_present(const od_view *view)
{
    return view->dtype != OCLDNN_ABSENT;
}

/* The length and the stride of an axis counted from the last one (0 = last); 1 and 0 past the first axis. */
static inline int64_t od_length_from_end(const od_view *view, uint32_t from_end)
{
    return from_end < view->rank ? view->shape[view->rank - 1 - from_end] : 1;
}

static inline int64_t od_stride_from_end(const od_view *view, uint32_t from_end)
{
    return from_end < view->rank ? view->strides[view->rank - 1 - from_end] : 0;
}

/* Fills view from tensor without recording it anywhere; od_plan_tensor() in plan.h is what operators call.
 * An absent tensor gives an absent view. */
ocldnn_status od_view_from_tensor(const char *name, const ocldnn_tensor *tensor, od_access access, uint32_t dtypes,
                                  uint32_t min_rank, uint32_t max_rank, od_view *view);

/* Each returns SUCCESS or fails with a sentence that names the tensor, the axis and both numbers. */
ocldnn_status od_check_rank(const od_view *view, uint32_t rank);
ocldnn_status od_check_axis(const od_view *view, uint32_t axis, const od_view *other, uint32_t other_axis);
ocldnn_status od_check_length(const od_view *view, uint32_t axis, int64_t length, const char *meaning);
ocldnn_status od_check_same_shape(const od_view *view, const od_view *other);
ocldnn_status od_check_same_dtype(const od_view *view, const od_view *other);
ocldnn_status od_check_last_contiguous(const od_view *view);
/* view's axes, aligned at the last, are 1 or other's length. */
ocldnn_status od_check_broadcastable(const od_view *view, const od_view *other);
ocldnn_status od_check_finite(const char *name, float value);
ocldnn_status od_check_positive(const char *name, float value); /* finite and > 0 */
ocldnn_status od_check_enum(const char *name, uint32_t value, uint32_t count);

/* The view with its shape broadcast (strides 0 on repeated axes) to rank and shape; it must be broadcastable to it. */
od_view od_view_broadcast(const od_view *view, uint32_t rank, const int64_t *shape);

/* ---- walking several tensors together -----------------------------------------------------------------------------
 */

enum { OD_AXES = 4, OD_AXES_VIEWS = 8 };

/* Leading axes of several views, joined as far as all of them allow; right-aligned, filled up with 1. What kernels take
 * as int4 arguments. */
typedef struct od_axes {
    int64_t count; /* product of shape */
    int32_t shape[OD_AXES];
    int32_t strides[OD_AXES_VIEWS][OD_AXES];
} od_axes;

/* Joins the first `axes` axes of shape over the views (each has these lengths there: broadcast them first; absent views
 * get strides 0). More than 4 that cannot be joined: UNSUPPORTED. */
ocldnn_status od_axes_join(uint32_t axes, const int64_t *shape, const od_view *const *views, uint32_t count,
                           od_axes *joined);

#endif
