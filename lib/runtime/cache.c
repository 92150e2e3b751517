/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cache.h"
#include "runtime/context.h"

void od_cache_open(ocldnn_context *context, const ocldnn_context_options *options)
{
    (void)options;
    context->disk = NULL;
}

void od_cache_close(ocldnn_context *context)
{
    (void)context;
}

bool od_cache_used(const ocldnn_context *context)
{
    (void)context;
    return false;
}

bool od_cache_load(ocldnn_context *context, const char *key, od_cached *cached)
{
    (void)context;
    (void)key;
    (void)cached;
    return false;
}

void od_cached_free(od_cached *cached)
{
    (void)cached;
}

void od_cache_store(ocldnn_context *context, const char *key, const char *source, const char *options,
                    const unsigned char *binary, size_t bytes, uint64_t build_nanoseconds)
{
    (void)context;
    (void)key;
    (void)source;
    (void)options;
    (void)binary;
    (void)bytes;
    (void)build_nanoseconds;
}
