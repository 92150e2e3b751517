/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans: for any struct, on any device, a status with a sentence, or launches that the device can do; twice the same;
 * and the verbs that launch nothing say the same as the planner.
 */
#include "fuzz.h"
#include "programs/devices.h"
#include "runtime/context.h"
#include "runtime/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSALS                                                                                                       \
    (1u << OCLDNN_INVALID_ARGUMENT | 1u << OCLDNN_INVALID_DTYPE | 1u << OCLDNN_INVALID_SHAPE | 1u << OCLDNN_UNSUPPORTED)

static uint64_t good, refused;
static ocldnn_context *context; /* of a device that is there, for the verbs */

void fuzz_report(void)
{
    printf("plans: %llu, of them refused: %llu\n", (unsigned long long)(good + refused), (unsigned long long)refused);
}

void fuzz_close(void)
{
    ocldnn_context_destroy(context);
    context = NULL;
}

static ocldnn_status plan(const fuzz_problem *p, const od_device *device, od_plan *made)
{
    ocldnn_status status;
    od_plan_init(made);
    status = od_plan_operator(p->kind, device, p->op.bytes, made, NULL);
    if (fuzz_judge(p, device->name, status, REFUSALS))
        good++;
    else
        refused++;
    return status;
}

static void check_step(const fuzz_problem *p, const od_device *device, const od_step *step, uint64_t workspace)
{
    char options[2 * sizeof(((ocldnn_query_step *)NULL)->options)];
    size_t items = step->local[0] * step->local[1] * step->local[2];
    if (step->kind != OD_STEP_KERNEL)
        return;
    if (!step->source || !step->kernel)
        fuzz_fault(p, "%s: a launch without a kernel", device->name);
    if (items == 0 || items > device->max_group_size)
        fuzz_fault(p, "%s: %s: groups of %zu items", device->name, step->kernel, items);
    for (int axis = 0; axis < 3; axis++)
        if (step->groups[axis] == 0 || step->groups[axis] > SIZE_MAX / step->local[axis])
            fuzz_fault(p, "%s: %s: %zu groups of %zu", device->name, step->kernel, step->groups[axis],
                       step->local[axis]);
    if ((size_t)od_step_options(step, options, sizeof options) >= sizeof options / 2)
        fuzz_fault(p, "%s: %s: a query cannot show '%s'", device->name, step->kernel, options);
    for (uint32_t a = 0; a < step->arg_count; a++)
        if (step->args[a].kind == OD_ARG_WORKSPACE && workspace == 0)
            fuzz_fault(p, "%s: %s: argument %u is the workspace, which is empty", device->name, step->kernel, a);
}

/* Padding aside: what a launch is made of, one field after the other. */
static bool is_same_step(const od_step *a, const od_step *b)
{
    if (a->kind != b->kind || a->arg_count != b->arg_count)
        return false;
    if (a->kind != OD_STEP_KERNEL)
        return a->clblast.m == b->clblast.m && a->clblast.n == b->clblast.n && a->clblast.k == b->clblast.k;
    for (uint32_t i = 0; i < a->arg_count; i++)
        if (a->args[i].kind != b->args[i].kind || a->args[i].size != b->args[i].size ||
            memcmp(&a->args[i].value, &b->args[i].value, a->args[i].size) != 0)
            return false;
    return a->source == b->source && strcmp(a->kernel, b->kernel) == 0 &&
           memcmp(a->groups, b->groups, sizeof a->groups) == 0 && memcmp(a->local, b->local, sizeof a->local) == 0 &&
           od_same_defines(a->defines, a->define_count, b->defines, b->define_count);
}

static void check_plans(const fuzz_problem *p, const od_device *device)
{
    od_plan once, again;
    ocldnn_status status = plan(p, device, &once), second = plan(p, device, &again);
    if (status != second || once.step_count != again.step_count || once.workspace_bytes != again.workspace_bytes)
        fuzz_fault(p, "%s: planned twice: %s and %s, %u and %u launches", device->name, ocldnn_status_name(status),
                   ocldnn_status_name(second), once.step_count, again.step_count);
    for (uint32_t i = 0; status == OCLDNN_SUCCESS && i < once.step_count; i++) {
        check_step(p, device, &once.steps[i], once.workspace_bytes);
        if (!is_same_step(&once.steps[i], &again.steps[i]))
            fuzz_fault(p, "%s: launch %u differs when planned twice", device->name, i);
    }
    od_plan_free(&once);
    od_plan_free(&again);
}

static void check_verbs(const fuzz_problem *p)
{
    static ocldnn_query query;
    size_t bytes = 0;
    ocldnn_status status = od_workspace(context, p->kind, p->op.bytes, &bytes), second;
    fuzz_judge(p, "workspace", status, REFUSALS);
    second = od_query(context, p->kind, p->op.bytes, &query);
    fuzz_judge(p, "query", second, REFUSALS);
    if (status != second || (status == OCLDNN_SUCCESS && query.workspace_bytes != bytes))
        fuzz_fault(p, "workspace says %s and %zu bytes, query %s and %zu", ocldnn_status_name(status), bytes,
                   ocldnn_status_name(second), query.workspace_bytes);
    *(status == OCLDNN_SUCCESS ? &good : &refused) += 2;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    fuzz_problem p;
    uint64_t which = fuzz_take(&in, 1);
    const od_device *device;
    if (!context &&
        ocldnn_context_create_default(&(ocldnn_context_options){.flags = OCLDNN_CONTEXT_NO_DISK_CACHE}, &context)) {
        fprintf(stderr, "fuzz: %s\n", ocldnn_last_error());
        abort();
    }
    device = &invented_devices[which % INVENTED_DEVICES].facts;
    fuzz_pick(&in, fuzz_cases_for(device), &p);
    if (which & 0x80)
        fuzz_shrink(&in, &p);
    fuzz_change(&in, &p, NULL);
    check_plans(&p, device);
    check_verbs(&p);
    return 0;
}
