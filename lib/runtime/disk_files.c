/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* openat and its kin, getentropy */
#endif
#include "runtime/disk_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".program"
#define TEMPORARY ".tmp"

/* A temporary file this old belongs to nobody: writing one takes milliseconds. */
enum { STALE_SECONDS = 3600 };

typedef enum file_kind { FILE_FOREIGN, FILE_PROGRAM, FILE_TEMPORARY } file_kind;

void od_file_name(const char *key, char name[OD_FILE_NAME])
{
    snprintf(name, OD_FILE_NAME, "%.32s" SUFFIX, key);
}

void od_temporary_name(const char *key, char name[OD_FILE_NAME])
{
    static _Thread_local char thread; /* its address tells threads apart */
    uint64_t random = 0;
    if (getentropy(&random, sizeof random) != 0)
        random = (uint64_t)time(NULL) ^ (uint64_t)clock();
    snprintf(name, OD_FILE_NAME, "%.32s" SUFFIX ".%lx-%llx-%016llx" TEMPORARY, key, (unsigned long)getpid(),
             (unsigned long long)(uintptr_t)&thread, (unsigned long long)random);
}

/* What a name is; only names made as above are ours. */
static file_kind classify(const char *name, char key[OD_KEY_DIGITS + 1])
{
    size_t length = strlen(name);
    size_t program = OD_KEY_DIGITS + strlen(SUFFIX);
    if (length < program || memcmp(name + OD_KEY_DIGITS, SUFFIX, strlen(SUFFIX)) != 0)
        return FILE_FOREIGN;
    memcpy(key, name, OD_KEY_DIGITS);
    key[OD_KEY_DIGITS] = '\0';
    if (!od_key_valid(key))
        return FILE_FOREIGN;
    if (length == program)
        return FILE_PROGRAM;
    if (name[program] != '.' || length < program + 1 + strlen(TEMPORARY) ||
        strcmp(name + length - strlen(TEMPORARY), TEMPORARY) != 0)
        return FILE_FOREIGN;
    return strspn(name + program + 1, "0123456789abcdef-") == length - program - 1 - strlen(TEMPORARY) ? FILE_TEMPORARY
                                                                                                       : FILE_FOREIGN;
}

static DIR *open_again(int folder)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* dup would share the reading position */
    DIR *directory = copy < 0 ? NULL : fdopendir(copy);
    if (!directory && copy >= 0)
        close(copy);
    return directory;
}

/* A file that seems to come from the future was written before the clock was set back: its time says nothing, and left
 * alone it would never go. It counts as the oldest. */
static int64_t age_order(int64_t seconds, int64_t now)
{
    return seconds > now + 60 ? 0 : seconds;
}

static void append(od_file_list *list, const char *key, const struct stat *about, int64_t now)
{
    od_file *file;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        od_file *more = realloc(list->files, capacity * sizeof *more);
        if (!more)
            return; /* a shorter list: some files are not considered this time */
        list->files = more;
        list->capacity = capacity;
    }
    file = &list->files[list->count++];
    memcpy(file->key, key, sizeof file->key);
    file->bytes = (uint64_t)about->st_size;
    file->seconds = age_order((int64_t)about->st_mtim.tv_sec, now);
    file->nanoseconds = about->st_mtim.tv_nsec;
}

void od_files_list(int folder, od_file_list *list)
{
    DIR *directory = open_again(folder);
    int64_t now = (int64_t)time(NULL);
    struct dirent *item;
    *list = (od_file_list){0};
    while (directory && (item = readdir(directory))) {
        char key[OD_KEY_DIGITS + 1];
        file_kind kind = classify(item->d_name, key);
        struct stat about;
        if (kind == FILE_FOREIGN || fstatat(folder, item->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (kind == FILE_PROGRAM)
            append(list, key, &about, now);
        else if (llabs((long long)(now - (int64_t)about.st_mtim.tv_sec)) > STALE_SECONDS)
            unlinkat(folder, item->d_name, 0);
    }
    if (directory)
        closedir(directory);
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(((const od_file *)a)->key, ((const od_file *)b)->key, OD_KEY_DIGITS);
}

static int compare_times(const void *a, const void *b)
{
    const od_file *x = a;
    const od_file *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    if (x->nanoseconds != y->nanoseconds)
        return x->nanoseconds < y->nanoseconds ? -1 : 1;
    return compare_keys(a, b);
}

void od_files_sort_by_key(od_file_list *list)
{
    if (list->count > 1)
        qsort(list->files, list->count, sizeof *list->files, compare_keys);
}

void od_files_evict(int folder, uint64_t limit, const char *keep)
{
    od_file_list list;
    uint64_t total = 0;
    od_files_list(folder, &list);
    for (size_t i = 0; i < list.count; i++)
        total += list.files[i].bytes;
    if (total > limit)
        qsort(list.files, list.count, sizeof *list.files, compare_times);
    for (size_t i = 0; i < list.count && total > limit; i++) {
        char name[OD_FILE_NAME];
        if (strcmp(list.files[i].key, keep) == 0)
            continue;
        od_file_name(list.files[i].key, name);
        if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) /* another process may have been first */
            total -= list.files[i].bytes;
    }
    free(list.files);
}

uint32_t od_files_clear(int folder)
{
    DIR *directory = open_again(folder);
    struct dirent *item;
    uint32_t removed = 0;
    while (directory && (item = readdir(directory))) {
        char key[OD_KEY_DIGITS + 1];
        file_kind kind = classify(item->d_name, key);
        if (kind != FILE_FOREIGN && unlinkat(folder, item->d_name, 0) == 0 && kind == FILE_PROGRAM)
            removed++;
    }
    if (directory)
        closedir(directory);
    return removed;
}
