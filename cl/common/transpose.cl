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

// Four rows of one column group: element 4 i + j of the vector is element j of row 4 i + r.
#define OD_EVERY_FOURTH(T, p, step, at, r)                                                                             \
    (float16)(LOAD4(T, p, (r) * (step) + (at)), LOAD4(T, p, ((r) + 4) * (step) + (at)),                                \
              LOAD4(T, p, ((r) + 8) * (step) + (at)), LOAD4(T, p, ((r) + 12) * (step) + (at)))

// out[0..3] = columns at .. at + 3 of 16 rows in memory, `step` apart. Two shuffles a column, where a vector's quarters
// can be loaded apart.
#define OD_COLUMNS4(T, p, step, at, out)                                                                               \
    od_columns4(OD_EVERY_FOURTH(T, p, step, at, 0), OD_EVERY_FOURTH(T, p, step, at, 1),                                \
                OD_EVERY_FOURTH(T, p, step, at, 2), OD_EVERY_FOURTH(T, p, step, at, 3), out)

// a b c d hold rows 0 1 2 3 (and 4 5 6 7 in their second quarters, ..): the 4 x 4 blocks of each quarter are turned.
static __attribute__((noinline)) void od_columns4(float16 a, float16 b, float16 c, float16 d, float16 *out)
{
#define OD_LOW(x, y)                                                                                                   \
    (float16)(x.s0, y.s0, x.s1, y.s1, x.s4, y.s4, x.s5, y.s5, x.s8, y.s8, x.s9, y.s9, x.sc, y.sc, x.sd, y.sd)
#define OD_HIGH(x, y)                                                                                                  \
    (float16)(x.s2, y.s2, x.s3, y.s3, x.s6, y.s6, x.s7, y.s7, x.sa, y.sa, x.sb, y.sb, x.se, y.se, x.sf, y.sf)
#define OD_LOW_PAIRS(x, y) as_float16((ulong8)(x.s0, y.s0, x.s2, y.s2, x.s4, y.s4, x.s6, y.s6))
#define OD_HIGH_PAIRS(x, y) as_float16((ulong8)(x.s1, y.s1, x.s3, y.s3, x.s5, y.s5, x.s7, y.s7))
    ulong8 ab = as_ulong8(OD_LOW(a, b)), cd = as_ulong8(OD_LOW(c, d));
    ulong8 ab2 = as_ulong8(OD_HIGH(a, b)), cd2 = as_ulong8(OD_HIGH(c, d));
    out[0] = OD_LOW_PAIRS(ab, cd);
    out[1] = OD_HIGH_PAIRS(ab, cd);
    out[2] = OD_LOW_PAIRS(ab2, cd2);
    out[3] = OD_HIGH_PAIRS(ab2, cd2);
}

#endif
