// SPDX-License-Identifier: Apache-2.0
// C = f(alpha A B + bias) + residual on a CPU for at most 8 rows of A: bound by reading B, which is read once. One
// work-item computes a strip of columns for all rows.

//! A_TYPE 1..3 dtype of A (1 F32, 2 F16, 3 BF16)
//! B_TYPE 1..3 dtype of B
//! C_TYPE 1..3 dtype of C and the residual
//! BIAS_TYPE 0..3 dtype of the bias, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added last
//! ACTIVATION 0..9 ocldnn_activation_kind
//! B_FORM 0..2 how B lies: 0 packed panels, 1 [k, n], 2 [n, k]
//! ROWS 1..8 rows that are computed; what lies past the last row of A repeats it and is not stored
//! STRIP 32..4096 most columns of a work-item where B_FORM is 1, a multiple of 16
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
#ifndef B_FORM
#define B_FORM 0
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef STRIP
#define STRIP 1024
#endif

#include "gemm/epilogue.cl"
#include "gemm/panel.cl"

#if HAS_RESIDUAL
#define RESIDUAL_PLACE(row, column) ((row)*lead.s3 + (column))
#else
#define RESIDUAL_PLACE(row, column) 0
#endif
#define PLACE(row, column) ((row)*lead.s2 + (column))

// 16 sums of one row from `at` on, of which those before n are stored.
#define FINISH(sum, row, at)                                                                                           \
    if ((at) + 16 <= size.s1) {                                                                                        \
        OD_FINISH16(sum, at, PLACE(row, at), RESIDUAL_PLACE(row, at));                                                 \
    } else {                                                                                                           \
        float16 kept = (sum);                                                                                          \
        for (int lane = 0; (at) + lane < size.s1; lane++)                                                              \
            OD_FINISH1(((float *)&kept)[lane], (at) + lane, PLACE(row, (at) + lane),                                   \
                       RESIDUAL_PLACE(row, (at) + lane));                                                              \
    }

enum { AHEAD = 2048 }; // bytes from what is read of B to what is asked for

#if B_FORM == 0
// k that is taken at a time, and panels that are read side by side: streams of memory.
enum { SLICE = 512, SIDE = ROWS <= 2 ? 4 : ROWS <= 4 ? 2 : 1 };
#elif B_FORM == 1
// sums[r][column] += sum over COUNT rows of B from k on.
#define ADD_ROWS(COUNT)                                                                                                \
    static inline void add_rows##COUNT(float16(*sums)[STRIP / 16], __global const STORAGE(A_TYPE) * a,                 \
                                       const int *a_row, __global const STORAGE(B_TYPE) * b, int ldb, int k,           \
                                       int columns)                                                                    \
    {                                                                                                                  \
        float x[ROWS][COUNT];                                                                                          \
        int whole = columns / 16;                                                                                      \
        OD_UNROLL for (int r = 0; r < ROWS; r++)                                                                       \
        {                                                                                                              \
            OD_UNROLL for (int j = 0; j < COUNT; j++) x[r][j] = LOAD1(A_TYPE, a, a_row[r] + k + j);                    \
        }                                                                                                              \
        for (int i = 0; i < whole; i++) {                                                                              \
            float16 row[COUNT];                                                                                        \
            OD_UNROLL for (int j = 0; j < COUNT; j++) row[j] = LOAD16(B_TYPE, b, (k + j) * ldb + 16 * i);              \
            OD_UNROLL for (int r = 0; r < ROWS; r++)                                                                   \
            {                                                                                                          \
                OD_UNROLL for (int j = 0; j < COUNT; j++) sums[r][i] = fma((float16)(x[r][j]), row[j], sums[r][i]);    \
            }                                                                                                          \
        }                                                                                                              \
        for (int i = 16 * whole; i < columns; i++) {                                                                   \
            OD_UNROLL for (int r = 0; r < ROWS; r++)                                                                   \
            {                                                                                                          \
                float *sum = (float *)sums[r] + i;                                                                     \
                OD_UNROLL for (int j = 0; j < COUNT; j++) *sum =                                                       \
                    fma(x[r][j], LOAD1(B_TYPE, b, (k + j) * ldb + i), *sum);                                           \
            }                                                                                                          \
        }                                                                                                              \
    }
ADD_ROWS(4)
ADD_ROWS(1)
#elif B_FORM == 2
// Rows of B, that is columns of C, that are summed side by side: enough sums to hide the latency of an fma.
enum { SIDE = ROWS <= 2 ? 8 : ROWS == 8 ? 3 : 6 };

static inline float sum16(float16 v)
{
    float8 a = v.lo + v.hi;
    float4 b = a.lo + a.hi;
    return (b.s0 + b.s2) + (b.s1 + b.s3);
}
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_skinny(__global const STORAGE(A_TYPE) * a, ulong a_offset, __global const STORAGE(B_TYPE) * b, ulong b_offset,
            __global STORAGE(C_TYPE) * c, ulong c_offset, OD_BIAS_PARAMETER OD_RESIDUAL_PARAMETER int4 size, int4 lead,
            int4 batch_shape, int4 batch_a, int4 batch_b, int4 batch_c, int4 batch_residual, float alpha,
            float activation_alpha, int4 block)
{
    int n = size.s1, depth = size.s2, batch = (int)get_group_id(2);
    int first = (int)get_group_id(0) * block.s1, end = min(first + block.s1, n);
    int a_row[ROWS];
    a += a_offset + (ulong)od_batch_offset(batch, batch_shape, batch_a);
    b += b_offset + (ulong)od_batch_offset(batch, batch_shape, batch_b);
    c += c_offset + (ulong)od_batch_offset(batch, batch_shape, batch_c);
    OD_MOVE_BIAS();
    OD_MOVE_RESIDUAL(od_batch_offset(batch, batch_shape, batch_residual));
    OD_UNROLL for (int r = 0; r < ROWS; r++) a_row[r] = min(r, size.s0 - 1) * lead.s0;

#if B_FORM == 0
    for (int at = first; at < end; at += SIDE * PW) {
        __global const STORAGE(B_TYPE) * source[SIDE];
        float16 sum[ROWS][SIDE * NV], x_vectors[ROWS * SLICE / 16];
        float *x = (float *)x_vectors;
        // Past the end the first panel is read again; its sums are not stored.
        OD_UNROLL for (int s = 0; s < SIDE; s++) source[s] =
            b + (ulong)(at + s * PW < n ? at + s * PW : at) * (ulong)depth;
        OD_UNROLL for (int r = 0; r < ROWS; r++)
        {
            OD_UNROLL for (int j = 0; j < SIDE * NV; j++) sum[r][j] = (float16)(0.0f);
        }
        for (int k = 0; k < depth; k += SLICE) {
            int slice = min((int)SLICE, depth - k);
            for (int r = 0; r < ROWS; r++) {
                int i = 0;
                for (; i + 16 <= slice; i += 16)
                    x_vectors[(r * SLICE + i) / 16] = LOAD16(A_TYPE, a, a_row[r] + k + i);
                for (; i < slice; i++)
                    x[r * SLICE + i] = LOAD1(A_TYPE, a, a_row[r] + k + i);
            }
            for (int i = 0; i < slice; i++) {
                OD_UNROLL for (int s = 0; s < SIDE; s++)
                {
                    OD_UNROLL for (int byte = 0; byte < PW * (int)sizeof *b; byte += 64)
                        OD_ASK((__global const char *)(source[s] + (k + i) * PW) + byte + AHEAD, 1);
                }
                OD_UNROLL for (int j = 0; j < SIDE * NV; j++)
                {
                    float16 row = LOAD16(B_TYPE, source[j / NV], (k + i) * PW + j % NV * 16);
                    OD_UNROLL for (int r = 0; r < ROWS; r++) sum[r][j] =
                        fma((float16)(x[r * SLICE + i]), row, sum[r][j]);
                }
            }
        }
        OD_UNROLL for (int r = 0; r < ROWS; r++)
        {
            if (r < size.s0) {
                OD_UNROLL for (int j = 0; j < SIDE * NV; j++)
                {
                    if (at + 16 * j < n) {
                        FINISH(sum[r][j], r, at + 16 * j)
                    }
                }
            }
        }
    }
#elif B_FORM == 1
    // Row after row of B, four at a time, so that memory is read in long runs; the sums stay in the nearest cache.
    float16 sums[ROWS][STRIP / 16];
    int k = 0;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; first + 16 * i < end; i++)
            sums[r][i] = (float16)(0.0f);
    for (; k + 4 <= depth; k += 4)
        add_rows4(sums, a, a_row, b + first, lead.s1, k, end - first);
    for (; k < depth; k++)
        add_rows1(sums, a, a_row, b + first, lead.s1, k, end - first);
    for (int r = 0; r < ROWS && r < size.s0; r++)
        for (int i = 0; first + 16 * i < end; i++) {
            FINISH(sums[r][i], r, first + 16 * i)
        }
#else
    for (int at = first; at < end; at += SIDE) {
        float16 sum[ROWS][SIDE];
        int b_row[SIDE], k = 0;
        OD_UNROLL for (int j = 0; j < SIDE; j++)
        {
            b_row[j] = min(at + j, end - 1) * lead.s1;
            OD_UNROLL for (int r = 0; r < ROWS; r++) sum[r][j] = (float16)(0.0f);
        }
        for (; k + 16 <= depth; k += 16) {
            float16 w[SIDE];
#if B_TYPE == OD_F32 // of 16 bits a vector is half a line, and asking for each twice costs more than it gains
            OD_UNROLL for (int j = 0; j < SIDE; j++) OD_ASK((__global const char *)(b + b_row[j] + k) + AHEAD, 1);
#endif
            OD_UNROLL for (int j = 0; j < SIDE; j++) w[j] = LOAD16(B_TYPE, b, b_row[j] + k);
            OD_UNROLL for (int r = 0; r < ROWS; r++)
            {
                float16 x = LOAD16(A_TYPE, a, a_row[r] + k);
                OD_UNROLL for (int j = 0; j < SIDE; j++) sum[r][j] = fma(x, w[j], sum[r][j]);
            }
        }
        OD_UNROLL for (int r = 0; r < ROWS; r++)
        {
            OD_UNROLL for (int j = 0; j < SIDE; j++)
            {
                if (r < size.s0 && at + j < end) {
                    float total = sum16(sum[r][j]);
                    for (int i = k; i < depth; i++)
                        total = fma(LOAD1(A_TYPE, a, a_row[r] + i), LOAD1(B_TYPE, b, b_row[j] + i), total);
                    OD_FINISH1(total, at + j, PLACE(r, at + j), RESIDUAL_PLACE(r, at + j));
                }
            }
        }
    }
#endif
}
