// SPDX-License-Identifier: Apache-2.0
// The end of a row, where fewer than WIDTH elements are left: the same vectors, with 0 in the places past the end.
#ifndef OD_COMMON_PART_CL
#define OD_COMMON_PART_CL

#include "common/width.cl"

#define OD_VLOADW OD_PASTE(vload, WIDTH)
#define OD_VSTOREW OD_PASTE(vstore, WIDTH)

// LOAD_PART(T, p, i, count): elements i .. i+count-1. STORE_PART(T, v, p, i, count) is its counterpart.
#define LOAD_PART(T, p, i, count) OD_PASTE(od_load_part_, T)(p, i, count)
#define STORE_PART(T, v, p, i, count) OD_PASTE(od_store_part_, T)(v, p, i, count)

#define OD_PART(T)                                                                                                     \
    static inline FLOATW od_load_part_##T(__global const STORAGE(T) * p, int i, int count)                             \
    {                                                                                                                  \
        float lanes[WIDTH];                                                                                            \
        for (int k = 0; k < WIDTH; k++)                                                                                \
            lanes[k] = k < count ? LOAD1(T, p, i + k) : 0.0f;                                                          \
        return OD_VLOADW(0, lanes);                                                                                    \
    }                                                                                                                  \
    static inline void od_store_part_##T(FLOATW v, __global STORAGE(T) * p, int i, int count)                          \
    {                                                                                                                  \
        float lanes[WIDTH];                                                                                            \
        OD_VSTOREW(v, 0, lanes);                                                                                       \
        for (int k = 0; k < WIDTH; k++)                                                                                \
            if (k < count)                                                                                             \
                STORE1(T, lanes[k], p, i + k);                                                                         \
    }
OD_PART(1)
OD_PART(2)
OD_PART(3)

// v with `fill` in the places from count on.
static inline FLOATW od_keep(FLOATW v, int count, float fill)
{
    float lanes[WIDTH];
    OD_VSTOREW(v, 0, lanes);
    for (int k = 0; k < WIDTH; k++)
        lanes[k] = k < count ? lanes[k] : fill;
    return OD_VLOADW(0, lanes);
}

// v as it would be read back after having been stored.
#define ROUNDED(T, v) OD_PASTE(od_rounded_, T)(v)

static inline FLOATW od_rounded_1(FLOATW v)
{
    return v;
}

static inline FLOATW od_rounded_2(FLOATW v)
{
    ushort bits[WIDTH];
    OD_PASTE(OD_PASTE(vstore_half, WIDTH), _rte)(v, 0, (half *)bits);
    return OD_PASTE(vload_half, WIDTH)(0, (const half *)bits);
}

static inline FLOATW od_rounded_3(FLOATW v)
{
    return OD_PASTE(od_from_bf16_, WIDTH)(OD_PASTE(od_to_bf16_, WIDTH)(v));
}

#endif
