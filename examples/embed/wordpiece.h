/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokenizer of uncased BERT models: text to the ids of vocabulary entries (Wu et al. 2016; Devlin et al. 2018).
 */
#ifndef EMBED_WORDPIECE_H
#define EMBED_WORDPIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wordpiece {
    char *text;           /* vocab.txt: an entry's id is the number of its line */
    const char **entries; /* by id */
    uint32_t *slots;      /* a hash table: id + 1, or 0 */
    size_t count, slot_mask;
    uint32_t unknown, first, last; /* [UNK], [CLS], [SEP] */
};

/* Loads a vocabulary. false, with a message on stderr, if that fails; nothing needs to be closed then. */
bool wordpiece_open(struct wordpiece *tokenizer, const char *path);
void wordpiece_close(struct wordpiece *tokenizer);

/* Writes [CLS], the pieces of the text and [SEP]; at most capacity ids (>= 2), what does not fit is cut off. Returns
 * how many. Special tokens in the text are read as plain text, so a document cannot smuggle them in. Any thread. */
size_t wordpiece_encode(const struct wordpiece *tokenizer, const char *text, size_t length, uint32_t *ids,
                        size_t capacity);

#endif
