/* SPDX-License-Identifier: Apache-2.0 */
#include "base/operator.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool od_cannot(char reason[OD_REASON_BYTES], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, OD_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* The reason of each strategy, for a query. */
static void describe(const od_operator *kind, const od_device *device, const void *problem, ocldnn_query *query)
{
    query->strategy_count = 0;
    for (uint32_t i = 0; i < kind->strategy_count && i < OCLDNN_QUERY_STRATEGIES; i++) {
        const od_strategy *strategy = &kind->strategies[i];
        ocldnn_query_strategy *out = &query->strategies[query->strategy_count++];
        snprintf(out->name, sizeof out->name, "%s", strategy->name);
        out->refusal[0] = '\0';
        if (strategy->can && !strategy->can(device, problem, out->refusal) && !out->refusal[0])
            snprintf(out->refusal, sizeof out->refusal, "not on this device");
    }
}

/* The first entry that was asked for and can run. */
static const od_strategy *choose(const od_operator *kind, const od_device *device, const void *problem,
                                 uint32_t requested, char reason[OD_REASON_BYTES])
{
    snprintf(reason, OD_REASON_BYTES, "no such strategy");
    for (uint32_t i = 0; i < kind->strategy_count; i++) {
        const od_strategy *strategy = &kind->strategies[i];
        if (requested != 0 && strategy->value != requested)
            continue;
        if (!strategy->can || strategy->can(device, problem, reason))
            return strategy;
    }
    return NULL;
}

static ocldnn_status finish(const od_plan *plan)
{
    if (plan->status != OCLDNN_SUCCESS)
        return plan->status;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const od_step *step = &plan->steps[i];
        if (step->arg_count > OD_STEP_ARGS || step->define_count > OD_STEP_DEFINES)
            return od_fail(OCLDNN_UNSUPPORTED, "%s: %u arguments and %u options are more than a step holds",
                           step->kernel, step->arg_count, step->define_count);
    }
    return OCLDNN_SUCCESS;
}

ocldnn_status od_plan_operator(const od_operator *kind, const od_device *device, const void *op, od_plan *plan,
                               ocldnn_query *query)
{
    _Alignas(16) unsigned char problem[OD_PROBLEM_BYTES];
    char reason[OD_REASON_BYTES];
    const od_strategy *strategy;
    if (!op)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: the operator's struct is NULL", kind->name);
    OD_TRY(kind->check(op, plan, problem));
    if (plan->requested > kind->highest_strategy)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "strategy is %u, must be 0 to %u", plan->requested,
                       kind->highest_strategy);
    if (query)
        describe(kind, device, problem, query);
    strategy = choose(kind, device, problem, plan->requested, reason);
    if (!strategy)
        return od_fail(OCLDNN_UNSUPPORTED, "%s: %s", kind->name, reason);
    if (plan->empty)
        return OCLDNN_SUCCESS;
    plan->strategy = strategy->name;
    OD_TRY(strategy->plan(device, problem, plan));
    return finish(plan);
}
