/* SPDX-License-Identifier: Apache-2.0
 *
 * Many texts through the model: sorted by length, so that little is padded, in batches that fill the buffers.
 */
#ifndef EMBED_BATCHES_H
#define EMBED_BATCHES_H

#include "model.h"
#include "wordpiece.h"

struct tokens { /* one text */
    uint32_t *ids;
    size_t count;
};

/* How far it is; called after each batch. */
typedef void (*batch_progress)(void *user, size_t tokens_done, size_t tokens_total);

/* Tokenizes; texts longer than `longest` tokens are cut. The caller frees ids. */
bool tokens_make(struct tokens *tokens, const struct wordpiece *tokenizer, const char *text, size_t length,
                 size_t longest);

/* embeddings: [count, hidden], in the order of the texts. progress may be NULL. false, with a message, on failure. */
bool batches_embed(struct model *model, const struct tokens *texts, size_t count, float *embeddings,
                   batch_progress progress, void *user);

#endif
