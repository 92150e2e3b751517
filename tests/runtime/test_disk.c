/* SPDX-License-Identifier: Apache-2.0
 *
 * The program cache's folder: its files, whom it trusts, what a full or read-only one does. Needs no OpenCL device.
 */
#include "disk_kit.h"

/* ---- the folder's files ------------------------------------------------------------------------------------------ */

static void stores_and_loads(void **state)
{
    od_disk *disk = open_disk(0);
    struct stat about;
    (void)state;
    assert_false(holds(disk, key_a, "x"));
    store(disk, key_a, "first");
    assert_true(holds(disk, key_a, "first"));
    store(disk, key_a, "second");
    assert_true(holds(disk, key_a, "second"));
    store(disk, "../../../../etc/not-a-key-at-all", "x");
    store(disk, key_b, "");
    assert_int_equal(names(), 1);
    assert_int_equal(stat(folder, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_int_equal(stat(path_of(key_a), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    od_disk_close(disk);
}

static void damaged_files_are_deleted(void **state)
{
    unsigned char bytes[600];
    size_t length = od_entry_size(9);
    od_disk *disk = open_disk(0);
    od_blob blob;
    (void)state;
    od_entry_encode(key_a, &meta, "123456789", 9, bytes);
    for (size_t cut = 0; cut < length; cut += cut < 64 || cut > 500 ? 1 : 17) {
        write_file(path_of(key_a), bytes, cut);
        assert_false(od_disk_load(disk, key_a, &blob));
        assert_false(exists(path_of(key_a)));
    }
    for (size_t byte = 0; byte < length; byte += 7) {
        bytes[byte] ^= 0x10;
        write_file(path_of(key_a), bytes, length);
        assert_false(od_disk_load(disk, key_a, &blob));
        assert_false(exists(path_of(key_a)));
        bytes[byte] ^= 0x10;
    }
    write_file(path_of(key_b), bytes, length); /* whole, but under another program's name */
    assert_false(od_disk_load(disk, key_b, &blob));
    assert_false(exists(path_of(key_b)));
    bytes[8]++; /* another format */
    write_file(path_of(key_a), bytes, length);
    assert_false(od_disk_load(disk, key_a, &blob));
    assert_false(exists(path_of(key_a)));
    od_disk_close(disk);
}

static void strange_files_are_not_followed(void **state)
{
    od_disk *disk = open_disk(0);
    char target[256];
    od_blob blob;
    (void)state;
    store(disk, key_a, "good");
    snprintf(target, sizeof target, "%s/elsewhere", root);
    assert_int_equal(rename(path_of(key_a), target), 0);
    assert_int_equal(symlink(target, path_of(key_a)), 0);
    assert_false(od_disk_load(disk, key_a, &blob));
    assert_false(exists(path_of(key_a)));
    assert_true(exists(target));
    assert_int_equal(symlink(target, path_of(key_a)), 0);
    store(disk, key_a, "new"); /* replaces the link, not what it points to */
    assert_true(holds(disk, key_a, "new"));
    assert_int_equal(mkfifo(path_of(key_b), 0600), 0);
    assert_false(od_disk_load(disk, key_b, &blob)); /* does not wait for a writer */
    assert_int_equal(mkdir(path_of(key_b), 0700), 0);
    assert_false(od_disk_load(disk, key_b, &blob));
    store(disk, key_b, "x");
    assert_false(od_disk_load(disk, key_b, &blob));
    assert_int_equal(names(), 2);
    assert_int_equal(chmod(path_of(key_a), 0666), 0);
    assert_false(od_disk_load(disk, key_a, &blob)); /* anybody may have written it */
    od_disk_close(disk);
}

/* Names are looked up below the folder that was opened, whatever its path leads to later. */
static void folder_is_replaced_while_in_use(void **state)
{
    od_disk *disk = open_disk(0);
    char moved[256], elsewhere[256];
    od_blob blob;
    (void)state;
    store(disk, key_a, "x");
    snprintf(moved, sizeof moved, "%s/moved", root);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", root);
    assert_int_equal(rename(folder, moved), 0);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, folder), 0);
    store(disk, key_b, "y");
    assert_true(holds(disk, key_a, "x"));
    assert_true(holds(disk, key_b, "y"));
    assert_int_equal(names(), 0); /* through the link: elsewhere */
    remove_tree(moved);
    store(disk, key_b, "y");
    assert_false(od_disk_load(disk, key_b, &blob));
    assert_int_equal(names(), 0);
    od_disk_close(disk);
}

/* ---- whom to trust ----------------------------------------------------------------------------------------------- */

static void expect_refused(const char *path, const char *word)
{
    od_disk *disk = (od_disk *)&disk;
    assert_int_equal(od_disk_open(path, 0, &disk), OCLDNN_INVALID_ARGUMENT);
    assert_null(disk);
    assert_non_null(strstr(ocldnn_last_error(), word));
}

static void folders_of_doubt_are_refused(void **state)
{
    char path[256];
    (void)state;
    od_disk_close(open_disk(0));
    assert_int_equal(chmod(folder, 0770), 0);
    expect_refused(folder, "770");
    assert_int_equal(chmod(folder, 0702), 0);
    expect_refused(folder, "702");
    assert_int_equal(chmod(folder, 0755), 0);
    od_disk_close(open_disk(0));
    snprintf(path, sizeof path, "%s/link", root);
    assert_int_equal(symlink(folder, path), 0);
    expect_refused(path, "symbolic link");
    strcat(path, "//");
    expect_refused(path, "symbolic link");
    snprintf(path, sizeof path, "%s/file", root);
    write_file(path, "x", 1);
    expect_refused(path, "not a folder");
    strcat(path, "/below");
    expect_refused(path, path);
    expect_refused("", "empty");
    if (geteuid() == 0) {
        assert_int_equal(chown(folder, 12345, 12345), 0);
        expect_refused(folder, "12345");
        assert_int_equal(chown(folder, 0, 0), 0);
    }
}

static void foreign_files_are_not_taken(void **state)
{
    od_disk *disk;
    od_blob blob;
    (void)state;
    if (geteuid() != 0)
        skip();
    disk = open_disk(0);
    store(disk, key_a, "x");
    assert_int_equal(chown(path_of(key_a), 12345, 12345), 0);
    assert_false(od_disk_load(disk, key_a, &blob));
    assert_false(exists(path_of(key_a)));
    od_disk_close(disk);
}

static void default_folder_follows_the_environment(void **state)
{
    char path[256];
    char home[160];
    od_disk *disk;
    (void)state;
    snprintf(home, sizeof home, "%s/home", root);
    setenv("XDG_CACHE_HOME", root, 1);
    assert_true(od_disk_folder(NULL, path, sizeof path));
    assert_memory_equal(path, root, strlen(root));
    assert_string_equal(path + strlen(root), "/ocldnn");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", home, 1);
    assert_int_equal(od_disk_open(NULL, 0, &disk), OCLDNN_SUCCESS);
    od_disk_close(disk);
    snprintf(path, sizeof path, "%s/.cache/ocldnn", home);
    assert_true(exists(path));
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    expect_refused(NULL, "HOME");
}

/* ---- full, read-only, limited ------------------------------------------------------------------------------------ */

/* As another user, because root may write anywhere. */
static void as_nobody(void (*body)(void))
{
    int result = 0;
    pid_t child;
    assert_int_equal(chmod(root, 0755), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

static void use_read_only(void)
{
    od_disk *disk;
    od_blob blob;
    if (od_disk_open(folder, 0, &disk) != OCLDNN_SUCCESS)
        _exit(3);
    store(disk, key_b, "x");
    if (od_disk_load(disk, key_b, &blob) || !od_disk_load(disk, key_a, &blob))
        _exit(4);
    od_blob_free(&blob);
    od_disk_close(disk);
}

static void read_only_folder_is_no_error(void **state)
{
    od_disk *disk = open_disk(0);
    (void)state;
    store(disk, key_a, "x");
    if (geteuid() == 0) {
        assert_int_equal(chown(folder, 65534, 65534), 0);
        assert_int_equal(chown(path_of(key_a), 65534, 65534), 0);
    }
    assert_int_equal(chmod(folder, 0500), 0);
    as_nobody(use_read_only);
    chmod(folder, 0700);
    od_disk_close(disk);
}

static void use_with_size_limit(void)
{
    const struct rlimit little = {od_entry_size(5), od_entry_size(5)};
    od_disk *disk;
    snprintf(folder, sizeof folder, "%s/limited", root);
    if (setrlimit(RLIMIT_FSIZE, &little) != 0 || od_disk_open(folder, 0, &disk) != OCLDNN_SUCCESS)
        _exit(3);
    store(disk, key_a, "123456"); /* would be SIGXFSZ */
    if (names() != 0)
        _exit(4);
    store(disk, key_a, "12345"); /* to the last byte */
    if (!holds(disk, key_a, "12345"))
        _exit(5);
    od_disk_close(disk);
}

static void file_size_limit_does_not_kill(void **state)
{
    int result = 0;
    pid_t child;
    (void)state;
    child = fork();
    if (child == 0) {
        use_with_size_limit();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

static void least_recently_used_go_first(void **state)
{
    char binary[1001] = {0};
    od_disk *disk;
    od_blob blob;
    (void)state;
    memset(binary, 'b', 1000);
    disk = open_disk(4 * od_entry_size(1000));
    for (int i = 0; i < 4; i++) {
        store(disk, number_key(i), binary);
        set_age(number_key(i), 1000 - i);
    }
    assert_true(holds(disk, number_key(0), binary)); /* the oldest is used, so that 1 is the oldest now */
    store(disk, number_key(4), binary);
    assert_int_equal(names(), 4);
    assert_false(od_disk_load(disk, number_key(1), &blob));
    assert_true(holds(disk, number_key(0), binary));
    assert_true(holds(disk, number_key(4), binary));
    od_disk_close(disk);
    disk = open_disk(100);
    store(disk, number_key(5), binary); /* larger than the whole limit: not kept, and nothing else goes for it */
    assert_int_equal(names(), 4);
    od_disk_close(disk);
}

static void clock_set_back_is_harmless(void **state)
{
    char binary[1001] = {0};
    od_disk *disk;
    (void)state;
    memset(binary, 'b', 1000);
    disk = open_disk(4 * od_entry_size(1000));
    for (int i = 0; i < 4; i++) {
        store(disk, number_key(i), binary);
        set_age(number_key(i), -100000 - i);
    }
    for (int i = 4; i < 8; i++) {
        store(disk, number_key(i), binary);
        assert_true(holds(disk, number_key(i), binary));
        assert_int_equal(names(), 4);
    }
    for (int i = 4; i < 8; i++) /* those of the future went first */
        assert_true(holds(disk, number_key(i), binary));
    od_disk_close(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stores_and_loads),
        TEST(damaged_files_are_deleted),
        TEST(strange_files_are_not_followed),
        TEST(folder_is_replaced_while_in_use),
        TEST(folders_of_doubt_are_refused),
        TEST(foreign_files_are_not_taken),
        TEST(default_folder_follows_the_environment),
        TEST(read_only_folder_is_no_error),
        TEST(file_size_limit_does_not_kill),
        TEST(least_recently_used_go_first),
        TEST(clock_set_back_is_harmless),
    };
    return cmocka_run_group_tests_name("runtime/disk", tests, NULL, NULL);
}
