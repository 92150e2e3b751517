// SPDX-License-Identifier: Apache-2.0
// C = f(alpha A B + bias) + residual on AMX, the matrix unit of server CPUs. A and B are packed (amx_pack.cl). One
// work-item computes a block of C of up to MB x NB, 32 x 32 at a time: four tiles of sums, two of A and two of B.
//
// Of the products of parts those count that an F32 product would hold: parts i and j with i + j <= 4. Within a slice
// of k the small ones come first, so that only the products of first parts round at the sum's full size.

//! A_TYPE 3..3 what tiles hold
//! B_TYPE 3..3 what tiles hold
//! C_TYPE 1..3 dtype of C and the residual (1 F32, 2 F16, 3 BF16)
//! BIAS_TYPE 0..3 dtype of the bias, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added last
//! ACTIVATION 0..9 ocldnn_activation_kind
//! A_PARTS 1..3 tiles that add up to A
//! B_PARTS 1..3 tiles that add up to B
//! B_SHARED 0..1 one B for all batches
//! MB 32..1024 most rows of a block, a multiple of 32
//! NB 32..1024 most columns of a block, a multiple of 32
//! KB 32..1024 k of a slice, a multiple of 32
#ifndef A_TYPE
#define A_TYPE 3
#endif
#ifndef B_TYPE
#define B_TYPE 3
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
#ifndef A_PARTS
#define A_PARTS 3
#endif
#ifndef B_PARTS
#define B_PARTS 3
#endif
#ifndef B_SHARED
#define B_SHARED 1
#endif
#ifndef MB
#define MB 128
#endif
#ifndef NB
#define NB 128
#endif
#ifndef KB
#define KB 256
#endif

#include "gemm/amx_tiles.cl"
#include "gemm/epilogue.cl"

enum { SIDE = 2 * LINES };

#define OD_LOAD(t, p) __asm__ volatile("tileloadd (%0,%1,1),%%tmm" #t ::"r"(p), "r"(64L) : "memory")
#define OD_STORE(t, p, step) __asm__ volatile("tilestored %%tmm" #t ",(%0,%1,1)" ::"r"(p), "r"(step) : "memory")
#define OD_CLEAR(t) __asm__ volatile("tilezero %%tmm" #t ::: "memory")
#define OD_MULTIPLY(c, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ",%%tmm" #a ",%%tmm" #c ::: "memory")

// Part number `part` of the two panels of A and of B, at one step of k; then tiles 0..3 += 4, 5 * 6, 7.
#define OD_LOAD_A(part)                                                                                                \
    OD_LOAD(4, a0 + (part)*TILE);                                                                                      \
    OD_LOAD(5, a1 + (part)*TILE)
#define OD_LOAD_B(part)                                                                                                \
    OD_LOAD(6, b0 + (part)*TILE);                                                                                      \
    OD_LOAD(7, b1 + (part)*TILE)
#define OD_MULTIPLY_4()                                                                                                \
    OD_MULTIPLY(0, 4, 6);                                                                                              \
    OD_MULTIPLY(1, 4, 7);                                                                                              \
    OD_MULTIPLY(2, 5, 6);                                                                                              \
    OD_MULTIPLY(3, 5, 7)

typedef __global const ushort *tiles;

// out[32][32] (rows `step` bytes apart) = A's two panels * B's two, each `steps` long.
static __attribute__((noinline)) void multiply_tiles(tiles a, tiles b, int steps, float *out, long step)
{
    tiles a0 = a, a1 = a + steps * (A_PARTS * TILE), b0 = b, b1 = b + steps * (B_PARTS * TILE);
    OD_CLEAR(0);
    OD_CLEAR(1);
    OD_CLEAR(2);
    OD_CLEAR(3);
#if A_PARTS > 1 || B_PARTS > 1
    for (int k = 0; k < steps; k++) {
        OD_LOAD_A(0);
#if B_PARTS > 2
        OD_LOAD_B(2);
        OD_MULTIPLY_4();
#endif
#if B_PARTS > 1
        OD_LOAD_B(1);
        OD_MULTIPLY_4();
#endif
#if A_PARTS > 1
        OD_LOAD_A(1);
#if B_PARTS > 1
        OD_MULTIPLY_4();
#endif
        OD_LOAD_B(0);
        OD_MULTIPLY_4();
#endif
#if A_PARTS > 2
        OD_LOAD_A(2);
        OD_MULTIPLY_4();
#endif
        a0 += A_PARTS * TILE;
        a1 += A_PARTS * TILE;
        b0 += B_PARTS * TILE;
        b1 += B_PARTS * TILE;
    }
    a0 = a, a1 = a + steps * (A_PARTS * TILE), b0 = b, b1 = b + steps * (B_PARTS * TILE);
#endif
    for (int k = 0; k < steps; k++) {
        OD_LOAD_A(0);
        OD_LOAD_B(0);
        OD_MULTIPLY_4();
        a0 += A_PARTS * TILE;
        a1 += A_PARTS * TILE;
        b0 += B_PARTS * TILE;
        b1 += B_PARTS * TILE;
    }
    OD_STORE(0, out, step);
    OD_STORE(1, out + LINES, step);
    OD_STORE(2, (char *)out + LINES * step, step);
    OD_STORE(3, (char *)out + LINES * step + LINES * sizeof(float), step);
}

// Two k of the lines of B's panel, or of one line of A's: their parts, smallest first. The even k are in low halves of
// words, the odd ones in high ones. Part after part is TILE further.
static inline void whole(tiles at, int parts, float16 *even, float16 *odd)
{
    *even = *odd = 0.0f;
    for (int part = parts; part-- > 0;) {
        uint16 both = *(__global const od_loose_uint16 *)(at + part * TILE);
        *even += as_float16(both << 16);
        *odd += as_float16(both & 0xffff0000u);
    }
}

// Which of 16 results of one row are not what floats would give; see amx_tiles.cl. Of each of 6 * KB products, and of
// each part of an operand, less than 2^-126 may be lost: 2^-113 in all, times what it is multiplied by.
static inline int16 find_wrong(uint row, uint16 columns, float16 found)
{
    float16 largest = fmax(as_float16(columns & ~OD_FLAGS), (float16)(1.0f));
    float16 limit = 0x1p-86f * fmax(as_float(row & ~OD_FLAGS), 1.0f) * largest;
    int16 some = (row & ~OD_FLAGS) != 0u && (columns & ~OD_FLAGS) != 0u;
    int16 lost = some && ((row | columns) & OD_SMALL) != 0u && fabs(found) < limit;
    return ((row | columns) & OD_PLAIN) != 0u || lost;
}

enum { ROWS = 8 }; // that are made anew at a time

// Rows `first` and on of two panels by ordinary arithmetic, as far as they are wrong.
static __attribute__((noinline)) void mend_rows(tiles a, tiles b, int steps, int first, uint16 a_notes, uint16 b_notes,
                                                const int16 *wrong, float *out, long step)
{
    float16 sums[ROWS], even, odd;
    float rows[ROWS][2 * LINES], a_scales[ROWS];
    float16 b_scales = select((float16)(1.0f), (float16)(OD_REDUCE), (b_notes & OD_ENLARGED) != 0u);
    for (int r = 0; r < ROWS; r++) {
        sums[r] = 0.0f;
        a_scales[r] = ((uint *)&a_notes)[first + r] & OD_ENLARGED ? OD_REDUCE : 1.0f;
    }
    for (int k = 0; k < steps; k++, a += A_PARTS * TILE, b += B_PARTS * TILE) {
        for (int r = 0; r < ROWS; r++) {
            whole(a + (first + r) * STEP, A_PARTS, &even, &odd);
            *(od_loose_float16 *)rows[r] = even * a_scales[r];
            *(od_loose_float16 *)(rows[r] + LINES) = odd * a_scales[r];
        }
        for (int i = 0; i < LINES; i++) {
            whole(b + i * 2 * LINES, B_PARTS, &even, &odd);
            even *= b_scales;
            odd *= b_scales;
            OD_UNROLL for (int r = 0; r < ROWS; r++) sums[r] =
                fma((float16)(rows[r][LINES + i]), odd, fma((float16)(rows[r][i]), even, sums[r]));
        }
    }
    for (int r = 0; r < ROWS; r++) {
        od_loose_float16 *row = (od_loose_float16 *)((char *)out + (first + r) * step);
        *row = select(*row, sums[r], wrong[first + r]);
    }
}

// Makes anew what multiply_tiles() has made wrong of two panels. Whether it does depends on an element's own row,
// column and sum: no row's result depends on what other rows hold.
static inline void mend(tiles a, tiles b, int steps, uint16 a_notes, uint16 b_notes, float *out, long step)
{
    int16 wrong[LINES];
    for (int first = 0; first < LINES; first += ROWS) {
        int16 some = 0;
        for (int row = first; row < first + ROWS; row++) {
            wrong[row] = find_wrong(((uint *)&a_notes)[row], b_notes, *(od_loose_float16 *)((char *)out + row * step));
            some |= wrong[row];
        }
        if (any(some))
            mend_rows(a, b, steps, first, a_notes, b_notes, wrong, out, step);
    }
}

typedef __global const od_loose_uint16 *notes;

// multiply_tiles(), mended. A panel's notes lie `slices` apart.
static inline void multiply(tiles a, tiles b, int steps, notes a_notes, notes b_notes, int slices, float *out,
                            long step)
{
    multiply_tiles(a, b, steps, out, step);
    if (all(((a_notes[0] | a_notes[slices] | b_notes[0] | b_notes[slices]) & OD_FLAGS) == 0u))
        return;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            mend(a + i * steps * (A_PARTS * TILE), b + j * steps * (B_PARTS * TILE), steps, a_notes[i * slices],
                 b_notes[j * slices], (float *)((char *)out + i * LINES * step) + j * LINES, step);
}

static inline void add_tile(float *sums, const float *part)
{
    for (int row = 0; row < SIDE; row++)
        for (int i = 0; i < SIDE; i += 16)
            *(od_loose_float16 *)(sums + row * NB + i) += *(const od_loose_float16 *)(part + row * SIDE + i);
}

// Eight tiles of 16 rows of 64 bytes.
static inline void configure(void)
{
    uchar config[64] __attribute__((aligned(64)));
    for (int i = 0; i < 64; i++)
        config[i] = 0;
    config[0] = 1;
    for (int i = 0; i < 8; i++) {
        config[16 + 2 * i] = 64;
        config[48 + i] = LINES;
    }
    __asm__ volatile("ldtilecfg (%0)" ::"r"(config) : "memory");
}

// Rows of 32 sums to their places.
#define OD_FINISH_ROWS(tile, row, at)                                                                                  \
    for (int r = 0; r < SIDE && (row) + r < m; r++) {                                                                  \
        int place = ((row) + r) * lead.s2 + (at), residual_place = ((row) + r) * lead.s3 + (at);                       \
        for (int i = 0; i < SIDE && (at) + i < n; i += 16) {                                                           \
            if ((at) + i + 16 <= n) {                                                                                  \
                OD_FINISH16(*(od_loose_float16 *)((tile) + r * NB + i), (at) + i, place + i, residual_place + i);      \
            } else {                                                                                                   \
                for (int j = i; (at) + j < n; j++)                                                                     \
                    OD_FINISH1((tile)[r * NB + j], (at) + j, place + j, residual_place + j);                           \
            }                                                                                                          \
        }                                                                                                              \
    }

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_amx(__global const ushort *a, ulong a_offset, __global const ushort *b, ulong b_offset,
         __global STORAGE(C_TYPE) * c, ulong c_offset, OD_BIAS_PARAMETER OD_RESIDUAL_PARAMETER int4 size, int4 lead,
         int4 batch_shape, int4 batch_a, int4 batch_b, int4 batch_c, int4 batch_residual, float alpha,
         float activation_alpha, int4 block, __global const uint *a_notes, ulong a_notes_offset,
         __global const uint *b_notes, ulong b_notes_offset)
{
    float sums[MB * NB] __attribute__((aligned(64))), part[SIDE * SIDE] __attribute__((aligned(64)));
    int m = size.s0, n = size.s1, depth = size.s2, batch = (int)get_group_id(2), slices = OD_SLICES(depth);
    int first_row = (int)get_group_id(0) * block.s0, first_column = (int)get_group_id(1) * block.s1;
    int row_end = min(m, first_row + block.s0), column_end = min(n, first_column + block.s1);
    int a_panels = (m + SIDE - 1) / SIDE * 2, b_panels = (n + SIDE - 1) / SIDE * 2, a_batch = batch, b_batch = batch;
#if B_SHARED
    b_batch = 0;
#endif
    a += a_offset + (ulong)(a_batch * a_panels) * (ulong)(OD_STEPS(depth) * A_PARTS * TILE);
    b += b_offset + (ulong)(b_batch * b_panels) * (ulong)(OD_STEPS(depth) * B_PARTS * TILE);
    a_notes += a_notes_offset + (ulong)(a_batch * a_panels * slices) * LINES;
    b_notes += b_notes_offset + (ulong)(b_batch * b_panels * slices) * LINES;
    c += c_offset + (ulong)od_batch_offset(batch, batch_shape, batch_c);
    OD_MOVE_BIAS();
    OD_MOVE_RESIDUAL(od_batch_offset(batch, batch_shape, batch_residual));
    configure();
    for (int slice = 0; slice < slices; slice++) {
        int steps = OD_STEPS_OF(slice, depth);
        for (int at = first_column; at < column_end; at += SIDE) {
            notes b_note = (notes)b_notes + at / LINES * slices + slice;
            tiles here_b = b + OD_PLACE(slice, at / LINES, b_panels, depth) * (B_PARTS * TILE);
            for (int row = first_row; row < row_end; row += SIDE) {
                notes a_note = (notes)a_notes + row / LINES * slices + slice;
                tiles here_a = a + OD_PLACE(slice, row / LINES, a_panels, depth) * (A_PARTS * TILE);
                float *tile = sums + (row - first_row) * NB + (at - first_column);
                if (slice == 0) {
                    multiply(here_a, here_b, steps, a_note, b_note, slices, tile, NB * (long)sizeof(float));
                } else {
                    multiply(here_a, here_b, steps, a_note, b_note, slices, part, SIDE * (long)sizeof(float));
                    add_tile(tile, part);
                }
                if (slice + 1 == slices)
                    OD_FINISH_ROWS(tile, row, at);
            }
        }
    }
    __asm__ volatile("tilerelease" ::: "memory");
}
