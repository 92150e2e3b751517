/* SPDX-License-Identifier: Apache-2.0
 *
 * The example's tokenizer, with a vocabulary of a few entries.
 */
#include "unicode.h"
#include "wordpiece.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAD, UNK, CLS, SEP, UN, BE, LIEVABLE, CREME, HYPHEN, DOT, BEIJING, ELLIPSIS, A, JAMO, FILTERED };

static const char vocabulary[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##be\n##lievable\ncreme\n-\n.\n\u5317\n...\na\n"
                                 "\u1112\u1161\u11ab\r\nfi\n";

/* A new file in the folder for temporary ones; path has room for 256 bytes. */
static void write_file(char *path, const char *text, size_t length)
{
    int descriptor;
    snprintf(path, 256, "%s/ocldnn-model-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, length), (ssize_t)length);
    close(descriptor);
}

static int open_tokenizer(void **state)
{
    static struct wordpiece tokenizer;
    char path[256];
    write_file(path, vocabulary, sizeof vocabulary - 1);
    *state = &tokenizer;
    bool good = wordpiece_open(&tokenizer, path);
    unlink(path);
    return good ? 0 : -1;
}

static int close_tokenizer(void **state)
{
    wordpiece_close(*state);
    return 0;
}

static void expect(const struct wordpiece *tokenizer, const char *text, size_t count, const uint32_t *wanted)
{
    uint32_t ids[64];
    size_t got = wordpiece_encode(tokenizer, text, strlen(text), ids, 64);
    assert_int_equal(got, count + 2);
    assert_int_equal(ids[0], CLS);
    assert_int_equal(ids[got - 1], SEP);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(ids[i + 1], wanted[i]);
}
#define EXPECT(TEXT, ...)                                                                                              \
    expect(*state, TEXT, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static void cuts_words(void **state)
{
    EXPECT("unbelievable", UN, BE, LIEVABLE);
    EXPECT("UN  be\tun\n", UN, UNK, UN);
    EXPECT("unknown", UNK); /* "un" is an entry, the rest is not: the whole word is unknown */
    EXPECT("un-un.", UN, HYPHEN, UN, DOT);
    EXPECT("...", DOT, DOT, DOT); /* punctuation stands alone before pieces are looked for */
    expect(*state, "", 0, NULL);
    expect(*state, " \r\n ", 0, NULL);
}

static void folds_unicode(void **state)
{
    EXPECT("Cr\u00e8me", CREME);
    EXPECT("CRE\u0300ME", CREME);                 /* the accent as a character of its own */
    EXPECT("cr\u00e8me\u200b", CREME);            /* a zero-width space is a control character, and dropped */
    EXPECT("\u5317\u5317a", BEIJING, BEIJING, A); /* ideographs stand alone */
    EXPECT("\ud55c", JAMO);                       /* Hangul decomposes by formula */
    EXPECT("a\u00a0a\u3000a", A, A, A);           /* white space that is not ASCII */
    EXPECT("a\u2014a", A, UNK, A);                /* punctuation that is not ASCII */
}

static void survives_bytes(void **state)
{
    uint32_t ids[64];
    char text[256];
    EXPECT("a\xff\xc0\x80\xed\xa0\x80 a", A, A); /* not UTF-8: dropped */
    EXPECT("a \xe5\x8c", A);                     /* cut in the middle of a character */
    srand(1);
    for (unsigned round = 0; round < 20000; round++) {
        size_t length = (size_t)rand() % sizeof text;
        for (size_t i = 0; i < length; i++)
            text[i] = (char)rand();
        size_t capacity = 2 + (size_t)rand() % 62;
        size_t count = wordpiece_encode(*state, text, length, ids, capacity);
        assert_true(count >= 2 && count <= capacity);
        assert_int_equal(ids[count - 1], SEP);
    }
}

static void cuts_long_text(void **state)
{
    uint32_t ids[5];
    char word[102];
    assert_int_equal(wordpiece_encode(*state, "a a a a a a", 11, ids, 5), 5);
    assert_int_equal(ids[3], A);
    assert_int_equal(ids[4], SEP);
    memset(word, 'x', sizeof word);
    word[101] = '\0';
    EXPECT(word, UNK);
}

static void refuses_other_files(void **state)
{
    struct wordpiece tokenizer;
    char path[256];
    (void)state;
    write_file(path, "one\ntwo\n", 8);
    assert_false(wordpiece_open(&tokenizer, path));
    unlink(path);
    assert_false(wordpiece_open(&tokenizer, path));
}

static void utf8_round_trip(void **state)
{
    char text[4];
    uint32_t back;
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        if (code >= 0xD800 && code < 0xE000)
            continue;
        size_t size = unicode_write(code, text);
        assert_int_equal(unicode_read(text, size, &back), size);
        assert_int_equal(back, code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuts_words),          cmocka_unit_test(folds_unicode),
                                       cmocka_unit_test(survives_bytes),      cmocka_unit_test(cuts_long_text),
                                       cmocka_unit_test(refuses_other_files), cmocka_unit_test(utf8_round_trip)};
    return cmocka_run_group_tests(tests, open_tokenizer, close_tokenizer);
}
