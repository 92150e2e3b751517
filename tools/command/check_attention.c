/* SPDX-License-Identifier: Apache-2.0
 *
 * Known answers of attention: grouped heads, causal, and a mask that leaves one query without any key.
 */
#include "check.h"
#include "ops/operators.h"

#include <math.h>

enum { HEADS = 4, GROUPS = 2, QUERIES = 19, KEYS = 37, WIDTH = 24 };

typedef struct numbers {
    double query[HEADS * QUERIES * WIDTH], key[GROUPS * KEYS * WIDTH], value[GROUPS * KEYS * WIDTH];
    double mask[QUERIES * KEYS], output[HEADS * QUERIES * WIDTH];
} numbers;

static bool takes_part(const numbers *v, bool causal, int i, int j)
{
    return causal ? j <= i + KEYS - QUERIES : v->mask[i * KEYS + j] != 0;
}

static void attend(numbers *v, bool causal, int head, int i)
{
    const double *q = v->query + (head * QUERIES + i) * WIDTH;
    int group = head / (HEADS / GROUPS);
    double *out = v->output + (head * QUERIES + i) * WIDTH, sum = 0;
    for (int d = 0; d < WIDTH; d++)
        out[d] = 0;
    for (int j = 0; j < KEYS; j++) {
        double score = 0, weight;
        if (!takes_part(v, causal, i, j))
            continue;
        for (int d = 0; d < WIDTH; d++)
            score += q[d] * v->key[(group * KEYS + j) * WIDTH + d];
        weight = exp(0.0625 * score);
        sum += weight;
        for (int d = 0; d < WIDTH; d++)
            out[d] += weight * v->value[(group * KEYS + j) * WIDTH + d];
    }
    for (int d = 0; d < WIDTH && sum > 0; d++)
        out[d] /= sum;
}

static void each_strategy(check *c, const char *name, ocldnn_attention *op, numbers *v, bool causal)
{
    for (int head = 0; head < HEADS; head++)
        for (int i = 0; i < QUERIES; i++)
            attend(v, causal, head, i);
    for (op->strategy = 1; op->strategy <= od_operator_attention.highest_strategy; op->strategy++)
        check_run(c, name, &od_operator_attention, op, &op->output, v->output);
}

void check_attention(check *c)
{
    static numbers v;
    ocldnn_attention op = {.scale = 0.0625f};
    check_fill(v.query, HEADS * QUERIES * WIDTH, 6);
    check_fill(v.key, GROUPS * KEYS * WIDTH, 7);
    check_fill(v.value, GROUPS * KEYS * WIDTH, 8);
    for (int i = 0; i < QUERIES * KEYS; i++)
        v.mask[i] = i / KEYS != 5 && check_number(i, 9) > -2;
    op.query = check_input(c, c->dtype, 4, (int64_t[]){1, HEADS, QUERIES, WIDTH}, v.query);
    op.key = check_input(c, c->dtype, 4, (int64_t[]){1, GROUPS, KEYS, WIDTH}, v.key);
    op.value = check_input(c, c->dtype, 4, (int64_t[]){1, GROUPS, KEYS, WIDTH}, v.value);
    op.output = check_output(c, c->dtype, 4, (int64_t[]){1, HEADS, QUERIES, WIDTH});
    op.causal = OCLDNN_CAUSAL_BOTTOM_RIGHT;
    each_strategy(c, "causal", &op, &v, true);
    op.causal = OCLDNN_CAUSAL_NONE;
    op.mask = check_input(c, OCLDNN_U8, 4, (int64_t[]){1, 1, QUERIES, KEYS}, v.mask);
    each_strategy(c, "attention", &op, &v, false);
    check_end(c);
}
