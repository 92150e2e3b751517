/* SPDX-License-Identifier: Apache-2.0
 *
 * attention where the answer is known: keys that are ruled out, NaN among them, huge scores, slices of one buffer.
 */
#include "attention_kit.h"

#define REFERENCE_FILE "reference/attention.inc"
#include "reference/twice.h"

static kit_tensor *rows(int64_t count, int64_t width, const double *values)
{
    return kit_values(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){1, 1, count, width}, values);
}

/* Runs every strategy and demands these values. */
static void gives(ocldnn_attention *op, int64_t queries, int64_t width, const double *wanted)
{
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        kit_tensor *output = kit_output(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){1, 1, queries, width});
        op->output = output->tensor;
        op->strategy = strategies[i];
        if (!runs(op))
            continue;
        kit_run(attention, op);
        kit_compare(output, wanted, NULL, 1);
    }
}

static void masked_nan_does_not_show(void **state)
{
    double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, poisoned[] = {0, 1, 2, 3, 4, NAN, 6, 7};
    double spoilt[] = {0, 1, 2, 3, INFINITY, NAN, 6, -INFINITY};
    double by_row[] = {1, 0, 1, 0}, wanted[] = {0, 1, 2, 3, 0, 1, 2, 3};
    kit_tensor *full = kit_values(OCLDNN_U8, KIT_DENSE, 4, (int64_t[]){1, 1, 2, 2}, by_row);
    kit_tensor *keys = kit_values(OCLDNN_U8, KIT_DENSE, 4, (int64_t[]){1, 1, 1, 2}, by_row);
    ocldnn_attention op = {.query = rows(2, 4, x)->tensor,
                           .key = rows(2, 4, poisoned)->tensor,
                           .value = rows(2, 4, spoilt)->tensor,
                           .mask = full->tensor};
    (void)state;
    gives(&op, 2, 4, wanted);
    op.mask = keys->tensor;
    gives(&op, 2, 4, wanted);
    kit_free_all();
}

/* Causal: the first row must not see what spoils the second. */
static void causal_nan_shows_where_it_is_seen(void **state)
{
    double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, spoilt[] = {0, 1, 2, 3, NAN, 5, 6, 7};
    double wanted[] = {0, 1, 2, 3, NAN, 5, 6, 7};
    ocldnn_attention op = {.query = rows(2, 4, x)->tensor,
                           .key = rows(2, 4, x)->tensor,
                           .value = rows(2, 4, spoilt)->tensor,
                           .causal = OCLDNN_CAUSAL_TOP_LEFT,
                           .scale = 100.0f};
    (void)state;
    gives(&op, 2, 4, wanted);
    kit_free_all();
}

static void rows_without_keys_are_zero(void **state)
{
    enum { B = 8, H = 8, S = 8, D = 8, COUNT = B * H * S * D };
    static const int64_t shape[4] = {B, H, S, D};
    double corner[S * S], *every = kit_doubles(COUNT), *exact = kit_doubles(COUNT), *naive = kit_doubles(COUNT);
    double *lse_exact = kit_doubles(B * H * S);
    kit_tensor *q = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, shape);
    kit_tensor *v = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, shape);
    ocldnn_attention op = {.query = q->tensor, .key = q->tensor, .value = v->tensor};
    attention_case c = {q->values, q->values, v->values, every, NULL, B, H, H, S, S, D, D, sqrt(0.125), 0, 0};
    (void)state;
    for (int i = 0; i < S * S; i++)
        corner[i] = i / S < 4 && i % S < 4;
    for (int i = 0; i < COUNT; i++)
        every[i] = corner[i % (S * S)];
    op.mask = kit_values(OCLDNN_U8, KIT_DENSE, 4, (int64_t[]){1, 1, S, S}, corner)->tensor;
    attention_double(&c, exact, lse_exact);
    attention_float(&c, naive, lse_exact);
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        kit_tensor *output = kit_output(OCLDNN_F32, KIT_DENSE, 4, shape);
        kit_tensor *lse = kit_output(OCLDNN_F32, KIT_DENSE, 3, shape);
        op.lse = lse->tensor;
        op.output = output->tensor;
        op.strategy = strategies[i];
        if (!runs(&op))
            continue;
        kit_run(attention, &op);
        kit_compare(output, exact, naive, D + S);
        kit_read(lse);
        for (int row = 0; row < B * H * S; row++) {
            assert_true(row % S < 4 || lse->values[row] == -(double)INFINITY);
            for (int d = 0; d < D; d++)
                assert_true(row % S < 4 || output->values[row * D + d] == 0.0);
        }
    }
    kit_free_all();
}

/* Whole blocks of keys masked, at the front and up to the last one. */
static void masked_blocks(void **state)
{
    enum { KEYS = 300 };
    (void)state;
    for (int last = 0; last < 2; last++) {
        double bits[KEYS], values[KEYS * 4], zeros[KEYS * 4] = {0}, wanted[8];
        for (int j = 0; j < KEYS; j++) {
            bits[j] = last ? j == KEYS - 1 : j == 290 || j == 292;
            for (int d = 0; d < 4; d++)
                values[j * 4 + d] = bits[j] != 0 ? j + d : (double)NAN;
        }
        for (int d = 0; d < 8; d++)
            wanted[d] = (last ? KEYS - 1 : 291) + d % 4;
        ocldnn_attention op = {.query = rows(2, 4, zeros)->tensor,
                               .key = rows(KEYS, 4, zeros)->tensor,
                               .value = rows(KEYS, 4, values)->tensor};
        op.mask = kit_values(OCLDNN_U8, KIT_DENSE, 4, (int64_t[]){1, 1, 1, KEYS}, bits)->tensor;
        gives(&op, 2, 4, wanted);
        kit_free_all();
    }
}

static void huge_scores(void **state)
{
    double big[] = {1e15, 0, 0, 0}, keys[] = {1e15, 0, 0, 0, 1e15, 0, 0, 0, 5e14, 0, 0, 0};
    double values[] = {2, 4, 6, 8, 4, 6, 8, 10, 100, 100, 100, 100}, wanted[] = {3, 5, 7, 9};
    double absorbing[] = {-3.0e38, -3.0e38, -3.0e38}, average[] = {106.0 / 3, 110.0 / 3, 114.0 / 3, 118.0 / 3};
    double half[] = {300, 300, 300, 300}, halves[] = {300, 300, 300, 300, 299, 300, 300, 300}, first[] = {1, 2, 3, 4};
    double pick[] = {1, 2, 3, 4, 5, 6, 7, 8};
    ocldnn_attention op = {.query = rows(1, 4, big)->tensor,
                           .key = rows(3, 4, keys)->tensor,
                           .value = rows(3, 4, values)->tensor,
                           .scale = 1.0f};
    (void)state;
    gives(&op, 1, 4, wanted);
    op.key = rows(3, 4, (double[12]){0})->tensor;
    op.bias = kit_values(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){1, 1, 1, 3}, absorbing)->tensor;
    gives(&op, 1, 4, average);
    op = (ocldnn_attention){.scale = 1.0f};
    op.query = kit_values(OCLDNN_F16, KIT_DENSE, 4, (int64_t[]){1, 1, 1, 4}, half)->tensor;
    op.key = kit_values(OCLDNN_F16, KIT_DENSE, 4, (int64_t[]){1, 1, 2, 4}, halves)->tensor;
    op.value = kit_values(OCLDNN_F16, KIT_DENSE, 4, (int64_t[]){1, 1, 2, 4}, pick)->tensor;
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        kit_tensor *output = kit_output(OCLDNN_F16, KIT_DENSE, 4, (int64_t[]){1, 1, 1, 4});
        op.output = output->tensor;
        op.strategy = strategies[i];
        if (!runs(&op))
            continue;
        kit_run(attention, &op);
        kit_equal(output, first);
    }
    kit_free_all();
}

/* Query, key and value are slices of one [B, S, 3, H, D] buffer, as a fused projection leaves them. */
static void packed_projection(void **state)
{
    enum { B = 2, S = 65, H = 3, D = 32 };
    static const int64_t shape[5] = {B, S, 3, H, D}, view[4] = {B, H, S, D};
    kit_tensor *qkv = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 5, shape);
    ocldnn_tensor part[3];
    attention_case c = {.batch = B,
                        .heads = H,
                        .key_heads = H,
                        .queries = S,
                        .keys = S,
                        .width = D,
                        .value_width = D,
                        .scale = 0.17677669529663687};
    double *values[3], *exact = kit_doubles(B * H * S * D), *naive = kit_doubles(B * H * S * D);
    double *lse = kit_doubles(B * H * S);
    ocldnn_attention op = {0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        part[i] = ocldnn_tensor_dense(qkv->tensor.buffer, OCLDNN_F32, 4, view);
        part[i].offset = qkv->tensor.offset + (uint64_t)i * H * D;
        memcpy(part[i].strides, (int64_t[]){S * 3 * H * D, D, 3 * H * D, 1}, 4 * sizeof(int64_t));
        values[i] = kit_doubles(B * H * S * D);
        for (int at = 0; at < B * H * S * D; at++) {
            int d = at % D, s = at / D % S, h = at / D / S % H, b = at / D / S / H;
            values[i][at] = qkv->values[(((b * S + s) * 3 + i) * H + h) * D + d];
        }
    }
    op.query = part[0];
    op.key = part[1];
    op.value = part[2];
    c.query = values[0];
    c.key = values[1];
    c.value = values[2];
    attention_double(&c, exact, lse);
    attention_float(&c, naive, lse);
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        kit_tensor *output = kit_output(OCLDNN_F32, KIT_STRIDED, 4, view);
        op.output = output->tensor;
        op.strategy = strategies[i];
        if (!runs(&op))
            continue;
        kit_run(attention, &op);
        kit_compare(output, exact, naive, S);
    }
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masked_nan_does_not_show),
        cmocka_unit_test(causal_nan_shows_where_it_is_seen),
        cmocka_unit_test(rows_without_keys_are_zero),
        cmocka_unit_test(masked_blocks),
        cmocka_unit_test(huge_scores),
        cmocka_unit_test(packed_projection),
    };
    return KIT_MAIN_OF_PRODUCTS("attention_values", tests);
}
