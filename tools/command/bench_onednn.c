/* SPDX-License-Identifier: Apache-2.0
 *
 * oneDNN's matmul primitive as a peer, on the CPU, in F32, F16 and BF16 as far as it has them. What is needed of its C
 * interface is declared here, for versions 2 and 3, since a machine may have the library without its headers. The two
 * differ in their descriptors: version 2 fills structs that the caller owns, which are only blocks of bytes here,
 * larger than any of theirs; version 3 gives pointers.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 4096, MATMUL_BYTES = 4 * MEMORY_BYTES, MOST_AXES = 12 };
enum { CPU = 1, IN_ORDER = 1, SOURCE = 1, WEIGHTS = 33, TARGET = 17 };
enum { LEFT, RIGHT, OUT, TENSORS };

typedef struct argument {
    int which;
    void *memory;
} argument;

static struct {
    int (*engine_create)(void **engine, int kind, size_t index);
    int (*stream_create)(void **stream, void *engine, unsigned flags);
    int (*stream_wait)(void *stream);
    int (*memory_create)(void **memory, const void *descriptor, void *engine, void *data);
    int (*memory_destroy)(void *memory);
    int (*primitive_create)(void **primitive, const void *descriptor);
    int (*primitive_destroy)(void *primitive);
    int (*primitive_desc_destroy)(void *descriptor);
    int (*primitive_execute)(const void *primitive, void *stream, int count, const argument *arguments);
    /* version 2 */
    int (*memory_init)(void *descriptor, int axes, const int64_t *sizes, int dtype, const int64_t *strides);
    int (*matmul_init)(void *matmul, const void *source, const void *weights, const void *bias, const void *target);
    int (*primitive_desc_create)(void **made, const void *matmul, const void *attributes, void *engine,
                                 const void *hint);
    /* version 3 */
    int (*memory_desc_create)(void **made, int axes, const int64_t *sizes, int dtype, const int64_t *strides);
    int (*memory_desc_destroy)(void *descriptor);
    int (*matmul_desc_create)(void **made, void *engine, const void *source, const void *weights, const void *bias,
                              const void *target, const void *attributes);
    void *engine, *stream;
} dnnl;

static bool take(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool take_all(void *library)
{
    bool both = take(library, "dnnl_engine_create", &dnnl.engine_create) &&
                take(library, "dnnl_stream_create", &dnnl.stream_create) &&
                take(library, "dnnl_stream_wait", &dnnl.stream_wait) &&
                take(library, "dnnl_memory_create", &dnnl.memory_create) &&
                take(library, "dnnl_memory_destroy", &dnnl.memory_destroy) &&
                take(library, "dnnl_primitive_create", &dnnl.primitive_create) &&
                take(library, "dnnl_primitive_destroy", &dnnl.primitive_destroy) &&
                take(library, "dnnl_primitive_desc_destroy", &dnnl.primitive_desc_destroy) &&
                take(library, "dnnl_primitive_execute", &dnnl.primitive_execute);
    bool third = take(library, "dnnl_memory_desc_create_with_strides", &dnnl.memory_desc_create) &&
                 take(library, "dnnl_memory_desc_destroy", &dnnl.memory_desc_destroy) &&
                 take(library, "dnnl_matmul_primitive_desc_create", &dnnl.matmul_desc_create);
    bool second = !third && take(library, "dnnl_memory_desc_init_by_strides", &dnnl.memory_init) &&
                  take(library, "dnnl_matmul_desc_init", &dnnl.matmul_init) &&
                  take(library, "dnnl_primitive_desc_create", &dnnl.primitive_desc_create);
    return both && (second || third);
}

static bool onednn_load(bench *b)
{
    void *library = dlopen("libdnnl.so.3", RTLD_NOW | RTLD_LOCAL);
    (void)b;
    if (!library)
        library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
    return library && take_all(library) && dnnl.engine_create(&dnnl.engine, CPU, 0) == 0 &&
           dnnl.stream_create(&dnnl.stream, dnnl.engine, IN_ORDER) == 0;
}

typedef struct onednn_state {
    void *data[TENSORS], *memory[TENSORS], *primitive;
    argument arguments[TENSORS];
} onednn_state;

/* The weight lies as [N, K], so that its axes K, N have the strides 1, K. */
static void describe(const bench_case *c, int which, int64_t sizes[MOST_AXES], int64_t strides[MOST_AXES])
{
    sizes[0] = which == RIGHT ? c->k : c->m;
    sizes[1] = which == LEFT ? c->k : c->n;
    strides[0] = which == RIGHT ? 1 : sizes[1];
    strides[1] = which == RIGHT ? c->k : 1;
}

static bool make_primitive(onednn_state *state, void *descriptor)
{
    bool good = dnnl.primitive_create(&state->primitive, descriptor) == 0;
    dnnl.primitive_desc_destroy(descriptor);
    return good;
}

static bool make_memory(onednn_state *state, int which, const void *descriptor)
{
    static const int names[TENSORS] = {SOURCE, WEIGHTS, TARGET};
    if (dnnl.memory_create(&state->memory[which], descriptor, dnnl.engine, state->data[which]) != 0)
        return false;
    state->arguments[which] = (argument){names[which], state->memory[which]};
    return true;
}

static bool make_second(onednn_state *state, const bench_case *c, int dtype)
{
    unsigned char *block = calloc(TENSORS * MEMORY_BYTES + MATMUL_BYTES, 1), *at[TENSORS];
    void *made = NULL;
    bool good = block != NULL;
    for (int i = 0; good && i < TENSORS; i++) {
        int64_t sizes[MOST_AXES], strides[MOST_AXES];
        describe(c, i, sizes, strides);
        at[i] = block + i * MEMORY_BYTES;
        good = dnnl.memory_init(at[i], 2, sizes, dtype, strides) == 0 && make_memory(state, i, at[i]);
    }
    if (good) {
        void *matmul = block + TENSORS * MEMORY_BYTES;
        good = dnnl.matmul_init(matmul, at[LEFT], at[RIGHT], NULL, at[OUT]) == 0 &&
               dnnl.primitive_desc_create(&made, matmul, NULL, dnnl.engine, NULL) == 0 && make_primitive(state, made);
    }
    free(block);
    return good;
}

static bool make_third(onednn_state *state, const bench_case *c, int dtype)
{
    void *at[TENSORS] = {NULL}, *made = NULL;
    bool good = true;
    for (int i = 0; good && i < TENSORS; i++) {
        int64_t sizes[MOST_AXES], strides[MOST_AXES];
        describe(c, i, sizes, strides);
        good = dnnl.memory_desc_create(&at[i], 2, sizes, dtype, strides) == 0 && make_memory(state, i, at[i]);
    }
    good = good && dnnl.matmul_desc_create(&made, dnnl.engine, at[LEFT], at[RIGHT], NULL, at[OUT], NULL) == 0 &&
           make_primitive(state, made);
    for (int i = 0; i < TENSORS; i++)
        if (at[i])
            dnnl.memory_desc_destroy(at[i]);
    return good;
}

static void onednn_close(void *memory)
{
    onednn_state *state = memory;
    if (state->primitive)
        dnnl.primitive_destroy(state->primitive);
    for (int i = 0; i < TENSORS; i++) {
        if (state->memory[i])
            dnnl.memory_destroy(state->memory[i]);
        free(state->data[i]);
    }
    free(state);
}

static void *onednn_open(bench *b, const bench_case *c)
{
    int dtype = c->dtype == OCLDNN_F32 ? 3 : c->dtype == OCLDNN_F16 ? 1 : 2;
    onednn_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->data[LEFT] = bench_download(b, &c->left);
    state->data[RIGHT] = bench_download(b, &c->right);
    state->data[OUT] = calloc((size_t)(c->m * c->n), ocldnn_dtype_size((ocldnn_dtype)c->dtype));
    if (state->data[LEFT] && state->data[RIGHT] && state->data[OUT] &&
        (dnnl.matmul_desc_create ? make_third : make_second)(state, c, dtype))
        return state;
    onednn_close(state);
    return NULL;
}

static bool onednn_go(bench *b, void *memory)
{
    const onednn_state *state = memory;
    (void)b;
    return dnnl.primitive_execute(state->primitive, dnnl.stream, TENSORS, state->arguments) == 0 &&
           dnnl.stream_wait(dnnl.stream) == 0;
}

static bool onednn_answer(bench *b, const void *memory, void *data, size_t bytes)
{
    const onednn_state *state = memory;
    (void)b;
    memcpy(data, state->data[OUT], bytes);
    return true;
}

const bench_peer bench_onednn = {"oneDNN",    "libdnnl2", 0.05,          onednn_load,
                                 onednn_open, onednn_go,  onednn_answer, onednn_close};
