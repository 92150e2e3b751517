/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* openat and its kin, getentropy */
#endif
#include "runtime/disk.h"

#include "runtime/disk_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* No program is near this size; a larger file is not one of ours, and is not read into memory. */
enum { LARGEST_FILE = 1 << 30 };

static const uint64_t default_limit = UINT64_C(256) << 20;

struct od_disk {
    int folder; /* all names are looked up below this descriptor: renaming or replacing the path changes nothing */
    uint64_t limit;
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

bool od_disk_folder(const char *folder, char *path, size_t capacity)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;
    if (folder)
        length = snprintf(path, capacity, "%s", folder);
    else if (cache && cache[0] == '/') /* the XDG specification has relative paths ignored */
        length = snprintf(path, capacity, "%s/ocldnn", cache);
    else if (home && home[0] == '/')
        length = snprintf(path, capacity, "%s/.cache/ocldnn", home);
    else
        return false;
    if (length <= 0 || (size_t)length >= capacity)
        return false;
    /* O_NOFOLLOW looks at a link only when no slash follows it. */
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    return true;
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

static ocldnn_status check_trust(int folder, const char *path)
{
    struct stat about;
    if (fstat(folder, &about) != 0)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache folder %s: %s", path, strerror(errno));
    if (about.st_uid != geteuid())
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache folder %s: belongs to user %ld, this process is user %ld", path,
                       (long)about.st_uid, (long)geteuid());
    if (about.st_mode & (S_IWGRP | S_IWOTH))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache folder %s: its mode is %03o, others may write to it", path,
                       (unsigned)about.st_mode & 0777u);
    return OCLDNN_SUCCESS;
}

static ocldnn_status open_folder(const char *folder, uint64_t limit, bool create, od_disk **disk)
{
    char path[PATH_MAX];
    ocldnn_status status;
    int descriptor;
    *disk = NULL;
    if (!od_disk_folder(folder, path, sizeof path))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache folder: %s",
                       folder ? "its path is empty or too long" : "neither XDG_CACHE_HOME nor HOME says where");
    if (create)
        make_folders(path);
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) {
        if (errno == ENOENT && !create)
            return OCLDNN_SUCCESS;
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache folder %s: %s", path,
                       errno == ELOOP || errno == ENOTDIR ? "not a folder, or a symbolic link" : strerror(errno));
    }
    status = check_trust(descriptor, path);
    if (status == OCLDNN_SUCCESS && !(*disk = malloc(sizeof **disk)))
        status = od_fail(OCLDNN_OUT_OF_MEMORY, "no memory for the program cache");
    if (status != OCLDNN_SUCCESS) {
        close(descriptor);
        return status;
    }
    **disk = (od_disk){.folder = descriptor, .limit = limit ? limit : default_limit};
    return OCLDNN_SUCCESS;
}

ocldnn_status od_disk_open(const char *folder, uint64_t limit, od_disk **disk)
{
    return open_folder(folder, limit, true, disk);
}

ocldnn_status od_disk_open_existing(const char *folder, od_disk **disk)
{
    return open_folder(folder, 0, false, disk);
}

void od_disk_close(od_disk *disk)
{
    if (!disk)
        return;
    close(disk->folder);
    free(disk);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef enum read_result { READ_OK, READ_MISSING, READ_BAD } read_result;

void od_blob_free(od_blob *blob)
{
    free(blob->bytes);
    blob->bytes = NULL;
}

/* A file that has become shorter is bad; one that cannot be read now may be good, and stays. */
static read_result read_all(int file, unsigned char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(file, bytes + done, length - done);
        if (got == 0)
            return READ_BAD;
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            return READ_MISSING;
    }
    return READ_OK;
}

static read_result read_open_file(int file, const char *key, od_blob *blob, struct stat *about)
{
    read_result result;
    if (fstat(file, about) != 0)
        return READ_MISSING;
    if (!S_ISREG(about->st_mode) || about->st_uid != geteuid() || about->st_mode & (S_IWGRP | S_IWOTH) ||
        about->st_size <= 0 || about->st_size > LARGEST_FILE)
        return READ_BAD;
    blob->bytes = malloc((size_t)about->st_size);
    if (!blob->bytes)
        return READ_MISSING;
    result = read_all(file, blob->bytes, (size_t)about->st_size);
    if (result == READ_OK && !od_entry_decode(blob->bytes, (size_t)about->st_size, key, &blob->entry))
        result = READ_BAD;
    if (result != READ_OK)
        od_blob_free(blob);
    return result;
}

static read_result read_entry(const od_disk *disk, const char *key, bool touch, od_blob *blob, struct stat *about)
{
    const struct timespec now[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    char name[OD_FILE_NAME];
    read_result result;
    int file;
    blob->bytes = NULL;
    od_file_name(key, name);
    /* O_NONBLOCK: a pipe of that name must not make us wait for a writer. */
    file = openat(disk->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ELOOP ? READ_BAD : READ_MISSING;
    result = read_open_file(file, key, blob, about);
    if (result == READ_OK && touch)
        futimens(file, now); /* the time of last use; may fail, then it is older than it should be */
    close(file);
    return result;
}

bool od_disk_load(od_disk *disk, const char *key, od_blob *blob)
{
    struct stat about;
    char name[OD_FILE_NAME];
    read_result result;
    if (!od_key_valid(key))
        return false;
    result = read_entry(disk, key, true, blob, &about);
    if (result == READ_BAD) {
        od_file_name(key, name);
        unlinkat(disk->folder, name, 0);
    }
    return result == READ_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool write_all(int file, const unsigned char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = write(file, bytes + done, length - done);
        if (put > 0)
            done += (size_t)put;
        else if (put == 0 || errno != EINTR)
            return false;
    }
    return true;
}

/* Writing past the limit on file sizes would send SIGXFSZ, which ends the process. */
static bool size_allowed(size_t bytes)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || bytes <= most.rlim_cur;
}

static int create_temporary(const od_disk *disk, const char *key, char name[OD_FILE_NAME])
{
    for (int attempt = 0; attempt < 8; attempt++) {
        int file;
        od_temporary_name(key, name);
        file = openat(disk->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

void od_disk_store_encoded(od_disk *disk, const char *key, const void *entry, size_t bytes)
{
    char temporary[OD_FILE_NAME];
    char name[OD_FILE_NAME];
    bool written;
    int file;
    if (!od_key_valid(key) || bytes > disk->limit || bytes > LARGEST_FILE || !size_allowed(bytes))
        return;
    file = create_temporary(disk, key, temporary);
    if (file < 0)
        return;
    /* fchmod: a strange umask may have left less than the owner's own rights. */
    written = fchmod(file, 0600) == 0 && write_all(file, entry, bytes) && fsync(file) == 0;
    written = close(file) == 0 && written;
    od_file_name(key, name);
    if (!written || renameat(disk->folder, temporary, disk->folder, name) != 0) {
        unlinkat(disk->folder, temporary, 0);
        return;
    }
    od_files_evict(disk->folder, disk->limit, key);
}

void od_disk_store(od_disk *disk, const char *key, const od_meta *meta, const void *binary, size_t bytes)
{
    unsigned char *entry;
    if (!od_key_valid(key) || bytes == 0 || bytes > LARGEST_FILE)
        return;
    entry = malloc(od_entry_size(bytes));
    if (!entry)
        return;
    od_entry_encode(key, meta, binary, bytes, entry);
    od_disk_store_encoded(disk, key, entry, od_entry_size(bytes));
    free(entry);
}

/* ---- the folder as a whole --------------------------------------------------------------------------------------- */

static int visit_key(const od_disk *disk, const char *key,
                     int (*visit)(void *user, const ocldnn_cache_entry *about, const od_blob *blob), void *user)
{
    ocldnn_cache_entry entry;
    struct stat about;
    od_blob blob;
    int stop;
    if (read_entry(disk, key, false, &blob, &about) != READ_OK)
        return 0;
    memcpy(entry.key, blob.entry.key, sizeof entry.key);
    memcpy(entry.source, blob.entry.meta.source, sizeof entry.source);
    memcpy(entry.options, blob.entry.meta.options, sizeof entry.options);
    memcpy(entry.device, blob.entry.meta.device, sizeof entry.device);
    entry.bytes = (uint64_t)about.st_size;
    entry.build_nanoseconds = blob.entry.meta.build_nanoseconds;
    entry.last_used = (int64_t)about.st_mtime;
    stop = visit(user, &entry, &blob);
    od_blob_free(&blob);
    return stop;
}

void od_disk_visit(od_disk *disk, int (*visit)(void *user, const ocldnn_cache_entry *about, const od_blob *blob),
                   void *user)
{
    od_file_list list;
    od_files_list(disk->folder, &list);
    od_files_sort_by_key(&list);
    for (size_t i = 0; i < list.count; i++)
        if (visit_key(disk, list.files[i].key, visit, user))
            break;
    free(list.files);
}

uint32_t od_disk_clear(od_disk *disk)
{
    return od_files_clear(disk->folder);
}
