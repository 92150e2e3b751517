/* SPDX-License-Identifier: Apache-2.0
 *
 * The forward pass, written once and used for three things: to prepare its programs, to run, and to ask what would run.
 */
#ifndef EMBED_FORWARD_H
#define EMBED_FORWARD_H

#include "model.h"

#define MOST_EVENTS 128

enum step { EMBEDDING, LAYER_NORM, QKV, ATTENTION, PROJECTION, INTERMEDIATE, OUTPUT, MEAN_POOL, L2_NORM };

enum purpose { PREPARE, RUN, EXPLAIN };

/* All-zero but for what is named is good. */
struct pass {
    const struct model *model;
    enum purpose purpose;
    int64_t sentences, length;
    bool masked;
    ocldnn_exec exec;             /* RUN: the queue */
    bool profiled;                /* RUN: keep an event for each step */
    cl_event events[MOST_EVENTS]; /* the caller releases them */
    unsigned char steps[MOST_EVENTS];
    unsigned count;
    bool verbose, explained[MODEL_STEPS];
};

/* Embeds the model's `ids` [sentences, length] into its `pooled` [sentences, hidden]. */
bool forward(struct pass *pass);

#endif
