/* SPDX-License-Identifier: Apache-2.0
 *
 * A BERT model's weights on the device: one buffer holds them all, matrices in the packed form of ocldnn_linear_pack.
 */
#ifndef EMBED_WEIGHTS_H
#define EMBED_WEIGHTS_H

#include "config.h"
#include "safetensors.h"

struct dense { /* a linear layer */
    ocldnn_packed_weight weight;
    ocldnn_tensor bias;
};

struct norm {
    ocldnn_tensor gamma, beta;
};

struct layer {
    struct dense qkv; /* query, key and value as one matrix [3 hidden, hidden] */
    struct dense attention_output, intermediate, output;
    struct norm attention_norm, output_norm;
};

struct weights {
    cl_mem memory;
    ocldnn_tensor words, positions, segments;
    struct norm norm; /* of the embeddings */
    struct layer *layers;
    int64_t layer_count;
    size_t bytes;
};

/* Finds out where everything will lie; nothing is on the device yet, so that programs can be prepared meanwhile.
 * Tables and matrices get the dtype, biases and norms stay F32. false, with a message, on failure. */
bool weights_plan(struct weights *weights, const struct safetensors *file, const struct config *config,
                  ocldnn_context *context, ocldnn_dtype dtype);

/* Puts them there, through the queue, and waits. */
bool weights_upload(struct weights *weights, const struct safetensors *file, const struct config *config,
                    ocldnn_context *context, cl_command_queue queue, ocldnn_dtype dtype);

void weights_free(struct weights *weights);

#endif
