/* SPDX-License-Identifier: Apache-2.0
 *
 * Timing: a worker that tools/bench_model talks to, and a profile of a forward pass.
 */
#include "options.h"

#include "complain.h"

#include <stdio.h>
#include <stdlib.h>

/* Inputs of a batch that is full: token ids from a fixed sequence of random numbers. */
struct job {
    int64_t sentences, length;
    uint32_t *ids;
    float *embeddings;
};

static bool make_job(struct job *job, const struct model *model)
{
    size_t tokens = (size_t)(job->sentences * job->length);
    uint32_t random = 1;

    job->ids = malloc(tokens * sizeof *job->ids);
    job->embeddings = malloc((size_t)(job->sentences * model->config.hidden) * sizeof *job->embeddings);
    if (job->ids == NULL || job->embeddings == NULL) {
        free(job->ids);
        free(job->embeddings);
        return complain("no memory for %zu tokens", tokens);
    }
    for (size_t i = 0; i < tokens; i++) {
        random = random * 1664525u + 1013904223u;
        job->ids[i] = (random >> 8) % (uint32_t)model->config.vocabulary;
    }
    return true;
}

static bool run_job(const struct job *job, struct model *model, double *seconds)
{
    double begin = seconds_now();
    bool good = model_embed(model, job->ids, NULL, job->sentences, job->length, job->embeddings);
    *seconds = seconds_now() - begin;
    return good;
}

static void free_job(struct job *job)
{
    free(job->ids);
    free(job->embeddings);
}

int worker(struct session *session)
{
    struct job job = {0};
    long long sentences, length;
    bool good = true;

    printf("ready %.3f\n", session->seconds);
    fflush(stdout);
    while (good && scanf("%lld %lld", &sentences, &length) == 2) {
        double seconds;
        if (sentences < 1 || length < 1 || length > session->model.config.positions ||
            sentences > session->model.most_tokens / length)
            return complain("%lld x %lld is no batch that this model was opened for", sentences, length) ? 0 : 1;
        job.sentences = sentences;
        job.length = length;
        if (!make_job(&job, &session->model))
            return 1;
        good = run_job(&job, &session->model, &seconds);
        free_job(&job);
        if (good)
            printf("%.6f\n", seconds);
        fflush(stdout);
    }
    return good ? 0 : 1;
}

static bool profile_shape(struct session *session, int64_t sentences, int64_t length)
{
    struct job job = {.sentences = sentences, .length = length};
    double steps[MODEL_STEPS], best[MODEL_STEPS], seconds, least = 0, sum = 0;
    bool good = make_job(&job, &session->model);

    if (!good)
        return false;
    session->model.profile = steps;
    for (unsigned run = 0; good && run < 20; run++) {
        for (unsigned i = 0; i < MODEL_STEPS; i++)
            steps[i] = 0;
        good = run_job(&job, &session->model, &seconds);
        if (run == 0 || seconds < least)
            least = seconds;
        for (unsigned i = 0; i < MODEL_STEPS; i++)
            best[i] = run == 0 || steps[i] < best[i] ? steps[i] : best[i];
    }
    session->model.profile = NULL;
    free_job(&job);
    if (!good)
        return false;
    printf("%lld x %lld tokens: %.3f ms, %.0f tokens per second; the best of 20 runs, each step's own\n",
           (long long)sentences, (long long)length, 1e3 * least, (double)(sentences * length) / least);
    for (unsigned i = 0; i < MODEL_STEPS; i++)
        sum += best[i];
    for (unsigned i = 0; i < MODEL_STEPS; i++)
        printf("  %-18s %9.3f ms %5.1f %%\n", model_step_names[i], 1e3 * best[i], 100 * best[i] / sum);
    return true;
}

int profile(struct session *session)
{
    return profile_shape(session, 32, 128) && profile_shape(session, 8, 64) && profile_shape(session, 1, 16) ? 0 : 1;
}
