// SPDX-License-Identifier: Apache-2.0
// B as the tiled kernels like it best: [k, n] with rows of `pitch` elements, of which those past n become 0. A
// work-group moves a tile of 32 x 32, through local memory where it has to be turned.
//! B_TYPE 1..3 dtype (1 F32, 2 F16, 3 BF16)
//! TRANSPOSE_B 0..1 B is stored [n, k]
#ifndef B_TYPE
#define B_TYPE 1
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 1
#endif

#include "common/storage.cl"

#define TILE 32
#define DOWN 4 // rows of the tile that the items take at once

__kernel __attribute__((reqd_work_group_size(TILE * DOWN, 1, 1))) void
gemm_pack_tiled(__global const STORAGE(B_TYPE) * b, ulong b_offset, __global STORAGE(B_TYPE) * packed,
                ulong packed_offset, int n, int depth, int ldb, int pitch)
{
    __local STORAGE(B_TYPE) tile[TILE][TILE + 1];
    const int across = (int)((uint)get_local_id(0) % TILE), down = (int)((uint)get_local_id(0) / TILE);
    const int column0 = (int)get_group_id(0) * TILE, k0 = (int)get_group_id(1) * TILE;
    b += b_offset;
    packed += packed_offset;
    for (int i = down; i < TILE; i += DOWN) {
        const int k = k0 + (TRANSPOSE_B ? across : i), column = column0 + (TRANSPOSE_B ? i : across);
        STORAGE(B_TYPE) element = 0;
        if (k < depth && column < n)
            element = b[TRANSPOSE_B ? column * ldb + k : k * ldb + column];
        tile[TRANSPOSE_B ? across : i][TRANSPOSE_B ? i : across] = element;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = down; i < TILE; i += DOWN)
        if (k0 + i < depth)
            packed[(ulong)(k0 + i) * (ulong)pitch + (ulong)(column0 + across)] = tile[i][across];
}
