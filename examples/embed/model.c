/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a model, batches through it, closing it.
 */
#include "forward.h"

#include "complain.h"
#include "half.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes and reads without waiting: the caller's memory and `answer` are there until model_embed has waited. */
static bool enqueue(struct pass *pass, const uint32_t *ids, const uint8_t *mask)
{
    const struct model *model = pass->model;
    size_t tokens = (size_t)(pass->sentences * pass->length);
    size_t bytes = (size_t)(pass->sentences * model->config.hidden) * ocldnn_dtype_size(model->dtype);
    cl_command_queue queue = model->queue;

    return cl_went_well(clEnqueueWriteBuffer(queue, model->ids, CL_FALSE, 0, tokens * sizeof *ids, ids, 0, NULL, NULL),
                        "writing token ids") &&
           (mask == NULL ||
            cl_went_well(clEnqueueWriteBuffer(queue, model->mask, CL_FALSE, 0, tokens, mask, 0, NULL, NULL),
                         "writing a mask")) &&
           forward(pass) &&
           cl_went_well(clEnqueueReadBuffer(queue, model->pooled, CL_FALSE, 0, bytes, model->answer, 0, NULL, NULL),
                        "reading embeddings");
}

/* Adds what each step took: from the end of the step before to its own end, launches and gaps included. */
static bool add_profile(struct pass *pass, double *profile)
{
    cl_ulong before = 0, after = 0;
    bool good = true;

    for (unsigned i = 0; i < pass->count && pass->events[i] != NULL; i++) {
        if (i == 0)
            clGetEventProfilingInfo(pass->events[i], CL_PROFILING_COMMAND_START, sizeof before, &before, NULL);
        good = good && cl_went_well(clGetEventProfilingInfo(pass->events[i], CL_PROFILING_COMMAND_END, sizeof after,
                                                            &after, NULL),
                                    "reading a profile");
        profile[pass->steps[i]] += 1e-9 * (double)(after - before);
        before = after;
        clReleaseEvent(pass->events[i]);
    }
    return good;
}

bool model_embed(struct model *model, const uint32_t *ids, const uint8_t *mask, int64_t sentences, int64_t length,
                 float *embeddings)
{
    struct pass pass = {.model = model,
                        .purpose = RUN,
                        .sentences = sentences,
                        .length = length,
                        .masked = mask != NULL,
                        .exec = {.queue = model->queue},
                        .profiled = model->profile != NULL};
    bool good;

    if (sentences > model->most_sentences || length > model->config.positions ||
        sentences * length > model->most_tokens)
        return complain("a batch of %lld x %lld tokens is more than the model was opened for", (long long)sentences,
                        (long long)length);
    good = enqueue(&pass, ids, mask);
    /* Also after a failure: what was enqueued may still read the caller's memory. */
    good = cl_went_well(clFinish(model->queue), "waiting for embeddings") && good;
    good = add_profile(&pass, model->profile) && good;
    if (good)
        floats_read(model->answer, model->dtype, (size_t)(sentences * model->config.hidden), embeddings);
    return good;
}

bool model_explain(struct model *model, int64_t sentences, int64_t length, bool verbose)
{
    struct pass pass = {.model = model,
                        .purpose = EXPLAIN,
                        .sentences = sentences,
                        .length = length,
                        .masked = sentences > 1,
                        .verbose = verbose};
    return forward(&pass);
}

/* Shapes that between them need every program: a padded batch, a full one, one sentence. */
static const struct {
    int64_t sentences, length;
    bool masked;
} usual[] = {{2, 128, true}, {2, 128, false}, {1, 16, false}};

#define USUAL_COUNT (sizeof usual / sizeof usual[0])
#define USUAL_TOKENS 256

/* Builds the programs, or takes them from the cache, before the weights are on the device. */
static bool prepare(struct model *model)
{
    bool good = true;

    for (size_t i = 0; good && i < USUAL_COUNT; i++) {
        struct pass pass = {.model = model,
                            .purpose = PREPARE,
                            .sentences = usual[i].sentences,
                            .length = usual[i].length,
                            .masked = usual[i].masked};
        good = forward(&pass);
    }
    return good;
}

/* Runs each program once: some drivers (PoCL) only finish compiling at the first launch. */
static bool warm_up(struct model *model)
{
    static const uint32_t ids[USUAL_TOKENS];
    uint8_t mask[USUAL_TOKENS];
    float *embeddings = malloc((size_t)(2 * model->config.hidden) * sizeof *embeddings);
    bool good = embeddings != NULL || complain("no memory for two embeddings");

    memset(mask, 1, sizeof mask);
    for (size_t i = 0; good && i < USUAL_COUNT; i++)
        good = model_embed(model, ids, usual[i].masked ? mask : NULL, usual[i].sentences, usual[i].length, embeddings);
    free(embeddings);
    return good;
}

static bool make_buffers(struct model *model)
{
    const struct config *config = &model->config;
    size_t size = ocldnn_dtype_size(model->dtype), tokens = (size_t)model->most_tokens;
    size_t row = (size_t)config->hidden * size, sentences = (size_t)model->most_sentences;
    size_t wide = (size_t)config->intermediate * size > 3 * row ? (size_t)config->intermediate * size : 3 * row;
    struct {
        cl_mem *buffer;
        size_t bytes;
    } list[] = {{&model->ids, tokens * sizeof(uint32_t)},
                {&model->mask, tokens},
                {&model->hidden, tokens * row},
                {&model->other, tokens * row},
                {&model->mixed, tokens * row},
                {&model->wide, tokens * wide},
                {&model->pooled, sentences * row}};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        cl_int status;
        *list[i].buffer =
            clCreateBuffer(ocldnn_context_cl(model->context), CL_MEM_READ_WRITE, list[i].bytes, NULL, &status);
        if (!cl_went_well(status, "allocating a buffer"))
            return false;
    }
    model->answer = malloc(sentences * row);
    return model->answer != NULL || complain("no memory for %zu embeddings", sentences);
}

static bool make_queue(struct model *model, bool profile)
{
    cl_int status;
    model->queue = clCreateCommandQueue(ocldnn_context_cl(model->context), ocldnn_context_device(model->context),
                                        profile ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
    return cl_went_well(status, "making a command queue");
}

static bool open_from(struct model *model, const char *folder, const struct safetensors *file, bool profile)
{
    char path[4096];

    if (snprintf(path, sizeof path, "%s/config.json", folder) >= (int)sizeof path)
        return complain("the name of the model's folder is too long");
    return config_read(&model->config, path) && make_queue(model, profile) && make_buffers(model) &&
           weights_plan(&model->weights, file, &model->config, model->context, model->dtype) && prepare(model) &&
           weights_upload(&model->weights, file, &model->config, model->context, model->queue, model->dtype) &&
           warm_up(model);
}

bool model_open(struct model *model, const char *folder, ocldnn_context *context, ocldnn_dtype dtype,
                int64_t most_sentences, int64_t most_tokens, bool profile)
{
    struct safetensors file;
    char path[4096];
    bool good;

    *model = (struct model){
        .context = context, .dtype = dtype, .most_sentences = most_sentences, .most_tokens = most_tokens};
    if (snprintf(path, sizeof path, "%s/model.safetensors", folder) >= (int)sizeof path)
        return complain("the name of the model's folder is too long");
    if (!safetensors_open(&file, path))
        return false;
    good = open_from(model, folder, &file, profile);
    safetensors_close(&file);
    if (!good)
        model_close(model);
    return good;
}

void model_close(struct model *model)
{
    cl_mem buffers[] = {model->ids, model->mask, model->hidden, model->other, model->mixed, model->wide, model->pooled};

    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i] != NULL)
            clReleaseMemObject(buffers[i]);
    if (model->queue != NULL)
        clReleaseCommandQueue(model->queue);
    weights_free(&model->weights);
    free(model->answer);
    memset(model, 0, sizeof *model);
}
