/* SPDX-License-Identifier: Apache-2.0
 *
 * Putting a plan on a queue.
 *
 * In-order queue: the first command waits for the caller's list, the last one gives the event. Out-of-order queue: each
 * command also waits for the one before.
 */
#include "runtime/buffers.h"
#include "runtime/context.h"
#include "runtime/verbs.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_STEPS = 16, FEW_EVENTS = 16 };

/* What a run holds while it enqueues; released in one place. */
typedef struct run {
    ocldnn_context *context;
    const ocldnn_exec *exec;
    const od_plan *plan;
    bool in_order;
    cl_mem workspace;
    od_scratch *scratch;    /* from the pool, or NULL */
    cl_event scratch_ready; /* or NULL */
    od_kernel **kernels;    /* one for each step; steps of one kernel share it */
    od_kernel *few_kernels[FEW_STEPS];
    uint32_t kernel_count;
    cl_event last; /* the command enqueued last, where the next one needs it */
} run;

static ocldnn_status check_queue(run *r)
{
    cl_command_queue queue = r->exec->queue;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties properties = 0;
    cl_int code;
    if (!queue)
        return od_fail(OCLDNN_INVALID_QUEUE, "exec: the queue is NULL");
    code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (code != CL_SUCCESS)
        return od_fail(od_cl_status(code, OCLDNN_INVALID_QUEUE),
                       "exec: the queue cannot be used as a cl_command_queue (OpenCL error %d)", code);
    if (context != r->context->cl)
        return od_fail(OCLDNN_INVALID_QUEUE, "exec: the queue belongs to another cl_context");
    if (device != r->context->device)
        return od_fail(OCLDNN_INVALID_QUEUE, "exec: the queue belongs to another device");
    r->in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    return OCLDNN_SUCCESS;
}

static ocldnn_status check_wait_list(const run *r)
{
    const ocldnn_exec *exec = r->exec;
    if ((exec->wait_count == 0) != (exec->wait_list == NULL))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "exec: wait_count is %u, but wait_list is %s", exec->wait_count,
                       exec->wait_list ? "not NULL" : "NULL");
    for (cl_uint i = 0; i < exec->wait_count; i++) {
        cl_context context = NULL;
        cl_int code = CL_INVALID_EVENT;
        if (exec->wait_list[i])
            code = clGetEventInfo(exec->wait_list[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (code != CL_SUCCESS)
            return od_fail(od_cl_status(code, OCLDNN_INVALID_ARGUMENT),
                           "exec: event %u of the wait list cannot be used as a cl_event (OpenCL error %d)", i, code);
        if (context != r->context->cl)
            return od_fail(OCLDNN_INVALID_ARGUMENT, "exec: event %u of the wait list belongs to another cl_context", i);
    }
    return OCLDNN_SUCCESS;
}

/* The caller's has been checked. */
static ocldnn_status get_workspace(run *r)
{
    const ocldnn_exec *exec = r->exec;
    uint64_t bytes = r->plan->workspace_bytes;
    if (bytes == 0)
        return OCLDNN_SUCCESS;
    if (exec->workspace) {
        r->workspace = exec->workspace;
        return OCLDNN_SUCCESS;
    }
    OD_TRY(od_workspace_take(r->context, exec->queue, bytes, &r->scratch, &r->scratch_ready));
    r->workspace = r->scratch->memory;
    return OCLDNN_SUCCESS;
}

/* An earlier step's kernel object serves again: arguments are taken over when a launch is enqueued. */
static od_kernel *kernel_of_twin(const run *r, uint32_t number)
{
    const od_step *step = &r->plan->steps[number];
    for (uint32_t i = number; i-- > 0;) {
        const od_step *twin = &r->plan->steps[i];
        if (twin->kind == OD_STEP_KERNEL && twin->source == step->source && strcmp(twin->kernel, step->kernel) == 0 &&
            od_same_defines(twin->defines, twin->define_count, step->defines, step->define_count))
            return r->kernels[i];
    }
    return NULL;
}

static ocldnn_status get_kernels(run *r)
{
    uint32_t count = r->plan->step_count;
    r->kernels = count <= FEW_STEPS ? r->few_kernels : malloc(count * sizeof *r->kernels);
    if (!r->kernels)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "no host memory for %u launches", count);
    for (uint32_t i = 0; i < count; i++, r->kernel_count++) {
        const od_step *step = &r->plan->steps[i];
        r->kernels[i] = step->kind == OD_STEP_KERNEL ? kernel_of_twin(r, i) : NULL;
        if (step->kind == OD_STEP_KERNEL && !r->kernels[i])
            OD_TRY(od_kernel_take(r->context, step, &r->kernels[i]));
    }
    return OCLDNN_SUCCESS;
}

static void give_kernels(run *r)
{
    for (uint32_t i = 0; i < r->kernel_count; i++) {
        bool shared = false;
        for (uint32_t j = 0; j < i && !shared; j++)
            shared = r->kernels[j] == r->kernels[i];
        if (r->kernels[i] && !shared)
            od_kernel_give(r->context, r->kernels[i]);
    }
    if (r->kernels != r->few_kernels)
        free(r->kernels);
}

static ocldnn_status set_arguments(const run *r, const od_step *step, cl_kernel kernel)
{
    for (uint32_t i = 0; i < step->arg_count; i++) {
        const od_arg *arg = &step->args[i];
        const void *value = arg->kind == OD_ARG_WORKSPACE ? (const void *)&r->workspace : (const void *)&arg->value;
        cl_int code = clSetKernelArg(kernel, i, arg->size, value);
        if (code != CL_SUCCESS)
            return od_fail(od_cl_status(code, OCLDNN_DEVICE_ERROR),
                           "%s: clSetKernelArg failed with OpenCL error %d at argument %u", step->kernel, code, i);
    }
    return OCLDNN_SUCCESS;
}

static ocldnn_status launch(const run *r, uint32_t number, cl_uint wait_count, const cl_event *wait_list,
                            cl_event *event)
{
    const od_step *step = &r->plan->steps[number];
    size_t global[3];
    cl_int code;
    if (step->kind == OD_STEP_CLBLAST) {
        const od_view *views[3] = {&step->clblast.a, &step->clblast.b, &step->clblast.c};
        cl_mem buffers[3];
        for (int i = 0; i < 3; i++)
            buffers[i] = views[i]->temporary ? r->workspace : views[i]->buffer;
        /* CLBlast takes no wait list; a barrier holds back what it enqueues. */
        if (wait_count > 0)
            OD_TRY(od_cl(clEnqueueBarrierWithWaitList(r->exec->queue, wait_count, wait_list, NULL),
                         "clEnqueueBarrierWithWaitList"));
        return od_clblast_enqueue(&step->clblast, buffers, r->exec->queue, event);
    }
    OD_TRY(set_arguments(r, step, r->kernels[number]->cl));
    for (int axis = 0; axis < 3; axis++)
        global[axis] = step->groups[axis] * step->local[axis];
    code = clEnqueueNDRangeKernel(r->exec->queue, r->kernels[number]->cl, 3, NULL, global, step->local, wait_count,
                                  wait_list, event);
    return od_cl(code, step->kernel);
}

/* The caller's wait list, and what the workspace waits for. */
static ocldnn_status first_waits(const run *r, cl_event *few, cl_event **list, cl_uint *count)
{
    const ocldnn_exec *exec = r->exec;
    *count = exec->wait_count + (r->scratch_ready != NULL);
    *list = *count <= FEW_EVENTS ? few : malloc(*count * sizeof **list);
    if (!*list)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "no host memory for a wait list of %u events", *count);
    if (exec->wait_count > 0)
        memcpy(*list, exec->wait_list, exec->wait_count * sizeof **list);
    if (r->scratch_ready)
        (*list)[exec->wait_count] = r->scratch_ready;
    return OCLDNN_SUCCESS;
}

static ocldnn_status enqueue_steps(run *r)
{
    uint32_t steps = r->plan->step_count;
    bool keep_last = r->exec->event || (r->scratch && !r->in_order);
    cl_event few[FEW_EVENTS], *list;
    cl_uint count;
    ocldnn_status status;
    OD_TRY(first_waits(r, few, &list, &count));
    status = launch(r, 0, count, count ? list : NULL, !r->in_order || (steps == 1 && keep_last) ? &r->last : NULL);
    if (list != few)
        free(list);
    for (uint32_t i = 1; i < steps && status == OCLDNN_SUCCESS; i++) {
        cl_event before = r->last, *out = !r->in_order || (i + 1 == steps && keep_last) ? &r->last : NULL;
        r->last = NULL;
        status = launch(r, i, before != NULL, before ? &before : NULL, out);
        if (status != OCLDNN_SUCCESS)
            r->last = before; /* what has been enqueued goes on using the workspace */
        else if (before)
            clReleaseEvent(before);
    }
    return status;
}

/* A problem without elements still has an event that waits for the list. */
static ocldnn_status enqueue_nothing(const run *r)
{
    const ocldnn_exec *exec = r->exec;
    cl_int code;
    cl_event done;
    if (!exec->event && exec->wait_count == 0)
        return OCLDNN_SUCCESS;
    if (exec->wait_count > 0 || r->in_order)
        return od_cl(clEnqueueMarkerWithWaitList(exec->queue, exec->wait_count, exec->wait_list, exec->event),
                     "clEnqueueMarkerWithWaitList");
    /* A marker without a list would wait for everything on the queue; a kernel without one waits for nothing. */
    done = clCreateUserEvent(r->context->cl, &code);
    OD_TRY(od_cl(code, "clCreateUserEvent"));
    code = clSetUserEventStatus(done, CL_COMPLETE);
    if (code != CL_SUCCESS) { /* nobody should wait for it */
        clReleaseEvent(done);
        return od_cl(code, "clSetUserEventStatus");
    }
    *exec->event = done;
    return OCLDNN_SUCCESS;
}

/* What the next user of the workspace waits for; NULL: the queue's order is enough. Where the first launch failed,
 * nothing on this queue waits for the user before us. */
static cl_event workspace_ends_with(const run *r, ocldnn_status status)
{
    if (!r->in_order && r->last)
        return r->last;
    return status == OCLDNN_SUCCESS ? NULL : r->scratch_ready;
}

static ocldnn_status run_plan(run *r)
{
    ocldnn_status status;
    OD_TRY(check_queue(r));
    OD_TRY(check_wait_list(r));
    OD_TRY(od_check_buffers(r->context, r->plan, r->exec));
    if (r->plan->empty || r->plan->step_count == 0)
        return enqueue_nothing(r);
    status = get_kernels(r);
    if (status == OCLDNN_SUCCESS)
        status = get_workspace(r);
    if (status == OCLDNN_SUCCESS)
        status = enqueue_steps(r);
    if (r->scratch)
        od_workspace_give(r->context, r->scratch, workspace_ends_with(r, status));
    if (r->scratch_ready)
        clReleaseEvent(r->scratch_ready);
    give_kernels(r);
    if (status == OCLDNN_SUCCESS && r->exec->event)
        *r->exec->event = r->last;
    else if (r->last)
        clReleaseEvent(r->last);
    return status;
}

ocldnn_status od_run(ocldnn_context *context, const od_operator *kind, const void *op, const ocldnn_exec *exec)
{
    od_plan plan;
    run r;
    ocldnn_status status;
    if (!context)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "the context is NULL");
    if (!exec)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: exec is NULL", kind->name);
    r.context = context;
    r.exec = exec;
    r.plan = &plan;
    r.workspace = NULL;
    r.scratch = NULL;
    r.scratch_ready = NULL;
    r.kernels = r.few_kernels;
    r.kernel_count = 0;
    r.last = NULL;
    od_plan_init(&plan);
    status = od_plan_operator(kind, &context->facts, op, &plan, NULL);
    if (status == OCLDNN_SUCCESS)
        status = run_plan(&r);
    od_plan_free(&plan);
    return status;
}
