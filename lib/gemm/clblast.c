/* SPDX-License-Identifier: Apache-2.0
 *
 * A product by CLBlast. What CLBlast does not do (bias, activation, residual) is a second launch; the product then goes
 * through workspace, so that the output may be the residual.
 */
#include "gemm/gemm.h"
#include "sources.h"

#include <ocldnn/elementwise.h>

enum { FINISH_GROUP = 64, FINISH_WIDTH = 16 };

/* The axis of the batch along which CLBlast steps; all others must have length 1. -1: there is more than one. */
static int batch_axis(const od_gemm *g)
{
    int axis = OD_AXES - 1, long_axes = 0;
    for (int i = 0; i < OD_AXES; i++) {
        if (g->batch.shape[i] > 1) {
            axis = i;
            long_axes++;
        }
    }
    return long_axes > 1 ? -1 : axis;
}

static bool needs_finish(const od_gemm *g)
{
    return od_present(&g->bias) || od_present(&g->residual) || g->activation != OCLDNN_IDENTITY;
}

/* CLBlast wants rows that do not overlap. */
static bool rows_fit(int64_t stride, int64_t rows, int64_t width)
{
    return rows <= 1 || stride >= width;
}

bool od_gemm_clblast_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    const od_gemm *g = problem;
    uint32_t dtype = g->c.dtype;
    if (!device->clblast)
        return od_cannot(reason, "%s", device->clblast_reason);
    if (g->format != OD_GEMM_PLAIN)
        return od_cannot(reason, "CLBlast does not read packed weights");
    if (g->a.dtype != dtype || g->b.dtype != dtype)
        return od_cannot(reason, "CLBlast needs one dtype for both factors and the result");
    if (dtype == OCLDNN_F16) /* 13 times a plain program's error where K is 200 */
        return od_cannot(reason, "CLBlast sums F16 in F16, this library in F32");
    if (dtype != OCLDNN_F32)
        return od_cannot(reason, "CLBlast has no %s", od_dtype_name(dtype));
    if (g->k == 0)
        return od_cannot(reason, "CLBlast takes no inner length of 0");
    if (batch_axis(g) < 0)
        return od_cannot(reason, "the batch's axes cannot be joined into one, as CLBlast needs");
    if (!rows_fit(g->lda, g->transpose_a ? g->k : g->m, g->transpose_a ? g->m : g->k) ||
        !rows_fit(g->ldb, g->transpose_b ? g->n : g->k, g->transpose_b ? g->k : g->n))
        return od_cannot(reason, "CLBlast needs rows that do not overlap");
    return true;
}

/* A leading dimension as CLBlast checks it; of a single row it does not count. */
static size_t leading(int64_t stride, int64_t width)
{
    return (size_t)(stride > width ? stride : width);
}

static void finish(const od_gemm *g, const od_view *product, od_plan *plan, float alpha)
{
    od_step *step = od_plan_kernel(plan, &od_source_gemm_finish, "gemm_finish");
    int64_t chunks = od_ceil_div(g->n, FINISH_WIDTH);
    od_define(step, "C_TYPE", (int32_t)g->c.dtype);
    od_define(step, "BIAS_TYPE", (int32_t)g->bias.dtype);
    od_define(step, "HAS_RESIDUAL", od_present(&g->residual));
    od_define(step, "ACTIVATION", (int32_t)g->activation);
    od_arg_view(step, product);
    od_arg_view(step, &g->c);
    if (od_present(&g->bias))
        od_arg_view(step, &g->bias);
    if (od_present(&g->residual))
        od_arg_view(step, &g->residual);
    od_arg_int4(step, (int32_t[]){(int32_t)g->m, (int32_t)g->n, (int32_t)g->ldc, (int32_t)g->ldr});
    od_arg_int4(step, g->batch.shape);
    od_arg_int4(step, g->batch.strides[OD_GEMM_C]);
    od_arg_int4(step, g->batch.strides[OD_GEMM_RESIDUAL]);
    od_arg_float(step, alpha);
    od_arg_float(step, g->activation_alpha);
    od_launch(step, od_ceil_div(g->m * chunks, FINISH_GROUP), g->batch.count, 1, FINISH_GROUP, 1, 1);
}

ocldnn_status od_gemm_clblast_plan(const od_device *device, const void *problem, od_plan *plan)
{
    const od_gemm *g = problem;
    int axis = batch_axis(g);
    bool through = needs_finish(g);
    bool late_alpha = through; /* the epilogue applies it */
    od_view product = g->c;
    od_clblast_gemm c = {.a = g->a,
                         .b = g->b,
                         .transpose_a = g->transpose_a,
                         .transpose_b = g->transpose_b,
                         .m = (size_t)g->m,
                         .n = (size_t)g->n,
                         .k = (size_t)g->k,
                         .lda = leading(g->lda, g->transpose_a ? g->m : g->k),
                         .ldb = leading(g->ldb, g->transpose_b ? g->k : g->n),
                         .ldc = leading(g->ldc, g->n),
                         .batch = (size_t)g->batch.count,
                         .stride_a = (size_t)g->batch.strides[OD_GEMM_A][axis],
                         .stride_b = (size_t)g->batch.strides[OD_GEMM_B][axis],
                         .stride_c = (size_t)g->batch.strides[OD_GEMM_C][axis],
                         .alpha = late_alpha ? 1.0f : g->alpha,
                         .beta = 0.0f};
    (void)device;
    if (through) {
        int64_t count;
        if (__builtin_mul_overflow(g->m * g->n, g->batch.count, &count))
            return od_fail(OCLDNN_UNSUPPORTED, "the product's size overflows 64 bits");
        product = od_plan_temp(plan, "product", g->c.dtype, count);
        c.ldc = (size_t)g->n;
        c.stride_c = (size_t)(g->m * g->n);
    }
    c.c = product;
    od_plan_clblast(plan, &c);
    if (through)
        finish(g, &product, plan, g->alpha);
    return OCLDNN_SUCCESS;
}
