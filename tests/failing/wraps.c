/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands between the library's code and the C library's allocator, and CLBlast: the linker turns each malloc in the
 * program's own objects, of which the static library's are most, into __wrap_malloc (--wrap). Drivers and CLBlast keep
 * the real one.
 *
 * CLBlast fails as a whole, not by the calls it makes itself: it prints, swallows statuses and leaks a program then,
 * which is not for us to mend.
 */
#include "layer/layer.h"

#include <ocldnn/base.h>
#include <stddef.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);

static bool fails(const char *call)
{
    static const int codes[] = {CL_OUT_OF_HOST_MEMORY};
    int code;
    return layer_fails(call, codes, 1, &code);
}

static void *counted(void *block)
{
    layer_count(LAYER_BLOCK, block != NULL);
    return block;
}

void *__wrap_malloc(size_t bytes)
{
    return fails("malloc") ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails("calloc") ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *block, size_t bytes)
{
    if (fails("realloc"))
        return NULL;
    return block ? __real_realloc(block, bytes) : counted(__real_realloc(NULL, bytes));
}

void __wrap_free(void *block)
{
    layer_count(LAYER_BLOCK, -(block != NULL));
    __real_free(block);
}

#ifdef OD_HAVE_CLBLAST
#include <clblast_c.h>

static CLBlastStatusCode blast_fails(const char *call)
{
    static const int codes[] = {CLBlastOpenCLOutOfHostMemory, CLBlastOpenCLOutOfResources,
                                CLBlastOpenCLBuildProgramFailure, CLBlastUnexpectedError};
    int code;
    return layer_fails(call, codes, sizeof codes / sizeof *codes, &code) ? (CLBlastStatusCode)code : CLBlastSuccess;
}

#define BLAST(NAME, PARAMETERS, ARGUMENTS)                                                                             \
    CLBlastStatusCode __real_CLBlast##NAME PARAMETERS;                                                                 \
    CLBlastStatusCode __wrap_CLBlast##NAME PARAMETERS;                                                                 \
    CLBlastStatusCode __wrap_CLBlast##NAME PARAMETERS                                                                  \
    {                                                                                                                  \
        CLBlastStatusCode code = blast_fails("CLBlast" #NAME);                                                         \
        long calls_left;                                                                                               \
        if (code != CLBlastSuccess)                                                                                    \
            return code;                                                                                               \
        calls_left = layer_pause();                                                                                    \
        code = __real_CLBlast##NAME ARGUMENTS;                                                                         \
        layer_resume(calls_left);                                                                                      \
        return code;                                                                                                   \
    }

/* The tests are in F32. */
BLAST(Sgemm,
      (CLBlastLayout layout, CLBlastTranspose ta, CLBlastTranspose tb, size_t m, size_t n, size_t k, float alpha,
       cl_mem a, size_t a_at, size_t lda, cl_mem b, size_t b_at, size_t ldb, float beta, cl_mem c, size_t c_at,
       size_t ldc, cl_command_queue *queue, cl_event *event),
      (layout, ta, tb, m, n, k, alpha, a, a_at, lda, b, b_at, ldb, beta, c, c_at, ldc, queue, event))
BLAST(SgemmStridedBatched,
      (CLBlastLayout layout, CLBlastTranspose ta, CLBlastTranspose tb, size_t m, size_t n, size_t k, float alpha,
       cl_mem a, size_t a_at, size_t lda, size_t stride_a, cl_mem b, size_t b_at, size_t ldb, size_t stride_b,
       float beta, cl_mem c, size_t c_at, size_t ldc, size_t stride_c, size_t batch, cl_command_queue *queue,
       cl_event *event),
      (layout, ta, tb, m, n, k, alpha, a, a_at, lda, stride_a, b, b_at, ldb, stride_b, beta, c, c_at, ldc, stride_c,
       batch, queue, event))
#endif
