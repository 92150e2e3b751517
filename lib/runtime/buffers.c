/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/buffers.h"
#include "runtime/context.h"

/* Where something lies: bytes [begin, end) of the outermost buffer. */
typedef struct place {
    cl_mem root;
    uint64_t begin, end;
} place;

/* Of an axis in bytes. */
static uint64_t stride_bytes(const od_view *view, uint32_t axis)
{
    return (uint64_t)view->strides[axis] * ocldnn_dtype_size((ocldnn_dtype)view->dtype);
}

/* All of a buffer. name and noun begin the sentence where it can't be used. */
static ocldnn_status find(const ocldnn_context *context, cl_mem buffer, const char *name, const char *noun,
                          place *found)
{
    cl_mem_object_type type = 0;
    cl_context owner = NULL;
    cl_mem parent = NULL;
    size_t bytes = 0, origin = 0;
    cl_int code = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof owner, &owner, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    if (code == CL_SUCCESS && parent)
        code = clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
    if (code != CL_SUCCESS)
        return od_fail(od_cl_status(code, OCLDNN_INVALID_BUFFER), "%s: %s cannot be used as a cl_mem (OpenCL error %d)",
                       name, noun, code);
    if (type != CL_MEM_OBJECT_BUFFER) /* some drivers would take an image's memory for a buffer's */
        return od_fail(OCLDNN_INVALID_BUFFER, "%s: %s is an image or a pipe (type 0x%x)", name, noun, type);
    if (owner != context->cl)
        return od_fail(OCLDNN_INVALID_BUFFER, "%s: %s belongs to another cl_context", name, noun);
    found->root = parent ? parent : buffer;
    found->begin = origin;
    found->end = origin + bytes;
    return OCLDNN_SUCCESS;
}

static ocldnn_status locate(const ocldnn_context *context, const od_view *view, place *found)
{
    uint64_t element = ocldnn_dtype_size((ocldnn_dtype)view->dtype);
    uint64_t end = (view->offset + (uint64_t)view->extent) * element, bytes;
    if (!view->buffer)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: its buffer is NULL", view->name);
    OD_TRY(find(context, view->buffer, view->name, "its buffer", found));
    bytes = found->end - found->begin;
    if (end > bytes)
        return od_fail(OCLDNN_INVALID_BUFFER, "%s: ends at byte %llu, its buffer has %llu", view->name,
                       (unsigned long long)end, (unsigned long long)bytes);
    found->end = found->begin + end;
    found->begin += view->offset * element;
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

static bool cross(const place *a, const place *b)
{
    return a->root == b->root && a->begin < b->end && b->begin < a->end;
}

static ocldnn_status check_pair(const od_plan *plan, const place *places, uint32_t output, uint32_t other)
{
    const od_view *a = &plan->views[output], *b = &plan->views[other];
    const place *at_a = &places[output], *at_b = &places[other];
    if (!cross(at_a, at_b))
        return OCLDNN_SUCCESS;
    if ((plan->may_be[output] >> other & 1u) != 0 && is_same(a, at_a, b, at_b))
        return OCLDNN_SUCCESS;
    if (interleave(a, at_a, b, at_b))
        return OCLDNN_SUCCESS;
    return od_fail(OCLDNN_INVALID_BUFFER, "%s: bytes %llu to %llu overlap %s (bytes %llu to %llu of the same buffer)",
                   a->name, (unsigned long long)at_a->begin, (unsigned long long)at_a->end, b->name,
                   (unsigned long long)at_b->begin, (unsigned long long)at_b->end);
}

/* The caller's own workspace, needed or not. */
static ocldnn_status check_workspace(const ocldnn_context *context, const od_plan *plan, const ocldnn_exec *exec,
                                     const place *places)
{
    uint64_t bytes;
    place at;
    OD_TRY(find(context, exec->workspace, "exec", "the workspace", &at));
    bytes = at.end - at.begin;
    if (exec->workspace_bytes > bytes)
        return od_fail(OCLDNN_INVALID_BUFFER, "exec: workspace_bytes is %zu, the buffer has %llu",
                       exec->workspace_bytes, (unsigned long long)bytes);
    if (exec->workspace_bytes < plan->workspace_bytes)
        return od_fail(OCLDNN_WORKSPACE_TOO_SMALL, "exec: the workspace has %zu bytes, the call needs %llu",
                       exec->workspace_bytes, (unsigned long long)plan->workspace_bytes);
    at.end = at.begin + plan->workspace_bytes;
    for (uint32_t i = 0; i < plan->view_count; i++)
        if (plan->views[i].extent > 0 && cross(&at, &places[i]))
            return od_fail(
                OCLDNN_INVALID_BUFFER,
                "exec: the workspace (bytes %llu to %llu) overlaps %s (bytes %llu to %llu of the same buffer)",
                (unsigned long long)at.begin, (unsigned long long)at.end, plan->views[i].name,
                (unsigned long long)places[i].begin, (unsigned long long)places[i].end);
    return OCLDNN_SUCCESS;
}

ocldnn_status od_check_buffers(const ocldnn_context *context, const od_plan *plan, const ocldnn_exec *exec)
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
    return exec->workspace ? check_workspace(context, plan, exec, places) : OCLDNN_SUCCESS;
}
