/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares with answers computed in double precision. A case is three lines: "text", "ids" and "embedding", each
 * followed by its values; other lines are comments.
 */
#include "options.h"

#include "complain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answers {
    struct tokens *tokens; /* what our tokenizer makes of the texts */
    float *expected;       /* [count, hidden] */
    size_t count, capacity;
    unsigned wrong_ids;
};

struct tally {
    unsigned passed, failed;
};

static bool grow(struct answers *answers, size_t hidden)
{
    size_t capacity = answers->capacity == 0 ? 16 : 2 * answers->capacity;
    struct tokens *tokens = realloc(answers->tokens, capacity * sizeof *tokens);
    if (tokens != NULL)
        answers->tokens = tokens;
    float *expected = realloc(answers->expected, capacity * hidden * sizeof *expected);
    if (expected != NULL)
        answers->expected = expected;
    if (tokens == NULL || expected == NULL)
        return complain("no memory for %zu known answers", capacity);
    memset(tokens + answers->capacity, 0, (capacity - answers->capacity) * sizeof *tokens);
    answers->capacity = capacity;
    return true;
}

static void compare_ids(struct answers *answers, const char *values)
{
    const struct tokens *tokens = &answers->tokens[answers->count];
    size_t count = 0;
    bool same = true;
    char *end;

    for (unsigned long id = strtoul(values, &end, 10); end != values; id = strtoul(values, &end, 10)) {
        same = same && count < tokens->count && tokens->ids[count] == id;
        count++;
        values = end;
    }
    answers->wrong_ids += !same || count != tokens->count;
}

static bool read_embedding(struct answers *answers, const char *values, size_t hidden)
{
    float *to = answers->expected + answers->count * hidden;
    char *end;

    for (size_t i = 0; i < hidden; i++) {
        to[i] = strtof(values, &end);
        if (end == values)
            return complain("known answer %zu has only %zu numbers", answers->count + 1, i);
        values = end;
    }
    answers->count++;
    return true;
}

static bool read_line(struct answers *answers, const struct session *session, char *line, size_t length)
{
    size_t hidden = (size_t)session->model.config.hidden;
    struct tokens *tokens;

    if (length > 0 && line[length - 1] == '\n')
        line[--length] = '\0';
    if (answers->count == answers->capacity && !grow(answers, hidden))
        return false;
    tokens = &answers->tokens[answers->count];
    if (strncmp(line, "text ", 5) == 0)
        return tokens->ids == NULL && tokens_make(tokens, &session->tokenizer, line + 5, length - 5, LONGEST_TEXT);
    if (tokens->ids != NULL && strncmp(line, "ids ", 4) == 0)
        compare_ids(answers, line + 4);
    if (tokens->ids != NULL && strncmp(line, "embedding ", 10) == 0)
        return read_embedding(answers, line + 10, hidden);
    return true;
}

static bool read_answers(struct answers *answers, const struct session *session, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool good = true;

    if (file == NULL)
        return complain("the known answers %s can't be opened: %s", path, strerror(errno));
    while (good && (length = getline(&line, &room, file)) >= 0)
        good = read_line(answers, session, line, (size_t)length);
    free(line);
    fclose(file);
    if (!good)
        return complain("%s: known answer %zu is damaged", path, answers->count + 1);
    return answers->count > 0 || complain("%s holds no known answers", path);
}

static void free_answers(struct answers *answers)
{
    for (size_t i = 0; i < answers->capacity; i++)
        free(answers->tokens[i].ids);
    free(answers->tokens);
    free(answers->expected);
}

/* A NaN counts as infinitely far away. */
static double largest_difference(const float *a, const float *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        if (!(difference <= largest))
            largest = isnan(difference) ? INFINITY : difference;
    }
    return largest;
}

static void report(struct tally *tally, const char *what, double difference, double bound)
{
    bool passed = difference <= bound;
    printf("%s  %-18s largest difference %.2e, bound %.0e\n", passed ? "pass" : "FAIL", what, difference, bound);
    *(passed ? &tally->passed : &tally->failed) += 1;
}

/* Each text alone, then all of them, padded, in one batch. */
static bool compare(const struct answers *answers, struct session *session, double bound, struct tally *tally)
{
    size_t hidden = (size_t)session->model.config.hidden, numbers = answers->count * hidden;
    float *embeddings = calloc(numbers, sizeof *embeddings);
    bool good = embeddings != NULL || complain("no memory for %zu embeddings", answers->count);

    for (size_t i = 0; good && i < answers->count; i++)
        good = batches_embed(&session->model, answers->tokens + i, 1, embeddings + i * hidden, NULL, NULL);
    if (good)
        report(tally, "one at a time", largest_difference(embeddings, answers->expected, numbers), bound);
    good = good && batches_embed(&session->model, answers->tokens, answers->count, embeddings, NULL, NULL);
    if (good)
        report(tally, "in a padded batch", largest_difference(embeddings, answers->expected, numbers), bound);
    free(embeddings);
    return good;
}

int verify(struct session *session, const struct options *options)
{
    double bound = options->dtype == OCLDNN_F32 ? 1e-5 : options->dtype == OCLDNN_F16 ? 2e-3 : 2e-2;
    struct answers answers = {0};
    struct tally tally = {0};
    bool good = read_answers(&answers, session, options->verify);

    if (good) {
        printf("%s  token ids          %u of %zu texts differ\n", answers.wrong_ids == 0 ? "pass" : "FAIL",
               answers.wrong_ids, answers.count);
        *(answers.wrong_ids == 0 ? &tally.passed : &tally.failed) += 1;
        good = compare(&answers, session, bound, &tally);
        printf("%u passed, %u failed\n", tally.passed, tally.failed);
    }
    free_answers(&answers);
    return good && tally.failed == 0 ? 0 : 1;
}
