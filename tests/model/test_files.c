/* SPDX-License-Identifier: Apache-2.0
 *
 * The example's readers: safetensors, good and damaged, storage formats, and text cut into sentences.
 */
#include "half.h"
#include "safetensors.h"
#include "sentences.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A new file in the folder for temporary ones; path has room for 256 bytes. */
static void write_file(char *path, const void *bytes, size_t length)
{
    int descriptor;
    snprintf(path, 256, "%s/ocldnn-model-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, length), (ssize_t)length);
    close(descriptor);
}

/* Writes a file with this header and data_bytes of tensors; whether tensor "x" can be had from it. */
static bool finds_x(const char *header, uint64_t stated_length, size_t data_bytes)
{
    char path[256], bytes[1024] = {0};
    struct safetensors file;
    struct safetensor tensor;
    bool found = false;

    memcpy(bytes, &stated_length, 8);
    memcpy(bytes + 8, header, strlen(header));
    write_file(path, bytes, 8 + strlen(header) + data_bytes);
    if (safetensors_open(&file, path)) {
        found = safetensors_find(&file, "x", &tensor);
        safetensors_close(&file);
    }
    unlink(path);
    return found;
}

#define ENTRY(DTYPE, SHAPE, OFFSETS)                                                                                   \
    "{\"x\":{\"dtype\":\"" DTYPE "\",\"shape\":" SHAPE ",\"data_offsets\":" OFFSETS "}}"

static void checks_every_bound(void **state)
{
    static const char *const bad[] = {
        ENTRY("F32", "[2,3]", "[0,23]"),
        ENTRY("F32", "[2,3]", "[8,32]"),
        ENTRY("F32", "[2,3]", "[24,0]"),
        ENTRY("F32", "[2,3]", "[-24,0]"),
        ENTRY("F32", "[2,3]", "[0,1e300]"),
        ENTRY("F32", "[2,3]", "[0.5,24.5]"),
        ENTRY("F32", "[2,3]", "[0]"),
        ENTRY("F32", "[2,3]", "{}"),
        ENTRY("F32", "[2,-3]", "[0,24]"),
        ENTRY("F32", "[2,\"3\"]", "[0,24]"),
        ENTRY("F32", "7", "[0,24]"),
        ENTRY("F32", "[1,1,1,1,1,1,1,1,6]", "[0,24]"),
        ENTRY("F32", "[4294967296,4294967296]", "[0,24]"),
        ENTRY("I64", "[3]", "[0,24]"),
        "{\"x\":3}",
        "{\"y\":{}}",
        "[]",
        "{\"x\":",
    };
    const char *good = ENTRY("F32", "[2,3]", "[0,24]");
    (void)state;
    assert_true(finds_x(good, strlen(good), 24));
    assert_true(finds_x(ENTRY("BF16", "[12]", "[0,24]"), strlen(ENTRY("BF16", "[12]", "[0,24]")), 24));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (finds_x(bad[i], strlen(bad[i]), 24))
            fail_msg("accepted %s", bad[i]);
    assert_false(finds_x(good, strlen(good), 23));
    assert_false(finds_x(good, strlen(good) - 1, 24));
    assert_false(finds_x(good, UINT64_MAX, 24));
    assert_false(finds_x(good, 1u << 30, 24));
}

static void refuses_what_is_no_file(void **state)
{
    struct safetensors file;
    char path[256];
    (void)state;
    assert_false(safetensors_open(&file, "/nowhere/at/all"));
    assert_false(safetensors_open(&file, "/tmp"));
    write_file(path, "short", 5);
    assert_false(safetensors_open(&file, path));
    unlink(path);
}

static void converts_storage(void **state)
{
    static const float values[] = {0, -0.0f, 1, -2.5f, 65504, 65519, 65520, 6e-8f, 0x1p-25f, 0x1.8p-25f, INFINITY};
    static const uint16_t halves[] = {0, 0x8000, 0x3C00, 0xC100, 0x7BFF, 0x7BFF, 0x7C00, 1, 0, 1, 0x7C00};
    uint16_t stored[11];
    float back, nan = NAN;
    (void)state;
    floats_write(values, 11, stored, OCLDNN_F16);
    assert_memory_equal(stored, halves, sizeof stored);
    for (unsigned bits = 0; bits < 65536; bits++) {
        uint16_t half = (uint16_t)bits, again;
        floats_read(&half, OCLDNN_F16, 1, &back);
        floats_write(&back, 1, &again, OCLDNN_F16);
        assert_true(again == half || isnan(back));
        floats_read(&half, OCLDNN_BF16, 1, &back);
        floats_write(&back, 1, &again, OCLDNN_BF16);
        assert_true(again == half || isnan(back));
    }
    floats_write(&nan, 1, stored, OCLDNN_BF16);
    floats_read(stored, OCLDNN_BF16, 1, &back);
    assert_true(isnan(back));
}

static void expect_sentences(const char *text, size_t count, const char *const *wanted)
{
    struct sentences sentences = {0};
    char path[256];
    write_file(path, text, strlen(text));
    assert_true(sentences_read(&sentences, path));
    unlink(path);
    assert_int_equal(sentences.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sentences.list[i].length, strlen(wanted[i]));
        assert_memory_equal(sentences.list[i].text, wanted[i], strlen(wanted[i]));
    }
    sentences_free(&sentences);
}
#define EXPECT_SENTENCES(TEXT, ...)                                                                                    \
    expect_sentences(TEXT, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static void cuts_sentences(void **state)
{
    (void)state;
    EXPECT_SENTENCES("This is one. And this\n  is another!  Is this a third?", "This is one.", "And this is another!",
                     "Is this a third?");
    EXPECT_SENTENCES("A heading of four words\n\nThen a paragraph.", "A heading of four words", "Then a paragraph.");
    EXPECT_SENTENCES("Ask Dr. Smith, e.g. about version 3.1 of it. He knows J. Doe.",
                     "Ask Dr. Smith, e.g. about version 3.1 of it.", "He knows J. Doe.");
    EXPECT_SENTENCES("He said \"It is so.\" Then he left.", "He said \"It is so.\"", "Then he left.");
    EXPECT_SENTENCES("## Items of this list\n* the first of them\n* the second one\n", "Items of this list",
                     "the first of them", "the second one");
    expect_sentences("", 0, NULL);
    expect_sentences("Too short.\n\n\n...", 0, NULL);
}

static void cuts_any_bytes(void **state)
{
    static const char some[] = " \n\t.!?\"'()aA*-#\xc3\xa9";
    char text[200];
    (void)state;
    srand(1);
    for (unsigned round = 0; round < 500; round++) {
        struct sentences sentences = {0};
        char path[256];
        size_t length = (size_t)rand() % sizeof text;
        for (size_t i = 0; i < length; i++)
            text[i] = some[(size_t)rand() % sizeof some];
        write_file(path, text, length);
        assert_true(sentences_read(&sentences, path));
        unlink(path);
        for (size_t i = 0; i < sentences.count; i++)
            assert_true(sentences.list[i].length > 0 && sentences.list[i].length <= length);
        sentences_free(&sentences);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks_every_bound), cmocka_unit_test(refuses_what_is_no_file),
                                       cmocka_unit_test(converts_storage), cmocka_unit_test(cuts_sentences),
                                       cmocka_unit_test(cuts_any_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
