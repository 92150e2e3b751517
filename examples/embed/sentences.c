/* SPDX-License-Identifier: Apache-2.0 */
#include "sentences.h"

#include "complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST_WORDS 3

/* Reads all of a file into memory that the caller frees, with a zero byte at its end. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *text = NULL, *grown;
    size_t room = 0, got = 1;

    *length = 0;
    if (file == NULL) {
        complain("%s can't be opened: %s", path, strerror(errno));
        return NULL;
    }
    while (got > 0) {
        if (room - *length < 2) {
            room = room == 0 ? 65536 : 2 * room;
            grown = realloc(text, room);
            if (grown == NULL)
                break;
            text = grown;
        }
        got = fread(text + *length, 1, room - *length - 1, file);
        *length += got;
    }
    if (got > 0 || ferror(file)) {
        complain("%s can't be read: %s", path, got > 0 ? "it is too large for the memory" : strerror(errno));
        free(text);
        text = NULL;
    } else {
        text[*length] = '\0';
    }
    if (file != stdin)
        fclose(file);
    return text;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

/* Words whose full stop ends no sentence, and single letters. text[0 .. end) ends before that full stop. */
static bool is_abbreviation(const char *text, size_t end)
{
    static const char *const words[] = {"e.g", "i.e", "cf", "etc", "vs", "Mr", "Mrs", "Ms", "Dr", "St", "No", "al"};
    size_t begin = end;

    while (begin > 0 && !is_space(text[begin - 1]) && text[begin - 1] != '(')
        begin--;
    if (end - begin == 1 && is_letter(text[begin]))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == end - begin && memcmp(words[i], text + begin, end - begin) == 0)
            return true;
    return false;
}

/* Whether a sentence ends with the character at `at`, which is not the text's last. */
static bool ends_sentence(const char *text, size_t at)
{
    size_t stop = at;

    while (stop > 0 && strchr("\"')]", text[stop]) != NULL)
        stop--;
    if (strchr(".!?", text[stop]) == NULL || !is_space(text[at + 1]))
        return false;
    if (text[stop] == '.' && is_abbreviation(text, stop))
        return false;
    at++;
    while (is_space(text[at]))
        at++;
    return !(text[at] >= 'a' && text[at] <= 'z');
}

/* Whether a new paragraph or list item begins after the line end at `at`. */
static bool ends_paragraph(const char *text, size_t at)
{
    for (at++; text[at] == ' ' || text[at] == '\t' || text[at] == '\r'; at++)
        ;
    return text[at] == '\n' || (strchr("*-#>", text[at]) != NULL && text[at] != '\0' && is_space(text[at + 1]));
}

/* Makes white space in text[0 .. length) single spaces, in place, and drops marks of lists and headings before the
 * first word; returns the new length, 0 when there are too few words. */
static size_t tidy(char *text, size_t length)
{
    size_t to = 0, words = 0;

    for (size_t i = 0; i < length; i++) {
        bool word_begins = i == 0 || is_space(text[i - 1]);
        if (is_space(text[i]) || (to == 0 && strchr("*-#>=", text[i]) != NULL))
            continue;
        if (word_begins && to > 0)
            text[to++] = ' ';
        words += (word_begins || to == 0) && is_letter(text[i]);
        text[to++] = text[i];
    }
    return words < FEWEST_WORDS ? 0 : to;
}

static bool append(struct sentences *sentences, const struct sentence *sentence)
{
    if (sentences->count == sentences->capacity) {
        size_t capacity = sentences->capacity == 0 ? 256 : 2 * sentences->capacity;
        struct sentence *grown = realloc(sentences->list, capacity * sizeof *grown);
        if (grown == NULL)
            return complain("no memory for %zu sentences", capacity);
        sentences->list = grown;
        sentences->capacity = capacity;
    }
    sentences->list[sentences->count++] = *sentence;
    return true;
}

static bool split(struct sentences *sentences, char *text, size_t length, const char *path)
{
    struct sentence sentence = {.file = path};
    size_t begin = 0;
    unsigned line = 1;
    bool inside = false;

    for (size_t at = 0; at < length; at++) {
        if (!inside && !is_space(text[at])) {
            inside = true;
            begin = at;
            sentence.line = line;
        }
        line += text[at] == '\n';
        if (!inside || (at + 1 < length && !ends_sentence(text, at) && !(text[at] == '\n' && ends_paragraph(text, at))))
            continue;
        sentence.text = text + begin;
        sentence.length = tidy(text + begin, at + 1 - begin);
        inside = false;
        if (sentence.length > 0 && !append(sentences, &sentence))
            return false;
    }
    return true;
}

bool sentences_read(struct sentences *sentences, const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    char **texts = text == NULL ? NULL : realloc(sentences->texts, (sentences->text_count + 1) * sizeof *texts);

    if (texts == NULL) {
        free(text);
        return false;
    }
    sentences->texts = texts;
    texts[sentences->text_count++] = text;
    return split(sentences, text, length, path);
}

void sentences_free(struct sentences *sentences)
{
    for (size_t i = 0; i < sentences->text_count; i++)
        free(sentences->texts[i]);
    free(sentences->texts);
    free(sentences->list);
    memset(sentences, 0, sizeof *sentences);
}
