/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/callbacks.h"

#include <stdlib.h>

bool od_callbacks_load(const ocldnn_cache_callbacks *callbacks, const char *key, od_blob *blob)
{
    size_t bytes = callbacks->load ? callbacks->load(callbacks->user, key, NULL, 0) : 0;
    blob->bytes = NULL;
    if (bytes < od_entry_size(1) || bytes > (size_t)1 << 30)
        return false;
    blob->bytes = malloc(bytes);
    if (!blob->bytes)
        return false;
    /* Between the two calls the entry may have become another one: then its size, or its checksum, is not right. */
    if (callbacks->load(callbacks->user, key, blob->bytes, bytes) == bytes &&
        od_entry_decode(blob->bytes, bytes, key, &blob->entry))
        return true;
    od_blob_free(blob);
    return false;
}

void od_callbacks_store(const ocldnn_cache_callbacks *callbacks, const char *key, const od_meta *meta,
                        const void *binary, size_t bytes)
{
    unsigned char *entry;
    if (!callbacks->store || bytes == 0 || bytes > (size_t)1 << 30)
        return;
    entry = malloc(od_entry_size(bytes));
    if (!entry)
        return;
    od_entry_encode(key, meta, binary, bytes, entry);
    callbacks->store(callbacks->user, key, entry, od_entry_size(bytes));
    free(entry);
}
