// SPDX-License-Identifier: Apache-2.0
// A 16 x 16 block of floats, its rows in 16 vectors, turned in place: four perfect shuffles of the whole block.
// The loops stay loops: unrolled they cost a compiler more time than the rest of a kernel, and save nothing.
#ifndef OD_COMMON_TRANSPOSE_CL
#define OD_COMMON_TRANSPOSE_CL

static inline void od_transpose16(float16 *rows)
{
    float16 other[16];
#pragma unroll 1
    for (int pass = 0; pass < 4; pass++) {
        const float16 *in = pass & 1 ? other : rows;
        float16 *out = pass & 1 ? rows : other;
#pragma unroll 1
        for (int i = 0; i < 8; i++) {
            float16 a = in[i], b = in[i + 8];
            out[2 * i].even = a.lo;
            out[2 * i].odd = b.lo;
            out[2 * i + 1].even = a.hi;
            out[2 * i + 1].odd = b.hi;
        }
    }
}

#endif
