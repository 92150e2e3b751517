// SPDX-License-Identifier: Apache-2.0
// C = f(alpha A B + bias) + residual, per batch, on a GPU.
//
// A work-group makes TILE_M x TILE_N outputs, an item ITEM_M x ITEM_N of them in registers. Slices of TILE_K of A and B
// stand in local memory as floats, K by K, so that an item reads its part of A's column and B's row as float4; the next
// slice is on its way from global memory meanwhile. What lies past m or n repeats the last row and is never stored;
// what lies past k counts as 0 in both, so that nothing strange there can show. Every sum runs over k in order,
// whatever the tile: a row's result does not depend on the other rows.
//! A_TYPE 1..3 dtype of A (1 F32, 2 F16, 3 BF16)
//! B_TYPE 1..3 dtype of B
//! C_TYPE 1..3 dtype of C and the residual
//! BIAS_TYPE 0..3 dtype of the bias, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added last
//! ACTIVATION 0..9 ocldnn_activation_kind
//! TRANSPOSE_A 0..1 A is stored [k, m]
//! TRANSPOSE_B 0..1 B is stored [n, k]
//! TILE_M 16..128 rows per group
//! TILE_N 16..128 columns per group
//! TILE_K 8..32 k per slice, a multiple of 8
//! ITEM_M 4..8 rows per item (4 or 8)
//! ITEM_N 4..8 columns per item (4 or 8)
//! PREFETCH 0..1 the next slice waits in registers while this one is multiplied
//! SUB_GROUP 0..16 items of a sub-group on Intel GPUs, 0 = as the compiler likes
#ifndef A_TYPE
#define A_TYPE 1
#endif
#ifndef B_TYPE
#define B_TYPE 1
#endif
#ifndef C_TYPE
#define C_TYPE 1
#endif
#ifndef BIAS_TYPE
#define BIAS_TYPE 0
#endif
#ifndef HAS_RESIDUAL
#define HAS_RESIDUAL 0
#endif
#ifndef ACTIVATION
#define ACTIVATION 0
#endif
#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 1
#endif
#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#ifndef TILE_K
#define TILE_K 16
#endif
#ifndef ITEM_M
#define ITEM_M 8
#endif
#ifndef ITEM_N
#define ITEM_N 4
#endif
#ifndef PREFETCH
#define PREFETCH 1
#endif
#ifndef SUB_GROUP
#define SUB_GROUP 0
#endif

#define LANES_M (TILE_M / ITEM_M)
#define LANES_N (TILE_N / ITEM_N)
#define ITEMS (LANES_M * LANES_N)
#define VECTORS_M (ITEM_M / 4)
#define VECTORS_N (ITEM_N / 4)
#define PITCH_A ((TILE_M + 4) / 4)
#define PITCH_B ((TILE_N + 4) / 4)

#include "common/outer.cl"
#include "common/rows.cl"
#include "common/waves.cl"
#include "gemm/epilogue.cl"
#include "gemm/stage.cl"

OD_STAGE(a, A_TYPE, TILE_M, !TRANSPOSE_A)
OD_STAGE(b, B_TYPE, TILE_N, TRANSPOSE_B)

// sums += (slice of A) (slice of B). An item's rows are VECTORS_M runs of 4, 4 LANES_M apart; its columns likewise.
static inline void multiply(float4 sums[VECTORS_N][ITEM_M], __local const float4 *a_tile, __local const float4 *b_tile)
{
#pragma unroll(TILE_K / 2)
    for (int k = 0; k < TILE_K; k++, a_tile += PITCH_A, b_tile += PITCH_B) {
        const float4 b = *b_tile, right = b_tile[(VECTORS_N - 1) * LANES_N];
        const float4 a = *a_tile, below = a_tile[(VECTORS_M - 1) * LANES_M];
        float2 upper = a.zw, below_upper = below.zw;
        OD_UPPER(VECTORS_M, upper, below_upper);
        OD_ADD_OUTER(sums[0], a, upper, b);
        if (VECTORS_N > 1)
            OD_ADD_OUTER(sums[VECTORS_N - 1], a, upper, right);
        if (VECTORS_M > 1)
            OD_ADD_OUTER(sums[0] + ITEM_M - 4, below, below_upper, b);
        if (VECTORS_M > 1 && VECTORS_N > 1)
            OD_ADD_OUTER(sums[VECTORS_N - 1] + ITEM_M - 4, below, below_upper, right);
    }
}

// The order of work-groups: down the columns of bands of 8 tiles, so that groups at work together share operands.
static inline int2 tile_of(int index, int tiles_m, int tiles_n)
{
    const int band = index / (8 * tiles_n), inside = od_rest(index, band, 8 * tiles_n),
              height = min(8, tiles_m - 8 * band);
    const int column = inside / height;
    return (int2)(8 * band + od_rest(inside, column, height), column);
}

__kernel OD_TWO_WAVES __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_tiled(__global const STORAGE(A_TYPE) * a, ulong a_offset, __global const STORAGE(B_TYPE) * b, ulong b_offset,
           __global STORAGE(C_TYPE) * c, ulong c_offset, OD_BIAS_PARAMETER OD_RESIDUAL_PARAMETER int4 size, int4 lead,
           int4 batch_shape, int4 batch_a, int4 batch_b, int4 batch_c, int4 batch_residual, float alpha,
           float activation_alpha)
{
    __local float4 a_tile[TILE_K * PITCH_A], b_tile[TILE_K * PITCH_B];
    const uint item = (uint)get_local_id(0); // unsigned: cheaper to divide
    const int lane_m = (int)(item / LANES_N), lane_n = (int)(item % LANES_N);
    const int m = size.s0, n = size.s1, depth = size.s2;
    const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const int batch = (int)get_group_id(0) / (tiles_m * tiles_n);
    const int2 tile = tile_of(od_rest((int)get_group_id(0), batch, tiles_m * tiles_n), tiles_m, tiles_n);
    const int row0 = tile.x * TILE_M, column0 = tile.y * TILE_N, rows = m - 1 - row0, columns = n - 1 - column0;
    float4 sums[VECTORS_N][ITEM_M];
    a += a_offset + (ulong)od_batch_offset(batch, batch_shape, batch_a);
    b += b_offset + (ulong)od_batch_offset(batch, batch_shape, batch_b);
    c += c_offset + (ulong)od_batch_offset(batch, batch_shape, batch_c);
    OD_MOVE_BIAS();
    OD_MOVE_RESIDUAL(od_batch_offset(batch, batch_shape, batch_residual));
    a += TRANSPOSE_A ? row0 : row0 * lead.s0;
    b += TRANSPOSE_B ? column0 * lead.s1 : column0;
    OD_CLEAR(sums[0], ITEM_M);
    if (VECTORS_N > 1)
        OD_CLEAR(sums[VECTORS_N - 1], ITEM_M);

#if PREFETCH
    float a_next[a_parts], b_next[b_parts];
    if (depth >= TILE_K) {
        a_fetch(a_next, a, lead.s0, rows, item);
        b_fetch(b_next, b, lead.s1, columns, item);
    } else if (depth > 0) {
        a_fetch_last(a_next, a, lead.s0, rows, depth, item);
        b_fetch_last(b_next, b, lead.s1, columns, depth, item);
    }
#endif
    for (int left = depth; left > 0; left -= TILE_K) {
#if PREFETCH
        a_put(a_next, (__local float *)a_tile, item);
        b_put(b_next, (__local float *)b_tile, item);
#else
        a_move((__local float *)a_tile, a, lead.s0, rows, left, item);
        b_move((__local float *)b_tile, b, lead.s1, columns, left, item);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        a += TRANSPOSE_A ? TILE_K * lead.s0 : TILE_K;
        b += TRANSPOSE_B ? TILE_K : TILE_K * lead.s1;
#if PREFETCH
        if (left >= 2 * TILE_K) {
            a_fetch(a_next, a, lead.s0, rows, item);
            b_fetch(b_next, b, lead.s1, columns, item);
        } else if (left > TILE_K) {
            a_fetch_last(a_next, a, lead.s0, rows, left - TILE_K, item);
            b_fetch_last(b_next, b, lead.s1, columns, left - TILE_K, item);
        }
#endif
        multiply(sums, a_tile + lane_m, b_tile + lane_n);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // One row of sums at a time, in one piece of code: the rows move up in their registers.
#pragma unroll 1
    for (int i = 0; i < ITEM_M; i++) {
        const int row = row0 + (i / 4 * LANES_M + lane_m) * 4 + i % 4;
        if (row < m) {
#pragma unroll
            for (int j = 0; j < VECTORS_N; j++) {
                const int column = column0 + (j * LANES_N + lane_n) * 4;
                const int place = row * lead.s2 + column, residual_place = row * lead.s3 + column;
                const float4 sum = j == 0 ? sums[0][0] : sums[VECTORS_N - 1][0];
                if (column + 4 <= n) {
                    OD_FINISH4(sum, column, place, residual_place);
                } else {
                    if (column < n)
                        OD_FINISH1(sum.x, column, place, residual_place);
                    if (column + 1 < n)
                        OD_FINISH1(sum.y, column + 1, place + 1, residual_place + 1);
                    if (column + 2 < n)
                        OD_FINISH1(sum.z, column + 2, place + 2, residual_place + 2);
                }
            }
        }
        OD_TURN(sums[0], ITEM_M);
        if (VECTORS_N > 1)
            OD_TURN(sums[VECTORS_N - 1], ITEM_M);
    }
}
