/* SPDX-License-Identifier: Apache-2.0
 *
 * The only file that calls CLBlast. It prints to stderr when arguments are wrong, so planners check them before.
 */
#include "runtime/context.h"

#ifdef OD_HAVE_CLBLAST
#include <clblast_c.h>

bool od_clblast_built(void)
{
    return true;
}

static CLBlastTranspose transpose_of(bool transposed)
{
    return transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
}

static CLBlastStatusCode single(const od_clblast_gemm *g, const cl_mem buffers[3], cl_command_queue *queue,
                                cl_event *event)
{
    CLBlastTranspose ta = transpose_of(g->transpose_a), tb = transpose_of(g->transpose_b);
    if (g->batch == 1)
        return CLBlastSgemm(CLBlastLayoutRowMajor, ta, tb, g->m, g->n, g->k, g->alpha, buffers[0], g->a.offset, g->lda,
                            buffers[1], g->b.offset, g->ldb, g->beta, buffers[2], g->c.offset, g->ldc, queue, event);
    return CLBlastSgemmStridedBatched(CLBlastLayoutRowMajor, ta, tb, g->m, g->n, g->k, g->alpha, buffers[0],
                                      g->a.offset, g->lda, g->stride_a, buffers[1], g->b.offset, g->ldb, g->stride_b,
                                      g->beta, buffers[2], g->c.offset, g->ldc, g->stride_c, g->batch, queue, event);
}

ocldnn_status od_clblast_enqueue(const od_clblast_gemm *gemm, const cl_mem buffers[3], cl_command_queue queue,
                                 cl_event *event)
{
    CLBlastStatusCode code = single(gemm, buffers, &queue, event);
    if (code == CLBlastSuccess)
        return OCLDNN_SUCCESS;
    /* Its codes of OpenCL's failures are OpenCL's own. */
    return od_fail(od_cl_status((cl_int)code, OCLDNN_DEVICE_ERROR),
                   "CLBlast failed with status %d (%zu x %zu x %zu, batch %zu)", (int)code, gemm->m, gemm->n, gemm->k,
                   gemm->batch);
}

#else

bool od_clblast_built(void)
{
    return false;
}

ocldnn_status od_clblast_enqueue(const od_clblast_gemm *gemm, const cl_mem buffers[3], cl_command_queue queue,
                                 cl_event *event)
{
    (void)gemm;
    (void)buffers;
    (void)queue;
    (void)event;
    return od_fail(OCLDNN_UNSUPPORTED, "this library was built without CLBlast");
}

#endif
