/* SPDX-License-Identifier: Apache-2.0
 *
 * The program cache's entries and bundles, and an application's callbacks. Needs no OpenCL device.
 */
#include "disk_kit.h"

/* ---- entries and bundles ----------------------------------------------------------------------------------------- */

static void entry_comes_back_as_it_was(void **state)
{
    unsigned char bytes[600];
    od_entry entry;
    (void)state;
    assert_int_equal(od_entry_size(5), OD_ENTRY_HEADER + 5 + OD_ENTRY_CHECKSUM);
    od_entry_encode(key_a, &meta, "12345", 5, bytes);
    assert_true(od_entry_decode(bytes, od_entry_size(5), key_a, &entry));
    assert_true(od_entry_decode(bytes, od_entry_size(5), NULL, &entry));
    assert_string_equal(entry.key, key_a);
    assert_string_equal(entry.meta.source, meta.source);
    assert_string_equal(entry.meta.options, meta.options);
    assert_string_equal(entry.meta.device, meta.device);
    assert_true(entry.meta.build_nanoseconds == meta.build_nanoseconds);
    assert_memory_equal(entry.binary, "12345", 5);
    assert_false(od_entry_decode(bytes, od_entry_size(5), key_b, &entry));
}

static void entry_refuses_every_flipped_bit(void **state)
{
    unsigned char bytes[600];
    size_t length = od_entry_size(9);
    od_entry entry;
    (void)state;
    od_entry_encode(key_a, &meta, "123456789", 9, bytes);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(od_entry_decode(bytes, length, NULL, &entry));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(od_entry_decode(bytes, length, key_a, &entry));
}

/* Each length in a block of exactly that size, so that a sanitizer sees a read past it. */
static void entry_refuses_every_other_length(void **state)
{
    unsigned char bytes[640] = {0};
    size_t length = od_entry_size(9);
    (void)state;
    od_entry_encode(key_a, &meta, "123456789", 9, bytes);
    for (size_t shorter = 0; shorter < sizeof bytes; shorter++) {
        unsigned char *copy = malloc(shorter + 1);
        od_entry entry;
        memcpy(copy, bytes, shorter);
        assert_int_equal(od_entry_decode(copy, shorter, NULL, &entry), shorter == length);
        free(copy);
    }
}

static void bundle_is_checked_to_the_last_byte(void **state)
{
    unsigned char bytes[2048] = {0};
    size_t first = od_entry_size(3);
    size_t length = OD_BUNDLE_HEADER + first + od_entry_size(4);
    size_t position = 0;
    uint32_t count = 0;
    od_entry entry;
    (void)state;
    od_bundle_begin(2, bytes);
    od_entry_encode(key_a, &meta, "one", 3, bytes + OD_BUNDLE_HEADER);
    od_entry_encode(key_b, &meta, "four", 4, bytes + OD_BUNDLE_HEADER + first);
    assert_true(od_bundle_check(bytes, length, &count));
    assert_int_equal(count, 2);
    assert_true(od_bundle_next(bytes, length, &position, &entry));
    assert_string_equal(entry.key, key_a);
    assert_true(od_bundle_next(bytes, length, &position, &entry));
    assert_string_equal(entry.key, key_b);
    assert_false(od_bundle_next(bytes, length, &position, &entry));
    for (size_t other = 0; other < length + 8; other++)
        assert_int_equal(od_bundle_check(bytes, other, &count), other == length);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(od_bundle_check(bytes, length, &count));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    od_bundle_begin(0, bytes);
    assert_true(od_bundle_check(bytes, OD_BUNDLE_HEADER, &count));
    assert_int_equal(count, 0);
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

typedef struct shelf {
    unsigned char bytes[2000];
    size_t length;
} shelf;

static size_t shelf_load(void *user, const char *key, void *data, size_t capacity)
{
    const shelf *kept = user;
    (void)key;
    if (capacity)
        memcpy(data, kept->bytes, kept->length < capacity ? kept->length : capacity);
    return kept->length;
}

static void shelf_store(void *user, const char *key, const void *data, size_t bytes)
{
    shelf *kept = user;
    (void)key;
    memcpy(kept->bytes, data, bytes);
    kept->length = bytes;
}

static void callbacks_are_checked_too(void **state)
{
    shelf kept = {0};
    const ocldnn_cache_callbacks callbacks = {&kept, shelf_load, shelf_store};
    od_blob blob;
    (void)state;
    assert_false(od_callbacks_load(&callbacks, key_a, &blob));
    od_callbacks_store(&callbacks, key_a, &meta, "binary", 6);
    assert_true(od_callbacks_load(&callbacks, key_a, &blob));
    assert_memory_equal(blob.entry.binary, "binary", 6);
    od_blob_free(&blob);
    assert_false(od_callbacks_load(&callbacks, key_b, &blob));
    kept.bytes[540] ^= 1;
    assert_false(od_callbacks_load(&callbacks, key_a, &blob));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entry_comes_back_as_it_was),       cmocka_unit_test(entry_refuses_every_flipped_bit),
        cmocka_unit_test(entry_refuses_every_other_length), cmocka_unit_test(bundle_is_checked_to_the_last_byte),
        cmocka_unit_test(callbacks_are_checked_too),
    };
    return cmocka_run_group_tests_name("runtime/entry", tests, NULL, NULL);
}
