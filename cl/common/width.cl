// SPDX-License-Identifier: Apache-2.0
// For kernels whose vector width is a parameter (-D WIDTH=4|16): FLOATW and LOADW, STOREW beside storage.cl's.
#ifndef OD_COMMON_WIDTH_CL
#define OD_COMMON_WIDTH_CL

#include "common/storage.cl"

#define FLOATW OD_PASTE(float, WIDTH)
#define UINTW OD_PASTE(uint, WIDTH)
#define INTW OD_PASTE(int, WIDTH)
#define LOADW(T, p, i) OD_PASTE(LOAD, WIDTH)(T, p, i)
#define STOREW(T, v, p, i) OD_PASTE(STORE, WIDTH)(T, v, p, i)

// The values of a vector, added or compared pairwise.
static inline float od_sum_4(float4 v)
{
    return (v.s0 + v.s2) + (v.s1 + v.s3);
}

static inline float od_sum_16(float16 v)
{
    float8 w = v.lo + v.hi;
    return od_sum_4(w.lo + w.hi);
}

// The larger one; a NaN in v is passed over. (A user of a maximum meets the NaN again in the values themselves.)
#define OD_LARGER(m, v) ((v) > (m) ? (v) : (m))

static inline float od_max_4(float4 v)
{
    float2 w = OD_LARGER(v.lo, v.hi);
    return OD_LARGER(w.s0, w.s1);
}

static inline float od_max_16(float16 v)
{
    float8 w = OD_LARGER(v.lo, v.hi);
    return od_max_4(OD_LARGER(w.lo, w.hi));
}

#define od_sum(v) OD_PASTE(od_sum_, WIDTH)(v)
#define od_max(v) OD_PASTE(od_max_, WIDTH)(v)

// For functions that are called twice in a loop's place, with constants that decide what is left of them.
#define OD_INLINE __attribute__((always_inline))

#endif
