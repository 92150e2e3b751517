/* SPDX-License-Identifier: Apache-2.0
 *
 * The program cache when the application keeps the entries itself (ocldnn_cache_callbacks). The same two functions as
 * od_disk_load and od_disk_store; what comes back is checked in the same way.
 */
#ifndef OD_RUNTIME_CALLBACKS_H
#define OD_RUNTIME_CALLBACKS_H

#include "runtime/disk.h"

bool od_callbacks_load(const ocldnn_cache_callbacks *callbacks, const char *key, od_blob *blob);
void od_callbacks_store(const ocldnn_cache_callbacks *callbacks, const char *key, const od_meta *meta,
                        const void *binary, size_t bytes);

#endif
