/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>

faults_state faults;

/* ---- what happens at a call ---------------------------------------------------------------------------------------
 */

static bool due(void)
{
    return faults.at > 0 && (faults.calls == faults.at || (faults.lasting && faults.calls > faults.at));
}

static void die(void)
{
    kill(getpid(), SIGKILL);
}

/* Counts a call; true when it is to fail, errno set. */
static bool fails(const char *name)
{
    faults.calls++;
    if (!due())
        return false;
    faults.hit = name;
    if (faults.act == FAULT_KILL_HALF)
        die();
    errno = faults.error;
    return faults.act == FAULT_FAIL;
}

static void after(void)
{
    if (due() && faults.act == FAULT_KILL)
        die();
}

static int done(int result)
{
    after();
    return result;
}

/* How much of a read or a write is done: counts it too; -1 when it is to fail. */
static ssize_t share(const char *name, size_t length)
{
    bool half =
        faults.at > 0 && faults.calls + 1 == faults.at && (faults.act == FAULT_SHORT || faults.act == FAULT_KILL_HALF);
    if (!half)
        return fails(name) ? -1 : (ssize_t)length;
    faults.calls++;
    faults.hit = name;
    return (ssize_t)(length > 1 ? length / 2 : length);
}

static void after_share(void)
{
    after();
    if (due() && faults.act == FAULT_KILL_HALF)
        die();
}

/* A path that is opened or made must be the folder, lead to it, or lie in it. */
static void check_path(const char *path)
{
    size_t length = strlen(path), most = faults.inside ? strlen(faults.inside) : 0;
    if (faults.inside && strncmp(path, faults.inside, length < most ? length : most) != 0)
        faults.strays++;
}

static void check_name(const char *name)
{
    if (faults.inside && (strchr(name, '/') || strcmp(name, "..") == 0))
        faults.strays++;
}

/* ---- the calls ----------------------------------------------------------------------------------------------------
 */

int fault_open(const char *path, int flags)
{
    check_path(path);
    return fails("open") ? -1 : done(open(path, flags));
}

int fault_openat(int folder, const char *name, int flags, ...)
{
    va_list rest;
    mode_t mode;
    va_start(rest, flags);
    mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    check_name(name);
    return fails("openat") ? -1 : done(openat(folder, name, flags, mode));
}

int fault_mkdir(const char *path, mode_t mode)
{
    check_path(path);
    return fails("mkdir") ? -1 : done(mkdir(path, mode));
}

int fault_fstat(int file, struct stat *about)
{
    return fails("fstat") ? -1 : done(fstat(file, about));
}

int fault_fstatat(int folder, const char *name, struct stat *about, int flags)
{
    check_name(name);
    return fails("fstatat") ? -1 : done(fstatat(folder, name, about, flags));
}

int fault_fchmod(int file, mode_t mode)
{
    return fails("fchmod") ? -1 : done(fchmod(file, mode));
}

int fault_futimens(int file, const struct timespec times[2])
{
    return fails("futimens") ? -1 : done(futimens(file, times));
}

ssize_t fault_read(int file, void *bytes, size_t length)
{
    ssize_t part = share("read", length);
    if (part > 0)
        part = read(file, bytes, (size_t)part);
    after_share();
    return part;
}

ssize_t fault_write(int file, const void *bytes, size_t length)
{
    ssize_t part = share("write", length);
    if (part > 0)
        part = write(file, bytes, (size_t)part);
    after_share();
    return part;
}

int fault_fsync(int file)
{
    (void)file;
    return fails("fsync") ? -1 : done(0);
}

int fault_close(int file)
{
    bool failed = fails("close");
    int kept = errno, result = close(file);
    if (failed)
        errno = kept;
    return failed ? -1 : done(result);
}

int fault_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    check_name(from);
    check_name(to);
    return fails("renameat") ? -1 : done(renameat(from_folder, from, to_folder, to));
}

int fault_unlinkat(int folder, const char *name, int flags)
{
    check_name(name);
    return fails("unlinkat") ? -1 : done(unlinkat(folder, name, flags));
}

DIR *fault_fdopendir(int folder)
{
    DIR *directory = fails("fdopendir") ? NULL : fdopendir(folder);
    after();
    return directory;
}

struct dirent *fault_readdir(DIR *directory)
{
    struct dirent *item = fails("readdir") ? NULL : readdir(directory);
    after();
    return item;
}

int fault_closedir(DIR *directory)
{
    bool failed = fails("closedir");
    int result = closedir(directory);
    return failed ? -1 : done(result);
}

int fault_getrlimit(int which, struct rlimit *limit)
{
    return fails("getrlimit") ? -1 : done(getrlimit(which, limit));
}

int fault_getentropy(void *bytes, size_t length)
{
    return fails("getentropy") ? -1 : done(getentropy(bytes, length));
}

void *fault_malloc(size_t bytes)
{
    void *block = fails("malloc") ? NULL : malloc(bytes);
    after();
    return block;
}

void *fault_realloc(void *old, size_t bytes)
{
    void *block = fails("realloc") ? NULL : realloc(old, bytes);
    after();
    return block;
}
