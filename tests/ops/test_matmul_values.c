/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of values that matrix units treat apart from floats: infinite, no numbers, large, small, and of both kinds
 * in one row; and operands that are packed in several goes.
 */
#include "kit/kit.h"

#include <math.h>

#define REFERENCE_FILE "reference/linear.inc"
#include "reference/twice.h"

typedef struct operands {
    kit_tensor *a, *b;
    int64_t m, n, k;
    bool transpose_a, transpose_b;
} operands;

static operands draw(uint32_t dtype, kit_fill fill, int64_t m, int64_t n, int64_t k)
{
    operands o = {.m = m, .n = n, .k = k, .transpose_a = kit_between(0, 1), .transpose_b = kit_between(0, 1)};
    o.a = kit_input(dtype, KIT_STRIDED, fill, 2, (int64_t[]){o.transpose_a ? k : m, o.transpose_a ? m : k});
    o.b = kit_input(dtype, KIT_STRIDED, fill, 2, (int64_t[]){o.transpose_b ? n : k, o.transpose_b ? k : n});
    return o;
}

static double *a_at(const operands *o, int64_t row, int64_t i)
{
    return &o->a->values[o->transpose_a ? i * o->m + row : row * o->k + i];
}

static double *b_at(const operands *o, int64_t i, int64_t column)
{
    return &o->b->values[o->transpose_b ? column * o->k + i : i * o->n + column];
}

/* Multiplies what the values are now. */
static kit_tensor *product(const operands *o)
{
    kit_tensor *y = kit_output(o->a->tensor.dtype, KIT_STRIDED, 2, (int64_t[]){o->m, o->n});
    ocldnn_matmul op = {.a = o->a->tensor,
                        .b = o->b->tensor,
                        .output = y->tensor,
                        .transpose_a = o->transpose_a,
                        .transpose_b = o->transpose_b};
    kit_write(o->a);
    kit_write(o->b);
    kit_run(matmul, &op);
    return y;
}

static void check(const operands *o, bool equal)
{
    kit_tensor *y = product(o);
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count);
    linear_problem_double p = {.a = o->a->values,
                               .b = o->b->values,
                               .m = o->m,
                               .n = o->n,
                               .k = o->k,
                               .transpose_a = o->transpose_a,
                               .transpose_b = o->transpose_b,
                               .alpha = 1};
    linear_problem_float q;
    memcpy(&q, &p, sizeof q);
    linear_double(&p, exact);
    linear_float(&q, naive);
    if (equal)
        kit_equal(y, exact);
    else
        kit_compare(y, exact, naive, o->k);
}

static void each_value(kit_tensor *t, int exponent)
{
    for (int64_t i = 0; i < t->count; i++)
        t->values[i] = ldexp(t->values[i], exponent);
}

/* One value somewhere in A or B; all other rows or columns must not notice. */
static void not_finite(void **state)
{
    static const double values[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    (void)state;
    for (int i = 0; i < kit_rounds(18); i++) {
        operands o =
            draw(1 + (uint32_t)i % 3, KIT_NORMAL, kit_between(1, 70), kit_between(30, 70), kit_between(1, 600));
        int64_t at = kit_between(0, o.k - 1);
        double value = values[i / 3 % 3];
        if (kit_between(0, 1))
            *a_at(&o, kit_between(0, o.m - 1), at) = value;
        else
            *b_at(&o, at, kit_between(0, o.n - 1)) = value;
        if (kit_between(0, 1)) /* inf * 0 is no number */
            for (int64_t column = 0; column < o.n; column++)
                *b_at(&o, at, column) = isfinite(*b_at(&o, at, column)) ? 0 : *b_at(&o, at, column);
        check(&o, false);
        kit_free_all();
    }
}

/* All of A and of B so many powers of two from about 1; the product is a float that all devices know. */
static void of_any_size(void **state)
{
    static const int sizes[][2] = {{-38, 0},   {-41, 0},   {-44, 50},   {0, -60}, {-70, 60},  {-100, 110},
                                   {-60, -30}, {-118, 90}, {-118, 124}, {60, 60}, {124, -60}, {30, -42}};
    (void)state;
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        operands o = draw(i % 2 ? OCLDNN_F32 : OCLDNN_BF16, KIT_NORMAL, kit_between(30, 70), kit_between(30, 70),
                          kit_between(1, kit.small ? 60 : 600));
        each_value(o.a, sizes[i][0]);
        each_value(o.b, sizes[i][1]);
        check(&o, false);
        kit_free_all();
    }
}

/* The largest floats, which round to infinity as BF16, by powers of two. */
static void largest(void **state)
{
    (void)state;
    operands o = draw(OCLDNN_F32, KIT_INTEGERS, 40, 40, 64);
    for (int64_t row = 0; row < o.m; row++)
        *a_at(&o, row, row) = row % 2 ? 0x1.fffffep127 : -0x1.fffffep127;
    for (int64_t i = 0; i < o.k; i++)
        for (int64_t column = 0; column < o.n; column++)
            *b_at(&o, i, column) = i == column ? 0x1p-2 : 0;
    check(&o, true);
}

/* In each row a value that is far larger than the others, where all columns are 0. */
static void of_all_sizes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        operands o = draw(OCLDNN_F32, KIT_NORMAL, 50, 40, 100 + 200 * (i % 2));
        for (int64_t row = 0; row < o.m; row++)
            *a_at(&o, row, row) = ldexp(1, 20 + 2 * (int)row);
        for (int64_t j = 0; j < o.m; j++)
            for (int64_t column = 0; column < o.n; column++)
                *b_at(&o, j, column) = 0;
        check(&o, false);
        kit_free_all();
    }
}

/* Rows as a softmax leaves them: from 1 down to the smallest floats; and columns of every size. */
static void down_to_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(6); i++) {
        operands o = draw(i % 2 ? OCLDNN_BF16 : OCLDNN_F32, KIT_NORMAL, 40, 50, kit_between(40, kit.small ? 60 : 600));
        for (int64_t row = 0; row < o.m; row++)
            for (int64_t k = 0; k < o.k; k++)
                *a_at(&o, row, k) = ldexp(fabs(*a_at(&o, row, k)), k == row ? 0 : -(int)kit_between(0, 125));
        for (int64_t column = 0; column < o.n && i >= 4; column++)
            for (int64_t k = 0; k < o.k; k++)
                *b_at(&o, k, column) = ldexp(*b_at(&o, k, column), (int)kit_between(-40, 40));
        check(&o, false);
        kit_free_all();
    }
}

/* The one product of a row and column is small, or large, or of a small and a large value; the rest meets zeros. */
static void one_product(void **state)
{
    static const int sizes[][3] = {{-39, -82, 0},    {-20, -60, -20}, {-122, 50, -20}, {63, 63, 0},
                                   {-122, 122, -20}, {-60, 10, 3},    {-38, -39, 0},   {-120, 61, 61}};
    (void)state;
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        operands o = draw(OCLDNN_F32, KIT_NORMAL, 34, 40, 64);
        for (int64_t row = 0; row < o.m; row++)
            for (int64_t k = 0; k < o.k; k++)
                *a_at(&o, row, k) = k == 7 ? ldexp(0x1.fff5a6p0, sizes[i][0]) : k == 9 ? ldexp(1, sizes[i][2]) : 0;
        for (int64_t k = 0; k < o.k; k++)
            for (int64_t column = 0; column < o.n; column++)
                *b_at(&o, k, column) = k == 7 ? ldexp(0x1.fff5a6p0, sizes[i][1]) : k == 9 ? 0 : 1;
        check(&o, false);
        kit_free_all();
    }
}

/* Every bit of a float counts: of 24 bits each, by powers of two and by 1 + 2^-12, whose products are 25 bits and up.
 */
static void all_bits(void **state)
{
    (void)state;
    operands o = draw(OCLDNN_F32, KIT_INTEGERS, 64, 32, 32);
    for (int64_t row = 0; row < o.m; row++)
        for (int64_t i = 0; i < o.k; i++)
            *a_at(&o, row, i) = (double)(int64_t)(kit_random() >> 40) * (kit_between(0, 1) ? 1 : -1);
    for (int64_t i = 0; i < o.k; i++)
        for (int64_t column = 0; column < o.n; column++)
            *b_at(&o, i, column) = i == column ? ldexp(1, (int)column - 16) : 0;
    check(&o, true);
}

/* Whatever one row holds, the others keep their bits. */
static void rows_are_apart(void **state)
{
    static const double values[] = {(double)NAN, 0x1p-90, 0x1p100};
    (void)state;
    for (int i = 0; i < 3; i++) {
        operands o = draw(OCLDNN_F32, KIT_NORMAL, kit_between(20, 50), 40, kit_between(1, kit.small ? 60 : 600));
        kit_tensor *before = product(&o), *after;
        int64_t row = kit_between(0, o.m - 1);
        for (int64_t k = 0; k < o.k; k++)
            *a_at(&o, row, k) = values[i];
        after = product(&o);
        kit_read(before);
        kit_read(after);
        for (int64_t at = 0; at < before->count; at++)
            if (at / o.n != row && before->values[at] != after->values[at])
                fail_msg("%g in row %lld changes row %lld", values[i], (long long)row, (long long)(at / o.n));
        kit_free_all();
    }
}

/* More than the 64 MiB that are packed at a time, of A and of B, with what is left over. */
static void in_several_goes(void **state)
{
    static const int64_t shapes[][3] = {{700, 33, 16384}, {33, 1400, 16384}};
    (void)state;
    for (int i = 0; kit.facts.amx && i < (kit.small ? 1 : 2); i++) {
        operands o = draw(OCLDNN_F32, KIT_INTEGERS, shapes[i][0], shapes[i][1], shapes[i][2]);
        check(&o, true);
        kit_free_all();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_finite),   cmocka_unit_test(of_any_size),     cmocka_unit_test(largest),
        cmocka_unit_test(of_all_sizes), cmocka_unit_test(down_to_nothing), cmocka_unit_test(one_product),
        cmocka_unit_test(all_bits),     cmocka_unit_test(rows_are_apart),  cmocka_unit_test(in_several_goes),
    };
    return KIT_MAIN_OF_PRODUCTS("matmul_values", tests);
}
