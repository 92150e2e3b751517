/* SPDX-License-Identifier: Apache-2.0
 *
 * The program cache's folder when the system fails: the n-th call, for every n, with each error it may have, for once
 * or from then on; half a read or write; a killed process. Needs no OpenCL device.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* unshare */
#endif
#include "disk_kit.h"
#include "faults.h"

#include <sched.h>
#include <sys/mount.h>

enum { BINARY = 3000, LIMIT = 3 * (BINARY + OD_ENTRY_HEADER + OD_ENTRY_CHECKSUM) };

/* Of each key two versions: what lies there, and what replaces it. */
static unsigned char old_binary[BINARY], new_binary[BINARY];
static char stale[256], foreign[256], outside[256];

/* A folder with two programs, of which number_key(1) is older and must go for a third, a damaged one, a temporary file
 * that somebody left long ago, and a file that is none of ours; beside it another of these. */
static void furnish(void)
{
    const struct timespec long_ago[2] = {{.tv_sec = 100000}, {.tv_sec = 100000}};
    od_disk *disk;
    memset(&faults, 0, sizeof faults);
    memset(old_binary, 'o', BINARY);
    memset(new_binary, 'n', BINARY);
    remove_tree(folder);
    disk = open_disk(0);
    od_disk_store(disk, key_a, &meta, old_binary, BINARY);
    od_disk_store(disk, number_key(1), &meta, old_binary, BINARY);
    set_age(number_key(1), 5000);
    od_disk_close(disk);
    write_file(path_of(number_key(2)), "damaged", 7);
    snprintf(stale, sizeof stale, "%s/%s.program.1-2-3.tmp", folder, key_a);
    write_file(stale, "half", 4);
    assert_int_equal(utimensat(AT_FDCWD, stale, long_ago, 0), 0);
    snprintf(foreign, sizeof foreign, "%s/notes.program", folder);
    write_file(foreign, "mine", 4);
    snprintf(outside, sizeof outside, "%s/%s.program", root, key_a);
    write_file(outside, "mine", 4);
    memset(&faults, 0, sizeof faults);
    faults.inside = folder;
}

/* What a load gives: whole bytes of a version, or nothing. */
static char load(od_disk *disk, const char *key)
{
    od_blob blob;
    char version;
    if (!od_disk_load(disk, key, &blob))
        return '-';
    version = (char)blob.entry.binary[0];
    if (blob.entry.binary_bytes != BINARY ||
        memcmp(blob.entry.binary, version == 'o' ? old_binary : new_binary, BINARY) != 0)
        version = '!';
    od_blob_free(&blob);
    return version;
}

static int count_entry(void *user, const ocldnn_cache_entry *about, const od_blob *blob)
{
    (void)about;
    ++*(int *)user;
    return blob->entry.binary_bytes != BINARY;
}

/* All that an application does with a folder. Versions of: a replaced entry, one that was there, a damaged one, a new
 * one. */
static void use(char seen[5])
{
    od_disk *disk;
    int count = 0;
    memcpy(seen, "----", 5);
    if (od_disk_open(folder, LIMIT, &disk) != OCLDNN_SUCCESS)
        return;
    seen[1] = load(disk, number_key(1));
    seen[2] = load(disk, number_key(2));
    utimensat(AT_FDCWD, path_of(number_key(1)), (const struct timespec[2]){{1000, 0}, {1000, 0}}, 0);
    od_disk_store(disk, key_a, &meta, new_binary, BINARY);
    od_disk_store(disk, key_b, &meta, new_binary, BINARY);
    od_disk_store(disk, number_key(3), &meta, new_binary, BINARY); /* number_key(1) goes */
    seen[0] = load(disk, key_a);
    seen[3] = load(disk, key_b);
    od_disk_visit(disk, count_entry, &count);
    od_disk_close(disk);
}

static void expect_content(const char *path, const char *content)
{
    char found[16] = {0};
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(read(file, found, sizeof found), (ssize_t)strlen(content));
    assert_string_equal(found, content);
    close(file);
}

static uint64_t bytes_of(const char *ending)
{
    DIR *directory = opendir(folder);
    struct dirent *item;
    uint64_t sum = 0;
    while ((item = readdir(directory))) {
        const char *end = strrchr(item->d_name, '.');
        struct stat about;
        if (end && strcmp(end, ending) == 0 && strlen(item->d_name) > 30 &&
            fstatat(dirfd(directory), item->d_name, &about, 0) == 0)
            sum += (uint64_t)about.st_size;
    }
    closedir(directory);
    return sum;
}

static void one_of(char found, const char *allowed, const char *what)
{
    if (!strchr(allowed, found))
        fail_msg("%s at call %d (%s): '%c', may be one of %s", what, faults.at, faults.hit ? faults.hit : "none", found,
                 allowed);
}

/* Whatever has happened: everything in the folder is whole or not there, nothing else was touched, and without faults
 * the folder works at once, within its limit. */
static void folder_is_sound(void)
{
    const faults_state happened = faults;
    od_disk *disk;
    memset(&faults, 0, sizeof faults);
    expect_content(foreign, "mine");
    expect_content(outside, "mine");
    disk = open_disk(LIMIT);
    /* Replaced at once or not at all; only where the oldest could not be removed it may be the one to go. */
    one_of(load(disk, key_a), happened.hit && strcmp(happened.hit, "unlinkat") == 0 ? "on-" : "on",
           "the replaced entry");
    one_of(load(disk, key_b), "n-", "the new entry");
    one_of(load(disk, number_key(3)), "n-", "the third entry");
    one_of(load(disk, number_key(1)), "o-", "the old entry");
    one_of(load(disk, number_key(2)), "-", "the damaged entry");
    od_disk_store(disk, key_b, &meta, old_binary, BINARY);
    one_of(load(disk, key_b), "o", "an entry stored afterwards");
    assert_false(exists(stale));
    assert_true(bytes_of(".program") <= LIMIT);
    od_disk_close(disk);
    faults = happened;
}

/* ---- killed ------------------------------------------------------------------------------------------------------ */

/* False when the process came to its end, because it has fewer calls than that. */
static bool killed_at(int call, fault_act act)
{
    char seen[5];
    int result = 0;
    pid_t child;
    furnish();
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        faults.at = call;
        faults.act = act;
        use(seen);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result) ? WTERMSIG(result) == SIGKILL : WEXITSTATUS(result) == 0);
    faults.at = call;
    folder_is_sound();
    return WIFSIGNALED(result);
}

static void killed_at_every_call(void **state)
{
    int whole = 1, half = 1;
    (void)state;
    while (killed_at(whole, FAULT_KILL))
        whole++;
    while (killed_at(half, FAULT_KILL_HALF))
        half++;
    assert_int_equal(whole, half);
    assert_true(whole > 60); /* the calls are seen at all */
}

/* ---- failing calls ----------------------------------------------------------------------------------------------- */

static int open_files(void)
{
    int count = 0;
    for (int file = 0; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

/* A file of ours that is only half written may stay when removing it is what fails, or the process is killed. */
static void no_temporary_is_left(void)
{
    if (bytes_of(".tmp") > 4)
        fail_msg("a temporary file is left after call %d (%s) failed: %s", faults.at, faults.hit,
                 strerror(faults.error));
}

/* False when there are fewer calls than that. */
static bool failing_at(int call, int error, bool lasting)
{
    int before = open_files();
    char seen[5];
    furnish();
    faults.at = call;
    faults.act = error ? FAULT_FAIL : FAULT_SHORT;
    faults.error = error;
    faults.lasting = lasting;
    use(seen);
    assert_int_equal(open_files(), before);
    assert_int_equal(faults.strays, 0);
    one_of(seen[0], "on-", "the replaced entry");
    one_of(seen[1], "o-", "the old entry");
    one_of(seen[2], "-", "the damaged entry");
    one_of(seen[3], "n-", "the new entry");
    if (faults.hit && !lasting && strcmp(faults.hit, "unlinkat") != 0)
        no_temporary_is_left();
    /* A signal that interrupts, and less than was asked for, are no failures. */
    if (faults.hit && !lasting && (!error || (error == EINTR && strstr("read write", faults.hit))))
        assert_string_equal(seen, "no-n");
    if (faults.hit && !lasting && error != ENOENT && strcmp(faults.hit, "unlinkat") == 0) /* another one goes */
        assert_true(bytes_of(".program") <= LIMIT);
    folder_is_sound();
    return faults.hit;
}

static void each_call_fails_with_each_error(void **state)
{
    static const int errors[] = {0, ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR, ENOENT, ENOMEM, EDQUOT, EINVAL};
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        for (int lasting = 0; lasting <= (errors[i] && errors[i] != EINTR); lasting++) {
            int call = 1;
            while (failing_at(call, errors[i], lasting))
                call++;
            assert_true(call > 60);
        }
}

/* What cannot be read now is a miss, and there again the next time: only what was read and found wrong is deleted. */
static void failed_reads_delete_nothing(void **state)
{
    static const int errors[] = {EIO, EINTR, EMFILE, ENOMEM, EACCES, ESTALE};
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        bool hit = true;
        for (int call = 1; hit; call++) {
            od_disk *disk;
            furnish();
            disk = open_disk(0);
            faults = (faults_state){.at = call, .error = errors[i]};
            one_of(load(disk, key_a), "o-", "the entry");
            hit = faults.hit;
            faults.at = 0;
            one_of(load(disk, key_a), "o", "the entry, once it can be read");
            od_disk_close(disk);
        }
    }
}

/* The time of a hit is to be the driver's: beside it there may be these calls, and no look at the rest of the folder.
 * What they take is printed, for a binary of a usual size. */
static void hit_is_few_calls(void **state)
{
    enum { USUAL = 256 << 10, HITS = 200 };
    unsigned char *binary = calloc(1, USUAL);
    struct timespec begin, end;
    od_disk *disk;
    od_blob blob;
    (void)state;
    furnish();
    disk = open_disk(0);
    for (int i = 0; i < 200; i++)
        od_disk_store(disk, number_key(100 + i), &meta, old_binary, BINARY);
    assert_non_null(binary);
    od_disk_store(disk, key_b, &meta, binary, USUAL);
    free(binary);
    faults.calls = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < HITS; i++) {
        assert_true(od_disk_load(disk, key_b, &blob));
        od_blob_free(&blob);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_int_equal(faults.calls, 6 * HITS); /* openat, fstat, malloc, read, futimens, close */
    print_message("a hit of 256 KiB: %.3f ms\n",
                  ((double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-6) / HITS);
    od_disk_close(disk);
}

/* ---- a disk that is full, one that is read-only ------------------------------------------------------------------ */

/* In a process of its own, whose mounts nobody else sees. */
static int on_a_small_disk(void)
{
    od_disk *disk;
    char full[256], seen[5];
    static const unsigned char zeros[1 << 14];
    int file;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", root, "tmpfs", 0, "size=64k,mode=0700") != 0)
        return 77;
    disk = open_disk(0);
    od_disk_store(disk, key_a, &meta, old_binary, BINARY);
    snprintf(full, sizeof full, "%s/everything", root);
    file = open(full, O_WRONLY | O_CREAT, 0600);
    while (write(file, zeros, sizeof zeros) > 0)
        continue;
    while (write(file, zeros, 1) > 0)
        continue;
    close(file);
    use(seen);
    if (strcmp(seen, "o---") != 0 || bytes_of(".tmp") != 0)
        return 3;
    unlink(full);
    if (mount(NULL, root, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return 77;
    use(seen);
    if (strcmp(seen, "o---") != 0)
        return 4;
    if (mount(NULL, root, NULL, MS_REMOUNT, NULL) != 0)
        return 77;
    use(seen);
    return strcmp(seen, "n--n") == 0 ? 0 : 5;
}

static void full_and_read_only_disks(void **state)
{
    int result = 0;
    pid_t child = fork();
    (void)state;
    memset(&faults, 0, sizeof faults);
    if (child == 0)
        _exit(on_a_small_disk());
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) == 77) {
        print_message("skipped: full_and_read_only_disks: mounting a disk is not permitted\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(result), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(killed_at_every_call), TEST(each_call_fails_with_each_error), TEST(failed_reads_delete_nothing),
        TEST(hit_is_few_calls),     TEST(full_and_read_only_disks),
    };
    /* Thousands of folders: a file system in memory does not wait for a disk at each rename. */
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests_name("runtime/disk_faults", tests, NULL, NULL);
}
