// SPDX-License-Identifier: Apache-2.0
// Attention in one pass for GPUs: O = softmax(scale Q K^T ..) V with an online softmax.
//
// A work-group takes ROWS query rows that share a key head (row = query * group + head in the group, so that grouped
// heads read keys and values once) and COLUMNS columns of O. Items lie as LANES_KEY x LANES_ROW; each holds ROWS_ITEM
// rows by 4 keys of scores, and the same rows by VECTOR * PASSES columns of O. Per block of KEYS keys:
//     scores = Q K^T in slices of SLICE of D, both staged in local memory; softcap, bias, masks
//     the rows' new maximum: each item's part through local memory, then one item per row
//     for j in 0..3: p = exp((score - maximum) ..) of the keys 4 lane + j to local memory, those rows of V beside it,
//                    O += P V
// A row's sum is kept per item and added up at the end, lanes in order. A row's result depends on no other row.
//
// Keys set aside have the score -inf and the weight -0, which adds nothing. Only a NaN or infinity in V would show
// behind it: such values are staged as 0, and added by a slower loop to the rows that do not set their key aside.
//! X_TYPE 1..3 dtype of query, key, value and output (1 F32, 2 F16, 3 BF16)
//! BIAS_TYPE 0..3 dtype of the bias, 0 = none
//! MASK 0..2 0 = none, 1 = the same keys for every row of a head, 2 = differs from row to row
//! CAUSAL 0..1 keys past query + causal_offset take no part
//! SOFTCAP 0..1 scores pass through a tanh
//! LSE 0..1 the logarithm of the sum is stored
//! LANES_KEY 8..64 items along the keys, and along the columns
//! LANES_ROW 1..16 items along the rows
//! ROWS_ITEM 4..8 rows per item (4 or 8)
//! VECTOR 2..4 columns an item takes together (2 or 4)
//! PASSES 1..8 times it does so
//! VALUE_KEYS 4..64 rows of V staged at once; divides LANES_KEY
//! SUB_GROUP 0..16 items of a sub-group on Intel GPUs, 0 = as the compiler likes
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
#ifndef LANES_KEY
#define LANES_KEY 16
#endif
#ifndef LANES_ROW
#define LANES_ROW 8
#endif
#ifndef ROWS_ITEM
#define ROWS_ITEM 8
#endif
#ifndef VECTOR
#define VECTOR 4
#endif
#ifndef PASSES
#define PASSES 1
#endif
#ifndef VALUE_KEYS
#define VALUE_KEYS 16
#endif
#ifndef SUB_GROUP
#define SUB_GROUP 0
#endif

// n, but Intel's compiler does not know: it unrolls a loop although told not to if it knows the turns, and then has no
// registers left.
#if SUB_GROUP
#define TURNS(n) min(n, min(last_key, n) * n)
#else
#define TURNS(n) n
#endif
// Where registers are few, an item's part of its rows' sums lies in local memory.
#define LOCAL_TOTALS (SUB_GROUP && ROWS_ITEM == 8)
#define SLICE 16
#define TILE_K SLICE
#define ITEMS (LANES_KEY * LANES_ROW)
#define ROWS (LANES_ROW * ROWS_ITEM)
#define RUNS (ROWS_ITEM / 4) // an item's rows: runs of 4, 4 LANES_ROW apart
#define KEYS (LANES_KEY * 4)
#define COLUMNS (LANES_KEY * VECTOR * PASSES)
#define PITCH_Q ((ROWS + 4) / 4)
#define PITCH_K ((KEYS + 4) / 4)
#define SETS_ASIDE (BIAS_TYPE || MASK || CAUSAL)
#define CHANGES_ALL (BIAS_TYPE || MASK || SOFTCAP)

#include "common/math.cl"
#include "common/outer.cl"
#include "common/rows.cl"
#include "common/waves.cl"
#include "gemm/stage.cl"

#define FLOATV OD_PASTE(float, VECTOR)
#define ELEMENT STORAGE(X_TYPE)

// A row's mask and bias, and the last key that it sees; what is not there is never read.
#if MASK
#define MASK_OF(r) mask + mask_at[r], mask_strides.s3
#else
#define MASK_OF(r) 0, 0
#endif
#if BIAS_TYPE
#define BIAS_ELEMENT STORAGE(BIAS_TYPE)
#define BIAS_OF(r) bias + bias_at[r], bias_strides.s3
#else
#define BIAS_ELEMENT float
#define BIAS_OF(r) 0, 0
#endif
#if CAUSAL
#define LAST_SEEN(r) min(query_number[r] + causal_offset, keys - 1)
#else
#define LAST_SEEN(r) keys - 1
#endif

OD_STAGE(k, X_TYPE, KEYS, 1) // k_move: tile[d][key] = K[key][d]; 0 past D

#include "attention/flash_tiled_parts.cl"

__kernel OD_TWO_WAVES __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
flash_tiled(__global const ELEMENT *query, ulong query_offset, __global const ELEMENT *key, ulong key_offset,
            __global const ELEMENT *value, ulong value_offset,
#if MASK
            __global const uchar *mask, ulong mask_offset, int4 mask_strides,
#endif
#if BIAS_TYPE
            __global const STORAGE(BIAS_TYPE) * bias, ulong bias_offset, int4 bias_strides,
#endif
#if LSE
            __global float *lse, ulong lse_offset, int4 lse_strides,
#endif
            __global ELEMENT *output, ulong output_offset, int4 query_strides, int4 key_strides, int4 value_strides,
            int4 output_strides, int group, int queries, int keys, int width, int value_width, int causal_offset,
            float sign, float scale, float softcap, float unit, int key_heads)
{
    __local float4 tiles[TILE_FLOATS / 4], weights[LANES_KEY * PITCH_Q];
    __local float4 row_base[ROWS / 4], row_rescale[ROWS / 4];
#if LOCAL_TOTALS
    __local float4 row_totals[LANES_KEY * PITCH_Q];
#else
    __local float4 *const row_totals = weights;
#endif
    __local float row_max[ROWS];
    __local int query_at[ROWS], output_at[ROWS], strange; // where rows begin: strides need not be kept
#if LSE
    __local int lse_at[ROWS];
#endif
#if MASK
    __local int mask_at[ROWS];
#endif
#if CAUSAL
    __local int query_number[ROWS];
#endif
#if BIAS_TYPE
    __local int bias_at[ROWS];
#endif
    const uint local_id = (uint)get_local_id(0); // unsigned: cheaper to divide
    const int lane_key = (int)(local_id % LANES_KEY), lane_row = (int)(local_id / LANES_KEY), item = (int)local_id;
    const int rows = group * queries, row_tiles = (rows + ROWS - 1) / ROWS;
    const int slices = (value_width + COLUMNS - 1) / COLUMNS;
    // The group's number, taken apart. The last rows come first: with CAUSAL they take longest.
    const int number = (int)get_group_id(0), slice = number / row_tiles, head = slice / slices,
              batch = head / key_heads;
    const int row0 = (row_tiles - 1 - od_rest(number, slice, row_tiles)) * ROWS;
    const int column0 = od_rest(slice, head, slices) * COLUMNS, key_head = od_rest(head, batch, key_heads);
    float4 scores[ROWS_ITEM];
    FLOATV sums[PASSES][ROWS_ITEM];
#if LOCAL_TOTALS
    __local float *const totals = (__local float *)(row_totals + lane_key * PITCH_Q + lane_row);
#else
    float totals[ROWS_ITEM];
#endif
    int last_key = keys;
#if CAUSAL
    last_key = clamp(min(row0 + ROWS, rows) - 1, 0, rows) / group + causal_offset + 1;
    last_key = clamp(last_key, 0, keys);
#endif
    query += query_offset + (ulong)(batch * query_strides.s0);
    key += key_offset + (ulong)(batch * key_strides.s0) + (ulong)(key_head * key_strides.s1);
    value += value_offset + (ulong)(batch * value_strides.s0) + (ulong)(key_head * value_strides.s1);
    value += column0;
    output += output_offset + (ulong)(batch * output_strides.s0);
#if LSE
    lse += lse_offset + (ulong)(batch * lse_strides.s0);
#endif
#if MASK
    mask += mask_offset + (ulong)(batch * mask_strides.s0);
#endif
#if BIAS_TYPE
    bias += bias_offset + (ulong)(batch * bias_strides.s0);
#endif
#pragma unroll 1
    for (int r = item; r < ROWS; r += ITEMS) {
        const int row = min(row0 + r, rows - 1);
        query_at[r] = place_of(row, group, key_head, query_strides);
        output_at[r] = place_of(row, group, key_head, output_strides);
#if LSE
        lse_at[r] = place_of(row, group, key_head, lse_strides);
#endif
#if MASK
        mask_at[r] = place_of(row, group, key_head, mask_strides);
#endif
#if BIAS_TYPE
        bias_at[r] = place_of(row, group, key_head, bias_strides);
#endif
#if CAUSAL
        query_number[r] = row / group;
#endif
        row_max[r] = -INFINITY;
    }
    if (item == 0)
        strange = 0;
    OD_CLEAR(totals, 4);
    if (RUNS > 1)
        OD_CLEAR(totals + SECOND_TOTALS, 4);
#define CLEAR_PASS(pass) OD_CLEAR(sums[pass], ROWS_ITEM);
    OD_REPEAT(PASSES, CLEAR_PASS)
    barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll 1
    for (int first = 0; first < last_key; first += KEYS) {
        OD_CLEAR(scores, ROWS_ITEM);
#pragma unroll 1
        for (int d = 0; d < width; d += SLICE) {
            stage_queries(query + d, query_at, width - d, sign, (__local float *)tiles, item);
            k_move((__local float *)(tiles + SLICE * PITCH_Q), key + first * key_strides.s2 + d, key_strides.s2,
                   keys - 1 - first, width - d, local_id);
            barrier(CLK_LOCAL_MEM_FENCE);
            multiply_keys(scores, tiles + lane_row, tiles + SLICE * PITCH_Q + lane_key);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (CHANGES_ALL || first + KEYS > OD_UNIFORM(LAST_SEEN(0)) + 1) {
#if SUB_GROUP // times 1: rows that change places must be others than those of the products, or it copies these there
#define OTHER_ROW(r) scores[r] *= sign * sign;
            OD_REPEAT(ROWS_ITEM, OTHER_ROW)
#endif
#pragma unroll 1
            for (int i = 0; i < TURNS(ROWS_ITEM); i++) {
                const int r = row_of(i, lane_row);
                turn_rows(scores, adjust_row(scores[0], scale, softcap, first + 4 * lane_key, keys - 1, LAST_SEEN(r),
                                             MASK_OF(r), BIAS_OF(r)));
            }
#if SUB_GROUP && !CHANGES_ALL
            OD_REPEAT(ROWS_ITEM, OTHER_ROW)
#endif
        }
        put_maxima(scores, weights + lane_key * PITCH_Q + lane_row);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int r = item; r < ROWS; r += ITEMS) {
            const float old = row_max[r], now = largest((__local const float *)weights + r, old);
            // A row without any key so far has nothing to be scaled, and -inf - -inf would be NaN.
            row_max[r] = now;
            ((__local float *)row_base)[r] = now == -INFINITY ? 0.0f : now;
            ((__local float *)row_rescale)[r] = now == -INFINITY ? 1.0f : exp2((old - now) * unit);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        rescale(sums, totals, row_rescale + lane_row);
#pragma unroll 1
        for (int j = 0; j < TURNS(4); j++) {
            put_weights(scores, j, unit, totals, row_base + lane_row, weights + lane_key * PITCH_Q + lane_row);
            for (int t = 0; t < LANES_KEY; t += VALUE_KEYS) {
                stage_values(value, value_strides.s2, first + 4 * t + j, keys, value_width - 1 - column0,
                             (__local float *)tiles, &strange, item);
                barrier(CLK_LOCAL_MEM_FENCE);
                add_values(sums, weights + t * PITCH_Q + lane_row, (__local const FLOATV *)tiles + lane_key);
#if SETS_ASIDE
                if (OD_UNIFORM(strange))
                    add_strange_values(sums, weights + t * PITCH_Q + lane_row, value + lane_key * VECTOR,
                                       value_strides.s2, first + 4 * t + j, keys,
                                       value_width - 1 - column0 - lane_key * VECTOR);
#endif
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
    }

#if !LOCAL_TOTALS
    put_totals(totals, weights + lane_key * PITCH_Q + lane_row);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#if LSE
    for (int r = item; r < ROWS && column0 == 0; r += ITEMS) {
        const int row = row0 + r;
        if (row < rows) // log(0) is -inf, and so is the maximum of no keys
            lse[lse_at[r]] = fma(row_max[r], SOFTCAP || BIAS_TYPE ? 1.0f : scale,
                                 log(total_of((__local const float *)row_totals + r)));
    }
#endif
#pragma unroll 1
    for (int i = 0; i < ROWS_ITEM; i++) {
        const int r = row_of(i, lane_row), row = row0 + r;
        const float total = total_of((__local const float *)row_totals + r);
        if (row < rows)
            store_row(sums, total == 0.0f ? 0.0f : 1.0f / total, output + output_at[r], column0 + lane_key * VECTOR,
                      value_width);
#define TURN_PASS(pass) OD_TURN(sums[pass], ROWS_ITEM);
        OD_REPEAT(PASSES, TURN_PASS)
    }
}
