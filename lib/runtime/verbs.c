/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs that launch nothing; run.c has the one that does.
 */
#include "runtime/verbs.h"
#include "runtime/context.h"

#include <stdio.h>
#include <string.h>

static ocldnn_status need_context(const ocldnn_context *context)
{
    return context ? OCLDNN_SUCCESS : od_fail(OCLDNN_INVALID_ARGUMENT, "the context is NULL");
}

ocldnn_status od_prepare(ocldnn_context *context, const od_operator *kind, const void *op)
{
    od_plan plan;
    ocldnn_status status;
    OD_TRY(need_context(context));
    od_plan_init(&plan);
    status = od_plan_operator(kind, &context->facts, op, &plan, NULL);
    if (status == OCLDNN_SUCCESS)
        status = od_programs_prepare(context, &plan);
    od_plan_free(&plan);
    return status;
}

ocldnn_status od_workspace(ocldnn_context *context, const od_operator *kind, const void *op, size_t *bytes)
{
    od_plan plan;
    ocldnn_status status;
    OD_TRY(need_context(context));
    if (!bytes)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: the place for the number of bytes is NULL", kind->name);
    od_plan_init(&plan);
    status = od_plan_operator(kind, &context->facts, op, &plan, NULL);
    *bytes = status == OCLDNN_SUCCESS ? (size_t)plan.workspace_bytes : 0;
    od_plan_free(&plan);
    return status;
}

static void describe_step(const od_step *step, ocldnn_query_step *out)
{
    memset(out, 0, sizeof *out);
    if (step->kind == OD_STEP_CLBLAST) {
        snprintf(out->kernel, sizeof out->kernel, "clblast");
        return;
    }
    snprintf(out->kernel, sizeof out->kernel, "%s", step->kernel);
    snprintf(out->source, sizeof out->source, "%s", step->source->path);
    od_step_options(step, out->options, sizeof out->options);
    for (int axis = 0; axis < 3; axis++) {
        out->global_size[axis] = step->groups[axis] * step->local[axis];
        out->local_size[axis] = step->local[axis];
    }
}

ocldnn_status od_query(ocldnn_context *context, const od_operator *kind, const void *op, ocldnn_query *query)
{
    od_plan plan;
    ocldnn_status status;
    OD_TRY(need_context(context));
    if (!query)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: the place for the query is NULL", kind->name);
    memset(query, 0, sizeof *query);
    od_plan_init(&plan);
    status = od_plan_operator(kind, &context->facts, op, &plan, query);
    if (status == OCLDNN_SUCCESS) {
        snprintf(query->strategy, sizeof query->strategy, "%s", plan.strategy);
        query->workspace_bytes = (size_t)plan.workspace_bytes;
        query->step_count = plan.step_count;
        for (uint32_t i = 0; i < plan.step_count && i < OCLDNN_QUERY_STEPS; i++)
            describe_step(&plan.steps[i], &query->steps[i]);
    }
    od_plan_free(&plan);
    return status;
}
