// SPDX-License-Identifier: Apache-2.0
// A 16 x 16 block of floats, its rows in 16 vectors, turned in place: four perfect shuffles of the whole block.
#ifndef OD_COMMON_TRANSPOSE_CL
#define OD_COMMON_TRANSPOSE_CL

static inline void od_shuffle_rows(const float16 *in, float16 *out)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        out[2 * i].even = in[i].lo;
        out[2 * i].odd = in[i + 8].lo;
        out[2 * i + 1].even = in[i].hi;
        out[2 * i + 1].odd = in[i + 8].hi;
    }
}

static inline void od_transpose16(float16 *rows)
{
    float16 other[16];
    od_shuffle_rows(rows, other);
    od_shuffle_rows(other, rows);
    od_shuffle_rows(rows, other);
    od_shuffle_rows(other, rows);
}

#endif
