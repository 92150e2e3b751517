/* SPDX-License-Identifier: Apache-2.0 */
#include "unicode.h"

#include "unicode_tables.h"

_Static_assert(FOLD_LONGEST <= UNICODE_FOLD_MAX, "a character of this Unicode version folds to more");

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))

size_t unicode_read(const char *text, size_t length, uint32_t *character)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t first = (unsigned char)text[0];
    size_t size = first < 0x80 ? 1 : first >= 0xF8 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
    uint32_t code = size <= 1 ? first : first & (0x7Fu >> size);
    size_t i;

    *character = 0xFFFD;
    if (size == 0 || size > length)
        return 1;
    for (i = 1; i < size; i++) {
        uint32_t next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80)
            return 1;
        code = code << 6 | (next & 0x3F);
    }
    if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return 1;
    *character = code;
    return size;
}

size_t unicode_write(uint32_t character, char *text)
{
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const uint32_t lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t i;

    for (i = size - 1; i > 0; i--) {
        text[i] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    text[0] = (char)(lead[size] | character);
    return size;
}

enum unicode_kind unicode_kind(uint32_t character)
{
    size_t low = 0, high = COUNT(kinds);

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (character > kinds[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == COUNT(kinds) || character < kinds[low].first)
        return UNICODE_WORD;
    return (enum unicode_kind)kinds[low].kind;
}

/* Unicode 3.12: a Hangul syllable is a leading consonant, a vowel and perhaps a trailing consonant. */
static size_t fold_hangul(uint32_t syllable, uint32_t to[UNICODE_FOLD_MAX])
{
    uint32_t index = syllable - 0xAC00;
    to[0] = 0x1100 + index / 588;
    to[1] = 0x1161 + index % 588 / 28;
    to[2] = 0x11A7 + index % 28;
    return index % 28 == 0 ? 2 : 3;
}

size_t unicode_fold(uint32_t character, uint32_t to[UNICODE_FOLD_MAX])
{
    size_t low = 0, high = COUNT(folds), i;

    if (character >= 0xAC00 && character <= 0xD7A3)
        return fold_hangul(character, to);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (character > folds[middle].from)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == COUNT(folds) || character != folds[low].from) {
        to[0] = character;
        return 1;
    }
    for (i = 0; i < folds[low].length; i++)
        to[i] = folds[low].to[i];
    return folds[low].length;
}
