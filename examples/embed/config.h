/* SPDX-License-Identifier: Apache-2.0
 *
 * The sizes of a BERT model, from its config.json.
 */
#ifndef EMBED_CONFIG_H
#define EMBED_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config {
    int64_t layers, hidden, heads, intermediate, vocabulary, positions, segments;
    float epsilon;
};

/* false, with a message on stderr, if the file can't be read or describes something this program can't run. */
bool config_read(struct config *config, const char *path);

#endif
