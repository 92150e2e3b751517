// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: pairs (x1, x2) of a head become (x1 cos - x2 sin, x2 cos + x1 sin).
//
// A work-group takes one token of all heads, so that each angle is computed once; a CPU has rotary_vector.cl. Without
// caches the angle is position * base^(-2 i / W). A plain float would be off by a tenth of a radian at position 100000,
// so the angle is kept in turns, as a sum of two floats.

//! TYPE 1..3 dtype of input and output (1 F32, 2 F16, 3 BF16)
//! CACHE_TYPE 0..3 dtype of cosine and sine, 0 if they are computed
//! CACHE_BY_TOKEN 0..1 the caches are [B, T, W/2]; else rows are picked by position
//! POSITION_KIND 0..2 0 counts 0, 1, .. T-1; 1 U32; 2 I32
//! INTERLEAVED 0..1 pairs are (2 i, 2 i + 1); else (i, i + W/2)
//! ITEMS 1..256 work-items per group
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
#ifndef ITEMS
#define ITEMS 1
#endif

#include "common/storage.cl"

// A number as the sum of two floats, s0 + s1. (A struct would do, but Oclgrind cannot load functions that return one.)
//
// a * b without error (Dekker 1971): products of halves of 12 bits are exact. Not by fma, which is not exact on every
// driver (llvmpipe rounds twice).
static inline float2 exact_product(float a, float b)
{
    const float a1 = as_float(as_uint(a) & 0xfffff000u), a2 = a - a1;
    const float b1 = as_float(as_uint(b) & 0xfffff000u), b2 = b - b1;
    const float p = a * b;
    return (float2)(p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2);
}

static inline float2 product(float2 a, float2 b)
{
    float2 p = exact_product(a.s0, b.s0);
    p.s1 += a.s0 * b.s1 + a.s1 * b.s0;
    return p;
}

static inline float2 exact_sum(float a, float b)
{
    const float s = a + b, other = s - a;
    return (float2)(s, (a - (s - other)) + (b - other));
}

static inline float nearest_fraction(float x)
{
    return x - rint(x);
}

// frequency * position without its whole turns. A position of up to 32 bits is two exact floats.
static inline float2 turns_of(float2 frequency, uint position)
{
    const float upper = (float)(position & 0xfffff000u), lower = (float)(position & 0xfffu);
    const float2 p = exact_product(frequency.s0, upper), q = exact_product(frequency.s0, lower);
    const float rest = p.s1 + q.s1 + nearest_fraction(frequency.s1 * upper) + frequency.s1 * lower;
    const float2 whole = exact_sum(nearest_fraction(p.s0), nearest_fraction(q.s0));
    float2 turns = exact_sum(nearest_fraction(whole.s0), rest);
    turns.s1 += whole.s1;
    return turns;
}

// ratio^i / (2 pi), by squaring.
static inline float2 frequency_of(int i, float2 ratio)
{
    float2 f = (float2)(0.15915494f, 6.4206383e-9f);
    for (; i > 0; i >>= 1) {
        if (i & 1)
            f = product(f, ratio);
        ratio = product(ratio, ratio);
    }
    return f;
}

static inline float2 cosine_sine(int i, float2 ratio, uint position)
{
    const float2 turns = turns_of(frequency_of(i, ratio), position);
    const float c = cospi(2.0f * turns.s0), s = sinpi(2.0f * turns.s0), small = 6.2831853f * turns.s1;
    return (float2)(c - small * s, s + small * c);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
rotary(__global const STORAGE(TYPE) * input, ulong input_offset, int4 input_strides, // of B, H, T, D
#if POSITION_KIND
       __global const uint *positions, ulong positions_offset, int positions_batch_stride, int positions_stride,
#endif
#if CACHE_TYPE
       __global const STORAGE(CACHE_TYPE) * cosine, ulong cosine_offset, int cosine_batch_stride, int cosine_stride,
       __global const STORAGE(CACHE_TYPE) * sine, ulong sine_offset, int sine_batch_stride, int sine_stride,
       int cache_rows,
#else
       float ratio_high, float ratio_low, // base^(-2/W)
#endif
       __global STORAGE(TYPE) * output, ulong output_offset, int4 output_strides, int heads, int depth, int width)
{
    const int token = (int)get_group_id(0), batch = (int)get_group_id(1), item = (int)get_local_id(0);
    const int pairs = width / 2;
    int i = item;
#if POSITION_KIND
    const uint position = positions[positions_offset + batch * positions_batch_stride + token * positions_stride];
#else
    const uint position = (uint)token;
#endif
#if CACHE_TYPE
    const int valid = CACHE_BY_TOKEN || position < (uint)cache_rows;
    const int row = CACHE_BY_TOKEN ? token : valid ? (int)position : 0;
    cosine += cosine_offset + batch * cosine_batch_stride + row * cosine_stride;
    sine += sine_offset + batch * sine_batch_stride + row * sine_stride;
#define ANGLE(i) (valid ? (float2)(LOAD1(CACHE_TYPE, cosine, i), LOAD1(CACHE_TYPE, sine, i)) : (float2)(NAN, NAN))
#else
    const int backwards = POSITION_KIND == 2 && (int)position < 0;
    const float2 ratio = (float2)(ratio_high, ratio_low), sign = (float2)(1.0f, backwards ? -1.0f : 1.0f);
    const uint distance = backwards ? 0u - position : position;
#define ANGLE(i) (sign * cosine_sine(i, ratio, distance))
#endif
    input += input_offset + batch * input_strides.s0 + token * input_strides.s2;
    output += output_offset + batch * output_strides.s0 + token * output_strides.s2;
    for (; i < pairs; i += ITEMS) {
        const int first = INTERLEAVED ? 2 * i : i, second = INTERLEAVED ? 2 * i + 1 : i + pairs;
        const float2 both = ANGLE(i);
        for (int head = 0; head < heads; head++) {
            const int x = head * input_strides.s1, y = head * output_strides.s1;
            const float x1 = LOAD1(TYPE, input, x + first), x2 = LOAD1(TYPE, input, x + second);
            STORE1(TYPE, x1 * both.s0 - x2 * both.s1, output, y + first);
            STORE1(TYPE, x2 * both.s0 + x1 * both.s1, output, y + second);
        }
    }
    for (i = width + item; i < depth; i += ITEMS)
        for (int head = 0; head < heads; head++)
            STORE1(TYPE, LOAD1(TYPE, input, head * input_strides.s1 + i), output, head * output_strides.s1 + i);
}
