/* SPDX-License-Identifier: Apache-2.0
 *
 * A BERT sentence-embedding model (all-MiniLM-L6-v2): token ids in, one vector of length 1 per sentence out.
 */
#ifndef EMBED_MODEL_H
#define EMBED_MODEL_H

#include "weights.h"

#define MODEL_STEPS 9 /* kinds of step in a forward pass; their names are in model_step_names */

extern const char *const model_step_names[MODEL_STEPS];

struct model {
    ocldnn_context *context;
    cl_command_queue queue; /* in-order */
    ocldnn_dtype dtype;
    struct config config;
    struct weights weights;
    int64_t most_tokens, most_sentences; /* of a batch: what the buffers have room for */
    cl_mem ids, mask;                    /* [B, S] U32 and U8 */
    cl_mem hidden, other, mixed;         /* [B, S, hidden] */
    cl_mem wide;                         /* [B, S, 3 hidden] or [B, S, intermediate] */
    cl_mem pooled;                       /* [B, hidden] */
    void *answer;                        /* what was read back, before it is converted */
    double *profile;                     /* NULL, or MODEL_STEPS sums of seconds */
};

/* Loads config.json and model.safetensors of a folder. most_tokens: the largest product of sentences and (padded)
 * length that model_embed will be asked for, at least 256; most_sentences likewise, at least 2. Programs are built, or
 * come from the cache, before the weights are uploaded. profile: the queue can be profiled. false, with a message, on
 * failure; nothing needs to be closed then. */
bool model_open(struct model *model, const char *folder, ocldnn_context *context, ocldnn_dtype dtype,
                int64_t most_sentences, int64_t most_tokens, bool profile);
void model_close(struct model *model);

/* ids and mask are [sentences, length]; mask is 1 for a token, 0 for padding, and NULL where nothing is padded.
 * embeddings receives [sentences, hidden]. Returns when they are there. One call at a time per model. */
bool model_embed(struct model *model, const uint32_t *ids, const uint8_t *mask, int64_t sentences, int64_t length,
                 float *embeddings);

/* Prints which strategy and kernels the library takes for the linear layers and attention of such a call, a line each;
 * verbose: for every kind of step. */
bool model_explain(struct model *model, int64_t sentences, int64_t length, bool verbose);

#endif
