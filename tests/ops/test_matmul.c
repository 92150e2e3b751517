/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/linear.inc"
#include "reference/twice.h"

enum { SIZES = 12 };
static const int64_t sizes[SIZES] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 65, 130};

typedef struct kind {
    uint32_t dtype, strategy;
    bool transpose_a, transpose_b;
    float alpha;
    kit_fill fill;
} kind;

/* One product per batch of a and b, whose leading axes may be 1 or missing. */
static void one_shape(const kind *c, uint32_t leading, const int64_t *la, const int64_t *lb, int64_t m, int64_t n,
                      int64_t k)
{
    int64_t sa[8], sb[8], sy[8], batch = 1;
    uint32_t skip = leading > 0 && lb[0] == 0; /* b lacks the first axis */
    kit_tensor *a, *b, *y;
    double *exact, *naive;
    for (uint32_t i = 0; i < leading; i++) {
        sa[i] = la[i];
        sb[i] = skip && i == 0 ? 1 : lb[i];
        sy[i] = sa[i] == 1 ? sb[i] : sa[i];
        batch *= sy[i];
    }
    sa[leading] = c->transpose_a ? k : m;
    sa[leading + 1] = c->transpose_a ? m : k;
    sb[leading] = c->transpose_b ? n : k;
    sb[leading + 1] = c->transpose_b ? k : n;
    sy[leading] = m;
    sy[leading + 1] = n;
    a = kit_input(c->dtype, KIT_STRIDED, c->fill, leading + 2, sa);
    b = kit_input(c->dtype, KIT_STRIDED, c->fill, leading + 2 - skip, sb + skip);
    y = kit_output(c->dtype, KIT_STRIDED, leading + 2, sy);
    exact = kit_doubles(y->count);
    naive = kit_doubles(y->count);
    for (int64_t i = 0; i < batch; i++) {
        int64_t rest = i, at_a = 0, at_b = 0, step_a = 1, step_b = 1;
        for (uint32_t axis = leading; axis-- > 0;) {
            int64_t place = rest % sy[axis];
            rest /= sy[axis];
            at_a += (sa[axis] == 1 ? 0 : place) * step_a;
            at_b += (sb[axis] == 1 ? 0 : place) * step_b;
            step_a *= sa[axis];
            step_b *= sb[axis];
        }
        linear_problem_double p = {.a = a->values + at_a * m * k,
                                   .b = b->values + at_b * k * n,
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .transpose_a = c->transpose_a,
                                   .transpose_b = c->transpose_b,
                                   .alpha = c->alpha == 0 ? 1 : (double)c->alpha};
        linear_problem_float q;
        memcpy(&q, &p, sizeof q);
        linear_double(&p, exact + i * m * n);
        linear_float(&q, naive + i * m * n);
    }
    ocldnn_matmul op = {.a = a->tensor,
                        .b = b->tensor,
                        .output = y->tensor,
                        .transpose_a = c->transpose_a,
                        .transpose_b = c->transpose_b,
                        .alpha = c->alpha,
                        .strategy = c->strategy};
    kit_run(matmul, &op);
    if (c->fill == KIT_INTEGERS)
        kit_equal(y, exact);
    else
        kit_compare(y, exact, naive, k);
    kit_free_all();
}

/* Each dtype meets one layout of b in one run of the program, another in the next: every combination is a program to
 * build. */
static kind any_kind(kit_fill fill)
{
    static int64_t turn = -1;
    kind c = {.dtype = kit_float_dtype(), .transpose_a = kit_between(0, 3) == 0, .fill = fill};
    if (turn < 0)
        turn = kit_between(0, 1);
    c.transpose_b = (c.dtype + turn) % 2;
    c.alpha = fill == KIT_INTEGERS || kit_between(0, 1) ? 0.0f : 0.125f;
    return c;
}

static void matches_reference(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(100); i++) {
        kind c = any_kind(kit_between(0, 1) ? KIT_NORMAL : KIT_INTEGERS);
        int64_t limit = kit.small ? 20 : i % 10 == 0 ? 400 : 70;
        one_shape(&c, 0, NULL, NULL, kit_between(1, limit), kit_between(1, limit), kit_between(0, limit));
    }
}

/* Every length about the tiles, in every place; integers, so that the answers must be equal. */
static void tails(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES * SIZES && i < kit_rounds(144); i++) {
        kind c = any_kind(KIT_INTEGERS);
        int64_t k = sizes[kit_between(0, SIZES - 1)];
        one_shape(&c, 0, NULL, NULL, sizes[i % SIZES], sizes[i / SIZES], kit.small && k > 20 ? 5 : k);
    }
    if (!kit.small) {
        kind c = {.dtype = OCLDNN_F32, .fill = KIT_INTEGERS};
        for (int i = 0; i < 8; i++) {
            c.transpose_a = i & 1;
            c.transpose_b = i & 2;
            c.dtype = 1 + (uint32_t)i % 3;
            one_shape(&c, 0, NULL, NULL, 200, 300, i < 4 ? 257 : 1000);
            one_shape(&c, 0, NULL, NULL, 3, 1100, i < 4 ? 513 : 4096);
        }
    }
}

static void batches(void **state)
{
    static const int64_t all[][2][3] = {{{3, 2, 0}, {3, 2, 0}}, {{3, 1, 0}, {1, 2, 0}}, {{3, 2, 0}, {1, 1, 0}},
                                        {{1, 2, 0}, {3, 2, 0}}, {{5, 2, 0}, {0, 2, 0}}, {{1, 4, 0}, {0, 1, 0}}};
    (void)state;
    for (int i = 0; i < kit_rounds(60); i++) {
        kind c = any_kind(i % 2 ? KIT_NORMAL : KIT_INTEGERS);
        one_shape(&c, 2, all[i % 6][0], all[i % 6][1], kit_between(1, 20), kit_between(1, 70), kit_between(1, 40));
    }
}

/* a and output with axes in any order: batches that no single stride walks. */
static void any_strides(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(20); i++) {
        int64_t s[4] = {3, 2, kit_between(1, 20), kit_between(1, 20)}, n = kit_between(1, 40);
        kit_tensor *wide = kit_input(OCLDNN_F32, KIT_STRIDED, KIT_INTEGERS, 4, (int64_t[]){s[2], s[1], s[0], s[3]});
        kit_tensor *b = kit_input(OCLDNN_F32, KIT_STRIDED, KIT_INTEGERS, 2, (int64_t[]){s[3], n});
        kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){s[0], s[1], s[2], n});
        double *exact = kit_doubles(y->count);
        ocldnn_matmul op = {.a = wide->tensor, .b = b->tensor, .output = y->tensor};
        for (int axis = 0; axis < 4; axis++) { /* axes 0 and 2 swapped */
            int from = axis == 3 ? 3 : 2 - axis;
            op.a.shape[axis] = wide->tensor.shape[from];
            op.a.strides[axis] = wide->tensor.strides[from];
        }
        for (int64_t p = 0; p < s[0]; p++)
            for (int64_t q = 0; q < s[1]; q++)
                for (int64_t r = 0; r < s[2]; r++)
                    linear_double(&(linear_problem_double){.a = wide->values + ((r * s[1] + q) * s[0] + p) * s[3],
                                                           .b = b->values,
                                                           .m = 1,
                                                           .n = n,
                                                           .k = s[3],
                                                           .alpha = 1},
                                  exact + ((p * s[1] + q) * s[2] + r) * n);
        kit_run(matmul, &op);
        kit_equal(y, exact);
        kit_free_all();
    }
}

static void clblast(void **state)
{
    kind c = {.dtype = OCLDNN_F32, .strategy = OCLDNN_GEMM_CLBLAST, .fill = KIT_INTEGERS};
    (void)state;
    if (!kit.facts.clblast || kit.small)
        return;
    one_shape(&c, 0, NULL, NULL, 33, 70, 20);
    c.fill = KIT_NORMAL;
    one_shape(&c, 0, NULL, NULL, 33, 70, 200);
    c.fill = KIT_INTEGERS;
    c.transpose_a = c.transpose_b = true;
    one_shape(&c, 1, (int64_t[]){3}, (int64_t[]){3}, 9, 5, 20);
}

static void named_cases(void **state)
{
    double a[] = {1, 2, NAN, 4}, b[] = {1, 0, 0, 1}, want[] = {1, 2, NAN, NAN};
    kit_tensor *ta = kit_values(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){2, 2}, a);
    kit_tensor *tb = kit_values(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){2, 2}, b);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){2, 2});
    ocldnn_matmul op = {.a = ta->tensor, .b = tb->tensor, .output = y->tensor};
    (void)state;
    kit_run(matmul, &op);
    kit_equal(y, want);
    kit_free_all();
    kind c = {.dtype = OCLDNN_F16, .fill = KIT_INTEGERS};
    one_shape(&c, 0, NULL, NULL, 5, 6, 0); /* K = 0: zeros */
    one_shape(&c, 0, NULL, NULL, 20, 6, 0);
    one_shape(&c, 0, NULL, NULL, 0, 6, 3);
    one_shape(&c, 0, NULL, NULL, 5, 0, 3);
    one_shape(&c, 1, (int64_t[]){0}, (int64_t[]){1}, 5, 2, 3);
}

static void says_what_is_wrong(void **state)
{
    kit_tensor *a = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 3, (int64_t[]){2, 3, 4});
    kit_tensor *b = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 3, (int64_t[]){2, 4, 5});
    kit_tensor *y = kit_output(OCLDNN_F16, KIT_DENSE, 3, (int64_t[]){2, 3, 5});
    const ocldnn_matmul good = {.a = a->tensor, .b = b->tensor, .output = y->tensor};
    ocldnn_matmul op = good;
    (void)state;
    op.b.dtype = 0;
    kit_refuses(matmul, &op, OCLDNN_INVALID_ARGUMENT, "b: the tensor is missing");
    op = good;
    op.b.dtype = OCLDNN_F32;
    kit_refuses(matmul, &op, OCLDNN_INVALID_DTYPE, "b: dtype is F32, must be F16");
    op = good;
    op.a.rank = 1;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "a: rank is 1, must be 2 to 8");
    op = good;
    op.b.shape[1] = 3;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "b: axis 1 is 3, axis 2 of a is 4");
    op = good;
    op.b.shape[0] = 3;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "b: axis 0 is 3, axis 0 of a is 2");
    op = good;
    op.output.shape[1] = 2;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "output: axis 1 is 2, must be 3 (a's m)");
    op = good;
    op.output.shape[2] = 4;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "output: axis 2 is 4, must be 5 (b's n)");
    op = good;
    op.output.shape[0] = 1;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "output: axis 0 is 1, must be 2");
    op = good;
    op.output.rank = 2, op.output.strides[1] = 1;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "output: rank is 2, must be 3");
    op = good;
    op.a.strides[0] = 100, op.a.strides[1] = 10, op.a.strides[2] = 2;
    kit_refuses(matmul, &op, OCLDNN_INVALID_SHAPE, "a: axis 2 has stride 2, the last axis must be contiguous");
    op = good;
    op.transpose_a = 2;
    kit_refuses(matmul, &op, OCLDNN_INVALID_ARGUMENT, "transpose_a is 2");
    op = good;
    op.alpha = NAN;
    kit_refuses(matmul, &op, OCLDNN_INVALID_ARGUMENT, "alpha is nan");
    op = good;
    op.strategy = 3;
    kit_refuses(matmul, &op, OCLDNN_INVALID_ARGUMENT, "strategy is 3, must be 0 to 2");
    op = good;
    op.output.buffer = a->tensor.buffer;
    op.output.offset = a->tensor.offset;
    kit_refuses_run(matmul, &op, OCLDNN_INVALID_BUFFER, "overlap a");
    op = good;
    op.strategy = OCLDNN_GEMM_CLBLAST;
    if (kit.facts.clblast)
        kit_refuses(matmul, &op, OCLDNN_UNSUPPORTED, "CLBlast sums F16 in F16");
    kit_free_all();
}

static void honours_events(void **state)
{
    kit_tensor *a = kit_input(OCLDNN_F32, KIT_DENSE, KIT_INTEGERS, 2, (int64_t[]){20, 30});
    kit_tensor *b = kit_input(OCLDNN_F32, KIT_DENSE, KIT_INTEGERS, 2, (int64_t[]){30, 40});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){20, 40});
    ocldnn_matmul op = {.a = a->tensor, .b = b->tensor, .output = y->tensor};
    (void)state;
    kit_honours_events(matmul, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),  cmocka_unit_test(tails),          cmocka_unit_test(batches),
        cmocka_unit_test(any_strides),        cmocka_unit_test(clblast),        cmocka_unit_test(named_cases),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(honours_events),
    };
    return KIT_MAIN_OF_PRODUCTS("matmul", tests);
}
