/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of view.h that compare tensors and options.
 */
#include "base/view.h"

#include <math.h>

ocldnn_status od_check_rank(const od_view *view, uint32_t rank)
{
    if (view->rank != rank)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: rank is %u, must be %u", view->name, view->rank, rank);
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_axis(const od_view *view, uint32_t axis, const od_view *other, uint32_t other_axis)
{
    if (view->shape[axis] == other->shape[other_axis])
        return OCLDNN_SUCCESS;
    if (axis == other_axis)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u is %lld, %s has %lld", view->name, axis,
                       (long long)view->shape[axis], other->name, (long long)other->shape[other_axis]);
    return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u is %lld, axis %u of %s is %lld", view->name, axis,
                   (long long)view->shape[axis], other_axis, other->name, (long long)other->shape[other_axis]);
}

ocldnn_status od_check_length(const od_view *view, uint32_t axis, int64_t length, const char *meaning)
{
    if (view->shape[axis] != length)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u is %lld, must be %lld (%s)", view->name, axis,
                       (long long)view->shape[axis], (long long)length, meaning);
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_same_shape(const od_view *view, const od_view *other)
{
    if (view->rank != other->rank)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: rank is %u, %s has %u", view->name, view->rank, other->name,
                       other->rank);
    for (uint32_t axis = 0; axis < view->rank; axis++)
        OD_TRY(od_check_axis(view, axis, other, axis));
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_same_dtype(const od_view *view, const od_view *other)
{
    if (view->dtype != other->dtype)
        return od_fail(OCLDNN_INVALID_DTYPE, "%s: dtype is %s, %s has %s", view->name, od_dtype_name(view->dtype),
                       other->name, od_dtype_name(other->dtype));
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_last_contiguous(const od_view *view)
{
    uint32_t last = view->rank - 1;
    if (view->rank > 0 && view->shape[last] > 1 && view->strides[last] != 1)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u has stride %lld, the last axis must be contiguous (stride 1)",
                       view->name, last, (long long)view->strides[last]);
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_broadcastable(const od_view *view, const od_view *other)
{
    if (view->rank > other->rank)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: rank is %u, more than %u of %s", view->name, view->rank, other->rank,
                       other->name);
    for (uint32_t axis = 0; axis < view->rank; axis++) {
        uint32_t other_axis = axis + other->rank - view->rank;
        if (view->shape[axis] != 1 && view->shape[axis] != other->shape[other_axis])
            return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u is %lld, must be 1 or %lld (axis %u of %s)", view->name,
                           axis, (long long)view->shape[axis], (long long)other->shape[other_axis], other_axis,
                           other->name);
    }
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_finite(const char *name, float value)
{
    if (!isfinite(value))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s is %g, must be finite", name, (double)value);
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_positive(const char *name, float value)
{
    if (!isfinite(value) || !(value > 0))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s is %g, must be finite and > 0", name, (double)value);
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_enum(const char *name, uint32_t value, uint32_t count)
{
    if (value >= count)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s is %u, must be 0 to %u", name, value, count - 1);
    return OCLDNN_SUCCESS;
}

/* Whether axis `outer` and the run below it (first stride `inner`, of length `run`) can be walked as one by a view. */
static bool joins(const od_view *view, uint32_t outer, int64_t inner, int64_t run)
{
    return !od_present(view) || view->strides[outer] == inner * run;
}

ocldnn_status od_axes_join(uint32_t axes, const int64_t *shape, const od_view *const *views, uint32_t count,
                           od_axes *joined)
{
    int slot = OD_AXES; /* the place last filled, from the right */
    joined->count = 1;
    for (int i = 0; i < OD_AXES; i++) {
        joined->shape[i] = 1;
        for (uint32_t v = 0; v < count; v++)
            joined->strides[v][i] = 0;
    }
    for (uint32_t axis = axes; axis-- > 0;) {
        bool can_join = slot < OD_AXES;
        joined->count *= shape[axis];
        if (shape[axis] == 1)
            continue;
        for (uint32_t v = 0; v < count && can_join; v++)
            can_join = joins(views[v], axis, joined->strides[v][slot], joined->shape[slot]);
        if (can_join && (int64_t)joined->shape[slot] * shape[axis] <= INT32_MAX) {
            joined->shape[slot] = (int32_t)(joined->shape[slot] * shape[axis]);
            continue;
        }
        if (slot == 0)
            return od_fail(OCLDNN_UNSUPPORTED, "%s: its strides leave more than %d axes that cannot be joined",
                           views[0]->name, OD_AXES);
        if (shape[axis] > INT32_MAX)
            return od_fail(OCLDNN_UNSUPPORTED, "%s: axis %u is %lld, at most 2147483647 can be addressed",
                           views[0]->name, axis, (long long)shape[axis]);
        slot--;
        joined->shape[slot] = (int32_t)shape[axis];
        for (uint32_t v = 0; v < count; v++)
            joined->strides[v][slot] = od_present(views[v]) ? (int32_t)views[v]->strides[axis] : 0;
    }
    return OCLDNN_SUCCESS;
}
