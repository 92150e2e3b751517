// SPDX-License-Identifier: Apache-2.0
// The end of a row of attention on a CPU: its weighted values divided by the sum of its weights, and stored.
#ifndef OD_ATTENTION_FINISH_CL
#define OD_ATTENTION_FINISH_CL

// x / by with by's rounded inverse. A sum of 0 means no key: with an inverse of 0 it gives 0.
static inline float16 od_divide(float16 x, float16 by, float16 inverse)
{
    float16 near = x * inverse;
    float16 better = fma(fma(-near, by, x), inverse, near);
    return better == better ? better : near; // an infinite x has no remainder
}

#endif
