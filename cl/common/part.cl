// SPDX-License-Identifier: Apache-2.0
// Vectors of a row, at whose end fewer than WIDTH elements may be left: what is done with a vector is written once, as
// a function of `count`, the elements that are there. It is called with WIDTH for whole vectors, which leaves plain
// vector loads and stores, and with what is left for the last one:
//
//     int i = TEAM_LANE * WIDTH;
//     for (; i + WIDTH <= width; i += LANES * WIDTH)
//         f(.., i, WIDTH);
//     if (i < width)
//         f(.., i, width - i);
#ifndef OD_COMMON_PART_CL
#define OD_COMMON_PART_CL

#include "common/width.cl"

#define OD_VLOADW OD_PASTE(vload, WIDTH)
#define OD_VSTOREW OD_PASTE(vstore, WIDTH)

// LOAD_PART(T, p, i, count): elements i .. i+count-1, and 0 in the places after them. STORE_PART(T, v, p, i, count) is
// its counterpart.
#define LOAD_PART(T, p, i, count) OD_PASTE(od_load_part_, T)(p, i, count)
#define STORE_PART(T, v, p, i, count) OD_PASTE(od_store_part_, T)(v, p, i, count)

// A loop over what is there on a CPU, and no loop where WIDTH is 4: a GPU's private arrays want constant indices.
#if WIDTH == 4
#define OD_SOME(T)                                                                                                     \
    static inline float4 od_load_some_##T(__global const STORAGE(T) * p, int i, int count)                             \
    {                                                                                                                  \
        return (float4)(LOAD1(T, p, i), count > 1 ? LOAD1(T, p, i + 1) : 0.0f, count > 2 ? LOAD1(T, p, i + 2) : 0.0f,  \
                        count > 3 ? LOAD1(T, p, i + 3) : 0.0f);                                                        \
    }                                                                                                                  \
    static inline void od_store_some_##T(float4 v, __global STORAGE(T) * p, int i, int count)                          \
    {                                                                                                                  \
        STORE1(T, v.s0, p, i);                                                                                         \
        if (count > 1)                                                                                                 \
            STORE1(T, v.s1, p, i + 1);                                                                                 \
        if (count > 2)                                                                                                 \
            STORE1(T, v.s2, p, i + 2);                                                                                 \
        if (count > 3)                                                                                                 \
            STORE1(T, v.s3, p, i + 3);                                                                                 \
    }
#else
#define OD_SOME(T)                                                                                                     \
    static inline FLOATW od_load_some_##T(__global const STORAGE(T) * p, int i, int count)                             \
    {                                                                                                                  \
        float lanes[WIDTH];                                                                                            \
        OD_VSTOREW((FLOATW)(0.0f), 0, lanes);                                                                          \
        for (int k = 0; k < count; k++)                                                                                \
            lanes[k] = LOAD1(T, p, i + k);                                                                             \
        return OD_VLOADW(0, lanes);                                                                                    \
    }                                                                                                                  \
    static inline void od_store_some_##T(FLOATW v, __global STORAGE(T) * p, int i, int count)                          \
    {                                                                                                                  \
        float lanes[WIDTH];                                                                                            \
        OD_VSTOREW(v, 0, lanes);                                                                                       \
        for (int k = 0; k < count; k++)                                                                                \
            STORE1(T, lanes[k], p, i + k);                                                                             \
    }
#endif

#define OD_PART(T)                                                                                                     \
    OD_SOME(T)                                                                                                         \
    static inline OD_INLINE FLOATW od_load_part_##T(__global const STORAGE(T) * p, int i, int count)                   \
    {                                                                                                                  \
        if (count == WIDTH)                                                                                            \
            return LOADW(T, p, i);                                                                                     \
        return od_load_some_##T(p, i, count);                                                                          \
    }                                                                                                                  \
    static inline OD_INLINE void od_store_part_##T(FLOATW v, __global STORAGE(T) * p, int i, int count)                \
    {                                                                                                                  \
        if (count == WIDTH)                                                                                            \
            STOREW(T, v, p, i);                                                                                        \
        else                                                                                                           \
            od_store_some_##T(v, p, i, count);                                                                         \
    }
OD_PART(1)
OD_PART(2)
OD_PART(3)

// v with `fill` in the places from count on.
static inline OD_INLINE FLOATW od_keep(FLOATW v, int count, float fill)
{
    if (count == WIDTH)
        return v;
#if WIDTH == 4
    return select((float4)(fill), v, (int4)(0, 1, 2, 3) < (int4)(count));
#else
    return select((float16)(fill), v, (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)(count));
#endif
}

// v as it would be read back after having been stored.
#define ROUNDED(T, v) OD_PASTE(od_rounded_, T)(v)

static inline FLOATW od_rounded_1(FLOATW v)
{
    return v;
}

static inline FLOATW od_rounded_2(FLOATW v)
{
    OD_PASTE(ushort, WIDTH) bits; // a vector, for its alignment
    OD_PASTE(OD_PASTE(vstore_half, WIDTH), _rte)(v, 0, (half *)&bits);
    return OD_PASTE(vload_half, WIDTH)(0, (const half *)&bits);
}

static inline FLOATW od_rounded_3(FLOATW v)
{
    return OD_PASTE(od_from_bf16_, WIDTH)(OD_PASTE(od_to_bf16_, WIDTH)(v));
}

#endif
