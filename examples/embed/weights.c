/* SPDX-License-Identifier: Apache-2.0 */
#include "weights.h"

#include "complain.h"
#include "half.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 128 /* more than any dtype, vector load or packed weight asks for */

/* Two walks over the same list of tensors: the first only counts bytes, the second, with a queue, uploads. */
struct loader {
    const struct safetensors *file;
    ocldnn_context *context;
    cl_command_queue queue;
    cl_mem memory;
    cl_mem staging; /* a matrix before it is packed */
    ocldnn_dtype dtype;
    size_t used;
};

static size_t take(struct loader *loader, size_t bytes)
{
    size_t at = loader->used;
    loader->used = (at + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static bool find(const struct loader *loader, const char *name, unsigned rank, const int64_t *shape,
                 struct safetensor *tensor)
{
    if (!safetensors_find(loader->file, name, tensor))
        return false;
    if (tensor->rank != rank || memcmp(tensor->shape, shape, rank * sizeof *shape) != 0)
        return complain("tensor %s does not have the shape that config.json says", name);
    return true;
}

/* Converts a tensor of the file to dtype, if it is not of that dtype, and writes it to a place in a buffer. */
static bool upload(const struct loader *loader, const struct safetensor *tensor, ocldnn_dtype dtype, cl_mem memory,
                   size_t at)
{
    size_t bytes = tensor->count * ocldnn_dtype_size(dtype);
    const void *from = tensor->bytes;
    float *numbers = NULL;
    bool good;

    if (tensor->dtype != dtype) {
        numbers = malloc(tensor->count * sizeof *numbers + bytes + 1);
        if (numbers == NULL)
            return complain("no memory to convert %zu weights", tensor->count);
        floats_read(tensor->bytes, tensor->dtype, tensor->count, numbers);
        floats_write(numbers, tensor->count, numbers + tensor->count, dtype);
        from = numbers + tensor->count;
    }
    good = cl_went_well(clEnqueueWriteBuffer(loader->queue, memory, CL_TRUE, at, bytes, from, 0, NULL, NULL),
                        "writing weights");
    free(numbers);
    return good;
}

static bool load_tensor(struct loader *loader, const char *name, unsigned rank, const int64_t *shape,
                        ocldnn_dtype dtype, ocldnn_tensor *to)
{
    struct safetensor tensor;
    size_t at;

    if (!find(loader, name, rank, shape, &tensor))
        return false;
    at = take(loader, tensor.count * ocldnn_dtype_size(dtype));
    *to = ocldnn_tensor_dense(loader->memory, dtype, rank, shape);
    to->offset = at / ocldnn_dtype_size(dtype);
    return loader->queue == NULL || upload(loader, &tensor, dtype, loader->memory, at);
}

static bool load_norm(struct loader *loader, const char *prefix, int64_t hidden, struct norm *norm)
{
    char gamma[128], beta[128];

    snprintf(gamma, sizeof gamma, "%s.LayerNorm.weight", prefix);
    snprintf(beta, sizeof beta, "%s.LayerNorm.bias", prefix);
    return load_tensor(loader, gamma, 1, &hidden, OCLDNN_F32, &norm->gamma) &&
           load_tensor(loader, beta, 1, &hidden, OCLDNN_F32, &norm->beta);
}

/* Loads `parts` linear layers with the same input as one: their matrices and biases one below the other. */
static bool load_dense(struct loader *loader, const char *const *prefixes, unsigned parts, int64_t n, int64_t k,
                       struct dense *dense)
{
    int64_t whole = n * (int64_t)parts, shape[2] = {whole, k}, part_shape[2] = {n, k};
    ocldnn_linear_pack pack = {.weight = ocldnn_tensor_dense(loader->staging, loader->dtype, 2, shape)};
    size_t size = ocldnn_dtype_size(loader->dtype), bias_at = take(loader, (size_t)whole * sizeof(float));
    char name[128];

    if (!went_well(ocldnn_linear_pack_layout(loader->context, &pack.weight, OCLDNN_WEIGHT_NK, &dense->weight),
                   "asking for a packed weight's size"))
        return false;
    dense->weight.buffer = loader->memory;
    dense->weight.offset = take(loader, dense->weight.bytes);
    dense->bias = ocldnn_tensor_dense(loader->memory, OCLDNN_F32, 1, &whole);
    dense->bias.offset = bias_at / sizeof(float);

    for (unsigned part = 0; part < parts; part++) {
        struct safetensor weight, bias;
        snprintf(name, sizeof name, "%s.weight", prefixes[part]);
        if (!find(loader, name, 2, part_shape, &weight))
            return false;
        snprintf(name, sizeof name, "%s.bias", prefixes[part]);
        if (!find(loader, name, 1, &n, &bias))
            return false;
        if (loader->queue != NULL &&
            (!upload(loader, &weight, loader->dtype, loader->staging, part * weight.count * size) ||
             !upload(loader, &bias, OCLDNN_F32, loader->memory, bias_at + part * bias.count * sizeof(float))))
            return false;
    }
    pack.packed = dense->weight;
    if (loader->queue == NULL)
        return went_well(ocldnn_linear_pack_prepare(loader->context, &pack), "preparing to pack weights");
    return went_well(ocldnn_linear_pack_run(loader->context, &pack, &(ocldnn_exec){.queue = loader->queue}),
                     "packing weights");
}

static bool load_layer(struct loader *loader, const struct config *config, int64_t number, struct layer *layer)
{
    static const char *const endings[] = {
        "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
        "intermediate.dense",   "output.dense",       "attention.output",     "output"};
    enum { NAMES = sizeof endings / sizeof endings[0] };
    char text[NAMES][96];
    const char *names[NAMES];
    int64_t hidden = config->hidden, wide = config->intermediate;

    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(text[i], sizeof text[i], "encoder.layer.%lld.%s", (long long)number, endings[i]);
        names[i] = text[i];
    }
    return load_dense(loader, names, 3, hidden, hidden, &layer->qkv) &&
           load_dense(loader, names + 3, 1, hidden, hidden, &layer->attention_output) &&
           load_dense(loader, names + 4, 1, wide, hidden, &layer->intermediate) &&
           load_dense(loader, names + 5, 1, hidden, wide, &layer->output) &&
           load_norm(loader, names[6], hidden, &layer->attention_norm) &&
           load_norm(loader, names[7], hidden, &layer->output_norm);
}

static bool load_all(struct loader *loader, const struct config *config, struct weights *weights)
{
    bool good = load_tensor(loader, "embeddings.word_embeddings.weight", 2,
                            (int64_t[]){config->vocabulary, config->hidden}, loader->dtype, &weights->words) &&
                load_tensor(loader, "embeddings.position_embeddings.weight", 2,
                            (int64_t[]){config->positions, config->hidden}, loader->dtype, &weights->positions) &&
                load_tensor(loader, "embeddings.token_type_embeddings.weight", 2,
                            (int64_t[]){config->segments, config->hidden}, loader->dtype, &weights->segments) &&
                load_norm(loader, "embeddings", config->hidden, &weights->norm);

    for (int64_t i = 0; good && i < config->layers; i++)
        good = load_layer(loader, config, i, &weights->layers[i]);
    weights->bytes = loader->used;
    return good;
}

bool weights_plan(struct weights *weights, const struct safetensors *file, const struct config *config,
                  ocldnn_context *context, ocldnn_dtype dtype)
{
    struct loader loader = {.file = file, .context = context, .dtype = dtype};

    memset(weights, 0, sizeof *weights);
    weights->layer_count = config->layers;
    weights->layers = calloc((size_t)config->layers, sizeof *weights->layers);
    if (weights->layers == NULL)
        return complain("no memory for %lld layers", (long long)config->layers);
    return load_all(&loader, config, weights);
}

bool weights_upload(struct weights *weights, const struct safetensors *file, const struct config *config,
                    ocldnn_context *context, cl_command_queue queue, ocldnn_dtype dtype)
{
    struct loader loader = {.file = file, .context = context, .queue = queue, .dtype = dtype};
    cl_context cl = ocldnn_context_cl(context);
    int64_t widest = config->intermediate > 3 * config->hidden ? config->intermediate : 3 * config->hidden;
    size_t staging = (size_t)(widest * config->hidden) * ocldnn_dtype_size(dtype);
    cl_int status;
    bool good;

    weights->memory = clCreateBuffer(cl, CL_MEM_READ_WRITE, weights->bytes, NULL, &status);
    if (!cl_went_well(status, "allocating the weights"))
        return false;
    loader.staging = clCreateBuffer(cl, CL_MEM_READ_WRITE, staging, NULL, &status);
    if (!cl_went_well(status, "allocating room to pack weights"))
        return false;
    loader.memory = weights->memory;
    good = load_all(&loader, config, weights) && cl_went_well(clFinish(queue), "packing weights");
    clReleaseMemObject(loader.staging);
    return good;
}

void weights_free(struct weights *weights)
{
    if (weights->memory != NULL)
        clReleaseMemObject(weights->memory);
    free(weights->layers);
    memset(weights, 0, sizeof *weights);
}
