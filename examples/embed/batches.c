/* SPDX-License-Identifier: Apache-2.0 */
#include "batches.h"

#include "complain.h"

#include <stdlib.h>
#include <string.h>

/* One batch, ids and mask as the model wants them. */
struct batch {
    uint32_t *ids;
    uint8_t *mask;
    float *embeddings;
};

bool tokens_make(struct tokens *tokens, const struct wordpiece *tokenizer, const char *text, size_t length,
                 size_t longest)
{
    size_t room = length + 2 < longest ? length + 2 : longest; /* a token has at least one byte */

    tokens->ids = malloc(room * sizeof *tokens->ids);
    if (tokens->ids == NULL)
        return complain("no memory for %zu tokens", room);
    tokens->count = wordpiece_encode(tokenizer, text, length, tokens->ids, room);
    return true;
}

/* Longest first: what needs the most memory is known to fit before the work is half done. */
static int compare(const void *a, const void *b)
{
    const struct tokens *left = *(const struct tokens *const *)a, *right = *(const struct tokens *const *)b;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return left < right ? -1 : left > right;
}

/* How many of the texts from order[0] on go together: as many as the buffers hold when all are as long as the first. */
static size_t batch_size(const struct model *model, size_t left, size_t length)
{
    size_t size = (size_t)model->most_tokens / length;

    if (size > (size_t)model->most_sentences)
        size = (size_t)model->most_sentences;
    return size < left ? size : left;
}

static bool run(struct model *model, const struct batch *batch, const struct tokens *const *order, size_t size)
{
    size_t length = order[0]->count;
    bool padded = false;

    memset(batch->ids, 0, size * length * sizeof *batch->ids);
    memset(batch->mask, 0, size * length);
    for (size_t i = 0; i < size; i++) {
        memcpy(batch->ids + i * length, order[i]->ids, order[i]->count * sizeof *batch->ids);
        memset(batch->mask + i * length, 1, order[i]->count);
        padded = padded || order[i]->count < length;
    }
    return model_embed(model, batch->ids, padded ? batch->mask : NULL, (int64_t)size, (int64_t)length,
                       batch->embeddings);
}

static bool run_all(struct model *model, const struct batch *batch, const struct tokens *texts,
                    const struct tokens **order, size_t count, float *embeddings, batch_progress progress, void *user)
{
    size_t hidden = (size_t)model->config.hidden, total = 0, done = 0, size;

    for (size_t i = 0; i < count; i++) {
        order[i] = &texts[i];
        total += texts[i].count;
    }
    qsort(order, count, sizeof *order, compare);
    for (size_t at = 0; at < count; at += size) {
        size = batch_size(model, count - at, order[at]->count);
        if (size == 0)
            return complain("a text of %zu tokens is longer than the model was opened for", order[at]->count);
        if (!run(model, batch, order + at, size))
            return false;
        for (size_t i = 0; i < size; i++) {
            size_t text = (size_t)(order[at + i] - texts);
            memcpy(embeddings + text * hidden, batch->embeddings + i * hidden, hidden * sizeof *embeddings);
            done += order[at + i]->count;
        }
        if (progress != NULL)
            progress(user, done, total);
    }
    return true;
}

bool batches_embed(struct model *model, const struct tokens *texts, size_t count, float *embeddings,
                   batch_progress progress, void *user)
{
    size_t tokens = (size_t)model->most_tokens, sentences = (size_t)model->most_sentences;
    struct batch batch = {malloc(tokens * sizeof *batch.ids), malloc(tokens),
                          malloc(sentences * (size_t)model->config.hidden * sizeof *batch.embeddings)};
    const struct tokens **order = malloc((count + 1) * sizeof *order);
    bool good = false;

    if (batch.ids == NULL || batch.mask == NULL || batch.embeddings == NULL || order == NULL)
        complain("no memory for a batch of %zu tokens", tokens);
    else
        good = run_all(model, &batch, texts, order, count, embeddings, progress, user);
    free(batch.ids);
    free(batch.mask);
    free(batch.embeddings);
    free(order);
    return good;
}
