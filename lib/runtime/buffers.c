/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/buffers.h"
#include "runtime/context.h"

/* Where a tensor lies: bytes [begin, end) of the outermost buffer. */
typedef struct place {
    cl_mem root;
    uint64_t begin, end;
} place;

/* Of an axis in bytes. */
static uint64_t stride_bytes(const od_view *view, uint32_t axis)
{
    return (uint64_t)view->strides[axis] * ocldnn_dtype_size((ocldnn_dtype)view->dtype);
}

static ocldnn_status locate(const ocldnn_context *context, const od_view *view, place *found)
{
    uint64_t element = ocldnn_dtype_size((ocldnn_dtype)view->dtype);
    uint64_t end = (view->offset + (uint64_t)view->extent) * element;
    cl_context owner = NULL;
    cl_mem parent = NULL;
    size_t bytes = 0, origin = 0;
    if (!view->buffer)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: its buffer is NULL", view->name);
    if (clGetMemObjectInfo(view->buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS ||
        clGetMemObjectInfo(view->buffer, CL_MEM_CONTEXT, sizeof owner, &owner, NULL) != CL_SUCCESS)
        return od_fail(OCLDNN_INVALID_BUFFER, "%s: its buffer is not a valid cl_mem", view->name);
    if (owner != context->cl)
        return od_fail(OCLDNN_INVALID_BUFFER, "%s: its buffer belongs to another cl_context", view->name);
    if (end > bytes)
        return od_fail(OCLDNN_INVALID_BUFFER, "%s: ends at byte %llu, its buffer has %zu", view->name,
                       (unsigned long long)end, bytes);
    found->root = view->buffer;
    if (clGetMemObjectInfo(view->buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL) == CL_SUCCESS &&
        parent) {
        clGetMemObjectInfo(view->buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
        found->root = parent;
    }
    found->begin = origin + view->offset * element;
    found->end = origin + end;
    return OCLDNN_SUCCESS;
}

/* With respect to a period: how long the part of the view within one period is; 0 if its other axes don't step by whole
 * periods. */
static uint64_t run_within(const od_view *view, uint64_t period)
{
    uint64_t run = ocldnn_dtype_size((ocldnn_dtype)view->dtype);
    for (uint32_t axis = 0; axis < view->rank; axis++) {
        uint64_t stride = stride_bytes(view, axis);
        if (view->shape[axis] == 1 || stride == 0)
            continue;
        if (stride < period)
            run += (uint64_t)(view->shape[axis] - 1) * stride;
        else if (stride % period != 0)
            return 0;
    }
    return run;
}

/* Slices of one packed buffer, such as the key and value parts of [B, S, 3, H, D]: their ranges cross, but within each
 * period of some stride both keep to parts of their own. */
static bool interleave(const od_view *a, const place *at_a, const od_view *b, const place *at_b)
{
    for (uint32_t axis = 0; axis < a->rank; axis++) {
        uint64_t period = stride_bytes(a, axis);
        uint64_t run_a, run_b, gap;
        if (a->shape[axis] == 1 || period == 0)
            continue;
        run_a = run_within(a, period);
        run_b = run_within(b, period);
        gap = (at_b->begin % period + period - at_a->begin % period) % period;
        /* b begins `gap` after a, and must end before a's next period begins. */
        if (run_a && run_b && run_a <= gap && gap + run_b <= period)
            return true;
    }
    return false;
}

static bool is_same(const od_view *a, const place *at_a, const od_view *b, const place *at_b)
{
    if (at_a->begin != at_b->begin || a->dtype != b->dtype || a->rank != b->rank)
        return false;
    for (uint32_t axis = 0; axis < a->rank; axis++)
        if (a->shape[axis] != b->shape[axis] || a->strides[axis] != b->strides[axis])
            return false;
    return true;
}

static ocldnn_status check_pair(const od_plan *plan, const place *places, uint32_t output, uint32_t other)
{
    const od_view *a = &plan->views[output], *b = &plan->views[other];
    const place *at_a = &places[output], *at_b = &places[other];
    if (at_a->root != at_b->root || at_a->begin >= at_b->end || at_b->begin >= at_a->end)
        return OCLDNN_SUCCESS;
    if ((plan->may_be[output] >> other & 1u) != 0 && is_same(a, at_a, b, at_b))
        return OCLDNN_SUCCESS;
    if (interleave(a, at_a, b, at_b))
        return OCLDNN_SUCCESS;
    return od_fail(OCLDNN_INVALID_BUFFER, "%s: bytes %llu to %llu overlap %s (bytes %llu to %llu of the same buffer)",
                   a->name, (unsigned long long)at_a->begin, (unsigned long long)at_a->end, b->name,
                   (unsigned long long)at_b->begin, (unsigned long long)at_b->end);
}

ocldnn_status od_check_buffers(const ocldnn_context *context, const od_plan *plan)
{
    place places[OD_PLAN_VIEWS];
    for (uint32_t i = 0; i < plan->view_count; i++) {
        places[i] = (place){0};
        if (plan->views[i].extent > 0)
            OD_TRY(locate(context, &plan->views[i], &places[i]));
    }
    for (uint32_t i = 0; i < plan->view_count; i++) {
        if (plan->views[i].access != OD_WRITE || plan->views[i].extent == 0)
            continue;
        for (uint32_t j = 0; j < plan->view_count; j++)
            /* A pair of outputs is looked at once. */
            if (j != i && plan->views[j].extent > 0 && (plan->views[j].access != OD_WRITE || j > i))
                OD_TRY(check_pair(plan, places, i, j));
    }
    return OCLDNN_SUCCESS;
}
