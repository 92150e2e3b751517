/* SPDX-License-Identifier: Apache-2.0
 *
 * attention against its reference: drawn and specified shapes, few queries, the forms of each GPU.
 */
#include "attention_kit.h"

#include <stdio.h>

#define REFERENCE_FILE "reference/attention.inc"
#include "reference/twice.h"

/* A call to test: sizes, then what is present. */
typedef struct shape {
    int64_t batch, heads, key_heads, queries, keys, width, value_width;
    uint32_t dtype, causal;
    int mask, bias; /* 0 none, 1 one row for all queries, 2 a row for each */
    bool lse, capped, bias_f32;
} shape;

/* The bound compares the largest errors of two float programs: over a few rows that is a matter of luck. */
enum { MANY_ROWS = 400 };

static void sizes(const shape *s, int64_t q[4], int64_t k[4], int64_t v[4], int64_t o[4])
{
    const int64_t all[4][4] = {{s->batch, s->heads, s->queries, s->width},
                               {s->batch, s->key_heads, s->keys, s->width},
                               {s->batch, s->key_heads, s->keys, s->value_width},
                               {s->batch, s->heads, s->queries, s->value_width}};
    memcpy(q, all[0], sizeof all[0]);
    memcpy(k, all[1], sizeof all[1]);
    memcpy(v, all[2], sizeof all[2]);
    memcpy(o, all[3], sizeof all[3]);
}

/* A mask or bias whose other axes are broadcast by chance. */
static kit_tensor *over_scores(const shape *s, int kind, uint32_t dtype, kit_fill fill)
{
    int64_t axes[4] = {kit_between(0, 1) ? s->batch : 1, kit_between(0, 1) ? s->heads : 1, kind == 2 ? s->queries : 1,
                       s->keys};
    return kind ? kit_input(dtype, KIT_STRIDED, fill, 4, axes) : NULL;
}

/* Its values in the whole shape [B, Hq, Sq, Skv]. */
static const double *whole(const shape *s, const kit_tensor *t)
{
    const int64_t full[4] = {s->batch, s->heads, s->queries, s->keys};
    double *values;
    int64_t count = full[0] * full[1] * full[2] * full[3];
    if (!t)
        return NULL;
    values = kit_doubles(count);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int axis = 3; axis >= 0; axis--) {
            at += t->tensor.shape[axis] == 1 ? 0 : rest % full[axis] * step;
            step *= t->tensor.shape[axis];
            rest /= full[axis];
        }
        values[i] = t->values[at];
    }
    return values;
}

/* Of two honest float programs the result that is further off: over the many small problems here one order of sums
 * alone is now and then exact by luck. */
static void further_off(int64_t count, const double *exact, double *naive, const double *other)
{
    for (int64_t i = 0; i < count; i++)
        if (fabs(other[i] - exact[i]) > fabs(naive[i] - exact[i]))
            naive[i] = other[i];
}

static void check_case(const shape *s, const attention_case *c, ocldnn_attention *op, kit_layout layout)
{
    int64_t q[4], k[4], v[4], o[4];
    double *exact, *naive, *other, *lse_exact, *lse_naive, *lse_other;
    attention_case backwards = *c;
    int64_t count;
    sizes(s, q, k, v, o);
    count = o[0] * o[1] * o[2];
    exact = kit_doubles(count * o[3]);
    naive = kit_doubles(count * o[3]);
    other = kit_doubles(count * o[3]);
    lse_exact = kit_doubles(count);
    lse_naive = kit_doubles(count);
    lse_other = kit_doubles(count);
    attention_double(c, exact, lse_exact);
    attention_float(c, naive, lse_naive);
    backwards.backwards = true;
    attention_float(&backwards, other, lse_other);
    further_off(count * o[3], exact, naive, other);
    further_off(count, lse_exact, lse_naive, lse_other);
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        kit_tensor *output = kit_output(s->dtype, layout == KIT_ANY ? KIT_STRIDED : layout, 4, o);
        kit_tensor *lse = kit_output(OCLDNN_F32, KIT_ANY, 3, o);
        op->output = output->tensor;
        op->strategy = strategies[i];
        if (s->lse)
            op->lse = lse->tensor;
        if (!runs(op))
            continue;
        if (getenv("OCLDNN_TEST_VERBOSE"))
            printf("    strategy %u\n", strategies[i]), fflush(stdout);
        kit_run(attention, op);
        kit_compare(output, exact, naive, s->width + s->keys);
        if (s->lse)
            kit_compare(lse, lse_exact, lse_naive, s->width + s->keys);
    }
}

static void one_shape(const shape *s)
{
    int64_t q[4], k[4], v[4], o[4];
    kit_tensor *query, *key, *value, *mask, *bias;
    ocldnn_attention op = {.causal = s->causal, .softcap = s->capped ? 2.5f : 0.0f};
    attention_case c = {.causal = s->causal, .softcap = s->capped ? 2.5 : 0.0, .scale = 0.25};
    sizes(s, q, k, v, o);
    query = kit_input(s->dtype, KIT_STRIDED, KIT_NORMAL, 4, q);
    key = kit_input(s->dtype, KIT_STRIDED, KIT_NORMAL, 4, k);
    value = kit_input(s->dtype, KIT_STRIDED, KIT_NORMAL, 4, v);
    mask = over_scores(s, s->mask, OCLDNN_U8, KIT_BITS);
    bias = over_scores(s, s->bias, s->bias_f32 ? OCLDNN_F32 : s->dtype, KIT_NORMAL);
    op.query = query->tensor;
    op.key = key->tensor;
    op.value = value->tensor;
    op.scale = 0.25f;
    if (mask)
        op.mask = mask->tensor;
    if (bias)
        op.bias = bias->tensor;
    c.query = query->values;
    c.key = key->values;
    c.value = value->values;
    c.mask = whole(s, mask);
    c.bias = whole(s, bias);
    c.batch = s->batch;
    c.heads = s->heads;
    c.key_heads = s->key_heads;
    c.queries = s->queries;
    c.keys = s->keys;
    c.width = s->width;
    c.value_width = s->value_width;
    check_case(s, &c, &op, KIT_STRIDED);
    kit_free_all();
}

static void print_shape(const shape *s)
{
    if (getenv("OCLDNN_TEST_VERBOSE"))
        printf(
            "    B %lld H %lld/%lld S %lld x %lld D %lld/%lld dtype %u causal %u mask %d bias %d lse %d softcap %d\n",
            (long long)s->batch, (long long)s->heads, (long long)s->key_heads, (long long)s->queries,
            (long long)s->keys, (long long)s->width, (long long)s->value_width, s->dtype, s->causal, s->mask, s->bias,
            s->lse, s->capped);
}

/* Programs take a second each to build: options are drawn once, then several shapes run with them. */
static void matches_reference(void **state)
{
    static const int64_t groups[] = {1, 1, 2, 4};
    (void)state;
    for (int i = 0; i < kit_rounds(8); i++) {
        shape s = {.dtype = kit_float_dtype(),
                   .causal = (uint32_t)kit_between(0, 2),
                   .mask = (int)kit_between(0, 2),
                   .bias = (int)kit_between(0, 2),
                   .lse = kit_between(0, 1),
                   .capped = kit_between(0, 3) == 0,
                   .bias_f32 = kit_between(0, 1)};
        int64_t widest = kit.small ? 32 : kit_between(0, 1) ? 64 : 128;
        for (int j = 0; j < (kit.small ? 2 : 5); j++) {
            s.key_heads = kit_between(1, 2);
            s.heads = s.key_heads * groups[kit_between(0, 3)];
            s.queries = kit_between(1, kit.small ? 9 : 80);
            s.batch = kit_between(2, 3) + MANY_ROWS / (s.heads * s.queries);
            s.keys = kit_between(0, kit.small ? 20 : 220);
            s.width = kit_between(widest / 2 + 1, widest);
            s.value_width = kit_between(widest / 2 + 1, widest);
            print_shape(&s);
            one_shape(&s);
        }
    }
}

/* Decoding: few rows share a head of keys, which are many or few; to both sides of where a CPU's kernels part. Every
 * option is drawn; the first rounds have each once, alone. */
static void few_queries(void **state)
{
    static const int64_t groups[] = {1, 2, 3, 4, 8, 16};
    (void)state;
    for (int i = 0; i < kit_rounds(10); i++) {
        bool chance = i >= 6;
        shape s = {.dtype = kit_float_dtype(),
                   .causal = (uint32_t)(chance   ? kit_between(0, 2)
                                        : i == 0 ? 1
                                                 : 0),
                   .mask = (int)(chance             ? kit_between(0, 2)
                                 : i == 1 || i == 2 ? i
                                                    : 0),
                   .bias = (int)(chance             ? kit_between(0, 2)
                                 : i == 3 || i == 4 ? i - 2
                                                    : 0),
                   .lse = kit_between(0, 1),
                   .capped = chance ? kit_between(0, 3) == 0 : i == 5,
                   .bias_f32 = kit_between(0, 1)};
        for (int j = 0; j < (kit.small ? 2 : 4); j++) {
            s.key_heads = kit_between(1, 2);
            s.heads = s.key_heads * groups[kit_between(0, 5)];
            s.queries = kit_between(0, 1) ? 1 : kit_between(1, 8);
            s.keys = j % 2 && !kit.small ? kit_between(257, 1100) : kit_between(1, kit.small ? 20 : 256);
            s.batch = kit_between(1, 2) + (kit.small ? 0 : MANY_ROWS / (s.heads * s.queries));
            s.width = kit_between(1, kit.small ? 40 : 140);
            s.value_width = kit_between(0, 1) ? s.width : kit_between(1, kit.small ? 40 : 140);
            print_shape(&s);
            one_shape(&s);
        }
    }
}

/* The sizes that the specification names. */
static void named_sizes(void **state)
{
    static const int64_t lengths[][2] = {{1, 1}, {1, 4097}, {113, 203}, {108, 256}, {256, 113}, {1024, 1025}};
    static const int64_t widths[] = {8, 16, 32, 40, 59, 64, 72, 80, 96, 111, 128, 192, 256, 576};
    (void)state;
    for (int64_t queries = 1; queries <= 9; queries++)
        for (int64_t keys = 1; keys <= 9; keys++) {
            shape s = {.batch = 16, .heads = 32, .key_heads = 8, .width = 32, .value_width = 32, .dtype = OCLDNN_F32};
            s.queries = queries;
            s.keys = keys;
            s.causal = (uint32_t)(queries + keys) % 3;
            print_shape(&s);
            if (!kit.small || (queries + keys) % 5 == 0)
                one_shape(&s);
        }
    for (size_t i = 0; i < (kit.small ? 1 : sizeof lengths / sizeof *lengths); i++) {
        shape s = {.batch = 1, .key_heads = 1, .width = 32, .value_width = 32, .dtype = OCLDNN_F32, .causal = 1};
        s.heads = lengths[i][0] == 1 ? 300 : 4;
        s.queries = lengths[i][0];
        s.keys = lengths[i][1];
        s.lse = true;
        print_shape(&s);
        one_shape(&s);
    }
    for (size_t i = 0; i < (kit.small ? 2 : sizeof widths / sizeof *widths); i++) {
        shape s = {.batch = 8, .heads = 8, .key_heads = 2, .queries = 9, .keys = 37, .dtype = OCLDNN_F32};
        s.width = widths[i];
        s.value_width = widths[i] == 576 ? 512 : widths[i];
        print_shape(&s);
        one_shape(&s);
    }
}

static void one_form_each(void)
{
    for (int i = 0; i < (kit.small ? 1 : 3); i++) {
        shape s = {.batch = 1, .heads = 2, .key_heads = 1, .width = 40, .dtype = OCLDNN_F32, .causal = 2, .mask = 1};
        s.queries = i == 0 ? 33 : i == 1 ? 12 : 3;
        s.keys = 150;
        s.value_width = i == 0 ? 96 : i == 1 ? 130 : 64;
        s.batch += MANY_ROWS / (s.heads * s.queries);
        print_shape(&s);
        one_shape(&s);
    }
}

static void forms_of_each_gpu(void **state)
{
    (void)state;
    kit_as_each_gpu(one_form_each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_sizes),
        cmocka_unit_test(matches_reference),
        cmocka_unit_test(few_queries),
        cmocka_unit_test(forms_of_each_gpu),
    };
    return KIT_MAIN("attention", tests);
}
