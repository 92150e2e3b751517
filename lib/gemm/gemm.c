/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm/gemm.h"

#include <ocldnn/linear.h>

const od_gemm_family *od_gemm_family_of(const od_device *device)
{
    return device->family == OD_FAMILY_TILED ? &od_gemm_tiled : &od_gemm_vector;
}

void od_gemm_single(od_gemm *gemm)
{
    gemm->batch.count = 1;
    for (int axis = 0; axis < OD_AXES; axis++) {
        gemm->batch.shape[axis] = 1;
        for (int operand = 0; operand < OD_GEMM_OPERANDS; operand++)
            gemm->batch.strides[operand][axis] = 0;
    }
}

static bool shared(const od_view *b, uint32_t axes)
{
    for (uint32_t axis = 0; axis < axes; axis++)
        if (b->strides[axis] != 0 && b->shape[axis] > 1)
            return false;
    return true;
}

/* The innermost joined axis becomes the rows, the others move inwards. */
static void take_rows(od_gemm *gemm)
{
    int64_t *lead[OD_GEMM_OPERANDS] = {&gemm->lda, NULL, &gemm->ldc, &gemm->ldr};
    gemm->m = gemm->batch.shape[OD_AXES - 1];
    for (int operand = 0; operand < OD_GEMM_OPERANDS; operand++) {
        int32_t *strides = gemm->batch.strides[operand];
        if (lead[operand])
            *lead[operand] = strides[OD_AXES - 1];
        for (int axis = OD_AXES - 1; axis > 0; axis--)
            strides[axis] = strides[axis - 1];
        strides[0] = 0;
    }
    for (int axis = OD_AXES - 1; axis > 0; axis--)
        gemm->batch.shape[axis] = gemm->batch.shape[axis - 1];
    gemm->batch.shape[0] = 1;
    gemm->batch.count = 1;
    for (int axis = 0; axis < OD_AXES; axis++)
        gemm->batch.count *= gemm->batch.shape[axis];
}

ocldnn_status od_gemm_walk(od_gemm *gemm, const od_view *a, const od_view *b, const od_view *c, const od_view *residual)
{
    const od_view none = {.dtype = OCLDNN_ABSENT};
    uint32_t leading = c->rank - 2;
    if (!gemm->transpose_a && (!od_present(b) || shared(b, leading))) {
        OD_TRY(od_axes_join(leading + 1, c->shape, (const od_view *[]){a, &none, c, residual}, OD_GEMM_OPERANDS,
                            &gemm->batch));
        take_rows(gemm);
        return OCLDNN_SUCCESS;
    }
    gemm->m = c->shape[leading];
    gemm->lda = a->strides[leading];
    gemm->ldc = c->strides[leading];
    gemm->ldr = od_present(residual) ? residual->strides[leading] : 0;
    return od_axes_join(leading, c->shape, (const od_view *[]){a, b, c, residual}, OD_GEMM_OPERANDS, &gemm->batch);
}

bool od_gemm_shares_b(const od_gemm *gemm)
{
    for (int axis = 0; axis < OD_AXES; axis++)
        if (gemm->batch.strides[OD_GEMM_B][axis] != 0 && gemm->batch.shape[axis] > 1)
            return gemm->format == OD_GEMM_PANELS;
    return true;
}

ocldnn_status od_gemm_plan(const od_device *device, const od_gemm *gemm, od_plan *plan)
{
    const od_gemm_family *family = od_gemm_family_of(device);
    char reason[OD_REASON_BYTES];
    if (gemm->m == 0 || gemm->n == 0 || gemm->batch.count == 0)
        return OCLDNN_SUCCESS;
    if (!family->can(device, gemm, reason))
        return od_fail(OCLDNN_UNSUPPORTED, "matrix product: %s", reason);
    return family->plan(device, gemm, plan);
}

od_step *od_gemm_step(const od_gemm *g, od_plan *plan, const od_source *source, const char *kernel, int64_t ldb)
{
    od_step *step = od_plan_kernel(plan, source, kernel);
    od_define(step, "A_TYPE", (int32_t)g->a.dtype);
    od_define(step, "B_TYPE", (int32_t)g->b.dtype);
    od_define(step, "C_TYPE", (int32_t)g->c.dtype);
    od_define(step, "BIAS_TYPE", (int32_t)g->bias.dtype);
    od_define(step, "HAS_RESIDUAL", od_present(&g->residual));
    od_define(step, "ACTIVATION", (int32_t)g->activation);
    od_arg_view(step, &g->a);
    od_arg_view(step, &g->b);
    od_arg_view(step, &g->c);
    if (od_present(&g->bias))
        od_arg_view(step, &g->bias);
    if (od_present(&g->residual))
        od_arg_view(step, &g->residual);
    od_arg_int4(step, (int32_t[]){(int32_t)g->m, (int32_t)g->n, (int32_t)g->k, 0});
    od_arg_int4(step, (int32_t[]){(int32_t)g->lda, (int32_t)ldb, (int32_t)g->ldc, (int32_t)g->ldr});
    od_arg_int4(step, g->batch.shape);
    for (int operand = 0; operand < OD_GEMM_OPERANDS; operand++)
        od_arg_int4(step, g->batch.strides[operand]);
    od_arg_float(step, g->alpha);
    od_arg_float(step, g->activation_alpha);
    return step;
}

static bool native_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    return od_gemm_family_of(device)->can(device, problem, reason);
}

static ocldnn_status native_plan(const od_device *device, const void *problem, od_plan *plan)
{
    return od_gemm_family_of(device)->plan(device, problem, plan);
}

const od_strategy od_gemm_strategies[OD_GEMM_STRATEGIES] = {
    {"native", OCLDNN_GEMM_NATIVE, native_can, native_plan},
    {"clblast", OCLDNN_GEMM_CLBLAST, od_gemm_clblast_can, od_gemm_clblast_plan},
};
