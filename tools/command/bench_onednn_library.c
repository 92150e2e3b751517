/* SPDX-License-Identifier: Apache-2.0
 *
 * What the peer needs of oneDNN's C interface, versions 2 and 3. Version 2 describes tensors and operations in structs
 * that the caller owns, which are only blocks of bytes here, larger than any of theirs; version 3 gives pointers, and
 * has no description of an operation.
 */
#include "bench_onednn.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 4096, OPERATION_BYTES = 8 * MEMORY_BYTES };
enum { CPU = 1, IN_ORDER = 1, INFERENCE = 96, NAME_OF_CODE = 8 };
enum { SOURCE = 1, SECOND = 2, TARGET = 17, WEIGHTS = 33, SCALE = 51, SHIFT = 52 };
enum { ADD = 0x1fff0, SOFTMAX = 0x30000, LOG_SOFTMAX = 0x30001 };

static struct {
    int (*engine_create)(void **engine, int kind, size_t index);
    int (*stream_create)(void **stream, void *engine, unsigned flags);
    int (*stream_wait)(void *stream);
    int (*memory_create)(void **memory, const void *descriptor, void *engine, void *data);
    int (*memory_destroy)(void *memory);
    int (*primitive_create)(void **primitive, const void *descriptor);
    int (*primitive_destroy)(void *primitive);
    int (*primitive_desc_destroy)(void *descriptor);
    int (*primitive_desc_query)(const void *descriptor, int what, int index, void *result);
    int (*primitive_execute)(const void *primitive, void *stream, int count, const onednn_argument *arguments);
    int (*attr_create)(void **attributes);
    int (*attr_destroy)(void *attributes);
    int (*attr_set_post_ops)(void *attributes, const void *post_ops);
    int (*post_ops_create)(void **post_ops);
    int (*post_ops_destroy)(void *post_ops);
    int (*append_binary)(void *post_ops, int algorithm, const void *descriptor);
    void *append_eltwise; /* differs in the two */
    void *engine, *stream;
    bool third;
} dnnl;

static struct {
    int (*memory)(void *descriptor, int axes, const int64_t *sizes, int dtype, const int64_t *strides);
    int (*create)(void **made, const void *operation, const void *attributes, void *engine, const void *hint);
    int (*matmul)(void *operation, const void *a, const void *b, const void *bias, const void *target);
    int (*softmax)(void *operation, int way, int algorithm, const void *source, const void *target, int axis);
    int (*layer_norm)(void *operation, int way, const void *data, const void *statistics, float epsilon,
                      unsigned flags);
    int (*eltwise)(void *operation, int way, int algorithm, const void *data, float alpha, float beta);
    int (*binary)(void *operation, int algorithm, const void *a, const void *b, const void *target);
} v2;

static struct {
    int (*memory)(void **made, int axes, const int64_t *sizes, int dtype, const int64_t *strides);
    int (*forget)(void *descriptor);
    int (*matmul)(void **made, void *engine, const void *a, const void *b, const void *bias, const void *target,
                  const void *attributes);
    int (*softmax)(void **made, void *engine, int way, int algorithm, const void *source, const void *target, int axis,
                   const void *attributes);
    int (*layer_norm)(void **made, void *engine, int way, const void *source, const void *target,
                      const void *statistics, float epsilon, unsigned flags, const void *attributes);
    int (*eltwise)(void **made, void *engine, int way, int algorithm, const void *source, const void *target,
                   float alpha, float beta, const void *attributes);
    int (*binary)(void **made, void *engine, int algorithm, const void *a, const void *b, const void *target,
                  const void *attributes);
} v3;

typedef struct symbol {
    const char *name;
    void *where;
} symbol;

static const symbol of_both[] = {
    {"dnnl_engine_create", &dnnl.engine_create},
    {"dnnl_stream_create", &dnnl.stream_create},
    {"dnnl_stream_wait", &dnnl.stream_wait},
    {"dnnl_memory_create", &dnnl.memory_create},
    {"dnnl_memory_destroy", &dnnl.memory_destroy},
    {"dnnl_primitive_create", &dnnl.primitive_create},
    {"dnnl_primitive_destroy", &dnnl.primitive_destroy},
    {"dnnl_primitive_desc_destroy", &dnnl.primitive_desc_destroy},
    {"dnnl_primitive_desc_query", &dnnl.primitive_desc_query},
    {"dnnl_primitive_execute", &dnnl.primitive_execute},
    {"dnnl_primitive_attr_create", &dnnl.attr_create},
    {"dnnl_primitive_attr_destroy", &dnnl.attr_destroy},
    {"dnnl_primitive_attr_set_post_ops", &dnnl.attr_set_post_ops},
    {"dnnl_post_ops_create", &dnnl.post_ops_create},
    {"dnnl_post_ops_destroy", &dnnl.post_ops_destroy},
    {"dnnl_post_ops_append_binary", &dnnl.append_binary},
    {"dnnl_post_ops_append_eltwise", &dnnl.append_eltwise},
    {NULL, NULL},
};

static const symbol of_second[] = {
    {"dnnl_memory_desc_init_by_strides", &v2.memory},
    {"dnnl_primitive_desc_create", &v2.create},
    {"dnnl_matmul_desc_init", &v2.matmul},
    {"dnnl_softmax_v2_forward_desc_init", &v2.softmax},
    {"dnnl_layer_normalization_forward_desc_init", &v2.layer_norm},
    {"dnnl_eltwise_forward_desc_init", &v2.eltwise},
    {"dnnl_binary_desc_init", &v2.binary},
    {NULL, NULL},
};

static const symbol of_third[] = {
    {"dnnl_memory_desc_create_with_strides", &v3.memory},
    {"dnnl_memory_desc_destroy", &v3.forget},
    {"dnnl_matmul_primitive_desc_create", &v3.matmul},
    {"dnnl_softmax_forward_primitive_desc_create", &v3.softmax},
    {"dnnl_layer_normalization_forward_primitive_desc_create", &v3.layer_norm},
    {"dnnl_eltwise_forward_primitive_desc_create", &v3.eltwise},
    {"dnnl_binary_primitive_desc_create", &v3.binary},
    {NULL, NULL},
};

static bool take(void *library, const symbol *symbols)
{
    for (; symbols->name; symbols++) {
        void *found = dlsym(library, symbols->name);
        if (!found)
            return false;
        memcpy(symbols->where, &found, sizeof found);
    }
    return true;
}

bool onednn_library_load(void)
{
    static bool tried, found;
    void *library;
    if (tried)
        return found;
    tried = true;
    library = dlopen("libdnnl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
    dnnl.third = library && take(library, of_third);
    found = library && take(library, of_both) && (dnnl.third || take(library, of_second)) &&
            dnnl.engine_create(&dnnl.engine, CPU, 0) == 0 &&
            dnnl.stream_create(&dnnl.stream, dnnl.engine, IN_ORDER) == 0;
    return found;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

bool onednn_describe(void **descriptor, int axes, const int64_t *sizes, const int64_t *strides, uint32_t dtype)
{
    int code = dtype == OCLDNN_F32 ? 3 : dtype == OCLDNN_F16 ? 1 : 2;
    if (dnnl.third)
        return v3.memory(descriptor, axes, sizes, code, strides) == 0;
    *descriptor = calloc(1, MEMORY_BYTES);
    return *descriptor && v2.memory(*descriptor, axes, sizes, code, strides) == 0;
}

void onednn_forget(void *descriptor)
{
    if (descriptor && dnnl.third)
        v3.forget(descriptor);
    else
        free(descriptor);
}

bool onednn_memory(void **memory, const void *descriptor, void *data)
{
    return dnnl.memory_create(memory, descriptor, dnnl.engine, data) == 0;
}

/* ---- primitives -------------------------------------------------------------------------------------------------- */

/* A product's scale and summand ride along with it; *place is the summand's argument. */
static bool append(void *post_ops, const onednn_step *step, const void *summand, int *place)
{
    int count = 0;
    if (step->scale != 0 && dnnl.third) {
        int (*linear)(void *, int, float, float) = NULL;
        memcpy(&linear, &dnnl.append_eltwise, sizeof linear);
        if (linear(post_ops, 38, step->scale, 0) != 0)
            return false;
        count++;
    } else if (step->scale != 0) {
        int (*linear)(void *, float, int, float, float) = NULL;
        memcpy(&linear, &dnnl.append_eltwise, sizeof linear);
        if (linear(post_ops, 1, 0x7f, step->scale, 0) != 0)
            return false;
        count++;
    }
    *place = (dnnl.third ? 32768 : 16384) * (count + 1) | SECOND;
    return !summand || dnnl.append_binary(post_ops, ADD, summand) == 0;
}

static bool make_attributes(void **attributes, const onednn_step *step, const void *summand, int *place)
{
    void *post_ops = NULL;
    bool good = dnnl.attr_create(attributes) == 0 && dnnl.post_ops_create(&post_ops) == 0 &&
                append(post_ops, step, summand, place) && dnnl.attr_set_post_ops(*attributes, post_ops) == 0;
    if (post_ops)
        dnnl.post_ops_destroy(post_ops);
    return good;
}

typedef struct described {
    const void *first, *second, *target, *attributes;
    int last_axis;
} described;

static int make_second(void **made, const onednn_step *step, const described *d)
{
    void *operation = calloc(1, OPERATION_BYTES);
    int code = 1;
    if (operation && step->kind == ONEDNN_MATMUL)
        code = v2.matmul(operation, d->first, d->second, NULL, d->target);
    else if (operation && (step->kind == ONEDNN_SOFTMAX || step->kind == ONEDNN_LOG_SOFTMAX))
        code = v2.softmax(operation, INFERENCE, step->kind == ONEDNN_SOFTMAX ? SOFTMAX : LOG_SOFTMAX, d->first,
                          d->target, d->last_axis);
    else if (operation && step->kind == ONEDNN_LAYER_NORM)
        code = v2.layer_norm(operation, INFERENCE, d->first, NULL, step->epsilon, 0x8 | 0x10);
    else if (operation && step->kind == ONEDNN_GELU)
        code = v2.eltwise(operation, INFERENCE, 0x30, d->first, 0, 0);
    else if (operation && step->kind == ONEDNN_ADD)
        code = v2.binary(operation, ADD, d->first, d->second, d->target);
    if (code == 0)
        code = v2.create(made, operation, d->attributes, dnnl.engine, NULL);
    free(operation);
    return code;
}

static int make_third(void **made, const onednn_step *step, const described *d)
{
    void *engine = dnnl.engine;
    switch (step->kind) {
    case ONEDNN_MATMUL:
        return v3.matmul(made, engine, d->first, d->second, NULL, d->target, d->attributes);
    case ONEDNN_SOFTMAX:
    case ONEDNN_LOG_SOFTMAX:
        return v3.softmax(made, engine, INFERENCE, step->kind == ONEDNN_SOFTMAX ? SOFTMAX : LOG_SOFTMAX, d->first,
                          d->target, d->last_axis, d->attributes);
    case ONEDNN_LAYER_NORM:
        return v3.layer_norm(made, engine, INFERENCE, d->first, d->target, NULL, step->epsilon, 0x2 | 0x4,
                             d->attributes);
    case ONEDNN_RMS_NORM: /* early versions 3 refuse the flag */
        return v3.layer_norm(made, engine, INFERENCE, d->first, d->target, NULL, step->epsilon, 0x2 | 0x20,
                             d->attributes);
    case ONEDNN_GELU:
        return v3.eltwise(made, engine, INFERENCE, 49, d->first, d->target, 0, 0, d->attributes);
    case ONEDNN_ADD:
        return v3.binary(made, engine, ADD, d->first, d->second, d->target, d->attributes);
    }
    return 1;
}

static void list_arguments(onednn_chain *chain, const onednn_step *step, int place)
{
    bool norm = step->kind == ONEDNN_LAYER_NORM || step->kind == ONEDNN_RMS_NORM;
    const struct {
        int which, tensor;
    } all[] = {
        {SOURCE, step->first},
        {norm                          ? SCALE
         : step->kind == ONEDNN_MATMUL ? WEIGHTS
                                       : SECOND,
         step->second},
        {norm ? SHIFT : place, step->third},
        {TARGET, step->target},
    };
    int at = chain->step_count, count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].tensor)
            chain->steps[at].argument[count++] = (onednn_argument){all[i].which, chain->tensors[all[i].tensor].memory};
    chain->steps[at].arguments = count;
}

bool onednn_primitive(onednn_chain *chain, const onednn_step *step)
{
    const void *summand = step->kind == ONEDNN_MATMUL ? chain->tensors[step->third].descriptor : NULL;
    void *made = NULL, *attributes = NULL;
    const char *code = "";
    int place = 0;
    bool good = make_attributes(&attributes, step, summand, &place);
    const described d = {chain->tensors[step->first].descriptor, chain->tensors[step->second].descriptor,
                         chain->tensors[step->target].descriptor, attributes, chain->tensors[step->first].axes - 1};
    good = good && (dnnl.third ? make_third : make_second)(&made, step, &d) == 0 &&
           dnnl.primitive_desc_query(made, NAME_OF_CODE, 0, &code) == 0 && strncmp(code, "ref", 3) != 0 &&
           dnnl.primitive_create(&chain->steps[chain->step_count].primitive, made) == 0;
    if (good)
        list_arguments(chain, step, place);
    if (made)
        dnnl.primitive_desc_destroy(made);
    if (attributes)
        dnnl.attr_destroy(attributes);
    return good;
}

bool onednn_run(const onednn_chain *chain)
{
    for (int i = 0; i < chain->step_count; i++)
        if (dnnl.primitive_execute(chain->steps[i].primitive, dnnl.stream, chain->steps[i].arguments,
                                   chain->steps[i].argument) != 0)
            return false;
    return dnnl.stream_wait(dnnl.stream) == 0;
}

void onednn_release(onednn_chain *chain)
{
    for (int i = 0; i < ONEDNN_STEPS; i++)
        if (chain->steps[i].primitive)
            dnnl.primitive_destroy(chain->steps[i].primitive);
    for (int i = 1; i <= ONEDNN_TENSORS; i++)
        if (chain->tensors[i].memory)
            dnnl.memory_destroy(chain->tensors[i].memory);
}
