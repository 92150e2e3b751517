/* SPDX-License-Identifier: Apache-2.0 */
#include "base/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void od_plan_init(od_plan *plan)
{
    plan->status = OCLDNN_SUCCESS;
    plan->requested = 0;
    plan->empty = false;
    plan->strategy = "";
    plan->workspace_bytes = 0;
    plan->view_count = 0;
    plan->step_count = 0;
    plan->step_capacity = OD_PLAN_INLINE_STEPS;
    plan->steps = plan->few;
}

void od_plan_free(od_plan *plan)
{
    if (plan->steps != plan->few)
        free(plan->steps);
    plan->steps = plan->few;
}

static void note(od_plan *plan, ocldnn_status status)
{
    if (plan->status == OCLDNN_SUCCESS)
        plan->status = status;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

ocldnn_status od_plan_optional(od_plan *plan, const char *name, const ocldnn_tensor *tensor, od_access access,
                               uint32_t dtypes, uint32_t min_rank, uint32_t max_rank, od_view *view)
{
    OD_TRY(od_view_from_tensor(name, tensor, access, dtypes, min_rank, max_rank, view));
    if (!od_present(view))
        return OCLDNN_SUCCESS;
    if (plan->view_count == OD_PLAN_VIEWS)
        return od_fail(OCLDNN_UNSUPPORTED, "%s: an operator has at most %d tensors", name, OD_PLAN_VIEWS);
    view->index = (uint8_t)plan->view_count;
    plan->may_be[plan->view_count] = 0;
    plan->views[plan->view_count++] = *view;
    return OCLDNN_SUCCESS;
}

ocldnn_status od_plan_tensor(od_plan *plan, const char *name, const ocldnn_tensor *tensor, od_access access,
                             uint32_t dtypes, uint32_t min_rank, uint32_t max_rank, od_view *view)
{
    if (tensor->dtype == OCLDNN_ABSENT)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s: the tensor is missing (its dtype is 0)", name);
    return od_plan_optional(plan, name, tensor, access, dtypes, min_rank, max_rank, view);
}

void od_plan_may_be(od_plan *plan, const od_view *output, const od_view *other)
{
    if (od_present(output) && od_present(other))
        plan->may_be[output->index] |= 1u << other->index;
}

od_view od_plan_temp(od_plan *plan, const char *name, uint32_t dtype, int64_t count)
{
    od_view view = {.name = name, .dtype = dtype, .rank = 1, .temporary = true, .index = UINT8_MAX};
    uint64_t size = ocldnn_dtype_size((ocldnn_dtype)dtype);
    uint64_t bytes;
    view.shape[0] = count;
    view.strides[0] = count == 1 ? 0 : 1;
    view.count = view.extent = count;
    view.offset = plan->workspace_bytes / size;
    if (__builtin_mul_overflow((uint64_t)count, size, &bytes) || bytes > UINT64_MAX / 4 ||
        plan->workspace_bytes > UINT64_MAX / 4) {
        note(plan,
             od_fail(OCLDNN_UNSUPPORTED, "%s: %lld elements of workspace overflow 64 bits", name, (long long)count));
        return view;
    }
    bytes = (bytes + OD_TEMP_ALIGNMENT - 1) / OD_TEMP_ALIGNMENT * OD_TEMP_ALIGNMENT;
    plan->workspace_bytes += bytes;
    return view;
}

od_view od_plan_temp_dense(od_plan *plan, const char *name, uint32_t dtype, uint32_t rank, const int64_t *shape)
{
    int64_t count = 1, step = 1;
    od_view view;
    for (uint32_t axis = 0; axis < rank; axis++)
        count *= shape[axis];
    view = od_plan_temp(plan, name, dtype, count);
    view.rank = rank;
    for (uint32_t axis = rank; axis-- > 0; step *= shape[axis]) {
        view.shape[axis] = shape[axis];
        view.strides[axis] = shape[axis] == 1 ? 0 : step;
    }
    return view;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static bool grow(od_plan *plan)
{
    size_t old_bytes = plan->step_capacity * sizeof(od_step);
    od_step *more = plan->steps == plan->few ? malloc(2 * old_bytes) : realloc(plan->steps, 2 * old_bytes);
    if (!more)
        return false;
    if (plan->steps == plan->few)
        memcpy(more, plan->few, old_bytes);
    plan->steps = more;
    plan->step_capacity *= 2;
    return true;
}

static od_step *append(od_plan *plan, od_step_kind kind)
{
    od_step *step = &plan->spare;
    if (plan->step_count < plan->step_capacity || grow(plan))
        step = &plan->steps[plan->step_count++];
    else
        note(plan, od_fail(OCLDNN_OUT_OF_MEMORY, "no memory for a plan of %u launches", plan->step_count + 1));
    step->kind = kind;
    step->arg_count = 0;
    step->define_count = 0;
    return step;
}

od_step *od_plan_kernel(od_plan *plan, const od_source *source, const char *kernel)
{
    od_step *step = append(plan, OD_STEP_KERNEL);
    step->source = source;
    step->kernel = kernel;
    return step;
}

void od_plan_clblast(od_plan *plan, const od_clblast_gemm *gemm)
{
    append(plan, OD_STEP_CLBLAST)->clblast = *gemm;
}

/* One past the end is counted but not written; od_plan_operator() refuses the plan then. */
void od_define(od_step *step, const char *name, int32_t value)
{
    if (step->define_count < OD_STEP_DEFINES)
        step->defines[step->define_count] = (od_define_pair){name, value};
    step->define_count++;
}

static od_arg *next_argument(od_step *step, od_arg_kind kind, size_t size)
{
    od_arg *arg = &step->args[step->arg_count < OD_STEP_ARGS ? step->arg_count : OD_STEP_ARGS - 1];
    step->arg_count++;
    arg->kind = (uint8_t)kind;
    arg->size = (uint8_t)size;
    return arg;
}

void od_arg_view(od_step *step, const od_view *view)
{
    od_arg *arg = next_argument(step, view->temporary ? OD_ARG_WORKSPACE : OD_ARG_BUFFER, sizeof(cl_mem));
    arg->value.buffer = view->buffer;
    od_arg_ulong(step, view->offset);
}

void od_arg_int(od_step *step, int64_t value)
{
    next_argument(step, OD_ARG_VALUE, sizeof(cl_int))->value.i = (cl_int)value;
}

void od_arg_uint(od_step *step, uint32_t value)
{
    next_argument(step, OD_ARG_VALUE, sizeof(cl_uint))->value.u = value;
}

void od_arg_ulong(od_step *step, uint64_t value)
{
    next_argument(step, OD_ARG_VALUE, sizeof(cl_ulong))->value.ul = value;
}

void od_arg_float(od_step *step, float value)
{
    next_argument(step, OD_ARG_VALUE, sizeof(cl_float))->value.f = value;
}

void od_arg_int4(od_step *step, const int32_t value[4])
{
    memcpy(next_argument(step, OD_ARG_VALUE, 4 * sizeof(cl_int))->value.i4, value, 4 * sizeof(cl_int));
}

void od_launch(od_step *step, int64_t groups_x, int64_t groups_y, int64_t groups_z, uint32_t local_x, uint32_t local_y,
               uint32_t local_z)
{
    step->groups[0] = (size_t)groups_x;
    step->groups[1] = (size_t)groups_y;
    step->groups[2] = (size_t)groups_z;
    step->local[0] = local_x;
    step->local[1] = local_y;
    step->local[2] = local_z;
}

bool od_same_defines(const od_define_pair *a, uint32_t a_count, const od_define_pair *b, uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++)
        if (a[i].value != b[i].value || (a[i].name != b[i].name && strcmp(a[i].name, b[i].name) != 0))
            return false;
    return true;
}

int od_step_options(const od_step *step, char *text, size_t capacity)
{
    /* -w: PoCL prints how many warnings there were on the application's terminal. */
    int length = snprintf(text, capacity, "-w -cl-std=CL1.2 -cl-mad-enable");
    for (uint32_t i = 0; i < step->define_count; i++) {
        size_t used = (size_t)length < capacity ? (size_t)length : capacity;
        length +=
            snprintf(text + used, capacity - used, " -D %s=%ld", step->defines[i].name, (long)step->defines[i].value);
    }
    return length;
}
