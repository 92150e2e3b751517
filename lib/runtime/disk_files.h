/* SPDX-License-Identifier: Apache-2.0
 *
 * The names in a cache folder, and which of its files must go. Every function works below an open folder's descriptor.
 */
#ifndef OD_RUNTIME_DISK_FILES_H
#define OD_RUNTIME_DISK_FILES_H

#include "runtime/entry.h"

enum { OD_FILE_NAME = 112 };

typedef struct od_file {
    char key[OD_KEY_DIGITS + 1];
    uint64_t bytes;
    int64_t seconds; /* when it was last used */
    long nanoseconds;
} od_file;

typedef struct od_file_list {
    od_file *files; /* freed by the caller */
    size_t count;
    size_t capacity;
} od_file_list;

/* KEY.program, and KEY.program.PROCESS-THREAD-RANDOM.tmp: two names are never the same, also across machines that share
 * a home folder. */
void od_file_name(const char *key, char name[OD_FILE_NAME]);
void od_temporary_name(const char *key, char name[OD_FILE_NAME]);

/* All programs there are. Also removes temporary files that a crash has left long ago. */
void od_files_list(int folder, od_file_list *list);
void od_files_sort_by_key(od_file_list *list);

/* Removes the least recently used programs until all are within limit bytes; never the one of this key. */
void od_files_evict(int folder, uint64_t limit, const char *keep);

/* Removes all programs and temporary files; returns the number of programs. */
uint32_t od_files_clear(int folder);

#endif
