/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of small problems. What the planner takes either runs or is refused for its buffers, queue or workspace. A run
 * changes its outputs and nothing else, and they are the same whatever lies around the tensors: so no byte outside them
 * is written, nor read in a way that counts. What is refused changes nothing.
 */
#include "device.h"
#include "ops/operators.h"
#include "runtime/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a tensor, and work-items: more would only take long. */
enum { MOST_ELEMENTS = 1 << 15, MOST_ITEMS = 1 << 20, MOST_WORKSPACE = 64 << 20 };

#define REFUSALS                                                                                                       \
    (1u << OCLDNN_INVALID_ARGUMENT | 1u << OCLDNN_INVALID_DTYPE | 1u << OCLDNN_INVALID_SHAPE | 1u << OCLDNN_UNSUPPORTED)
#define RUN_REFUSALS                                                                                                   \
    (1u << OCLDNN_INVALID_ARGUMENT | 1u << OCLDNN_INVALID_BUFFER | 1u << OCLDNN_INVALID_QUEUE |                        \
     1u << OCLDNN_WORKSPACE_TOO_SMALL)

/* How an input is run; the first two bytes. */
enum {
    RUN_TILED = 1,
    RUN_ANY_BITS = 2,
    RUN_UNORDERED = 4,
    RUN_WAITS = 8,
    RUN_EVENT = 16,
    RUN_WORKSPACE = 32,       /* its own */
    RUN_WORKSPACE_SHORT = 64, /* by a byte */
    RUN_PREPARES = 128,
    RUN_NO_QUEUE = 256,
    RUN_AMX = 512 /* every product that can, where there is the unit */
};

static uint64_t runs, refused, left_out;

void fuzz_report(void)
{
    printf("runs: %llu; refused: %llu; left out as too large or new: %llu\n", (unsigned long long)runs,
           (unsigned long long)refused, (unsigned long long)left_out);
}

static bool is_too_large(const od_plan *plan)
{
    uint64_t items = 0;
    for (uint32_t i = 0; i < plan->view_count; i++)
        if (plan->views[i].count > MOST_ELEMENTS)
            return true;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const od_step *step = &plan->steps[i];
        uint64_t its = 1;
        for (int axis = 0; axis < 3 && step->kind == OD_STEP_KERNEL; axis++)
            its *= (uint64_t)step->groups[axis] * step->local[axis]; /* of the size of tensors: see above */
        items += its;
    }
    return items > MOST_ITEMS || plan->workspace_bytes > MOST_WORKSPACE;
}

/* Tensors of their own buffers, with room before them; a packed weight that fits its sizes. */
static void place(fuzz_device *d, ocldnn_context *context, fuzz_problem *p)
{
    ocldnn_packed_weight *packed = fuzz_packed(p);
    for (uint32_t t = 0; t < p->tensors; t++)
        if (p->op.tensors[t].dtype != OCLDNN_ABSENT) {
            p->op.tensors[t].buffer = d->buffers[t];
            p->op.tensors[t].offset = BEFORE;
        }
    if (packed && packed->bytes) {
        const int64_t shape[] = {packed->n, packed->k};
        const ocldnn_tensor weight = ocldnn_tensor_dense(NULL, (ocldnn_dtype)packed->dtype, 2, shape);
        fuzz_judge(p, "pack_layout", ocldnn_linear_pack_layout(context, &weight, OCLDNN_WEIGHT_NK, packed), REFUSALS);
        packed->buffer = d->buffers[FUZZ_BUFFERS - 1];
        packed->offset = BEFORE;
    }
}

/* A pointer that is none of OpenCL's is nobody's to check. */
static void mend_buffer(const fuzz_device *d, cl_mem *buffer)
{
    for (int i = 0; i < FUZZ_BUFFERS; i++)
        if (*buffer == d->buffers[i])
            return;
    *buffer = NULL;
}

static void mend_buffers(const fuzz_device *d, fuzz_problem *p)
{
    ocldnn_packed_weight *packed = fuzz_packed(p);
    for (uint32_t t = 0; t < p->tensors; t++)
        mend_buffer(d, &p->op.tensors[t].buffer);
    if (packed)
        mend_buffer(d, &packed->buffer);
}

static void must(const fuzz_problem *p, bool good, const char *what)
{
    if (!good)
        fuzz_fault(p, "%s failed", what);
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

typedef struct call {
    fuzz_device *device;
    ocldnn_context *context;
    unsigned how;
    size_t workspace_bytes; /* that the plan needs */
    bool must_refuse;
} call;

static cl_event complete_event(cl_context cl)
{
    cl_int code;
    cl_event event = clCreateUserEvent(cl, &code);
    if (event)
        clSetUserEventStatus(event, CL_COMPLETE);
    return event;
}

static cl_mem own_workspace(const fuzz_problem *p, const call *c)
{
    cl_int code;
    cl_mem made;
    if (!(c->how & RUN_WORKSPACE))
        return NULL;
    made = clCreateBuffer(c->device->cl, CL_MEM_READ_WRITE, c->workspace_bytes + 1, NULL, &code);
    must(p, made != NULL, "clCreateBuffer");
    return made;
}

static void wait(const fuzz_problem *p, const call *c, const ocldnn_exec *exec, ocldnn_status status)
{
    cl_int state = CL_QUEUED;
    if (exec->event && (*exec->event != NULL) != (status == OCLDNN_SUCCESS))
        fuzz_fault(p, "run: %s, and %s event", ocldnn_status_name(status), *exec->event ? "an" : "no");
    for (int i = 0; i < 2; i++)
        must(p, clFinish(c->device->queues[i]) == CL_SUCCESS, "clFinish");
    if (exec->event && *exec->event) {
        must(p, clWaitForEvents(1, exec->event) == CL_SUCCESS, "clWaitForEvents");
        clGetEventInfo(*exec->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        must(p, state == CL_COMPLETE, "the run");
        clReleaseEvent(*exec->event);
    }
}

static ocldnn_status run(const fuzz_problem *p, const call *c)
{
    cl_event done = NULL, ready = c->how & RUN_WAITS ? complete_event(c->device->cl) : NULL;
    bool is_short = (c->how & RUN_WORKSPACE_SHORT) && c->workspace_bytes > 0;
    ocldnn_exec exec = {.queue = c->how & RUN_NO_QUEUE ? NULL : c->device->queues[(c->how & RUN_UNORDERED) != 0],
                        .wait_count = ready != NULL,
                        .wait_list = ready ? &ready : NULL,
                        .event = c->how & RUN_EVENT ? &done : NULL,
                        .workspace = own_workspace(p, c),
                        .workspace_bytes = c->workspace_bytes - is_short};
    ocldnn_status status = od_run(c->context, p->kind, p->op.bytes, &exec);
    bool good = fuzz_judge(p, "run", status, RUN_REFUSALS);
    if (good && (c->must_refuse || !exec.queue || (exec.workspace && is_short)))
        fuzz_fault(p, "it runs");
    wait(p, c, &exec, status);
    if (ready)
        clReleaseEvent(ready);
    if (exec.workspace)
        clReleaseMemObject(exec.workspace);
    return status;
}

/* Only outputs may have changed, and only by a run. */
static void check_rest(const fuzz_problem *p, const fuzz_device *d, bool ran)
{
    for (int i = 0; i < FUZZ_BUFFERS; i++)
        for (size_t at = 0; at < CAPACITY; at++)
            if (d->before[i][at] != d->after[i][at] && !(ran && (d->roles[i][at] & ROLE_WRITTEN)))
                fuzz_fault(p, "byte %zu of buffer %d (%p), which is no output's, was %02x and is %02x", at, i,
                           (void *)d->buffers[i], d->before[i][at], d->after[i][at]);
}

static void check_outputs(const fuzz_problem *p, const fuzz_device *d, unsigned char first[FUZZ_BUFFERS][CAPACITY])
{
    for (int i = 0; i < FUZZ_BUFFERS; i++)
        for (size_t at = 0; at < CAPACITY; at++)
            if ((d->roles[i][at] & ROLE_WRITTEN) && d->after[i][at] != first[i][at])
                fuzz_fault(p, "byte %zu of buffer %d (%p) depends on what lies outside the tensors: %02x or %02x", at,
                           i, (void *)d->buffers[i], first[i][at], d->after[i][at]);
}

/* Twice, with other bytes outside the inputs. */
static void run_twice(const fuzz_problem *p, const call *c, const od_plan *plan)
{
    static unsigned char first[FUZZ_BUFFERS][CAPACITY];
    static const unsigned char rests[] = {0xff, 0x3c}; /* NaN in each float dtype; about 1/100 or 1 */
    fuzz_device *d = c->device;
    bool any_bits = (c->how & RUN_ANY_BITS) != 0;
    for (int round = 0; round < 2; round++) {
        ocldnn_status status;
        must(p, fuzz_fill(d, plan, (uint32_t)c->how, any_bits, rests[round]), "clEnqueueWriteBuffer");
        status = run(p, c);
        must(p, fuzz_read(d), "clEnqueueReadBuffer");
        check_rest(p, d, status == OCLDNN_SUCCESS);
        if (status != OCLDNN_SUCCESS) {
            refused++;
            return;
        }
        runs++;
        if (round == 0)
            memcpy(first, d->after, sizeof first);
        else if (!plan->empty ||
                 p->kind != &od_operator_linear_pack) /* no weight: what its packed form holds does not matter */
            check_outputs(p, d, first);
    }
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

static uint64_t most_programs(void)
{
    const char *small = getenv("OCLDNN_TEST_SMALL");
    return small && *small == '1' ? 12 + runs / 1000 : 40 + runs / 200;
}

static void run_problem(fuzz_problem *p, call *c)
{
    od_plan plan;
    ocldnn_status status, prepared;
    od_plan_init(&plan);
    status = od_plan_operator(p->kind, od_context_facts(c->context), p->op.bytes, &plan, NULL);
    c->workspace_bytes = (size_t)plan.workspace_bytes;
    if (!fuzz_judge(p, "plan", status, REFUSALS)) {
        prepared = od_prepare(c->context, p->kind, p->op.bytes);
        fuzz_judge(p, "prepare", prepared, REFUSALS);
        if (prepared != status)
            fuzz_fault(p, "plan says %s, prepare %s", ocldnn_status_name(status), ocldnn_status_name(prepared));
        refused++;
    } else if (is_too_large(&plan) || fuzz_too_new(&plan, most_programs())) {
        left_out++;
    } else {
        if (c->how & RUN_PREPARES)
            fuzz_judge(p, "prepare", od_prepare(c->context, p->kind, p->op.bytes), 0);
        c->must_refuse = !fuzz_mark(c->device, &plan);
        run_twice(p, c, &plan);
    }
    od_plan_free(&plan);
}

static void choose_unit(ocldnn_context *context, bool wanted)
{
    od_device facts = *od_context_facts(context);
    bool there = facts.amx_reason[0] == '\0';
    facts.amx = wanted && there ? OD_AMX_ALWAYS : OD_AMX_NEVER;
    od_context_set_facts(context, &facts);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    fuzz_problem p;
    call c = {.device = fuzz_open(), .how = (unsigned)fuzz_take(&in, 2)};
    if (!c.device) {
        fprintf(stderr, "fuzz: no device: %s\n", ocldnn_last_error());
        abort();
    }
    if (c.how >> 9 != 0x7f) /* else most inputs would be refused */
        c.how &= ~(unsigned)(RUN_NO_QUEUE | RUN_WORKSPACE_SHORT);
    c.context = c.device->contexts[c.how & RUN_TILED];
    choose_unit(c.context, c.how & RUN_AMX);
    fuzz_pick(&in, fuzz_cases_for(od_context_facts(c.context)), &p);
    fuzz_shrink(&in, &p);
    place(c.device, c.context, &p);
    fuzz_change(&in, &p, c.device->buffers);
    mend_buffers(c.device, &p);
    run_problem(&p, &c);
    return 0;
}
