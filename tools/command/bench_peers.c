/* SPDX-License-Identifier: Apache-2.0
 *
 * The peers that are looked for, and OpenBLAS. Nothing links them.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const bench_peer *const all[BENCH_PEERS] = {&bench_openblas, &bench_onednn, &bench_onednn_attention,
                                                   &bench_clblast};

const char *bench_peer_name(int place)
{
    return all[place]->name;
}

const bench_peer *bench_peer_at(bench *b, int place)
{
    static bool tried[BENCH_PEERS], found[BENCH_PEERS];
    if (!tried[place]) {
        tried[place] = true;
        found[place] = all[place]->load(b);
        if (!found[place] && all[place]->package)
            complain("peers: no %s on this machine (package %s)", all[place]->name, all[place]->package);
    }
    return found[place] ? all[place] : NULL;
}

void *bench_aligned(size_t bytes)
{
    void *data = NULL;
    if (posix_memalign(&data, 64, bytes) != 0)
        return NULL;
    return memset(data, 0, bytes);
}

void *bench_download(bench *b, const ocldnn_tensor *t)
{
    size_t size = ocldnn_dtype_size((ocldnn_dtype)t->dtype), bytes;
    void *data;
    od_view v;
    if (od_view_from_tensor("a peer's input", t, OD_READ, OD_FLOATS, 1, OCLDNN_MAX_RANK, &v) != OCLDNN_SUCCESS)
        return NULL;
    bytes = (size_t)v.extent * size;
    data = bench_aligned(bytes);
    if (data && clEnqueueReadBuffer(b->on.queue, t->buffer, CL_TRUE, (size_t)t->offset * size, bytes, data, 0, NULL,
                                    NULL) == CL_SUCCESS)
        return data;
    free(data);
    return NULL;
}

/* ---- OpenBLAS ---------------------------------------------------------------------------------------------------- */

typedef struct openblas_state {
    int m, n, k;
    float *a, *b, *c;
} openblas_state;

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

static void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                     int lda, const float *b, int ldb, float beta, float *c, int ldc);

static bool openblas_load(bench *b)
{
    void *library;
    void (*set_threads)(int);
    (void)b;
#if defined(__x86_64__) && defined(__GNUC__)
    /* A CPU that is younger than an OpenBLAS gets its oldest kernels, unless told better. */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    else if (__builtin_cpu_supports("avx2"))
        setenv("OPENBLAS_CORETYPE", "HASWELL", 0);
#endif
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    /* POSIX has this way of turning dlsym's object pointer into a function's. */
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    if (set_threads)
        set_threads((int)sysconf(_SC_NPROCESSORS_ONLN));
    return sgemm != NULL;
}

static void openblas_close(void *memory)
{
    openblas_state *state = memory;
    free(state->a);
    free(state->b);
    free(state->c);
    free(state);
}

static void *openblas_open(bench *b, const bench_case *c)
{
    openblas_state *state = c->m > 0 && c->dtype == OCLDNN_F32 ? calloc(1, sizeof *state) : NULL;
    if (!state)
        return NULL;
    state->m = (int)c->m;
    state->n = (int)c->n;
    state->k = (int)c->k;
    state->a = bench_download(b, &c->left);
    state->b = bench_download(b, &c->right);
    state->c = bench_aligned((size_t)(c->m * c->n) * sizeof(float));
    if (state->a && state->b && state->c)
        return state;
    openblas_close(state);
    return NULL;
}

static bool openblas_go(bench *b, void *memory)
{
    const openblas_state *state = memory;
    (void)b;
    sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, state->m, state->n, state->k, 1.0f, state->a, state->k, state->b, state->k,
          0.0f, state->c, state->n);
    return true;
}

static bool openblas_answer(bench *b, const void *memory, void *data, size_t bytes)
{
    const openblas_state *state = memory;
    (void)b;
    memcpy(data, state->c, bytes);
    return true;
}

const bench_peer bench_openblas = {"OpenBLAS",  "libopenblas0",  0.05,          openblas_load, openblas_open,
                                   openblas_go, openblas_answer, openblas_close};
