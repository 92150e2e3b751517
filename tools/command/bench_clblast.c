/* SPDX-License-Identifier: Apache-2.0
 *
 * CLBlast as a peer: the same buffers on the same queue, an output of its own. Its C interface, as far as it is needed,
 * is declared here, since a machine may have the library without its headers.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef struct clblast_state {
    size_t m, n, k;
    cl_mem a, b, c;
} clblast_state;

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

static int (*sgemm)(int layout, int transpose_a, int transpose_b, size_t m, size_t n, size_t k, float alpha, cl_mem a,
                    size_t a_offset, size_t lda, cl_mem b, size_t b_offset, size_t ldb, float beta, cl_mem c,
                    size_t c_offset, size_t ldc, cl_command_queue *queue, cl_event *event);

static bool clblast_load(bench *b)
{
    void *library = dlopen("libclblast.so.1", RTLD_NOW | RTLD_LOCAL);
    (void)b;
    if (library)
        *(void **)&sgemm = dlsym(library, "CLBlastSgemm");
    return sgemm != NULL;
}

/* Not where the library itself does not trust CLBlast: it hangs on some drivers. */
static void *clblast_open(bench *b, const bench_case *c)
{
    bool can = c->m > 0 && c->dtype == OCLDNN_F32 && b->facts->clblast;
    clblast_state *state = can ? calloc(1, sizeof *state) : NULL;
    cl_int code;
    if (!state)
        return NULL;
    *state = (clblast_state){
        .m = (size_t)c->m, .n = (size_t)c->n, .k = (size_t)c->k, .a = c->left.buffer, .b = c->right.buffer};
    state->c = clCreateBuffer(b->on.cl, CL_MEM_READ_WRITE, state->m * state->n * sizeof(float), NULL, &code);
    if (code == CL_SUCCESS)
        return state;
    free(state);
    return NULL;
}

static bool clblast_go(bench *b, void *memory)
{
    const clblast_state *state = memory;
    return sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, state->m, state->n, state->k, 1.0f, state->a, 0, state->k, state->b, 0,
                 state->k, 0.0f, state->c, 0, state->n, &b->on.queue, NULL) == 0;
}

static bool clblast_answer(bench *b, const void *memory, void *data, size_t bytes)
{
    const clblast_state *state = memory;
    return clEnqueueReadBuffer(b->on.queue, state->c, CL_TRUE, 0, bytes, data, 0, NULL, NULL) == CL_SUCCESS;
}

static void clblast_close(void *memory)
{
    clblast_state *state = memory;
    clReleaseMemObject(state->c);
    free(state);
}

const bench_peer bench_clblast = {"CLBlast",      "libclblast1", 0, clblast_load, clblast_open, clblast_go,
                                  clblast_answer, clblast_close};
