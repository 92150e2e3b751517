/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a .safetensors file: 8 bytes of header length, a JSON header, then the tensors' bytes, little-endian.
 * The file is mapped, not read; nothing in it is trusted before it has been checked.
 */
#ifndef EMBED_SAFETENSORS_H
#define EMBED_SAFETENSORS_H

#include <ocldnn/ocldnn.h>
#include <stdbool.h>

struct cJSON;

struct safetensors {
    const unsigned char *bytes; /* the mapped file */
    size_t length;
    size_t data; /* where the tensors begin */
    struct cJSON *header;
};

/* One tensor of the file; valid until the file is closed. */
struct safetensor {
    const unsigned char *bytes;
    size_t count; /* elements */
    ocldnn_dtype dtype;
    unsigned rank;
    int64_t shape[OCLDNN_MAX_RANK];
};

/* false, with a message on stderr, if the file can't be mapped or is damaged; nothing needs to be closed then. */
bool safetensors_open(struct safetensors *file, const char *path);
void safetensors_close(struct safetensors *file);

/* Looks a floating-point tensor up by name; complains where there is none or its entry does not fit the file. */
bool safetensors_find(const struct safetensors *file, const char *name, struct safetensor *tensor);

#endif
