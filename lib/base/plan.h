/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan: what an operator will launch, as data. Planners write it without calling OpenCL; the runtime turns it into a
 * run, a prepare, a workspace size or a query.
 *
 * A planner writes, for each launch:
 *
 *     od_step *step = od_plan_kernel(plan, &od_source_norm_rms_norm, "rms_norm");
 *     od_define(step, "X_TYPE", (int32_t)input->dtype);        name must be a string literal
 *     od_arg_view(step, input);                                a __global pointer and a ulong offset in elements
 *     od_arg_int(step, width);
 *     od_launch(step, groups, 1, 1, 1, 1, 1);                  number of groups, then items per group
 *
 * Nothing here can fail on the spot: what goes wrong (no memory for more steps, too many arguments) is kept in
 * plan->status and comes out of od_plan_operator().
 */
#ifndef OD_BASE_PLAN_H
#define OD_BASE_PLAN_H

#include "base/device.h"
#include "base/source.h"
#include "base/view.h"

enum {
    OD_PLAN_INLINE_STEPS = 8, /* more steps than these go to the heap */
    OD_PLAN_VIEWS = 16,
    OD_STEP_ARGS = 64,
    OD_STEP_DEFINES = 24,
    OD_TEMP_ALIGNMENT = 128 /* bytes */
};

typedef enum od_arg_kind { OD_ARG_VALUE = 0, OD_ARG_BUFFER = 1, OD_ARG_WORKSPACE = 2 } od_arg_kind;

typedef struct od_arg {
    uint8_t kind; /* od_arg_kind */
    uint8_t size; /* bytes of value */
    union {
        cl_mem buffer;
        cl_int i;
        cl_uint u;
        cl_ulong ul;
        cl_float f;
        cl_int i4[4];
    } value;
} od_arg;

typedef struct od_define_pair {
    const char *name;
    int32_t value;
} od_define_pair;

/* C = alpha * op(A) op(B) + beta * C for each batch, row-major, by CLBlast. Leading dimensions and strides in elements.
 */
typedef struct od_clblast_gemm {
    od_view a, b, c; /* all F32 */
    bool transpose_a, transpose_b;
    size_t m, n, k, lda, ldb, ldc;
    size_t batch, stride_a, stride_b, stride_c;
    float alpha, beta;
} od_clblast_gemm;

typedef enum od_step_kind { OD_STEP_KERNEL = 0, OD_STEP_CLBLAST = 1 } od_step_kind;

typedef struct od_step {
    od_step_kind kind;
    uint32_t arg_count;
    uint32_t define_count;
    const od_source *source;
    const char *kernel;
    size_t groups[3];
    size_t local[3];
    od_define_pair defines[OD_STEP_DEFINES];
    od_arg args[OD_STEP_ARGS];
    od_clblast_gemm clblast;
} od_step;

typedef struct od_plan {
    ocldnn_status status; /* the first thing that went wrong while writing the plan */
    uint32_t requested;   /* the strategy's public number; set by the operator's check */
    bool empty;           /* nothing to compute; set by the operator's check */
    const char *strategy; /* the one chosen */
    uint64_t workspace_bytes;
    uint32_t view_count;
    uint32_t step_count;
    uint32_t step_capacity;
    od_step *steps; /* `few` or the heap */
    od_view views[OD_PLAN_VIEWS];
    uint32_t may_be[OD_PLAN_VIEWS]; /* bit i of entry o: output o may be exactly view i */
    od_step few[OD_PLAN_INLINE_STEPS];
    od_step spare; /* written to when there is no memory for a step */
} od_plan;

/* Makes a plan empty (does not clear the arrays: that would cost more than most calls), and gives its memory back. */
void od_plan_init(od_plan *plan);
void od_plan_free(od_plan *plan);

/* Checks a tensor of the operator and records it in the plan, so that _run can check its buffer. The second form takes
 * an absent one, and gives an absent view then. */
ocldnn_status od_plan_tensor(od_plan *plan, const char *name, const ocldnn_tensor *tensor, od_access access,
                             uint32_t dtypes, uint32_t min_rank, uint32_t max_rank, od_view *view);
ocldnn_status od_plan_optional(od_plan *plan, const char *name, const ocldnn_tensor *tensor, od_access access,
                               uint32_t dtypes, uint32_t min_rank, uint32_t max_rank, od_view *view);

/* Output may be exactly this other tensor (same buffer, offset, dtype, shape and strides). Any other overlap of a
 * written tensor is refused at _run. Absent views are ignored. */
void od_plan_may_be(od_plan *plan, const od_view *output, const od_view *other);

/* Room in the workspace: a dense view, of rank 1 or of a shape, at a multiple of OD_TEMP_ALIGNMENT bytes. */
od_view od_plan_temp(od_plan *plan, const char *name, uint32_t dtype, int64_t count);
od_view od_plan_temp_dense(od_plan *plan, const char *name, uint32_t dtype, uint32_t rank, const int64_t *shape);

od_step *od_plan_kernel(od_plan *plan, const od_source *source, const char *kernel);
void od_plan_clblast(od_plan *plan, const od_clblast_gemm *gemm);

void od_define(od_step *step, const char *name, int32_t value);
void od_arg_view(od_step *step, const od_view *view);
void od_arg_int(od_step *step, int64_t value); /* an int; value must fit (views' sizes and strides do) */
void od_arg_uint(od_step *step, uint32_t value);
void od_arg_ulong(od_step *step, uint64_t value);
void od_arg_float(od_step *step, float value);
void od_arg_int4(od_step *step, const int32_t value[4]);
/* How many groups hold `count` items, and the multiple of `step` that is at least `value`; neither may be negative. */
static inline int64_t od_ceil_div(int64_t count, int64_t group)
{
    return (count + group - 1) / group;
}

static inline int64_t od_round_up(int64_t value, int64_t step)
{
    return od_ceil_div(value, step) * step;
}

void od_launch(od_step *step, int64_t groups_x, int64_t groups_y, int64_t groups_z, uint32_t local_x, uint32_t local_y,
               uint32_t local_z);

/* Whether two steps, or what is kept of them, are built with the same options. Their sources are compared apart. */
bool od_same_defines(const od_define_pair *a, uint32_t a_count, const od_define_pair *b, uint32_t b_count);

/* The options a step's program is built with, as text: "-w -cl-std=CL1.2 -cl-mad-enable -D A=1 ...". Like snprintf. */
int od_step_options(const od_step *step, char *text, size_t capacity);

#endif
