/* SPDX-License-Identifier: Apache-2.0
 *
 * A context's cache as an application sees it: by a folder, by callbacks, by export and import.
 */
#include "disk_kit.h"

#include <ocldnn/ocldnn.h>

static ocldnn_context *make(const ocldnn_context_options *options)
{
    ocldnn_context *context = NULL;
    if (ocldnn_context_create_default(options, &context) != OCLDNN_SUCCESS)
        print_message("%s\n", ocldnn_last_error());
    assert_non_null(context);
    return context;
}

/* Prepares one program, destroys the context, and says how many were built and loaded. */
static ocldnn_stats prepare_in(ocldnn_context *context)
{
    const int64_t shape[] = {4, 64};
    const ocldnn_rms_norm op = {.input = ocldnn_tensor_dense(NULL, OCLDNN_F32, 2, shape),
                                .output = ocldnn_tensor_dense(NULL, OCLDNN_F32, 2, shape),
                                .epsilon = 1e-5f};
    ocldnn_stats stats;
    assert_int_equal(ocldnn_rms_norm_prepare(context, &op), OCLDNN_SUCCESS);
    assert_int_equal(ocldnn_context_stats(context, &stats), OCLDNN_SUCCESS);
    assert_int_equal(stats.programs_built + stats.programs_loaded, 1);
    return stats;
}

static ocldnn_stats prepare_once(const ocldnn_context_options *options)
{
    ocldnn_context *context = make(options);
    ocldnn_stats stats = prepare_in(context);
    ocldnn_context_destroy(context);
    return stats;
}

static int keep_entry(void *user, const ocldnn_cache_entry *entry)
{
    *(ocldnn_cache_entry *)user = *entry;
    return 1;
}

static void folder_serves_the_next_context(void **state)
{
    const ocldnn_context_options options = {.cache_folder = folder};
    ocldnn_cache_entry entry = {0};
    ocldnn_stats first, second;
    char path[256];
    (void)state;
    first = prepare_once(&options);
    assert_int_equal(first.programs_built, 1);
    second = prepare_once(&options);
    assert_int_equal(second.programs_loaded, 1);
    assert_true(second.saved_nanoseconds > 0);
    assert_int_equal(ocldnn_cache_visit(folder, keep_entry, &entry), OCLDNN_SUCCESS);
    assert_string_equal(entry.source, "norm/rms_norm.cl");
    assert_true(entry.build_nanoseconds == second.saved_nanoseconds);
    snprintf(path, sizeof path, "%s/%s.program", folder, entry.key);
    assert_int_equal(truncate(path, 700), 0);
    assert_int_equal(prepare_once(&options).programs_built, 1);
    assert_int_equal(prepare_once(&options).programs_loaded, 1);
}

static void no_folder_is_no_error(void **state)
{
    const ocldnn_context_options nowhere = {.cache_folder = "/proc/no/such/place"};
    const ocldnn_context_options none = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE, .cache_folder = folder};
    (void)state;
    assert_int_equal(prepare_once(&nowhere).programs_built, 1);
    assert_int_equal(prepare_once(&none).programs_built, 1);
    assert_false(exists(folder));
}

/* rusticl ends the process when it sees a strange binary, checked or not. */
static bool driver_survives_strange_binaries(void)
{
    const ocldnn_context_options memory = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    ocldnn_context *context = make(&memory);
    char text[4096];
    ocldnn_context_describe(context, text, sizeof text);
    ocldnn_context_destroy(context);
    return strstr(text, "PoCL") || strstr(text, "pocl");
}

/* Whole and checked, but not what this driver can use: built from source without a word, and replaced. */
static void binary_that_the_driver_refuses_is_rebuilt(void **state)
{
    const ocldnn_context_options options = {.cache_folder = folder};
    ocldnn_cache_entry entry = {0};
    od_disk *disk;
    (void)state;
    if (!driver_survives_strange_binaries())
        skip();
    prepare_once(&options);
    assert_int_equal(ocldnn_cache_visit(folder, keep_entry, &entry), OCLDNN_SUCCESS);
    disk = open_disk(0);
    store(disk, entry.key, "no binary of any driver, though its checksum is right");
    assert_int_equal(prepare_once(&options).programs_built, 1);
    assert_int_equal(prepare_once(&options).programs_loaded, 1);
    od_disk_close(disk);
}

static unsigned char *exported(ocldnn_context *context, size_t *bytes)
{
    unsigned char *data;
    size_t room;
    assert_int_equal(ocldnn_cache_export(context, NULL, bytes), OCLDNN_SUCCESS);
    data = malloc(*bytes);
    assert_non_null(data);
    room = *bytes - 1;
    assert_int_equal(ocldnn_cache_export(context, data, &room), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_cache_export(context, data, bytes), OCLDNN_SUCCESS);
    return data;
}

static void bundle_serves_another_context(void **state)
{
    const ocldnn_context_options memory = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    const ocldnn_context_options disk = {.cache_folder = folder};
    ocldnn_context *context = make(&memory);
    unsigned char *data;
    size_t bytes = 0;
    uint32_t count = 77;
    (void)state;
    data = exported(context, &bytes); /* nothing used yet: an empty bundle is one too */
    assert_int_equal(ocldnn_cache_import(context, data, bytes, &count), OCLDNN_SUCCESS);
    assert_int_equal(count, 0);
    free(data);
    prepare_in(context);
    data = exported(context, &bytes);
    ocldnn_context_destroy(context);

    context = make(&memory);
    data[bytes / 2] ^= 4;
    assert_int_equal(ocldnn_cache_import(context, data, bytes, &count), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
    data[bytes / 2] ^= 4;
    assert_int_equal(ocldnn_cache_import(context, data, bytes - 1, NULL), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_cache_import(context, NULL, 0, NULL), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_cache_import(context, data, bytes, &count), OCLDNN_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(prepare_in(context).programs_loaded, 1);
    ocldnn_context_destroy(context);

    context = make(&disk); /* into the folder as well */
    assert_int_equal(ocldnn_cache_import(context, data, bytes, NULL), OCLDNN_SUCCESS);
    ocldnn_context_destroy(context);
    assert_int_equal(prepare_once(&disk).programs_loaded, 1);
    free(data);
}

typedef struct shelf {
    unsigned char *bytes;
    size_t length;
    int stores;
} shelf;

static size_t shelf_load(void *user, const char *key, void *data, size_t capacity)
{
    const shelf *kept = user;
    assert_true(od_key_valid(key));
    if (capacity && kept->length)
        memcpy(data, kept->bytes, kept->length < capacity ? kept->length : capacity);
    return kept->length;
}

static void shelf_store(void *user, const char *key, const void *data, size_t bytes)
{
    shelf *kept = user;
    assert_true(od_key_valid(key));
    free(kept->bytes);
    kept->bytes = malloc(bytes);
    assert_non_null(kept->bytes);
    memcpy(kept->bytes, data, bytes);
    kept->length = bytes;
    kept->stores++;
}

static void callbacks_take_the_place_of_the_folder(void **state)
{
    shelf kept = {0};
    const ocldnn_cache_callbacks callbacks = {&kept, shelf_load, shelf_store};
    const ocldnn_context_options options = {.cache_callbacks = &callbacks, .cache_folder = folder};
    (void)state;
    assert_int_equal(prepare_once(&options).programs_built, 1);
    assert_int_equal(kept.stores, 1);
    assert_int_equal(prepare_once(&options).programs_loaded, 1);
    kept.bytes[kept.length - 20] ^= 1;
    assert_int_equal(prepare_once(&options).programs_built, 1);
    assert_int_equal(kept.stores, 2);
    assert_false(exists(folder));
    free(kept.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(folder_serves_the_next_context),
        TEST(no_folder_is_no_error),
        TEST(binary_that_the_driver_refuses_is_rebuilt),
        TEST(bundle_serves_another_context),
        TEST(callbacks_take_the_place_of_the_folder),
    };
    return cmocka_run_group_tests_name("runtime/cache", tests, NULL, NULL);
}
