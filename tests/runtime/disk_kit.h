/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the cache folder share: a fresh folder for each test, two keys, and short words for storing and
 * loading. Included once per test program; unused functions are no fault.
 */
#ifndef OD_TESTS_DISK_KIT_H
#define OD_TESTS_DISK_KIT_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "runtime/callbacks.h"
#include "runtime/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define UNUSED_OK __attribute__((unused))

UNUSED_OK static const char key_a[] = "0123456789abcdef0123456789abcdef";
UNUSED_OK static const char key_b[] = "fedcba9876543210fedcba9876543210";
UNUSED_OK static const od_meta meta = {"norm/rms_norm.cl", "-cl-std=CL1.2 -D X=1", "a device", 123456789};

static char root[128]; /* a fresh folder for each test; the cache is root/cache */
static char folder[160];

UNUSED_OK static int setup(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s/ocldnn-test-disk-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(root))
        return -1;
    snprintf(folder, sizeof folder, "%s/cache", root);
    return 0;
}

UNUSED_OK static void remove_tree(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *item;
    while (directory && (item = readdir(directory))) {
        char below[512];
        struct stat about;
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof below, "%.220s/%.255s", path, item->d_name);
        if (lstat(below, &about) == 0 && S_ISDIR(about.st_mode)) {
            chmod(below, 0700);
            remove_tree(below);
        } else {
            unlink(below);
        }
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

UNUSED_OK static int teardown(void **state)
{
    (void)state;
    remove_tree(root);
    return 0;
}

UNUSED_OK static od_disk *open_disk(uint64_t limit)
{
    od_disk *disk = NULL;
    assert_int_equal(od_disk_open(folder, limit, &disk), OCLDNN_SUCCESS);
    assert_non_null(disk);
    return disk;
}

UNUSED_OK static const char *path_of(const char *key)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s.program", folder, key);
    return path;
}

UNUSED_OK static bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

/* How many names lie in the cache folder. */
UNUSED_OK static int names(void)
{
    DIR *directory = opendir(folder);
    int count = 0;
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count - 2;
}

UNUSED_OK static void write_file(const char *path, const void *bytes, size_t length)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), (ssize_t)length);
    close(file);
}

UNUSED_OK static bool holds(od_disk *disk, const char *key, const char *binary)
{
    od_blob blob;
    bool same;
    if (!od_disk_load(disk, key, &blob))
        return false;
    same = blob.entry.binary_bytes == strlen(binary) && memcmp(blob.entry.binary, binary, strlen(binary)) == 0 &&
           strcmp(blob.entry.key, key) == 0;
    od_blob_free(&blob);
    return same;
}

UNUSED_OK static void store(od_disk *disk, const char *key, const char *binary)
{
    od_disk_store(disk, key, &meta, binary, strlen(binary));
}

UNUSED_OK static void set_age(const char *key, time_t seconds_ago)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds_ago}, {.tv_sec = time(NULL) - seconds_ago}};
    assert_int_equal(utimensat(AT_FDCWD, path_of(key), times, 0), 0);
}

UNUSED_OK static const char *number_key(int number)
{
    static char key[OD_KEY_DIGITS + 1];
    snprintf(key, sizeof key, "%032x", (unsigned)number);
    return key;
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, setup, teardown)

#endif
