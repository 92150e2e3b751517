/* SPDX-License-Identifier: Apache-2.0
 *
 * Known answers of embedding, rotary, mean_pool and top_k.
 */
#include "check.h"
#include "ops/operators.h"

enum { BATCH = 3, STEPS = 11, WIDTH = 44, WORDS = 23 };

static void check_embedding(check *c)
{
    double ids[BATCH * STEPS], table[WORDS * WIDTH], places[STEPS * WIDTH], wanted[BATCH * STEPS * WIDTH];
    ocldnn_embedding op = {0};
    check_fill(table, WORDS * WIDTH, 12);
    check_fill(places, STEPS * WIDTH, 13);
    for (int i = 0; i < BATCH * STEPS; i++)
        ids[i] = i * 5 % WORDS;
    for (int i = 0; i < BATCH * STEPS * WIDTH; i++) {
        int token = i / WIDTH, place = i % WIDTH;
        wanted[i] = table[token * 5 % WORDS * WIDTH + place] + places[token % STEPS * WIDTH + place];
    }
    op.ids = check_input(c, OCLDNN_U32, 2, (int64_t[]){BATCH, STEPS}, ids);
    op.table = check_input(c, c->dtype, 2, (int64_t[]){WORDS, WIDTH}, table);
    op.position_table = check_input(c, c->dtype, 2, (int64_t[]){STEPS, WIDTH}, places);
    op.output = check_output(c, c->dtype, 3, (int64_t[]){BATCH, STEPS, WIDTH});
    check_run(c, "embedding", &od_operator_embedding, &op, &op.output, wanted);
    check_end(c);
}

/* A quarter turn for odd positions, none for even ones. */
static void check_rotary(check *c)
{
    enum { HALF = WIDTH / 2, COUNT = BATCH * STEPS * WIDTH };
    double x[COUNT], wanted[COUNT], cosine[STEPS * HALF], sine[STEPS * HALF], positions[STEPS];
    ocldnn_rotary op = {0};
    check_fill(x, COUNT, 14);
    for (int i = 0; i < STEPS * HALF; i++) {
        cosine[i] = i / HALF % 2 ? 0 : 1;
        sine[i] = i / HALF % 2 ? 1 : 0;
    }
    for (int i = 0; i < STEPS; i++)
        positions[i] = STEPS - 1 - i;
    for (int i = 0; i < COUNT; i++) {
        bool turned = (STEPS - 1 - i / WIDTH % STEPS) % 2;
        bool first = i % WIDTH < HALF;
        wanted[i] = !turned ? x[i] : first ? -x[i + HALF] : x[i - HALF];
    }
    op.input = check_input(c, c->dtype, 4, (int64_t[]){1, BATCH, STEPS, WIDTH}, x);
    op.positions = check_input(c, OCLDNN_U32, 2, (int64_t[]){1, STEPS}, positions);
    op.cosine = check_input(c, OCLDNN_F32, 2, (int64_t[]){STEPS, HALF}, cosine);
    op.sine = check_input(c, OCLDNN_F32, 2, (int64_t[]){STEPS, HALF}, sine);
    op.output = check_output(c, c->dtype, 4, (int64_t[]){1, BATCH, STEPS, WIDTH});
    check_run(c, "rotary", &od_operator_rotary, &op, &op.output, wanted);
    check_end(c);
}

static void check_mean_pool(check *c)
{
    double x[BATCH * STEPS * WIDTH], mask[BATCH * STEPS], wanted[BATCH * WIDTH];
    ocldnn_mean_pool op = {0};
    check_fill(x, BATCH * STEPS * WIDTH, 15);
    for (int i = 0; i < BATCH * STEPS; i++)
        mask[i] = i % STEPS < 4 && i / STEPS != 1; /* the second text has no word at all */
    for (int i = 0; i < BATCH * WIDTH; i++) {
        int text = i / WIDTH;
        wanted[i] = 0;
        for (int step = 0; step < 4 && text != 1; step++)
            wanted[i] += x[(text * STEPS + step) * WIDTH + i % WIDTH] / 4;
    }
    op.input = check_input(c, c->dtype, 3, (int64_t[]){BATCH, STEPS, WIDTH}, x);
    op.mask = check_input(c, OCLDNN_U8, 2, (int64_t[]){BATCH, STEPS}, mask);
    op.output = check_output(c, c->dtype, 2, (int64_t[]){BATCH, WIDTH});
    check_run(c, "mean_pool", &od_operator_mean_pool, &op, &op.output, wanted);
    check_end(c);
}

/* A row that counts down by pairs of equal values: of each pair the lower index comes first. */
static void check_top_k(check *c)
{
    enum { LENGTH = 133, WANTED = 6 };
    double x[2 * LENGTH], wanted[2 * WANTED];
    ocldnn_top_k op = {0};
    for (int i = 0; i < LENGTH; i++) {
        x[i] = -(i / 2);
        x[LENGTH + i] = (i + 1) / 2; /* counts up */
    }
    for (int i = 0; i < WANTED; i++) {
        wanted[i] = i;
        wanted[WANTED + i] = LENGTH - 2 - 2 * (i / 2) + i % 2;
    }
    op.input = check_input(c, c->dtype, 2, (int64_t[]){2, LENGTH}, x);
    op.indices = check_output(c, OCLDNN_U32, 2, (int64_t[]){2, WANTED});
    check_run(c, "top_k", &od_operator_top_k, &op, &op.indices, wanted);
    check_end(c);
}

void check_sequence(check *c)
{
    check_embedding(c);
    check_rotary(c);
    check_mean_pool(c);
    check_top_k(c);
}
