/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "complain.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Errors and workarounds; with --verbose also every build and its time. */
static void log_message(void *user, int level, const char *message)
{
    const struct options *options = user;
    if (level < 2 || options->verbose)
        fprintf(stderr, "embed: oclDNN: %s\n", message);
}

static bool open_device(struct session *session, const struct options *options)
{
    ocldnn_context_options choice = {.log = log_message, .log_user = (void *)(uintptr_t)options};

    return went_well(ocldnn_context_create_default(&choice, &session->context), "looking for an OpenCL device");
}

bool session_open(struct session *session, const struct options *options)
{
    int64_t tokens = options->batch, sentences = tokens / 8;
    double begin = seconds_now();
    char path[4096];

    memset(session, 0, sizeof *session);
    snprintf(path, sizeof path, "%s/vocab.txt", options->model);
    if (wordpiece_open(&session->tokenizer, path) && open_device(session, options) &&
        model_open(&session->model, options->model, session->context, options->dtype, sentences, tokens,
                   options->profile)) {
        session->seconds = seconds_now() - begin;
        return true;
    }
    session_close(session);
    return false;
}

void session_close(struct session *session)
{
    ocldnn_stats stats;

    /* Some drivers (PoCL) compile once more to give a binary; the context asks for it when it goes. */
    if (session->context != NULL && ocldnn_context_stats(session->context, &stats) == OCLDNN_SUCCESS &&
        stats.programs_built > 0)
        fprintf(stderr, "Keeping %llu programs for the next start\n", (unsigned long long)stats.programs_built);
    model_close(&session->model);
    wordpiece_close(&session->tokenizer);
    ocldnn_context_destroy(session->context);
    memset(session, 0, sizeof *session);
}
