// SPDX-License-Identifier: Apache-2.0
// C = f(alpha A B + bias) + residual for at most ROWS rows, on a GPU: bound by reading B, which is read once.
//
// B [n, k]: a work-group makes COLUMNS columns of C; its items share out k, four at a time. B [k, n]: it makes 4 LANES
// columns, an item 4 of them, and ITEMS / LANES items share out k. Either way every item keeps sums of its own, which
// are added up through local memory in the order of the items: the same bits every time.
//! A_TYPE 1..3 dtype of A (1 F32, 2 F16, 3 BF16)
//! B_TYPE 1..3 dtype of B
//! C_TYPE 1..3 dtype of C and the residual
//! BIAS_TYPE 0..3 dtype of the bias, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added last
//! ACTIVATION 0..9 ocldnn_activation_kind
//! TRANSPOSE_B 0..1 B is stored [n, k]
//! ROWS 1..8 rows of C at most
//! ITEMS 64..128 work-items per group
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
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 1
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef ITEMS
#define ITEMS 64
#endif
#ifndef SUB_GROUP
#define SUB_GROUP 0
#endif

#include "common/rows.cl"
#include "common/waves.cl"
#include "gemm/epilogue.cl"

#if TRANSPOSE_B
#define COLUMNS 4
#define PARTS ITEMS                // sums of one output
#define PITCH (ROWS * COLUMNS + 1) // from an item's sums to the next one's
#else
#define LANES 8
#define COLUMNS (LANES * 4)
#define PARTS (ITEMS / LANES)
#define PITCH (ROWS * COLUMNS)
#endif

#if TRANSPOSE_B
static inline float dot4(float4 x, float4 w, float sum)
{
    return x.w * w.w + (x.z * w.z + (x.y * w.y + (x.x * w.x + sum)));
}

// parts[item][row][column] = the item's share of A B.
static inline void multiply(__global const STORAGE(A_TYPE) * a, __global const STORAGE(B_TYPE) * b, int4 size,
                            int4 lead, int column, __local float *parts, int item)
{
    float sums[ROWS][COLUMNS];
    int k = item * 4;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            sums[r][j] = 0.0f;
    for (; k + 4 <= size.s2; k += 4 * ITEMS) {
        float4 w[COLUMNS];
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            w[j] = LOAD4(B_TYPE, b, min(column + j, size.s1 - 1) * lead.s1 + k);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const float4 x = LOAD4(A_TYPE, a, min(r, size.s0 - 1) * lead.s0 + k);
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                sums[r][j] = dot4(x, w[j], sums[r][j]);
        }
    }
    for (; k < size.s2; k++) // fewer than four, and one item has them
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                sums[r][j] += LOAD1(A_TYPE, a, min(r, size.s0 - 1) * lead.s0 + k) *
                              LOAD1(B_TYPE, b, min(column + j, size.s1 - 1) * lead.s1 + k);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            parts[item * PITCH + r * COLUMNS + j] = sums[r][j];
}
#else
// parts[lane of k][row][column] = the item's share of A B.
static inline void multiply(__global const STORAGE(A_TYPE) * a, __global const STORAGE(B_TYPE) * b, int4 size,
                            int4 lead, int column, __local float *parts, int item)
{
    const int lane = (int)((uint)item % LANES), lane_k = (int)((uint)item / LANES), last = size.s1 - 1;
    float4 sums[ROWS];
    column += lane * 4;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        sums[r] = (float4)(0.0f);
#pragma unroll 4
    for (int k = lane_k; k < size.s2; k += PARTS) {
        const int at = k * lead.s1;
        const float4 w = column + 4 <= size.s1 ? LOAD4(B_TYPE, b, at + column)
                                               : (float4)(LOAD1(B_TYPE, b, at + min(column, last)),
                                                          LOAD1(B_TYPE, b, at + min(column + 1, last)),
                                                          LOAD1(B_TYPE, b, at + min(column + 2, last)), 0.0f);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sums[r] += LOAD1(A_TYPE, a, min(r, size.s0 - 1) * lead.s0 + k) * w;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        vstore4(sums[r], 0, parts + lane_k * PITCH + r * COLUMNS + lane * 4);
}
#endif

__kernel OD_WAVES __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_skinny_tiled(__global const STORAGE(A_TYPE) * a, ulong a_offset, __global const STORAGE(B_TYPE) * b,
                  ulong b_offset, __global STORAGE(C_TYPE) * c, ulong c_offset,
                  OD_BIAS_PARAMETER OD_RESIDUAL_PARAMETER int4 size, int4 lead, int4 batch_shape, int4 batch_a,
                  int4 batch_b, int4 batch_c, int4 batch_residual, float alpha, float activation_alpha)
{
    __local float parts[PARTS * PITCH];
    const int item = (int)get_local_id(0), tiles = (size.s1 + COLUMNS - 1) / COLUMNS;
    const int batch = (int)get_group_id(0) / tiles, first = od_rest((int)get_group_id(0), batch, tiles) * COLUMNS;
    a += a_offset + (ulong)od_batch_offset(batch, batch_shape, batch_a);
    b += b_offset + (ulong)od_batch_offset(batch, batch_shape, batch_b);
    c += c_offset + (ulong)od_batch_offset(batch, batch_shape, batch_c);
    OD_MOVE_BIAS();
    OD_MOVE_RESIDUAL(od_batch_offset(batch, batch_shape, batch_residual));
    multiply(a, b, size, lead, first, parts, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int output = item; output < ROWS * COLUMNS; output += ITEMS) {
        const int row = (int)((uint)output / COLUMNS), column = first + od_rest(output, row, COLUMNS);
        float sum = 0.0f;
        for (int part = 0; part < PARTS; part++)
            sum += parts[part * PITCH + output];
        if (row < size.s0 && column < size.s1) {
            const int place = row * lead.s2 + column, residual_place = row * lead.s3 + column;
            OD_FINISH1(sum, column, place, residual_place);
        }
    }
}
