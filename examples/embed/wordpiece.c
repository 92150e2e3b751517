/* SPDX-License-Identifier: Apache-2.0 */
#include "wordpiece.h"

#include "complain.h"
#include "unicode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_CHARACTERS 100 /* a longer word is [UNK], as in the original */

/* A word that is being read. Two bytes stand free before it, where "##" is written in front of a later piece. */
struct word {
    size_t characters, bytes;
    char text[2 + 4 * WORD_CHARACTERS];
};

struct output {
    uint32_t *ids;
    size_t count, capacity;
};

/* FNV-1a */
static size_t hash(const char *text, size_t length)
{
    uint64_t value = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(value ^ value >> 32);
}

/* The slot that holds the entry, or the empty one where it would stand. */
static uint32_t *find(const struct wordpiece *tokenizer, const char *text, size_t length)
{
    size_t at = hash(text, length) & tokenizer->slot_mask;
    while (tokenizer->slots[at] != 0) {
        const char *entry = tokenizer->entries[tokenizer->slots[at] - 1];
        if (strncmp(entry, text, length) == 0 && entry[length] == '\0')
            break;
        at = (at + 1) & tokenizer->slot_mask;
    }
    return &tokenizer->slots[at];
}

static bool find_special(const struct wordpiece *tokenizer, const char *name, uint32_t *id)
{
    uint32_t slot = *find(tokenizer, name, strlen(name));
    if (slot == 0)
        return complain("the vocabulary has no entry %s: it is not one of a BERT model", name);
    *id = slot - 1;
    return true;
}

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (file == NULL) {
        complain("the vocabulary %s can't be opened: %s", path, strerror(errno));
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        *length = (size_t)size;
        text = malloc(*length + 1);
        if (text != NULL && fread(text, 1, *length, file) != *length) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    if (text == NULL)
        complain("the vocabulary %s can't be read", path);
    else
        text[*length] = '\0';
    return text;
}

/* Cuts the text into lines and counts them; with entries, remembers where each begins. */
static size_t cut_lines(char *text, size_t length, const char **entries)
{
    size_t count = 0, begin = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != '\n')
            continue;
        if (entries != NULL) {
            text[i] = '\0';
            if (i > begin && text[i - 1] == '\r')
                text[i - 1] = '\0';
            entries[count] = text + begin;
        }
        count += i > begin || i < length; /* no entry after the last line's end */
        begin = i + 1;
    }
    return count;
}

static bool fill_table(struct wordpiece *tokenizer, size_t length)
{
    size_t slots = 16;

    tokenizer->count = cut_lines(tokenizer->text, length, NULL);
    while (slots < 2 * tokenizer->count)
        slots *= 2;
    tokenizer->slot_mask = slots - 1;
    tokenizer->entries = calloc(tokenizer->count + 1, sizeof *tokenizer->entries);
    tokenizer->slots = calloc(slots, sizeof *tokenizer->slots);
    if (tokenizer->entries == NULL || tokenizer->slots == NULL)
        return complain("no memory for a vocabulary of %zu entries", tokenizer->count);
    cut_lines(tokenizer->text, length, tokenizer->entries);
    for (size_t id = 0; id < tokenizer->count; id++)
        *find(tokenizer, tokenizer->entries[id], strlen(tokenizer->entries[id])) = (uint32_t)id + 1;
    return find_special(tokenizer, "[UNK]", &tokenizer->unknown) &&
           find_special(tokenizer, "[CLS]", &tokenizer->first) && find_special(tokenizer, "[SEP]", &tokenizer->last);
}

bool wordpiece_open(struct wordpiece *tokenizer, const char *path)
{
    size_t length = 0;

    memset(tokenizer, 0, sizeof *tokenizer);
    tokenizer->text = read_whole(path, &length);
    if (tokenizer->text == NULL)
        return false;
    if (!fill_table(tokenizer, length)) {
        wordpiece_close(tokenizer);
        return false;
    }
    return true;
}

void wordpiece_close(struct wordpiece *tokenizer)
{
    free(tokenizer->text);
    free(tokenizer->entries);
    free(tokenizer->slots);
    memset(tokenizer, 0, sizeof *tokenizer);
}

static void put(struct output *out, uint32_t id)
{
    if (out->count < out->capacity)
        out->ids[out->count++] = id;
}

/* Takes the longest entry that the word begins with, then the longest that the rest begins with, and so on. */
static void end_word(const struct wordpiece *tokenizer, struct word *word, struct output *out)
{
    char *text = word->text + 2;
    size_t begin = 0, first_piece = out->count;

    while (begin < word->bytes && word->characters <= WORD_CHARACTERS) {
        size_t mark = begin == 0 ? 0 : 2, end;
        uint32_t slot = 0;

        if (mark != 0)
            memcpy(text + begin - mark, "##", 2);
        for (end = word->bytes; end > begin && slot == 0; end--)
            slot = *find(tokenizer, text + begin - mark, end - begin + mark);
        if (slot == 0)
            break;
        put(out, slot - 1);
        begin = end + 1;
    }
    if (begin < word->bytes) { /* some rest is in no entry: the whole word is unknown */
        out->count = first_piece;
        put(out, tokenizer->unknown);
    }
    word->characters = 0;
    word->bytes = 0;
}

static void add_character(struct word *word, uint32_t character)
{
    if (word->characters++ < WORD_CHARACTERS)
        word->bytes += unicode_write(character, word->text + 2 + word->bytes);
}

static void add_folded(const struct wordpiece *tokenizer, uint32_t character, struct word *word, struct output *out)
{
    uint32_t parts[UNICODE_FOLD_MAX];
    size_t count = unicode_fold(character, parts);

    for (size_t i = 0; i < count; i++) {
        bool alone = unicode_kind(parts[i]) == UNICODE_PUNCTUATION;
        if (alone)
            end_word(tokenizer, word, out);
        add_character(word, parts[i]);
        if (alone)
            end_word(tokenizer, word, out);
    }
}

size_t wordpiece_encode(const struct wordpiece *tokenizer, const char *text, size_t length, uint32_t *ids,
                        size_t capacity)
{
    struct output out = {ids, 0, capacity - 1};
    struct word word = {0};
    size_t at = 0;

    put(&out, tokenizer->first);
    while (at < length && out.count < out.capacity) {
        uint32_t character;
        at += unicode_read(text + at, length - at, &character);
        enum unicode_kind kind = unicode_kind(character);
        if (kind == UNICODE_DROP)
            continue;
        if (kind == UNICODE_SPACE || kind == UNICODE_IDEOGRAPH)
            end_word(tokenizer, &word, &out);
        if (kind != UNICODE_SPACE)
            add_folded(tokenizer, character, &word, &out);
        if (kind == UNICODE_IDEOGRAPH)
            end_word(tokenizer, &word, &out);
    }
    end_word(tokenizer, &word, &out);
    out.capacity = capacity;
    put(&out, tokenizer->last);
    return out.count;
}
