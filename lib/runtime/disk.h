/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of cached programs: one checked file per program (entry.h), named KEY.program. Knows nothing of what a
 * program is and calls no OpenCL function.
 *
 * Many threads and processes may use one folder at once: a file is written under a temporary name, synced and renamed,
 * so a reader sees a whole entry or none. A file that fails any check is deleted and counts as missing. What cannot be
 * read or written (a read-only or full disk, a limit on file sizes) is a miss, never an error. Other files in the
 * folder are left alone.
 *
 * An od_disk does not change after it was opened: all functions may be called from any thread, only od_disk_close must
 * be the last.
 */
#ifndef OD_RUNTIME_DISK_H
#define OD_RUNTIME_DISK_H

#include "base/status.h"
#include "runtime/entry.h"

#include <ocldnn/context.h>

typedef struct od_disk od_disk;

/* An entry that was read: its bytes, and the entry that points into them. */
typedef struct od_blob {
    unsigned char *bytes;
    od_entry entry;
} od_blob;

void od_blob_free(od_blob *blob);

/* Opens a folder (NULL: $XDG_CACHE_HOME/ocldnn, else ~/.cache/ocldnn) and creates it, 0700, if it is not there. limit:
 * bytes that may lie in it, 0 for 256 MiB. Fails, with *disk NULL, when there is no such folder and none can be made,
 * and when it is not to be trusted: a symbolic link, owned by somebody else, writable by group or others. A caller for
 * whom the cache is only a help goes on without one then. */
ocldnn_status od_disk_open(const char *folder, uint64_t limit, od_disk **disk);

/* The same, but creates nothing: a folder that is not there gives SUCCESS and *disk NULL. */
ocldnn_status od_disk_open_existing(const char *folder, od_disk **disk);

/* Closes what was opened; NULL is ignored. */
void od_disk_close(od_disk *disk);

/* True when there is a valid entry for this key; it counts as used now. The caller frees the blob. */
bool od_disk_load(od_disk *disk, const char *key, od_blob *blob);

/* Keeps an entry, then removes the least recently used ones that are over the limit. */
void od_disk_store(od_disk *disk, const char *key, const od_meta *meta, const void *binary, size_t bytes);

/* The same for an entry that od_entry_decode() has taken: writes its bytes. */
void od_disk_store_encoded(od_disk *disk, const char *key, const void *entry, size_t bytes);

/* Calls visit for each valid entry, in the order of their keys, until it returns nonzero. Deletes nothing. The blob
 * is freed after the call. */
void od_disk_visit(od_disk *disk, int (*visit)(void *user, const ocldnn_cache_entry *about, const od_blob *blob),
                   void *user);

/* Removes every entry and every temporary file of ours; returns how many entries there were. */
uint32_t od_disk_clear(od_disk *disk);

/* The folder that would be opened; false if it is unknown (no HOME) or too long. */
bool od_disk_folder(const char *folder, char *path, size_t capacity);

#endif
