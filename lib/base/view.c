/* SPDX-License-Identifier: Apache-2.0 */
#include "base/view.h"

#include <string.h>

static ocldnn_status fill_strides(od_view *view)
{
    bool dense = true;
    int64_t stride = 1;
    for (uint32_t axis = 0; axis < view->rank; axis++)
        dense = dense && view->strides[axis] == 0;
    for (uint32_t axis = view->rank; axis-- > 0;) {
        int64_t length = view->shape[axis];
        if (dense)
            view->strides[axis] = stride;
        if (length == 1)
            view->strides[axis] = 0;
        if (length > 0 && __builtin_mul_overflow(stride, length, &stride))
            return od_fail(OCLDNN_INVALID_SHAPE, "%s: the product of its shape overflows 64 bits", view->name);
    }
    return OCLDNN_SUCCESS;
}

static ocldnn_status measure(od_view *view)
{
    int64_t last = 0;
    view->count = 1;
    for (uint32_t axis = 0; axis < view->rank; axis++) {
        if (view->shape[axis] == 0) {
            view->count = 0;
            view->extent = 0;
            return OCLDNN_SUCCESS;
        }
    }
    for (uint32_t axis = 0; axis < view->rank; axis++) {
        int64_t reach;
        if (__builtin_mul_overflow(view->count, view->shape[axis], &view->count) ||
            __builtin_mul_overflow(view->shape[axis] - 1, view->strides[axis], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return od_fail(OCLDNN_INVALID_SHAPE, "%s: its size overflows 64 bits at axis %u", view->name, axis);
    }
    if (last >= INT32_MAX)
        return od_fail(OCLDNN_UNSUPPORTED,
                       "%s: spans %llu elements, at most 2147483647 can be addressed in one tensor; split the call",
                       view->name, (unsigned long long)last + 1);
    view->extent = last + 1;
    return OCLDNN_SUCCESS;
}

/* A written tensor must not meet itself: sorted by stride, each axis must step over all smaller ones. */
static ocldnn_status check_writable(const od_view *view)
{
    uint32_t order[OCLDNN_MAX_RANK];
    uint32_t used = 0;
    int64_t below = 0;
    for (uint32_t axis = 0; axis < view->rank; axis++) {
        uint32_t place = used;
        if (view->shape[axis] <= 1)
            continue;
        while (place > 0 && view->strides[order[place - 1]] > view->strides[axis]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = axis;
        used++;
    }
    for (uint32_t i = 0; i < used; i++) {
        uint32_t axis = order[i];
        if (view->strides[axis] <= below)
            return od_fail(OCLDNN_INVALID_SHAPE,
                           "%s: axis %u has stride %lld, inside the %lld elements that axes of smaller strides span: "
                           "elements of an output may share memory",
                           view->name, axis, (long long)view->strides[axis], (long long)below + 1);
        below += (view->shape[axis] - 1) * view->strides[axis];
    }
    return OCLDNN_SUCCESS;
}

static ocldnn_status check_dtype(const od_view *view, uint32_t dtypes)
{
    char wanted[64] = "";
    if (view->dtype > OCLDNN_I32)
        return od_fail(OCLDNN_INVALID_DTYPE, "%s: dtype %u is unknown", view->name, view->dtype);
    if (dtypes & OD_DTYPE(view->dtype))
        return OCLDNN_SUCCESS;
    for (uint32_t dtype = 1; dtype <= OCLDNN_I32; dtype++) {
        if (dtypes & OD_DTYPE(dtype)) {
            strcat(wanted, wanted[0] ? ", " : "");
            strcat(wanted, od_dtype_name(dtype));
        }
    }
    return od_fail(OCLDNN_INVALID_DTYPE, "%s: dtype is %s, must be %s", view->name, od_dtype_name(view->dtype), wanted);
}

static ocldnn_status check_axes(const ocldnn_tensor *tensor, const char *name)
{
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        if (tensor->shape[axis] < 0)
            return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u has length %lld", name, axis,
                           (long long)tensor->shape[axis]);
        if (tensor->strides[axis] < 0)
            return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis %u has stride %lld, negative strides are not taken", name,
                           axis, (long long)tensor->strides[axis]);
    }
    return OCLDNN_SUCCESS;
}

ocldnn_status od_view_from_tensor(const char *name, const ocldnn_tensor *tensor, od_access access, uint32_t dtypes,
                                  uint32_t min_rank, uint32_t max_rank, od_view *view)
{
    uint64_t end;
    view->name = name;
    view->dtype = tensor->dtype;
    if (tensor->dtype == OCLDNN_ABSENT)
        return OCLDNN_SUCCESS;
    view->buffer = tensor->buffer;
    view->offset = tensor->offset;
    view->rank = tensor->rank;
    view->access = (uint8_t)access;
    view->temporary = false;
    view->index = UINT8_MAX;
    OD_TRY(check_dtype(view, dtypes));
    if (tensor->rank < min_rank || tensor->rank > max_rank) {
        if (min_rank == max_rank)
            return od_fail(OCLDNN_INVALID_SHAPE, "%s: rank is %u, must be %u", name, tensor->rank, min_rank);
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: rank is %u, must be %u to %u", name, tensor->rank, min_rank,
                       max_rank);
    }
    OD_TRY(check_axes(tensor, name));
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        view->shape[axis] = tensor->shape[axis];
        view->strides[axis] = tensor->strides[axis];
    }
    OD_TRY(fill_strides(view));
    OD_TRY(measure(view));
    if (__builtin_add_overflow(view->offset, (uint64_t)view->extent, &end) || end > UINT64_MAX / 8)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: offset %llu overflows 64 bits", name,
                       (unsigned long long)view->offset);
    return access == OD_WRITE && view->count > 0 ? check_writable(view) : OCLDNN_SUCCESS;
}

od_view od_view_broadcast(const od_view *view, uint32_t rank, const int64_t *shape)
{
    od_view wide = *view;
    if (!od_present(view))
        return wide;
    wide.rank = rank;
    wide.count = 1;
    for (uint32_t axis = 0; axis < rank; axis++) {
        uint32_t from_end = rank - 1 - axis;
        wide.shape[axis] = shape[axis];
        wide.strides[axis] = od_length_from_end(view, from_end) == 1 ? 0 : od_stride_from_end(view, from_end);
        wide.count *= shape[axis];
    }
    return wide;
}
