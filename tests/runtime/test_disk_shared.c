/* SPDX-License-Identifier: Apache-2.0
 *
 * The program cache's folder as a whole, and many threads and processes in it at once. Needs no OpenCL device.
 */
#include "disk_kit.h"

/* ---- the folder as a whole --------------------------------------------------------------------------------------- */

typedef struct seen {
    int count;
    int stop_after;
    ocldnn_cache_entry last;
} seen;

static int see(void *user, const ocldnn_cache_entry *entry)
{
    seen *all = user;
    all->last = *entry;
    return ++all->count == all->stop_after;
}

static void visit_and_clear(void **state)
{
    char foreign[256];
    char temporary[256];
    seen all = {0};
    uint32_t removed = 77;
    od_disk *disk;
    (void)state;
    assert_int_equal(ocldnn_cache_visit(folder, see, &all), OCLDNN_SUCCESS); /* no folder: nothing in it */
    assert_int_equal(ocldnn_cache_clear(folder, &removed), OCLDNN_SUCCESS);
    assert_int_equal(removed, 0);
    assert_false(exists(folder));
    disk = open_disk(0);
    store(disk, key_b, "later");
    store(disk, key_a, "x");
    write_file(path_of(number_key(1)), "damaged", 7);
    snprintf(foreign, sizeof foreign, "%s/notes.txt", folder);
    write_file(foreign, "x", 1);
    snprintf(temporary, sizeof temporary, "%s/%s.program.1f-7f00-00ff.tmp", folder, key_a);
    write_file(temporary, "half", 4);
    assert_int_equal(ocldnn_cache_visit(folder, see, &all), OCLDNN_SUCCESS);
    assert_int_equal(all.count, 2);
    assert_string_equal(all.last.key, key_b);
    assert_string_equal(all.last.source, meta.source);
    assert_string_equal(all.last.device, meta.device);
    assert_true(all.last.bytes == od_entry_size(5));
    assert_true(llabs((long long)all.last.last_used - (long long)time(NULL)) < 100);
    all = (seen){.stop_after = 1};
    assert_int_equal(ocldnn_cache_visit(folder, see, &all), OCLDNN_SUCCESS);
    assert_int_equal(all.count, 1);
    assert_int_equal(ocldnn_cache_clear(folder, &removed), OCLDNN_SUCCESS);
    assert_int_equal(removed, 3);
    assert_int_equal(names(), 1);
    assert_true(exists(foreign));
    assert_int_equal(ocldnn_cache_visit(folder, NULL, NULL), OCLDNN_INVALID_ARGUMENT);
    od_disk_close(disk);
}

static void stale_temporaries_go(void **state)
{
    char fresh[256];
    char stale[256];
    struct timespec old[2] = {{.tv_sec = time(NULL) - 90000}, {.tv_sec = time(NULL) - 90000}};
    od_disk *disk = open_disk(0);
    (void)state;
    snprintf(fresh, sizeof fresh, "%s/%s.program.1-2-3.tmp", folder, key_a);
    snprintf(stale, sizeof stale, "%s/%s.program.1-2-4.tmp", folder, key_a);
    write_file(fresh, "x", 1);
    write_file(stale, "x", 1);
    assert_int_equal(utimensat(AT_FDCWD, stale, old, 0), 0);
    store(disk, key_b, "x");
    assert_true(exists(fresh));
    assert_false(exists(stale));
    od_disk_close(disk);
}

/* ---- many at once ------------------------------------------------------------------------------------------------ */

enum { ROUNDS = 60 };

/* Whatever is there is whole: each binary is one letter, repeated. */
static void *write_and_read(void *argument)
{
    od_disk *disk = argument;
    unsigned char binary[5000];
    for (int round = 0; round < ROUNDS; round++) {
        const char *key = round % 2 ? key_a : key_b;
        od_blob blob;
        memset(binary, 'a' + round % 26, sizeof binary);
        od_disk_store(disk, key, &meta, binary, 3000 + (size_t)round * 10);
        if (od_disk_load(disk, key, &blob)) {
            for (size_t i = 1; i < blob.entry.binary_bytes; i++)
                if (blob.entry.binary[i] != blob.entry.binary[0])
                    return argument;
            od_blob_free(&blob);
        } else {
            return argument;
        }
    }
    return NULL;
}

static void threads_and_processes_share_a_folder(void **state)
{
    pthread_t threads[16];
    pid_t children[4];
    void *result = NULL;
    od_disk *disk;
    (void)state;
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            if (od_disk_open(folder, 0, &disk) != OCLDNN_SUCCESS)
                _exit(1);
            _exit(write_and_read(disk) ? 2 : 0);
        }
    }
    disk = open_disk(0);
    for (int i = 0; i < 16; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, disk), 0);
    for (int i = 0; i < 16; i++) {
        pthread_join(threads[i], &result);
        assert_null(result);
    }
    for (int i = 0; i < 4; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(names(), 2);
    od_disk_close(disk);
}

static void killed_writers_leave_no_half_entry(void **state)
{
    od_disk *disk = open_disk(0);
    od_blob blob;
    (void)state;
    for (int round = 0; round < 20; round++) {
        const struct timespec wait = {.tv_nsec = 200000L * round};
        pid_t child = fork();
        if (child == 0) {
            write_and_read(disk);
            _exit(0);
        }
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (exists(path_of(key_a))) {
            assert_true(od_disk_load(disk, key_a, &blob));
            od_blob_free(&blob);
        }
    }
    od_disk_clear(disk);
    assert_int_equal(names(), 0);
    od_disk_close(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(visit_and_clear),
        TEST(stale_temporaries_go),
        TEST(threads_and_processes_share_a_folder),
        TEST(killed_writers_leave_no_half_entry),
    };
    return cmocka_run_group_tests_name("runtime/disk_shared", tests, NULL, NULL);
}
