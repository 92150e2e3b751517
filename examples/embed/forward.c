/* SPDX-License-Identifier: Apache-2.0 */
#include "forward.h"

#include "complain.h"

#include <stdio.h>

const char *const model_step_names[MODEL_STEPS] = {"embedding",   "layer_norm",        "linear qkv",
                                                   "attention",   "linear projection", "linear + gelu",
                                                   "linear down", "mean_pool",         "l2_norm"};

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
    if (pass->profiled && pass->count < MOST_EVENTS) {
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

    if (!pass->masked)
        return (ocldnn_tensor){0};
    shape[rank - 1] = pass->length;
    return ocldnn_tensor_dense(pass->model->mask, OCLDNN_U8, rank, shape);
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
    const struct weights *weights = &pass->model->weights;
    int64_t shape[2] = {pass->sentences, pass->length};

    return DO(pass, EMBEDDING, embedding, .ids = ocldnn_tensor_dense(pass->model->ids, OCLDNN_U32, 2, shape),
              .table = weights->words, .position_table = weights->positions, .segment_table = weights->segments,
              .output = by_sentence(pass)) &&
           add_and_norm(pass, &weights->norm, pass->model->hidden, NULL);
}

/* Post-norm encoder layer: hidden = norm(hidden + attention(hidden)), then norm(hidden + feed_forward(hidden)).
 * `hidden` and `other` take turns, so that each sum is made in place. */
static bool encode(struct pass *pass, const struct layer *layer)
{
    const struct model *model = pass->model;
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
    int64_t shape[2] = {pass->sentences, pass->model->config.hidden};
    ocldnn_tensor pooled = ocldnn_tensor_dense(pass->model->pooled, pass->model->dtype, 2, shape);

    return DO(pass, MEAN_POOL, mean_pool, .input = by_sentence(pass), .mask = mask(pass, 2), .output = pooled) &&
           DO(pass, L2_NORM, l2_norm, .input = pooled, .output = pooled, .epsilon = 1e-24f);
}

bool forward(struct pass *pass)
{
    const struct weights *weights = &pass->model->weights;
    bool good = embed_tokens(pass);

    for (int64_t i = 0; good && i < weights->layer_count; i++)
        good = encode(pass, &weights->layers[i]);
    return good && pool(pass);
}
