/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts plain text into sentences.
 */
#ifndef EMBED_SENTENCES_H
#define EMBED_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

struct sentence {
    const char *text; /* white space within is single spaces; not terminated */
    size_t length;
    const char *file; /* where it begins */
    unsigned line;
};

struct sentences {
    struct sentence *list;
    size_t count, capacity;
    char **texts; /* the files' contents, which the sentences point into */
    size_t text_count;
};

/* Appends the sentences of a file ("-" is standard input); the name must live as long as the sentences. A sentence ends
 * at a full stop, question or exclamation mark before a capital, at an empty line and before a list item; what has
 * fewer than three words is left out. false, with a message, on failure. Starts from an all-zero struct. */
bool sentences_read(struct sentences *sentences, const char *path);
void sentences_free(struct sentences *sentences);

#endif
