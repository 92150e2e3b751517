// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding on a CPU; rotary.cl says what that is, and how angles are kept.
//
// A work-item takes a run of tokens of one batch entry, through all heads: it finds frequencies once, cosine and sine
// of its tokens once, 16 pairs at a time, and then reads each head's part in one run of memory.

//! TYPE 1..3 dtype of input and output (1 F32, 2 F16, 3 BF16)
//! CACHE_TYPE 0..3 dtype of cosine and sine, 0 if they are computed
//! CACHE_BY_TOKEN 0..1 the caches are [B, T, W/2]; else rows are picked by position
//! POSITION_KIND 0..2 0 counts 0, 1, .. T-1; 1 U32; 2 I32
//! INTERLEAVED 0..1 pairs are (2 i, 2 i + 1); else (i, i + W/2)
#ifndef TYPE
#define TYPE 1
#endif
#ifndef CACHE_TYPE
#define CACHE_TYPE 0
#endif
#ifndef CACHE_BY_TOKEN
#define CACHE_BY_TOKEN 0
#endif
#ifndef POSITION_KIND
#define POSITION_KIND 0
#endif
#ifndef INTERLEAVED
#define INTERLEAVED 0
#endif

#include "common/ask.cl"
#include "common/storage.cl"

// What is in private memory at a time: cosine and sine of so many tokens (lib/ops/rotary.c) and pairs, 8 KiB.
enum { MOST_TOKENS = 16, PAIRS = 64, VECTORS = PAIRS / 16 };

#if CACHE_TYPE
// A row of a cache; NaN for a position outside of it.
static inline void take_row(__global const STORAGE(CACHE_TYPE) * row, int valid, int count, float16 *values)
{
    int i = 0;
    for (; valid && i + 16 <= count; i += 16)
        values[i / 16] = LOAD16(CACHE_TYPE, row, i);
    for (; i < count; i++)
        ((float *)values)[i] = valid ? LOAD1(CACHE_TYPE, row, i) : NAN;
}
#else
// a * b without error, as the result and *low; see rotary.cl.
static inline float16 exact_product(float16 a, float16 b, float16 *low)
{
    const float16 a1 = as_float16(as_uint16(a) & 0xfffff000u), a2 = a - a1;
    const float16 b1 = as_float16(as_uint16(b) & 0xfffff000u), b2 = b - b1;
    const float16 p = a * b;
    *low = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
    return p;
}

static inline float16 product(float16 a, float16 a_low, float16 b, float16 b_low, float16 *low)
{
    float16 rest;
    const float16 p = exact_product(a, b, &rest);
    *low = rest + (a * b_low + a_low * b);
    return p;
}

static inline float16 exact_sum(float16 a, float16 b, float16 *low)
{
    const float16 s = a + b, other = s - a;
    *low = (a - (s - other)) + (b - other);
    return s;
}

static inline float16 nearest_fraction(float16 x)
{
    return x - rint(x);
}

// ratio^i / (2 pi) for i = first .. first + 15, by squaring.
static inline float16 frequencies_of(int first, float ratio_high, float ratio_low, float16 *low)
{
    int16 i = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + first;
    float16 f = (float16)(0.15915494f), f_low = (float16)(6.4206383e-9f);
    float16 ratio = (float16)(ratio_high), r_low = (float16)(ratio_low), rest;
    for (int bits = first + 15; bits > 0; bits >>= 1) {
        const float16 p = product(f, f_low, ratio, r_low, &rest);
        f = select(f, p, i << 31);
        f_low = select(f_low, rest, i << 31);
        ratio = product(ratio, r_low, ratio, r_low, &rest);
        r_low = rest;
        i >>= 1;
    }
    *low = f_low;
    return f;
}

// frequency * position without its whole turns. A position of up to 32 bits is two exact floats.
static inline float16 turns_of(float16 frequency, float16 f_low, uint position, float16 *low)
{
    const float16 upper = (float16)((float)(position & 0xfffff000u)), lower = (float16)((float)(position & 0xfffu));
    float16 p_low, q_low, whole_low;
    const float16 p = exact_product(frequency, upper, &p_low), q = exact_product(frequency, lower, &q_low);
    const float16 rest = p_low + q_low + nearest_fraction(f_low * upper) + f_low * lower;
    const float16 whole = exact_sum(nearest_fraction(p), nearest_fraction(q), &whole_low);
    const float16 turns = exact_sum(nearest_fraction(whole), rest, low);
    *low += whole_low;
    return turns;
}

// Cosine and sine of frequency * position. The angle is n quarters of a turn and a rest within an eighth, for which
// sin a = a + a z P(z) and cos a = 1 - z/2 + z^2 Q(z), z = a^2, P and Q through Chebyshev's points: good to 2^-26.
static inline void cosine_sine(float16 frequency, float16 f_low, uint position, float sign, float16 *c, float16 *s)
{
    float16 low;
    const float16 turns = turns_of(frequency, f_low, position, &low);
    const float16 shifted = turns * 4.0f + 12582912.0f; // 1.5 * 2^23: n lies in the low bits
    const int16 n = as_int16(shifted);
    const float16 rest = turns - (shifted - 12582912.0f) * 0.25f;
    const float16 a = rest * 6.2831855f, z = a * a;
    const float16 a_low = low * 6.2831855f - rest * 1.7484555e-7f;
    const float16 p = -0.16666664f + z * (0.0083327470f + z * -0.00019587639f);
    const float16 q = 0.041666664f + z * (-0.0013888301f + z * 2.4547689e-5f);
    const float16 sine = a + a * (z * p), cosine = (1.0f - 0.5f * z) + (z * z) * q;
    const float16 s1 = sine + a_low * cosine, c1 = cosine - a_low * sine;
    const float16 s2 = select(s1, c1, n << 31), c2 = select(c1, s1, n << 31);
    *s = as_float16(as_int16(s2) ^ ((n & 2) << 30)) * sign;
    *c = as_float16(as_int16(c2) ^ (((n + 1) & 2) << 30));
}
#endif

// Of a pair of vectors, where the next head has it.
#define ASK(x_at, y_at)                                                                                                \
    do {                                                                                                               \
        OD_ASK((x_at) + x_next, 1);                                                                                    \
        if (y_next)                                                                                                    \
            OD_ASK_TO_WRITE((y_at) + y_next);                                                                          \
    } while (0)

// `count` pairs of one head, from pair `begin` on. The next head is so many elements away, 0 if there is none.
static inline void turn(__global const STORAGE(TYPE) * x, __global STORAGE(TYPE) * y, int x_next, int y_next, int begin,
                        int count, int pairs, const float16 *cosine, const float16 *sine)
{
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        const float16 c = cosine[i / 16], s = sine[i / 16];
#if INTERLEAVED
        const int at = 2 * (begin + i);
        ASK(x + at, y + at);
        ASK(x + at + 16, y + at + 16);
        const float16 a = LOAD16(TYPE, x, at), b = LOAD16(TYPE, x, at + 16);
        const float16 x1 = (float16)(a.even, b.even), x2 = (float16)(a.odd, b.odd);
        const float16 y1 = x1 * c - x2 * s, y2 = x2 * c + x1 * s;
        float16 low, high;
        low.even = y1.lo;
        low.odd = y2.lo;
        high.even = y1.hi;
        high.odd = y2.hi;
        STORE16(TYPE, low, y, at);
        STORE16(TYPE, high, y, at + 16);
#else
        const int at = begin + i;
        ASK(x + at, y + at);
        ASK(x + at + pairs, y + at + pairs);
        const float16 x1 = LOAD16(TYPE, x, at), x2 = LOAD16(TYPE, x, at + pairs);
        STORE16(TYPE, x1 * c - x2 * s, y, at);
        STORE16(TYPE, x2 * c + x1 * s, y, at + pairs);
#endif
    }
    for (; i < count; i++) {
        const float c = ((const float *)cosine)[i], s = ((const float *)sine)[i];
        const int first = INTERLEAVED ? 2 * (begin + i) : begin + i, second = INTERLEAVED ? first + 1 : first + pairs;
        const float x1 = LOAD1(TYPE, x, first), x2 = LOAD1(TYPE, x, second);
        STORE1(TYPE, x1 * c - x2 * s, y, first);
        STORE1(TYPE, x2 * c + x1 * s, y, second);
    }
}

static inline void copy_rest(__global const STORAGE(TYPE) * x, __global STORAGE(TYPE) * y, int width, int depth)
{
    int i = width;
    for (; i + 16 <= depth; i += 16)
        STORE16(TYPE, LOAD16(TYPE, x, i), y, i);
    for (; i < depth; i++)
        STORE1(TYPE, LOAD1(TYPE, x, i), y, i);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
rotary_vector(__global const STORAGE(TYPE) * input, ulong input_offset, int4 input_strides, // of B, H, T, D
#if POSITION_KIND
              __global const uint *positions, ulong positions_offset, int positions_batch_stride, int positions_stride,
#endif
#if CACHE_TYPE
              __global const STORAGE(CACHE_TYPE) * cosine, ulong cosine_offset, int cosine_batch_stride,
              int cosine_stride, __global const STORAGE(CACHE_TYPE) * sine, ulong sine_offset, int sine_batch_stride,
              int sine_stride, int cache_rows,
#else
              float ratio_high, float ratio_low, // base^(-2/W)
#endif
              __global STORAGE(TYPE) * output, ulong output_offset, int4 output_strides, int heads, int depth,
              int width, int tokens, int share) // tokens of an item
{
    float16 c[MOST_TOKENS * VECTORS], s[MOST_TOKENS * VECTORS];
    const int first = (int)get_group_id(0) * share, batch = (int)get_group_id(1), pairs = width / 2;
    const int count = min(share, tokens - first);
    input += input_offset + batch * input_strides.s0 + first * input_strides.s2;
    output += output_offset + batch * output_strides.s0 + first * output_strides.s2;
#if POSITION_KIND
    positions += positions_offset + batch * positions_batch_stride + first * positions_stride;
#define POSITION(t) positions[(t)*positions_stride]
#else
#define POSITION(t) ((uint)(first + (t)))
#endif
#if CACHE_TYPE
    cosine += cosine_offset + batch * cosine_batch_stride;
    sine += sine_offset + batch * sine_batch_stride;
#endif
    for (int begin = 0; begin < pairs; begin += PAIRS) {
        const int part = min((int)PAIRS, pairs - begin);
#if CACHE_TYPE
        for (int t = 0; t < count; t++) {
            const uint position = CACHE_BY_TOKEN ? 0 : POSITION(t);
            const int valid = CACHE_BY_TOKEN || position < (uint)cache_rows;
            const int row = CACHE_BY_TOKEN ? first + t : valid ? (int)position : 0;
            take_row(cosine + row * cosine_stride + begin, valid, part, c + t * VECTORS);
            take_row(sine + row * sine_stride + begin, valid, part, s + t * VECTORS);
        }
#else
        for (int v = 0; v * 16 < part; v++) {
            float16 low;
            const float16 frequency = frequencies_of(begin + v * 16, ratio_high, ratio_low, &low);
            for (int t = 0; t < count; t++) {
                const uint position = POSITION(t);
                const int backwards = POSITION_KIND == 2 && (int)position < 0;
                cosine_sine(frequency, low, backwards ? 0u - position : position, backwards ? -1.0f : 1.0f,
                            c + t * VECTORS + v, s + t * VECTORS + v);
            }
        }
#endif
        for (int head = 0; head < heads; head++) {
            __global const STORAGE(TYPE) *x = input + head * input_strides.s1;
            __global STORAGE(TYPE) *y = output + head * output_strides.s1;
            const int x_next = head + 1 < heads ? input_strides.s1 : 0,
                      y_next = head + 1 < heads ? output_strides.s1 : 0;
            for (int t = 0; t < count; t++) {
                turn(x, y, x_next, y_next, begin, part, pairs, c + t * VECTORS, s + t * VECTORS);
                if (begin + part == pairs)
                    copy_rest(x, y, width, depth);
                x += input_strides.s2;
                y += output_strides.s2;
            }
        }
    }
}
