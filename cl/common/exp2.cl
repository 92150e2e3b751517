// SPDX-License-Identifier: Apache-2.0
// 2^x for x <= 0 (or NaN), 16 at a time, for kernels that spend a good part of their time in softmax.
//
// x = n + f with n whole and f in [-1/2, 1/2]; 2^f by a polynomial of degree 6 whose constant is exactly 1, so that
// 2^0 = 1; relative error below 1.1 ulp. Results below 2^-126 become 0, and so does 2^-inf. NaN stays NaN.
#ifndef OD_COMMON_EXP2_CL
#define OD_COMMON_EXP2_CL

static inline float16 od_exp2_16(float16 x)
{
    // 1.5 * 2^23 + 127: adding it leaves the rounded x, with the exponent's bias, in the low bits.
    const float magic = 12583039.0f;
    float16 clamped = x < -127.0f ? (float16)(-127.0f) : x;
    float16 shifted = clamped + magic;
    float16 f = clamped - (shifted - magic);
    float16 r = fma(f, (float16)(1.559467816e-4f), (float16)(1.340664390e-3f));
    r = fma(f, r, (float16)(9.617692973e-3f));
    r = fma(f, r, (float16)(5.550310551e-2f));
    r = fma(f, r, (float16)(2.402265278e-1f));
    r = fma(f, r, (float16)(6.931472150e-1f));
    r = fma(f, r, (float16)(1.0f));
    return r * as_float16(as_int16(shifted) << 23);
}

#endif
