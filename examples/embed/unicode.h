/* SPDX-License-Identifier: Apache-2.0
 *
 * As much of Unicode as an uncased BERT tokenizer needs.
 */
#ifndef EMBED_UNICODE_H
#define EMBED_UNICODE_H

#include <stddef.h>
#include <stdint.h>

enum unicode_kind {
    UNICODE_WORD = 0,        /* a letter, a digit, a symbol: part of a word */
    UNICODE_DROP = 1,        /* control characters and accents: left out */
    UNICODE_SPACE = 2,       /* ends a word */
    UNICODE_PUNCTUATION = 3, /* a word of its own */
    UNICODE_IDEOGRAPH = 4    /* Chinese and Japanese characters: a word of its own, too */
};

#define UNICODE_FOLD_MAX 3

/* Reads one character of UTF-8 from text[0 .. length), length > 0, and returns how many bytes it took. Bytes that are
 * not UTF-8 give U+FFFD, one at a time. */
size_t unicode_read(const char *text, size_t length, uint32_t *character);

/* Writes one character as UTF-8, at most 4 bytes; returns how many. */
size_t unicode_write(uint32_t character, char *text);

enum unicode_kind unicode_kind(uint32_t character);

/* Decomposes, drops accents, lower-cases: "É" gives "e". Returns how many characters came out, 0 .. UNICODE_FOLD_MAX.
 */
size_t unicode_fold(uint32_t character, uint32_t to[UNICODE_FOLD_MAX]);

#endif
