/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a context's binaries come from and go to: what was imported into memory, then the application's callbacks or
 * the folder. All functions may be called from several threads at once, but for opening and closing.
 */
#ifndef OD_RUNTIME_CACHE_H
#define OD_RUNTIME_CACHE_H

#include "base/status.h"
#include "runtime/entry.h"

#include <ocldnn/context.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct od_cache {
    struct od_disk *disk; /* NULL: no folder */
    ocldnn_cache_callbacks callbacks;
    bool has_callbacks;
    pthread_mutex_t lock;
    struct od_imported *imported; /* guarded by lock; entries stay until the context goes */
} od_cache;

typedef struct od_cached {
    void *memory; /* what od_cached_free() frees */
    const unsigned char *binary;
    size_t binary_bytes;
    uint64_t build_nanoseconds;
} od_cached;

/* Sets the context's cache up as its options say. A cache that cannot be had is logged and is no error. */
void od_cache_open(ocldnn_context *context, const ocldnn_context_options *options);
void od_cache_close(ocldnn_context *context);

/* Whether the context keeps binaries anywhere. */
bool od_cache_used(ocldnn_context *context);

/* A checked entry; false when there is none. Keys are hashes: an entry counts only if it also says that it is of this
 * source, these options and this device. */
bool od_cache_load(ocldnn_context *context, const char *key, const od_meta *wanted, od_cached *cached);
void od_cached_free(od_cached *cached);

/* Keeps a binary; failing to is not an error. */
void od_cache_store(ocldnn_context *context, const char *key, const od_meta *meta, const unsigned char *binary,
                    size_t bytes);

#endif
