/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cache.h"
#include "runtime/callbacks.h"
#include "runtime/context.h"
#include "runtime/disk.h"

#include <stdlib.h>
#include <string.h>

/* An entry that came in a bundle. */
typedef struct od_imported {
    struct od_imported *next;
    od_entry entry; /* its binary is `bytes` */
    unsigned char bytes[];
} od_imported;

void od_cache_open(ocldnn_context *context, const ocldnn_context_options *options)
{
    od_cache *cache = &context->cache;
    memset(cache, 0, sizeof *cache);
    pthread_mutex_init(&cache->lock, NULL);
    if (options->cache_callbacks) {
        cache->callbacks = *options->cache_callbacks;
        cache->has_callbacks = true;
    } else if (!(options->flags & OCLDNN_CONTEXT_NO_DISK_CACHE) &&
               od_disk_open(options->cache_folder, options->cache_limit, &cache->disk) != OCLDNN_SUCCESS) {
        od_log(context, 1, "programs are cached in memory only: %s", ocldnn_last_error());
    }
}

void od_cache_close(ocldnn_context *context)
{
    od_cache *cache = &context->cache;
    while (cache->imported) {
        od_imported *first = cache->imported;
        cache->imported = first->next;
        free(first);
    }
    od_disk_close(cache->disk);
    pthread_mutex_destroy(&cache->lock);
}

static bool is_of(const od_entry *entry, const od_meta *wanted)
{
    return strcmp(entry->meta.source, wanted->source) == 0 && strcmp(entry->meta.options, wanted->options) == 0 &&
           strcmp(entry->meta.device, wanted->device) == 0;
}

static const od_imported *find_imported(od_cache *cache, const char *key, const od_meta *wanted)
{
    const od_imported *item;
    pthread_mutex_lock(&cache->lock);
    for (item = cache->imported; item && (strcmp(item->entry.key, key) != 0 || !is_of(&item->entry, wanted));)
        item = item->next;
    pthread_mutex_unlock(&cache->lock);
    return item;
}

bool od_cache_used(ocldnn_context *context)
{
    od_cache *cache = &context->cache;
    bool used;
    pthread_mutex_lock(&cache->lock);
    used = cache->imported || cache->disk || cache->has_callbacks;
    pthread_mutex_unlock(&cache->lock);
    return used;
}

bool od_cache_load(ocldnn_context *context, const char *key, const od_meta *wanted, od_cached *cached)
{
    od_cache *cache = &context->cache;
    const od_imported *item = find_imported(cache, key, wanted);
    od_blob blob = {0};
    bool found = false;
    if (!item && cache->has_callbacks)
        found = od_callbacks_load(&cache->callbacks, key, &blob);
    else if (!item && cache->disk)
        found = od_disk_load(cache->disk, key, &blob);
    if (found && !is_of(&blob.entry, wanted)) {
        od_blob_free(&blob);
        found = false;
    }
    if (!item && !found)
        return false;
    if (item)
        blob.entry = item->entry;
    cached->memory = blob.bytes;
    cached->binary = blob.entry.binary;
    cached->binary_bytes = blob.entry.binary_bytes;
    cached->build_nanoseconds = blob.entry.meta.build_nanoseconds;
    return true;
}

void od_cached_free(od_cached *cached)
{
    free(cached->memory);
    cached->memory = NULL;
}

void od_cache_store(ocldnn_context *context, const char *key, const od_meta *meta, const unsigned char *binary,
                    size_t bytes)
{
    od_cache *cache = &context->cache;
    if (cache->has_callbacks)
        od_callbacks_store(&cache->callbacks, key, meta, binary, bytes);
    else if (cache->disk)
        od_disk_store(cache->disk, key, meta, binary, bytes);
}

/* ---- importing --------------------------------------------------------------------------------------------------- */

static void free_list(od_imported *list)
{
    while (list) {
        od_imported *next = list->next;
        free(list);
        list = next;
    }
}

/* Copies of all entries of a checked bundle; false without memory. */
static bool copy_entries(const void *data, size_t bytes, od_imported **list)
{
    size_t position = 0;
    od_entry entry;
    *list = NULL;
    while (od_bundle_next(data, bytes, &position, &entry)) {
        od_imported *item = malloc(sizeof *item + entry.binary_bytes);
        if (!item) {
            free_list(*list);
            return false;
        }
        memcpy(item->bytes, entry.binary, entry.binary_bytes);
        item->entry = entry;
        item->entry.binary = item->bytes;
        item->next = *list;
        *list = item;
    }
    return true;
}

ocldnn_status ocldnn_cache_import(ocldnn_context *context, const void *data, size_t bytes, uint32_t *imported)
{
    od_imported *list;
    uint32_t count;
    if (imported)
        *imported = 0;
    if (!context || !data)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache_import: the context and the data must not be NULL");
    if (!od_bundle_check(data, bytes, &count))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache_import: these %zu bytes are not an exported cache, or damaged",
                       bytes);
    if (!copy_entries(data, bytes, &list))
        return od_fail(OCLDNN_OUT_OF_MEMORY, "cache_import: no host memory for %zu bytes", bytes);
    while (list) {
        od_imported *item = list;
        list = list->next;
        od_cache_store(context, item->entry.key, &item->entry.meta, item->bytes, item->entry.binary_bytes);
        pthread_mutex_lock(&context->cache.lock);
        item->next = context->cache.imported;
        context->cache.imported = item;
        pthread_mutex_unlock(&context->cache.lock);
    }
    if (imported)
        *imported = count;
    return OCLDNN_SUCCESS;
}
