/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include "complain.h"
#include "half.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step { EMBEDDING, LAYER_NORM, QKV, ATTENTION, PROJECTION, INTERMEDIATE, OUTPUT, MEAN_POOL, L2_NORM };

const char *const model_step_names[MODEL_STEPS] = {"embedding",   "layer_norm",        "linear qkv",
                                                   "attention",   "linear projection", "linear + gelu",
                                                   "linear down", "mean_pool",         "l2_norm"};

#define MOST_EVENTS 2048
#define CPU_SLICE 1024 /* tokens */

/* A forward pass is written once and used for three things. */
enum purpose { PREPARE, RUN, EXPLAIN };

struct pass {
    struct model *model;
    enum purpose purpose;
    int64_t first, sentences, length; /* the slice of the batch that is in work */
    bool masked;
    ocldnn_exec exec;
    cl_event events[MOST_EVENTS]; /* of a profiled run: one a step */
    unsigned char steps[MOST_EVENTS];
    unsigned count;
    bool verbose, explained[MODEL_STEPS];
};

static void explain(struct pass *pass, enum step step, const ocldnn_query *query)
{
    if (pass->explained[step] || (!pass->verbose && step != QKV && step != ATTENTION))
        return;
    pass->explained[step] = true;
    printf("  %-18s %-11s ", model_step_names[step], query->strategy);
    for (uint32_t i = 0; i < query->step_count && i < OCLDNN_QUERY_STEPS; i++)
        printf("%s%s", i == 0 ? "" : ", ", query->steps[i].kernel);
    printf("\n");
}

/* Remembers the event of the step that is about to be enqueued, if this run is profiled. */
static const ocldnn_exec *watch(struct pass *pass, enum step step)
{
    pass->exec.event = NULL;
    if (pass->model->profile != NULL && pass->count < MOST_EVENTS) {
        pass->steps[pass->count] = (unsigned char)step;
        pass->exec.event = &pass->events[pass->count++];
    }
    return &pass->exec;
}

/* One operator: prepared, run or asked about, by the pass's purpose. Every operator has the same four verbs. */
#define DO(PASS, STEP, NAME, ...) do_##NAME(PASS, STEP, &(ocldnn_##NAME){__VA_ARGS__})
#define DEFINE_DO(NAME)                                                                                                \
    static bool do_##NAME(struct pass *pass, enum step step, const ocldnn_##NAME *op)                                  \
    {                                                                                                                  \
        ocldnn_context *context = pass->model->context;                                                                \
        ocldnn_query query;                                                                                            \
        if (pass->purpose == RUN)                                                                                      \
            return went_well(ocldnn_##NAME##_run(context, op, watch(pass, step)), model_step_names[step]);             \
        if (pass->purpose == PREPARE)                                                                                  \
            return went_well(ocldnn_##NAME##_prepare(context, op), model_step_names[step]);                            \
        if (!went_well(ocldnn_##NAME##_query(context, op, &query), model_step_names[step]))                            \
            return false;                                                                                              \
        explain(pass, step, &query);                                                                                   \
        return true;                                                                                                   \
    }
DEFINE_DO(embedding)
DEFINE_DO(layer_norm)
DEFINE_DO(linear)
DEFINE_DO(attention)
DEFINE_DO(mean_pool)
DEFINE_DO(l2_norm)

/* [sentences * length, width] at the start of a buffer */
static ocldnn_tensor rows(const struct pass *pass, cl_mem buffer, int64_t width)
{
    int64_t shape[2] = {pass->sentences * pass->length, width};
    return ocldnn_tensor_dense(buffer, pass->model->dtype, 2, shape);
}

/* The same memory seen as [sentences, heads, length, hidden / heads]. A row of it has row_width elements; the part that
 * is meant begins `column` elements into it: packed query, key and value are three such views. */
static ocldnn_tensor heads(const struct pass *pass, cl_mem buffer, int64_t row_width, int64_t column)
{
    const struct config *config = &pass->model->config;
    int64_t size = config->hidden / config->heads;
    return (ocldnn_tensor){.buffer = buffer,
                           .offset = (uint64_t)column,
                           .dtype = (uint32_t)pass->model->dtype,
                           .rank = 4,
                           .shape = {pass->sentences, config->heads, pass->length, size},
                           .strides = {pass->length * row_width, size, row_width, 1}};
}

/* The mask of padding as `rank` axes [sentences, 1 .., length]; absent if there is none. */
static ocldnn_tensor mask(const struct pass *pass, uint32_t rank)
{
    int64_t shape[4] = {pass->sentences, 1, 1, pass->length};
    ocldnn_tensor tensor;

    if (!pass->masked)
        return (ocldnn_tensor){0};
    shape[rank - 1] = pass->length;
    tensor = ocldnn_tensor_dense(pass->model->mask, OCLDNN_U8, rank, shape);
    tensor.offset = (uint64_t)(pass->first * pass->length);
    return tensor;
}

/* output = gelu?(input W^T + b) */
static bool dense(struct pass *pass, enum step step, const struct dense *weights, cl_mem input, cl_mem output)
{
    return DO(pass, step, linear, .input = rows(pass, input, weights->weight.k),
              .output = rows(pass, output, weights->weight.n), .packed = weights->weight, .bias = weights->bias,
              .activation = step == INTERMEDIATE ? OCLDNN_GELU : OCLDNN_IDENTITY);
}

/* values = norm(values + residual), in place */
static bool add_and_norm(struct pass *pass, const struct norm *norm, cl_mem values, cl_mem residual)
{
    int64_t hidden = pass->model->config.hidden;
    return DO(pass, LAYER_NORM, layer_norm, .input = rows(pass, values, hidden), .gamma = norm->gamma,
              .beta = norm->beta, .residual = residual == NULL ? (ocldnn_tensor){0} : rows(pass, residual, hidden),
              .output = rows(pass, values, hidden), .epsilon = pass->model->config.epsilon);
}

/* [sentences, length, hidden]: the tokens' vectors with the sentences as an axis of their own */
static ocldnn_tensor by_sentence(const struct pass *pass)
{
    int64_t shape[3] = {pass->sentences, pass->length, pass->model->config.hidden};
    return ocldnn_tensor_dense(pass->model->hidden, pass->model->dtype, 3, shape);
}

static bool embed_tokens(struct pass *pass)
{
    struct model *model = pass->model;
    const struct weights *weights = &model->weights;
    int64_t shape[2] = {pass->sentences, pass->length};
    ocldnn_tensor ids = ocldnn_tensor_dense(model->ids, OCLDNN_U32, 2, shape);

    ids.offset = (uint64_t)(pass->first * pass->length);
    return DO(pass, EMBEDDING, embedding, .ids = ids, .table = weights->words, .position_table = weights->positions,
              .segment_table = weights->segments, .output = by_sentence(pass)) &&
           add_and_norm(pass, &weights->norm, model->hidden, NULL);
}

/* Post-norm encoder layer: hidden = norm(hidden + attention(hidden)), then norm(hidden + feed_forward(hidden)).
 * `hidden` and `other` take turns, so that each sum is made in place. */
static bool encode(struct pass *pass, const struct layer *layer)
{
    struct model *model = pass->model;
    int64_t hidden = model->config.hidden;
    cl_mem wide = model->wide, mixed = model->mixed, other = model->other;

    return dense(pass, QKV, &layer->qkv, model->hidden, wide) &&
           DO(pass, ATTENTION, attention, .query = heads(pass, wide, 3 * hidden, 0),
              .key = heads(pass, wide, 3 * hidden, hidden), .value = heads(pass, wide, 3 * hidden, 2 * hidden),
              .mask = mask(pass, 4), .output = heads(pass, mixed, hidden, 0)) &&
           dense(pass, PROJECTION, &layer->attention_output, mixed, other) &&
           add_and_norm(pass, &layer->attention_norm, other, model->hidden) &&
           dense(pass, INTERMEDIATE, &layer->intermediate, other, wide) &&
           dense(pass, OUTPUT, &layer->output, wide, model->hidden) &&
           add_and_norm(pass, &layer->output_norm, model->hidden, other);
}

/* The mean of the tokens' vectors, made one long. */
static bool pool(struct pass *pass)
{
    struct model *model = pass->model;
    int64_t shape[2] = {pass->sentences, model->config.hidden};
    ocldnn_tensor pooled = ocldnn_tensor_dense(model->pooled, model->dtype, 2, shape);

    pooled.offset = (uint64_t)(pass->first * model->config.hidden);
    return DO(pass, MEAN_POOL, mean_pool, .input = by_sentence(pass), .mask = mask(pass, 2), .output = pooled) &&
           DO(pass, L2_NORM, l2_norm, .input = pooled, .output = pooled, .epsilon = 1e-24f);
}

static bool forward(struct pass *pass)
{
    const struct weights *weights = &pass->model->weights;
    bool good = embed_tokens(pass);

    for (int64_t i = 0; good && i < weights->layer_count; i++)
        good = encode(pass, &weights->layers[i]);
    return good && pool(pass);
}

/* Adds what each step took: from the end of the step before to its own end, launches and gaps included. */
static bool add_profile(struct pass *pass)
{
    cl_ulong before = 0, after = 0;
    bool good = true;

    for (unsigned i = 0; i < pass->count && pass->events[i] != NULL; i++) {
        if (i == 0)
            clGetEventProfilingInfo(pass->events[i], CL_PROFILING_COMMAND_START, sizeof before, &before, NULL);
        good = good && cl_went_well(clGetEventProfilingInfo(pass->events[i], CL_PROFILING_COMMAND_END, sizeof after,
                                                            &after, NULL),
                                    "reading a profile");
        pass->model->profile[pass->steps[i]] += 1e-9 * (double)(after - before);
        before = after;
        clReleaseEvent(pass->events[i]);
    }
    return good;
}

/* Writes without waiting: the caller's memory is still there when the read at the end has come back. */
static bool write_inputs(struct pass *pass, const uint32_t *ids, const uint8_t *padding)
{
    struct model *model = pass->model;
    size_t tokens = (size_t)(pass->sentences * pass->length);

    return cl_went_well(
               clEnqueueWriteBuffer(model->queue, model->ids, CL_FALSE, 0, tokens * sizeof *ids, ids, 0, NULL, NULL),
               "writing token ids") &&
           (padding == NULL ||
            cl_went_well(clEnqueueWriteBuffer(model->queue, model->mask, CL_FALSE, 0, tokens, padding, 0, NULL, NULL),
                         "writing a mask"));
}

/* How many sentences go through all layers before the next: as many as keep the values between two layers in a CPU's
 * cache. Other devices take the whole batch. */
static int64_t slice_size(const struct model *model, int64_t sentences, int64_t length)
{
    int64_t most = model->slice_tokens / length;
    return most < 1 ? 1 : most < sentences ? most : sentences;
}

static bool forward_in_slices(struct pass *pass, int64_t sentences)
{
    int64_t size = slice_size(pass->model, sentences, pass->length);

    for (pass->first = 0; pass->first < sentences; pass->first += size) {
        pass->sentences = size < sentences - pass->first ? size : sentences - pass->first;
        if (!forward(pass))
            return false;
    }
    return true;
}

bool model_embed(struct model *model, const uint32_t *ids, const uint8_t *padding, int64_t sentences, int64_t length,
                 float *embeddings)
{
    struct pass pass = {.model = model,
                        .purpose = RUN,
                        .sentences = sentences,
                        .length = length,
                        .masked = padding != NULL,
                        .exec = {.queue = model->queue}};
    size_t count = (size_t)(sentences * model->config.hidden), bytes = count * ocldnn_dtype_size(model->dtype);
    bool good;

    if (sentences > model->most_sentences || length > model->config.positions ||
        sentences * length > model->most_tokens)
        return complain("a batch of %lld x %lld tokens is more than the model was opened for", (long long)sentences,
                        (long long)length);
    good =
        write_inputs(&pass, ids, padding) && forward(&pass) &&
        cl_went_well(clEnqueueReadBuffer(model->queue, model->pooled, CL_TRUE, 0, bytes, model->answer, 0, NULL, NULL),
                     "reading embeddings");
    if (!good)
        clFinish(model->queue); /* what was enqueued may still read ids and padding */
    good = add_profile(&pass) && good;
    if (good)
        floats_read(model->answer, model->dtype, count, embeddings);
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

/* Builds what single sentences (no padding) and batches need, before the weights are on the device. */
static bool prepare(struct model *model)
{
    int64_t length = model->most_tokens < 128 ? model->most_tokens : 128;
    struct pass batch = {
        .model = model, .purpose = PREPARE, .sentences = model->most_tokens / length, .length = length, .masked = true};
    struct pass full = batch, single = batch;

    full.masked = false;
    single.masked = false;
    single.sentences = 1;
    single.length = 1;
    return forward(&batch) && forward(&full) && forward(&single);
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

static bool open_from(struct model *model, const char *folder, const struct safetensors *file)
{
    char path[4096];

    if (snprintf(path, sizeof path, "%s/config.json", folder) >= (int)sizeof path)
        return complain("the name of the model's folder is too long");
    return config_read(&model->config, path) && make_buffers(model) &&
           weights_plan(&model->weights, file, &model->config, model->context, model->dtype) && prepare(model) &&
           weights_upload(&model->weights, file, &model->config, model->context, model->queue, model->dtype);
}

static int64_t choose_slice(ocldnn_context *context, int64_t most_tokens)
{
    cl_device_type type = 0;

    clGetDeviceInfo(ocldnn_context_device(context), CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (type & CL_DEVICE_TYPE_CPU) != 0 && most_tokens > CPU_SLICE ? CPU_SLICE : most_tokens;
}

bool model_open(struct model *model, const char *folder, ocldnn_context *context, cl_command_queue queue,
                ocldnn_dtype dtype, int64_t most_sentences, int64_t most_tokens)
{
    struct safetensors file;
    char path[4096];
    bool good;

    *model = (struct model){.context = context,
                            .queue = queue,
                            .dtype = dtype,
                            .most_sentences = most_sentences,
                            .most_tokens = most_tokens,
                            .slice_tokens = choose_slice(context, most_tokens)};
    if (snprintf(path, sizeof path, "%s/model.safetensors", folder) >= (int)sizeof path)
        return complain("the name of the model's folder is too long");
    if (!safetensors_open(&file, path))
        return false;
    good = open_from(model, folder, &file);
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
    weights_free(&model->weights);
    free(model->answer);
    memset(model, 0, sizeof *model);
}
