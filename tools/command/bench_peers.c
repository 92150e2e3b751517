/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers on the same tensors: OpenBLAS, if it is installed. It is looked for at run time; nothing links it.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*sgemm_function)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                               const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct openblas_state {
    sgemm_function sgemm;
    int m, n, k;
    float *a, *b, *c;
};

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

/* Loaded once, and not unloaded: its threads live on. */
static sgemm_function load_openblas(void)
{
    static bool tried;
    static sgemm_function found;
    void *library;
    void (*set_threads)(int);
    if (tried)
        return found;
    tried = true;
#if defined(__x86_64__) && defined(__GNUC__)
    /* A CPU that is younger than an OpenBLAS gets its oldest kernels, unless told better. */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    else if (__builtin_cpu_supports("avx2"))
        setenv("OPENBLAS_CORETYPE", "HASWELL", 0);
#endif
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        complain("peers: no OpenBLAS on this machine (package libopenblas0)");
        return NULL;
    }
    /* POSIX has this way of turning dlsym's object pointer into a function's. */
    *(void **)&found = dlsym(library, "cblas_sgemm");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    if (set_threads)
        set_threads((int)sysconf(_SC_NPROCESSORS_ONLN));
    return found;
}

static float *download(bench *b, const ocldnn_tensor *t)
{
    size_t bytes = (size_t)(t->shape[0] * t->shape[1]) * sizeof(float);
    void *data = NULL;
    if (posix_memalign(&data, 64, bytes) != 0)
        return NULL;
    clEnqueueReadBuffer(b->on.queue, t->buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    return data;
}

openblas_state *bench_openblas_open(bench *b, const bench_case *c)
{
    openblas_state *state;
    sgemm_function sgemm;
    if (!b->peers || c->m == 0 || c->dtype != OCLDNN_F32 || !(sgemm = load_openblas()))
        return NULL;
    state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->sgemm = sgemm;
    state->m = (int)c->m;
    state->n = (int)c->n;
    state->k = (int)c->k;
    state->a = download(b, &c->left);
    state->b = download(b, &c->right);
    state->c = calloc((size_t)(c->m * c->n), sizeof(float));
    if (state->a && state->b && state->c)
        return state;
    bench_openblas_close(state);
    return NULL;
}

bool bench_openblas_go(bench *b, void *memory)
{
    const openblas_state *state = memory;
    (void)b;
    state->sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, state->m, state->n, state->k, 1.0f, state->a, state->k, state->b,
                 state->k, 0.0f, state->c, state->n);
    return true;
}

void bench_openblas_close(openblas_state *state)
{
    if (!state)
        return;
    free(state->a);
    free(state->b);
    free(state->c);
    free(state);
}
