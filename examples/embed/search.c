/* SPDX-License-Identifier: Apache-2.0
 *
 * The search: embed every sentence and the query, show the nearest, then say what it took.
 */
#include "options.h"

#include "complain.h"
#include "sentences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct corpus {
    struct sentences sentences;
    struct tokens *tokens;
    float *embeddings; /* [sentences, hidden], then the query's */
    size_t token_count;
    double seconds; /* to embed it */
};

struct bar {
    double begin;
    bool terminal;
};

static void show_progress(void *user, size_t done, size_t total)
{
    const struct bar *bar = user;
    int filled = (int)(40 * done / total);

    if (bar->terminal)
        fprintf(stderr, "\r  [%.*s%*s] %3d%%  %.0f tokens per second ", filled,
                "########################################", 40 - filled, "", (int)(100 * done / total),
                (double)done / (seconds_now() - bar->begin));
    if (bar->terminal && done == total)
        fputc('\n', stderr);
}

static bool read_corpus(struct corpus *corpus, const struct session *session, const struct options *options)
{
    size_t hidden = (size_t)session->model.config.hidden, count;

    for (unsigned i = 0; i < options->file_count; i++)
        if (!sentences_read(&corpus->sentences, options->files[i]))
            return false;
    count = corpus->sentences.count;
    if (count == 0)
        return complain("there is no sentence in the text");
    corpus->tokens = calloc(count + 1, sizeof *corpus->tokens);
    corpus->embeddings = calloc((count + 1) * hidden, sizeof *corpus->embeddings);
    if (corpus->tokens == NULL || corpus->embeddings == NULL)
        return complain("no memory for %zu sentences", count);
    for (size_t i = 0; i < count; i++) {
        const struct sentence *sentence = &corpus->sentences.list[i];
        if (!tokens_make(&corpus->tokens[i], &session->tokenizer, sentence->text, sentence->length, LONGEST_TEXT))
            return false;
        corpus->token_count += corpus->tokens[i].count;
    }
    return tokens_make(&corpus->tokens[count], &session->tokenizer, options->query, strlen(options->query),
                       LONGEST_TEXT);
}

static bool embed_corpus(struct corpus *corpus, struct session *session)
{
    struct bar bar = {.begin = seconds_now(), .terminal = isatty(STDERR_FILENO) != 0};
    size_t count = corpus->sentences.count;
    bool good;

    printf("Embedding %zu sentences, %zu tokens\n", count, corpus->token_count);
    fflush(stdout);
    good = batches_embed(&session->model, corpus->tokens, count, corpus->embeddings, show_progress, &bar);
    corpus->seconds = seconds_now() - bar.begin;
    return good;
}

static void free_corpus(struct corpus *corpus)
{
    for (size_t i = 0; corpus->tokens != NULL && i <= corpus->sentences.count; i++)
        free(corpus->tokens[i].ids);
    free(corpus->tokens);
    free(corpus->embeddings);
    sentences_free(&corpus->sentences);
}

/* The cosine of the angle between two vectors of length 1. */
static float similarity(const float *a, const float *b, size_t hidden)
{
    float sum = 0;
    for (size_t i = 0; i < hidden; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Shows the best `top` sentences, nearest first. Scores are used up. */
static void show_matches(const struct sentences *sentences, float *scores, size_t top, const char *query)
{
    printf("\nNearest to \"%s\":\n", query);
    for (size_t shown = 0; shown < top && shown < sentences->count; shown++) {
        size_t best = 0;
        for (size_t i = 1; i < sentences->count; i++)
            if (scores[i] > scores[best])
                best = i;
        const struct sentence *sentence = &sentences->list[best];
        const char *name = strrchr(sentence->file, '/');
        printf("%6.3f  %s:%u  %.*s\n", (double)scores[best], name == NULL ? sentence->file : name + 1, sentence->line,
               (int)sentence->length, sentence->text);
        scores[best] = -2;
    }
}

static bool answer(struct corpus *corpus, struct session *session, const struct options *options)
{
    size_t hidden = (size_t)session->model.config.hidden, count = corpus->sentences.count;
    float *query = corpus->embeddings + count * hidden, *scores = malloc(count * sizeof *scores);
    bool good;

    if (scores == NULL)
        return complain("no memory for %zu scores", count);
    good = batches_embed(&session->model, corpus->tokens + count, 1, query, NULL, NULL);
    for (size_t i = 0; good && i < count; i++)
        scores[i] = similarity(query, corpus->embeddings + i * hidden, hidden);
    if (good)
        show_matches(&corpus->sentences, scores, options->top, options->query);
    free(scores);
    return good;
}

static const char *device_name(cl_device_id device, char *name, size_t capacity)
{
    if (clGetDeviceInfo(device, CL_DEVICE_NAME, capacity, name, NULL) != CL_SUCCESS)
        snprintf(name, capacity, "unknown");
    return name;
}

static bool show_facts(const struct corpus *corpus, struct session *session, const struct options *options)
{
    static const char *const dtypes[] = {[OCLDNN_F32] = "F32", [OCLDNN_F16] = "F16", [OCLDNN_BF16] = "BF16"};
    ocldnn_stats stats;
    char name[256];

    if (!went_well(ocldnn_context_stats(session->context, &stats), "asking for statistics"))
        return false;
    printf("\nDevice      %s, %s\n", device_name(ocldnn_context_device(session->context), name, sizeof name),
           dtypes[options->dtype]);
    printf("Speed       %.0f tokens per second\n", (double)corpus->token_count / corpus->seconds);
    printf("Start       %.2f s: %llu programs built in %.2f s", session->seconds,
           (unsigned long long)stats.programs_built, 1e-9 * (double)stats.build_nanoseconds);
    printf(", %llu loaded from the cache in %.2f s", (unsigned long long)stats.programs_loaded,
           1e-9 * (double)stats.load_nanoseconds);
    printf(" (which saved %.2f s)\n", 1e-9 * (double)(stats.saved_nanoseconds - stats.load_nanoseconds));
    printf("Strategies  of a batch of 32 sentences of 64 tokens:\n");
    return model_explain(&session->model, 32, 64, options->verbose);
}

int search(struct session *session, const struct options *options)
{
    struct corpus corpus = {0};
    bool good = read_corpus(&corpus, session, options) && embed_corpus(&corpus, session) &&
                answer(&corpus, session, options) && show_facts(&corpus, session, options);

    free_corpus(&corpus);
    fflush(stdout);
    return good ? 0 : 1;
}
