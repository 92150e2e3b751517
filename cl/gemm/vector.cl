// SPDX-License-Identifier: Apache-2.0
// C = f(alpha A B + bias) + residual on a CPU. One work-item is one core's inner loop: it computes a block of C of up
// to MB x NB, in register tiles of MR x 16 TV, over slices of k of up to KB.
//
// Per slice it turns its rows of A into floats in private memory (row by row, so a tile's addresses are constants), and
// takes B in panels of 32 columns: [k][32], straight from packed F32 weights, else turned into floats in private
// memory. Sums between slices stay in private memory.

//! A_TYPE 1..3 dtype of A (1 F32, 2 F16, 3 BF16)
//! B_TYPE 1..3 dtype of B
//! C_TYPE 1..3 dtype of C and the residual
//! BIAS_TYPE 0..3 dtype of the bias, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added last
//! ACTIVATION 0..9 ocldnn_activation_kind
//! TRANSPOSE_A 0..1 A is stored [k, m]
//! B_FORM 0..2 how B lies: 0 packed panels, 1 [k, n], 2 [n, k]
//! MR 1..12 rows of a register tile
//! TV 1..2 columns of a register tile / 16
//! MB 1..1024 most rows of a block, a multiple of MR
//! NB 32..1024 most columns of a block, a multiple of 32
//! KB 16..1024 most k of a slice, a multiple of 16
//! AHEAD 1..8 lines of the next packed panel that a tile asks for at every fourth k
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
#ifndef B_FORM
#define B_FORM 0
#endif
#ifndef MR
#define MR 12
#endif
#ifndef TV
#define TV 2
#endif
#ifndef MB
#define MB 96
#endif
#ifndef NB
#define NB 128
#endif
#ifndef KB
#define KB 256
#endif
#ifndef AHEAD
#define AHEAD 1
#endif

#include "gemm/epilogue.cl"
#include "gemm/panel.cl"

enum { SIDES = NV / TV }; // tiles side by side in a panel

// A's rows lie KB + 16 apart: a power of two would put all rows of a tile into the same few cache sets.
#if TRANSPOSE_A
#define A_STEP (MB + 16)
#define A_AT(row, k) a[(k)*A_STEP + (row)]
#define A_FLOATS (KB * A_STEP)
#else
#define A_STEP (KB + 16)
#define A_AT(row, k) a[(row)*A_STEP + (k)]
#define A_FLOATS (MB * A_STEP)
#endif

// sum[MR][16 TV] += column `at` of A's tile * row `at` of the panel, or of its half.
#define OD_TILE_STEP(b, at)                                                                                            \
    do {                                                                                                               \
        float16 row[TV];                                                                                               \
        OD_UNROLL for (int j = 0; j < TV; j++) row[j] = OD_PANEL16(b, (at)*NV + j);                                    \
        OD_UNROLL for (int r = 0; r < MR; r++)                                                                         \
        {                                                                                                              \
            float16 v = (float16)(A_AT(r, at));                                                                        \
            OD_UNROLL for (int j = 0; j < TV; j++) sum[r][j] = fma(v, row[j], sum[r][j]);                              \
        }                                                                                                              \
    } while (0)

// sums[MR][16 TV] (rows NB apart) += A tile * B panel over `depth` of k; from zero if `fresh`. Not inlined: beside an
// activation's constants the compiler would keep sums in memory, which halved the speed of linear with GELU. Four k a
// turn leave a core's issue slots to the multiplications; with eight the compiler runs out of registers.
#define OD_TILE(NAME, PANEL)                                                                                           \
    static __attribute__((noinline)) void NAME(const float *a, PANEL *b, PANEL *next, int depth, int fresh,            \
                                               float16 *sums)                                                          \
    {                                                                                                                  \
        float16 sum[MR][TV];                                                                                           \
        OD_UNROLL for (int r = 0; r < MR; r++)                                                                         \
        {                                                                                                              \
            OD_UNROLL for (int j = 0; j < TV; j++) sum[r][j] = fresh ? (float16)(0.0f) : sums[r * (NB / 16) + j];      \
        }                                                                                                              \
        int k = 0;                                                                                                     \
        for (; k + 4 <= depth; k += 4) {                                                                               \
            OD_ASK_AHEAD(next, k, AHEAD);                                                                              \
            OD_UNROLL for (int i = 0; i < 4; i++)                                                                      \
            {                                                                                                          \
                OD_TILE_STEP(b, k + i);                                                                                \
            }                                                                                                          \
        }                                                                                                              \
        for (; k < depth; k++) {                                                                                       \
            OD_TILE_STEP(b, k);                                                                                        \
        }                                                                                                              \
        OD_UNROLL for (int r = 0; r < MR; r++)                                                                         \
        {                                                                                                              \
            OD_UNROLL for (int j = 0; j < TV; j++) sums[r * (NB / 16) + j] = sum[r][j];                                \
        }                                                                                                              \
    }

#if B_FORM == 0 && B_TYPE == OD_F32
OD_TILE(multiply_tile, __global const float)
#else
OD_TILE(multiply_tile, const float16)
#endif

// Rows [0, rows) and k [0, depth) of A into floats; rows up to the next multiple of MR become 0.
static inline void take_a(float *a, __global const STORAGE(A_TYPE) * source, int lda, int rows, int depth)
{
#if TRANSPOSE_A
    int padded = (rows + MR - 1) / MR * MR;
    for (int k = 0; k < depth; k++) {
        int row = 0;
        for (; row + 16 <= rows; row += 16)
            *(float16 *)&A_AT(row, k) = LOAD16(A_TYPE, source, k * lda + row);
        for (; row < rows; row++)
            A_AT(row, k) = LOAD1(A_TYPE, source, k * lda + row);
        for (; row < padded; row++)
            A_AT(row, k) = 0.0f;
    }
#else
    int row = 0;
    for (; row < rows; row++) {
        int k = 0;
        for (; k + 16 <= depth; k += 16)
            *(float16 *)&A_AT(row, k) = LOAD16(A_TYPE, source, row * lda + k);
        for (; k < depth; k++)
            A_AT(row, k) = LOAD1(A_TYPE, source, row * lda + k);
    }
    for (; row % MR != 0; row++)
        for (int k = 0; k < depth; k++)
            A_AT(row, k) = 0.0f;
#endif
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_vector(__global const STORAGE(A_TYPE) * a_base, ulong a_offset, __global const STORAGE(B_TYPE) * b, ulong b_offset,
            __global STORAGE(C_TYPE) * c, ulong c_offset, OD_BIAS_PARAMETER OD_RESIDUAL_PARAMETER int4 size, int4 lead,
            int4 batch_shape, int4 batch_a, int4 batch_b, int4 batch_c, int4 batch_residual, float alpha,
            float activation_alpha, int4 block)
{
    float16 a_vectors[A_FLOATS / 16], sums[MB * NB / 16];
    float *a = (float *)a_vectors;
#if B_FORM != 0 || B_TYPE != OD_F32
    float16 panel[KB * NV];
#endif
    int m = size.s0, n = size.s1, depth = size.s2;
    int first_row = (int)get_group_id(0) * block.s0, first_column = (int)get_group_id(1) * block.s1;
    int rows = min(block.s0, m - first_row), columns = min(block.s1, n - first_column);
    int batch = (int)get_group_id(2);
    a_base += a_offset + (ulong)od_batch_offset(batch, batch_shape, batch_a);
    b += b_offset + (ulong)od_batch_offset(batch, batch_shape, batch_b);
    c += c_offset + (ulong)od_batch_offset(batch, batch_shape, batch_c);
    OD_MOVE_BIAS();
    OD_MOVE_RESIDUAL(od_batch_offset(batch, batch_shape, batch_residual));
    int k = 0;
    do {
        int slice = min(block.s2, depth - k), last = k + slice >= depth;
#if TRANSPOSE_A
        take_a(a, a_base + k * lead.s0 + first_row, lead.s0, rows, slice);
#else
        take_a(a, a_base + first_row * lead.s0 + k, lead.s0, rows, slice);
#endif
        for (int column = 0; column < columns; column += PW) {
            int at = first_column + column;
            int next_at = column + PW < columns ? at + PW : first_column, next_k = next_at > at ? k : k + slice;
            OD_TAKE_PANEL(panel, b, at, n, depth, lead.s1, k, slice);
            for (int t = 0; t < (rows + MR - 1) / MR * SIDES; t++) {
                int row = t / SIDES * MR, side = t % SIDES * (16 * TV);
                float16 *tile = sums + (row * NB + column + side) / 16;
                if (at + side >= n)
                    continue;
                multiply_tile(&A_AT(row, 0), OD_PANEL(panel, b, at, depth, k, side),
                              OD_SHARE(panel, b, next_at, depth, next_k, t * (slice / 4 * AHEAD)), slice, k == 0, tile);
                if (!last)
                    continue;
                for (int r = 0; r < MR && row + r < rows; r++) {
                    int place = (first_row + row + r) * lead.s2, residual_place = 0;
#if HAS_RESIDUAL
                    residual_place = (first_row + row + r) * lead.s3;
#endif
                    for (int i = 0; i < TV; i++) {
                        int to = at + side + 16 * i;
                        if (to + 16 <= n) {
                            OD_FINISH16(tile[r * NB / 16 + i], to, place + to, residual_place + to);
                        } else {
                            for (int j = 0; to + j < n; j++)
                                OD_FINISH1(((float *)tile)[r * NB + 16 * i + j], to + j, place + to + j,
                                           residual_place + to + j);
                        }
                    }
                }
            }
        }
        k += slice;
    } while (k < depth);
}
