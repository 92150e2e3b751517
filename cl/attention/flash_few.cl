// SPDX-License-Identifier: Apache-2.0
// Attention for few queries on CPUs, as in decoding: bound by reading K and V, which are read once for all rows that
// share them.
//
// A work-item takes a block of ROWS rows of one head of K and V (a row is a query of one of the heads that share it)
// and a chunk of the keys. Vectors lie along the rows of Q, K, V and O. Per block of KEYS keys:
//     scores[row][key] = K[key][:] . Q[row][:]      16 keys' sums of products become one vector of 16 scores
//     bias, masks, running maximum; scores = exp2(scores - maximum); running sum
//     O[row][:] = O * 2^(old - new maximum) + sum_key scores[row][key] V[key][:]
// Chunks (SPLIT) leave O, maximum and sum in the workspace, which flash_merge.cl puts together.
// Keys ruled out for every row of the head (MASK 1) are left out of the block before anything is read from them.
//! X_TYPE 1..3 dtype of query, key, value and output
//! BIAS_TYPE 0..3 dtype of the bias, 0 = none
//! MASK 0..2 0 = none, 1 = the same keys for every row that shares K and V, 2 = differs from row to row
//! CAUSAL 0..1 keys past query + causal_offset take no part
//! SOFTCAP 0..1 scores pass through a tanh
//! LSE 0..1 the logarithm of the sum is stored (with SPLIT: by the merge)
//! SPLIT 0..1 keys are cut into chunks
//! ROWS 1..8 rows of a work-item: 1, 2, 4 or 8; those past the last one repeat it and are not stored
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
#ifndef SPLIT
#define SPLIT 0
#endif
#ifndef ROWS
#define ROWS 8
#endif
#include "common/ask.cl"
#include "common/exp2.cl"
#include "common/storage.cl"
#if SOFTCAP
#include "common/math.cl"
#endif
#include "attention/few_rows.cl"

#define OD_UNROLL _Pragma("unroll")
#define KEYS 64
#define ELEMENT STORAGE(X_TYPE)
// Keys, and vectors of V, in a register tile: 16 sums, which hide the latency of a multiplication.
#if ROWS >= 4
#define SIDE (16 / ROWS)
#define COLUMNS (16 / ROWS)
#else
#define SIDE 8
#define COLUMNS 8
#endif

#include "attention/flash_few_parts.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
flash_few(__global const ELEMENT *query_base, ulong query_offset, __global const ELEMENT *key_base, ulong key_offset,
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
          __global ELEMENT *output_base, ulong output_offset, int4 query_strides, int4 key_strides, int4 value_strides,
          int4 output_strides, int group, int queries, int keys, int width, int value_width, int causal_offset,
          float sign, float scale, float softcap, float unit,
#if SPLIT
          __global float *sums_base, ulong sums_offset, __global float *states_base, ulong states_offset,
#endif
          int block_rows, int chunk)
{
    float16 query[MOST_VECTORS * ROWS], output[MOST_VECTORS * ROWS];
    float16 scores[ROWS * KEYS / 16], sum[ROWS], maximum = -INFINITY, rescale;
    int16 place_vectors[KEYS / 16];
    int *places = (int *)place_vectors;
    int heads[ROWS], rows_in_head[ROWS];

    int blocks = (group * queries + block_rows - 1) / block_rows;
    int piece = (int)get_group_id(0) / blocks, row0 = ((int)get_group_id(0) - piece * blocks) * block_rows;
    int rows = min(block_rows, group * queries - row0), head0 = (int)get_group_id(1) * group;
    int batch = (int)get_group_id(2);
    __global const ELEMENT *k = key_base + key_offset + batch * key_strides.s0 + head0 / group * key_strides.s1;
    __global const ELEMENT *v = value_base + value_offset + batch * value_strides.s0 + head0 / group * value_strides.s1;
#if MASK
    __global const uchar *mask = mask_base + mask_offset + batch * mask_strides.s0;
#endif
#if BIAS_TYPE
    __global const STORAGE(BIAS_TYPE) *bias = bias_base + bias_offset + batch * bias_strides.s0;
#endif
#if MASK == 1
    mask += head0 * mask_strides.s1;
#endif
    int first_limit = keys, last_limit = -1; // of all rows
    for (int r = 0; r < ROWS; r++) {
        int row = row0 + min(r, rows - 1);
        heads[r] = head0 + row / queries;
        rows_in_head[r] = row - row / queries * queries;
        first_limit = min(first_limit, rows_in_head[r] + causal_offset);
        last_limit = max(last_limit, rows_in_head[r] + causal_offset);
        load_query(query_base + query_offset + batch * query_strides.s0 + heads[r] * query_strides.s1 +
                       rows_in_head[r] * query_strides.s2,
                   width, sign, query + r);
        sum[r] = 0.0f;
    }
    for (int i = 0; i < od_vectors(value_width) * ROWS; i++)
        output[i] = 0.0f;

    int last_key = min(keys, (piece + 1) * chunk);
#if CAUSAL
    last_key = clamp(last_limit + 1, 0, last_key);
#endif
    for (int next = piece * chunk; next < last_key;) {
        int first = next;
        bool cut = MASK == 2;
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
        int vectors = od_vectors(count);
        for (int i = count; i < 16 * vectors; i++)
            places[i] = places[count - 1];
        score_keys(k, key_strides.s2, v, value_strides.s2, value_width, places, count, width, query, scores);
#if SOFTCAP
        for (int i = 0; i < ROWS * KEYS / 16; i++)
            if (i % (KEYS / 16) < vectors)
                scores[i] = od_tanh_16(scores[i] * scale) * softcap;
#endif
#if CAUSAL
        cut = cut || places[count - 1] > first_limit;
#endif
        for (int r = 0; r < ROWS; r++) {
            float16 *row = scores + r * KEYS / 16;
#if BIAS_TYPE
            add_bias(bias + heads[r] * bias_strides.s1 + rows_in_head[r] * bias_strides.s2, bias_strides.s3, places,
                     count, SOFTCAP ? 1.0f : scale, row);
#endif
#if MASK == 2
            rule_out_masked(mask + heads[r] * mask_strides.s1 + rows_in_head[r] * mask_strides.s2, mask_strides.s3,
                            first, count, row);
#endif
#if CAUSAL
            if (cut)
                rule_out_later(places, count, rows_in_head[r] + causal_offset, row);
#endif
            row[vectors - 1] = od_keep(row[vectors - 1], count - 16 * (vectors - 1), -INFINITY);
        }
        soften(vectors, unit, cut, scores, &maximum, sum, &rescale);
        add_values(v, value_strides.s2, value_width, places, count, (const float *)scores, (const float *)&rescale, cut,
                   output);
    }

    for (int r = 0; r < rows; r++) {
        float most = ((float *)&maximum)[r], total = od_sum_16(sum[r]);
#if SPLIT
        int vectors = od_vectors(value_width), pieces = (int)get_num_groups(0) / blocks;
        ulong at =
            (ulong)(((batch * (int)get_num_groups(1) * group + heads[r]) * queries + rows_in_head[r]) * pieces + piece);
        __global float *sums = sums_base + sums_offset + at * (ulong)(16 * vectors);
        for (int i = 0; i < vectors; i++)
            STORE16(OD_F32, output[i * ROWS + r], sums, 16 * i);
        states_base[states_offset + 2 * at] = most;
        states_base[states_offset + 2 * at + 1] = total;
#else
#if LSE
        // log(0) is -inf and the maximum of no keys is too: a row without keys gives -inf.
        lse_base[lse_offset + batch * lse_strides.s0 + heads[r] * lse_strides.s1 + rows_in_head[r] * lse_strides.s2] =
            fma(most, SOFTCAP || BIAS_TYPE ? 1.0f : scale, log(total));
#endif
        od_store_row(output + r, ROWS, total, value_width,
                     output_base + output_offset + batch * output_strides.s0 + heads[r] * output_strides.s1 +
                         rows_in_head[r] * output_strides.s2);
#endif
    }
}
