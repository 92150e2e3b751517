/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the cache's folder and the system. lib/runtime/disk*.c are compiled once more with this file ahead of them
 * (gcc -include): each call to the system then goes through a function here, which counts it, and at the n-th one
 * fails, does half of what was asked, or kills the process. A law (tests/laws) sees to it that no call goes past.
 *
 * Nothing is locked: one thread at a time.
 */
#ifndef OD_TESTS_FAULTS_H
#define OD_TESTS_FAULTS_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum fault_act {
    FAULT_FAIL,      /* with `error`, and nothing was done; but close() does close */
    FAULT_SHORT,     /* read and write do half of it; other calls are left alone */
    FAULT_KILL,      /* SIGKILL after the call */
    FAULT_KILL_HALF, /* SIGKILL after half of a read or write, before any other call */
} fault_act;

typedef struct faults_state {
    int at;       /* the call it happens at, from 1 on; 0: never */
    bool lasting; /* and at each one after it */
    fault_act act;
    int error;
    int calls;          /* so far */
    const char *hit;    /* the name of the function it happened in; NULL: it has not */
    const char *inside; /* paths must be on the way to this folder, names without a slash; NULL: anywhere */
    int strays;         /* how many were not */
} faults_state;
extern faults_state faults;

int fault_open(const char *path, int flags);
int fault_openat(int folder, const char *name, int flags, ...);
int fault_mkdir(const char *path, mode_t mode);
int fault_fstat(int file, struct stat *about);
int fault_fstatat(int folder, const char *name, struct stat *about, int flags);
int fault_fchmod(int file, mode_t mode);
int fault_futimens(int file, const struct timespec times[2]);
ssize_t fault_read(int file, void *bytes, size_t length);
ssize_t fault_write(int file, const void *bytes, size_t length);
int fault_fsync(int file); /* does not wait for a disk: a killed process loses nothing that it has written */
int fault_close(int file);
int fault_renameat(int from_folder, const char *from, int to_folder, const char *to);
int fault_unlinkat(int folder, const char *name, int flags);
DIR *fault_fdopendir(int folder);
struct dirent *fault_readdir(DIR *directory);
int fault_closedir(DIR *directory);
int fault_getrlimit(int which, struct rlimit *limit);
int fault_getentropy(void *bytes, size_t length);
void *fault_malloc(size_t bytes);
void *fault_realloc(void *old, size_t bytes);

#ifdef FAULTS_REPLACE
#define open(...) fault_open(__VA_ARGS__)
#define openat(...) fault_openat(__VA_ARGS__)
#define mkdir(...) fault_mkdir(__VA_ARGS__)
#define fstat(...) fault_fstat(__VA_ARGS__)
#define fstatat(...) fault_fstatat(__VA_ARGS__)
#define fchmod(...) fault_fchmod(__VA_ARGS__)
#define futimens(...) fault_futimens(__VA_ARGS__)
#define read(...) fault_read(__VA_ARGS__)
#define write(...) fault_write(__VA_ARGS__)
#define fsync(...) fault_fsync(__VA_ARGS__)
#define close(...) fault_close(__VA_ARGS__)
#define renameat(...) fault_renameat(__VA_ARGS__)
#define unlinkat(...) fault_unlinkat(__VA_ARGS__)
#define fdopendir(...) fault_fdopendir(__VA_ARGS__)
#define readdir(...) fault_readdir(__VA_ARGS__)
#define closedir(...) fault_closedir(__VA_ARGS__)
#define getrlimit(...) fault_getrlimit(__VA_ARGS__)
#define getentropy(...) fault_getentropy(__VA_ARGS__)
#define malloc(...) fault_malloc(__VA_ARGS__)
#define realloc(...) fault_realloc(__VA_ARGS__)
#endif

#endif
