// SPDX-License-Identifier: Apache-2.0
// Attention in one pass for CPUs: O = softmax(scale Q K^T ..) V with an online softmax, a work-item per block of
// queries.
//
// A work-item takes 16 * ROW_VECTORS query rows of one head and keeps everything it computes turned on its side: a
// vector holds one key's scores (or one output column) for 16 rows. So the maximum and the sum of a row are plain
// vector operations, without any reduction across a vector, and keys and values are read as broadcast scalars, as
// they lie in memory: no copy of K in another layout is needed. Per block of KEYS keys:
//     scores[key][row] = K[key][:] . QT[:][row]     tiles of TILE keys; keys are converted to F32 just before
//     bias, masks, running maximum; scores = exp2(scores - maximum); running sum
//     OT[column][row] = OT * 2^(old - new maximum) + sum_key V[key][column] scores[key][row]
// Keys ruled out for every row of the head (KEY_MASK) are left out of the block before anything is read from them.
//! X_TYPE 1..3 dtype of query, key, value and output
//! BIAS_TYPE 0..3 dtype of the bias, 0 = none
//! MASK 0..2 0 = none, 1 = the same keys for every row of a head, 2 = differs from row to row
//! CAUSAL 0..1 keys past query + causal_offset take no part
//! SOFTCAP 0..1 scores pass through a tanh
//! LSE 0..1 the logarithm of the sum is stored
//! WIDTH 16..1024 room for D, a multiple of 16
//! VALUE_WIDTH 16..1024 room for Dv, a multiple of 16
//! ROW_VECTORS 1..4 rows per work-item / 16
//! TILE 4..16 keys, or columns, in a register tile
//! KEYS 16..128 keys in a block; a multiple of TILE and 16
#ifndef X_TYPE
#define X_TYPE 1
#endif
#ifndef BIAS_TYPE
#define BIAS_TYPE 0
#endif
#ifndef MASK
#define MASK 0
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif
#ifndef SOFTCAP
#define SOFTCAP 0
#endif
#ifndef LSE
#define LSE 0
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#ifndef VALUE_WIDTH
#define VALUE_WIDTH 64
#endif
#ifndef ROW_VECTORS
#define ROW_VECTORS 4
#endif
#ifndef TILE
#define TILE 6
#endif
#ifndef KEYS
#define KEYS 96
#endif
#include "common/ask.cl"
#include "common/exp2.cl"
#include "common/storage.cl"
#if SOFTCAP
#include "common/math.cl"
#endif
#include "common/transpose.cl"
#include "attention/finish.cl"

#define ROWS (16 * ROW_VECTORS)
#define CHUNK 64 // columns of V converted at a time
#define ALIGNED __attribute__((aligned(64)))
#define ELEMENT STORAGE(X_TYPE)

#include "attention/flash_vector_parts.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
flash_vector(__global const ELEMENT *query_base, ulong query_offset, __global const ELEMENT *key_base, ulong key_offset,
             __global const ELEMENT *value_base, ulong value_offset,
#if MASK
             __global const uchar *mask_base, ulong mask_offset, int4 mask_strides,
#endif
#if BIAS_TYPE
             __global const STORAGE(BIAS_TYPE) * bias_base, ulong bias_offset, int4 bias_strides,
#endif
#if LSE
             __global float *lse_base, ulong lse_offset, int4 lse_strides,
#endif
             __global ELEMENT *output_base, ulong output_offset, int4 query_strides, int4 key_strides,
             int4 value_strides, int4 output_strides, int group, int queries, int keys, int width, int value_width,
             int causal_offset, float sign, float scale, float softcap, float unit)
{
    float16 query_t[WIDTH * ROW_VECTORS];
    float16 output_t[(VALUE_WIDTH + TILE) * ROW_VECTORS];
    float16 scores[KEYS * ROW_VECTORS];
    float ALIGNED staged[TILE * WIDTH > KEYS * CHUNK ? TILE * WIDTH : KEYS * CHUNK];
    int places[KEYS];
    float16 maximum[ROW_VECTORS], sum[ROW_VECTORS];

    int row0 = (int)get_group_id(0) * ROWS, head = (int)get_group_id(1), batch = (int)get_group_id(2);
    int rows = min(ROWS, queries - row0);
    __global const ELEMENT *q = query_base + query_offset + batch * query_strides.s0 + head * query_strides.s1;
    __global const ELEMENT *k = key_base + key_offset + batch * key_strides.s0 + head / group * key_strides.s1;
    __global const ELEMENT *v = value_base + value_offset + batch * value_strides.s0 + head / group * value_strides.s1;
#if MASK
    __global const uchar *mask = mask_base + mask_offset + batch * mask_strides.s0 + head * mask_strides.s1;
#endif
#if BIAS_TYPE
    __global const STORAGE(BIAS_TYPE) *bias =
        bias_base + bias_offset + batch * bias_strides.s0 + head * bias_strides.s1 + row0 * bias_strides.s2;
#endif
    int last_key = keys;
#if CAUSAL
    last_key = clamp(row0 + rows + causal_offset, 0, keys);
#endif

    turn_queries(q + row0 * query_strides.s2, query_strides.s2, rows, width, sign, query_t);
    for (int i = 0; i < value_width * ROW_VECTORS; i++)
        output_t[i] = 0.0f;
    for (int i = 0; i < ROW_VECTORS; i++) {
        maximum[i] = -INFINITY;
        sum[i] = 0.0f;
    }

    for (int next = 0; next < last_key;) {
        int first = next;
        bool cut = MASK == 2;
        float16 rescale[ROW_VECTORS];
#if MASK == 1
        int count = 0;
        for (; next < last_key && count < KEYS; next++) {
            places[count] = next;
            count += mask[next * mask_strides.s3] != 0;
        }
#else
        int count = min(KEYS, last_key - first);
        next = first + count;
        for (int i = 0; i < count; i++)
            places[i] = first + i;
#endif
        if (count == 0)
            break;
        score_keys(k, key_strides.s2, v, value_strides.s2, value_width, places, count, width, query_t, staged, scores);
#if SOFTCAP
        for (int i = 0; i < count * ROW_VECTORS; i++)
            scores[i] = od_tanh_16(scores[i] * scale) * softcap;
#endif
#if BIAS_TYPE
        add_bias(bias, bias_strides, places, count, rows, SOFTCAP ? 1.0f : scale, scores);
#endif
#if MASK == 2
        rule_out_masked(mask + row0 * mask_strides.s2, mask_strides, first, count, rows, scores);
#endif
#if CAUSAL
        if (places[count - 1] > row0 + causal_offset) {
            cut = true;
            rule_out_later(places, count, row0 + causal_offset, scores);
        }
#endif
        soften(count, unit, cut, scores, maximum, sum, rescale);
        add_values(v, value_strides.s2, places, count, value_width, scores, rescale, cut, staged, output_t);
    }

    for (int i = 0; i < ROW_VECTORS; i++) {
#if LSE
        __global float *lse = lse_base + lse_offset + batch * lse_strides.s0 + head * lse_strides.s1;
        float ALIGNED logarithms[16];
        // log(0) is -inf and the maximum of no keys is too: a row without keys gives -inf.
        vstore16(fma(maximum[i], (float16)(SOFTCAP || BIAS_TYPE ? 1.0f : scale), log(sum[i])), 0, logarithms);
        for (int r = 0; r < min(16, rows - 16 * i); r++)
            lse[(row0 + 16 * i + r) * lse_strides.s2] = logarithms[r];
#endif
    }
    store_output(output_t, sum, rows, value_width,
                 output_base + output_offset + batch * output_strides.s0 + head * output_strides.s1 +
                     row0 * output_strides.s2,
                 output_strides.s2);
}
