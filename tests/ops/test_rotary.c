/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/rotary.inc"
#include "reference/twice.h"

typedef struct shape {
    int64_t batch, heads, tokens, depth, width;
    bool interleaved, by_positions;
    int caches;     /* 0 none, 1 [P, W/2], 2 [B, T, W/2] */
    double highest; /* position */
} shape;

enum { CACHE_ROWS = 50 };

static void expected(const shape *s, const kit_tensor *x, const kit_tensor *positions, const kit_tensor *cosine,
                     const kit_tensor *sine, double *exact, double *naive)
{
    for (int64_t row = 0; row < s->batch * s->heads * s->tokens; row++) {
        int64_t token = row % s->tokens, batch = row / (s->heads * s->tokens), half = s->width / 2;
        double position = positions ? positions->values[batch * s->tokens + token] : (double)token;
        int64_t cached = s->caches == 2 ? batch * s->tokens + token : (int64_t)position;
        const double *c = cosine ? cosine->values + cached * half : NULL;
        const double *n = sine ? sine->values + cached * half : NULL;
        rotary_double(x->values + row * s->depth, s->depth, s->width, s->interleaved, position, 10000, c, n,
                      exact + row * s->depth);
        rotary_float(x->values + row * s->depth, s->depth, s->width, s->interleaved, position, 10000, c, n,
                     naive + row * s->depth);
    }
}

static void one_shape(uint32_t dtype, const shape *s)
{
    int64_t dims[] = {s->batch, s->heads, s->tokens, s->depth}, tokens[] = {s->batch, s->tokens};
    kit_tensor *x = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, 4, dims), *y = kit_output(dtype, KIT_STRIDED, 4, dims);
    kit_tensor *positions = NULL, *cosine = NULL, *sine = NULL;
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count);
    uint32_t cache_dtype = kit_between(0, 1) ? dtype : OCLDNN_F32;
    ocldnn_rotary op = {.input = x->tensor, .output = y->tensor, .interleaved = s->interleaved};
    op.width = (uint32_t)(s->width == s->depth ? 0 : s->width);
    if (s->by_positions) {
        positions = kit_input(kit_between(0, 1) ? OCLDNN_U32 : OCLDNN_I32, KIT_ANY, KIT_ZEROS, 2, tokens);
        for (int64_t i = 0; i < positions->count; i++)
            positions->values[i] = floor(kit_uniform(0, s->caches ? CACHE_ROWS : s->highest));
        kit_write(positions);
        op.positions = positions->tensor;
    }
    if (s->caches) {
        int64_t by_position[] = {CACHE_ROWS, s->width / 2}, by_token[] = {s->batch, s->tokens, s->width / 2};
        const int64_t *cache = s->caches == 1 ? by_position : by_token;
        cosine = kit_input(cache_dtype, KIT_STRIDED, KIT_NORMAL, s->caches == 1 ? 2 : 3, cache);
        sine = kit_input(cache_dtype, KIT_STRIDED, KIT_NORMAL, s->caches == 1 ? 2 : 3, cache);
        op.cosine = cosine->tensor;
        op.sine = sine->tensor;
    }
    kit_run(rotary, &op);
    expected(s, x, positions, cosine, sine, exact, naive);
    kit_compare(y, exact, naive, 2);
    kit_free_all();
}

static void matches_reference(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(120); i++) {
        shape s = {kit_between(0, 3),
                   kit_between(1, 4),
                   kit_between(0, 7),
                   kit_between(1, 130),
                   0,
                   kit_between(0, 1),
                   kit_between(0, 1),
                   (int)kit_between(0, 2),
                   1000};
        s.width = kit_between(0, s.depth / 2) * 2;
        if (s.width == 0)
            s.depth = s.width = 2 * kit_between(1, 65);
        if (s.caches == 2)
            s.by_positions = false;
        one_shape(kit_float_dtype(), &s);
    }
}

/* A float's position * frequency would be off by hundredths of a radian here. */
static void large_positions(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(8); i++)
        one_shape(OCLDNN_F32, &(shape){1, 2, 5, 128, 128, i % 2, true, 0, i < 4 ? 1e5 : 1e6});
}

static void named_cases(void **state)
{
    int64_t dims[] = {1, 1, 2, 2}, cache[] = {1, 1};
    double ones[] = {1, 1}, far[] = {0, 7}, x[] = {1, 2, 3, 4}, want[] = {1 - 2, 2 + 1, NAN, NAN};
    kit_tensor *input = kit_values(OCLDNN_F32, KIT_DENSE, 4, dims, x);
    kit_tensor *positions = kit_values(OCLDNN_U32, KIT_DENSE, 2, (int64_t[]){1, 2}, far);
    kit_tensor *table = kit_values(OCLDNN_F32, KIT_DENSE, 2, cache, ones);
    ocldnn_rotary op = {.input = input->tensor, .positions = positions->tensor, .output = input->tensor};
    (void)state;
    op.cosine = op.sine = table->tensor;
    kit_run(rotary, &op); /* in place; position 7 is outside the cache */
    kit_equal(input, want);
    kit_free_all();
}

static void says_what_is_wrong(void **state)
{
    int64_t dims[] = {2, 3, 4, 8};
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, dims);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 4, dims);
    kit_tensor *positions = kit_input(OCLDNN_U32, KIT_DENSE, KIT_ZEROS, 2, (int64_t[]){2, 4});
    kit_tensor *cache = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){9, 4});
    kit_tensor *by_token = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 3, (int64_t[]){2, 4, 4});
    const ocldnn_rotary good = {.input = x->tensor, .output = y->tensor, .positions = positions->tensor};
    ocldnn_rotary op = good;
    (void)state;
    op.width = 7;
    kit_refuses(rotary, &op, OCLDNN_INVALID_SHAPE, "width is 7, must be even and at most axis 3 of input, 8");
    op.width = 10;
    kit_refuses(rotary, &op, OCLDNN_INVALID_SHAPE, "width is 10");
    op = good;
    op.base = -1;
    kit_refuses(rotary, &op, OCLDNN_INVALID_ARGUMENT, "base is -1, must be finite and > 0");
    op = good;
    op.interleaved = 2;
    kit_refuses(rotary, &op, OCLDNN_INVALID_ARGUMENT, "interleaved is 2, must be 0 to 1");
    op = good;
    op.positions.shape[1] = 3;
    kit_refuses(rotary, &op, OCLDNN_INVALID_SHAPE, "positions: axis 1 is 3");
    op = good;
    op.cosine = cache->tensor;
    kit_refuses(rotary, &op, OCLDNN_INVALID_ARGUMENT, "cosine and sine come together, sine is missing");
    op.sine = cache->tensor;
    op.sine.shape[0] = 8;
    kit_refuses(rotary, &op, OCLDNN_INVALID_SHAPE, "sine: axis 0 is 8, cosine has 9");
    op.cosine = op.sine = by_token->tensor;
    kit_refuses(rotary, &op, OCLDNN_INVALID_SHAPE, "cosine: rank is 3, with positions it must be 2");
    op = good;
    op.cosine = op.sine = cache->tensor;
    op.width = 4;
    kit_refuses(rotary, &op, OCLDNN_INVALID_SHAPE, "cosine: axis 1 is 4, must be 2 (half the rotary width)");
    op = good;
    op.output.shape[1] = 2;
    kit_refuses(rotary, &op, OCLDNN_INVALID_SHAPE, "output: axis 1 is 2, input has 3");
    kit_free_all();
}

static void honours_events(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, (int64_t[]){1, 2, 3, 8});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){1, 2, 3, 8});
    ocldnn_rotary op = {.input = x->tensor, .output = y->tensor};
    (void)state;
    kit_honours_events(rotary, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),  cmocka_unit_test(large_positions), cmocka_unit_test(named_cases),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("rotary", tests);
}
