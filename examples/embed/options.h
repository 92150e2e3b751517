/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line, and what all of this program's modes open first.
 */
#ifndef EMBED_OPTIONS_H
#define EMBED_OPTIONS_H

#include "batches.h"

#define LONGEST_TEXT 256 /* tokens; all-MiniLM-L6-v2 was trained on no more */

struct options {
    const char *model;  /* folder of the weights */
    const char *verify; /* file of known answers */
    const char *query;
    char **files;
    unsigned file_count, top, batch;
    ocldnn_dtype dtype;
    bool worker, profile, verbose;
};

/* Everything that is open. */
struct session {
    ocldnn_context *context;
    struct wordpiece tokenizer;
    struct model model;
    double seconds; /* what opening took */
};

/* Ends the program with its help or a message where the command line is not good. */
void options_read(struct options *options, int argc, char **argv);

/* Whether the model's folder has weights at all. */
bool options_have_weights(const struct options *options);

bool session_open(struct session *session, const struct options *options);
void session_close(struct session *session);

double seconds_now(void);

/* The modes, each the program's exit status. */
int search(struct session *session, const struct options *options);
int verify(struct session *session, const struct options *options);
int worker(struct session *session);
int profile(struct session *session);

#endif
