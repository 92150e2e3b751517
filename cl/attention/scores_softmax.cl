// SPDX-License-Identifier: Apache-2.0
// The middle step of attention by matrix products: a row of scores becomes weights, in place. In this order: softcap,
// bias, masks, softmax; a group per row.
//
// A key that is ruled out gets the weight -0: the product with V takes it for nothing, and restore_values (values.cl)
// knows it from a weight that merely underflowed. Rows lie `pitch` apart, a multiple of 16, so that whole vectors may
// be read and written up to the pitch.
//! BIAS_TYPE 0..3 dtype of the bias, 0 = none
//! HAS_MASK 0..1 there is a mask
//! CAUSAL 0..1 keys past query + causal_offset take no part
//! SOFTCAP 0..1 scores pass through a tanh
//! LSE 0..1 the logarithm of the sum is stored
//! ITEMS 1..256 work-items per row, a power of two
//! WIDTH 4..16 keys that an item takes at a time: 4 or 16
#ifndef BIAS_TYPE
#define BIAS_TYPE 0
#endif
#ifndef HAS_MASK
#define HAS_MASK 0
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif
#ifndef SOFTCAP
#define SOFTCAP 0
#endif
#ifndef LSE
#define LSE 0
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef WIDTH
#define WIDTH 16
#endif
#define LANES ITEMS
#define TEAMS 1
#include "common/exp2.cl"
#include "common/math.cl"
#include "common/part.cl"
#include "common/team.cl"

#define LOADV OD_PASTE(vload, WIDTH)
#define STOREV OD_PASTE(vstore, WIDTH)
#define TANHV OD_PASTE(od_tanh_, WIDTH)
#if WIDTH == 16
#define EXPV(x) od_exp2_16((x)*1.44269504f)
#else
#define EXPV(x) od_exp_4(x)
#endif

#if HAS_MASK
// The mask of keys first .. first + count of a row.
static inline INTW mask_of(__global const uchar *mask, int stride, int first, int count)
{
    int lanes[WIDTH];
    if (count == WIDTH && stride == 1)
        return OD_PASTE(convert_int, WIDTH)(LOADV(0, mask + first));
    for (int i = 0; i < WIDTH; i++)
        lanes[i] = i < count ? mask[(first + i) * stride] : 0;
    return LOADV(0, lanes);
}
#endif

#if BIAS_TYPE
static inline FLOATW bias_of(__global const STORAGE(BIAS_TYPE) * bias, int stride, int first, int count)
{
    float lanes[WIDTH];
    if (count == WIDTH && stride == 1)
        return LOADW(BIAS_TYPE, bias, first);
    for (int i = 0; i < WIDTH; i++)
        lanes[i] = i < count ? LOAD1(BIAS_TYPE, bias, (first + i) * stride) : 0.0f;
    return LOADV(0, lanes);
}
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
scores_softmax(__global float *scores, ulong scores_offset,
#if HAS_MASK
               __global const uchar *mask, ulong mask_offset, int4 mask_strides,
#endif
#if BIAS_TYPE
               __global const STORAGE(BIAS_TYPE) * bias, ulong bias_offset, int4 bias_strides,
#endif
#if LSE
               __global float *lse, ulong lse_offset, int4 lse_strides,
#endif
               int keys, int pitch, int causal_offset, float softcap)
{
    const int item = (int)get_local_id(0);
    const int row = (int)get_group_id(0), head = (int)get_group_id(1), batch = (int)get_group_id(2);
    const int number = (batch * (int)get_num_groups(1) + head) * (int)get_num_groups(0) + row;
    const int seen = CAUSAL ? max(0, min(keys, row + causal_offset + 1)) : keys; // the keys from here on are ruled out
    FLOATW most = (FLOATW)(-INFINITY), total = (FLOATW)(0.0f);
    TEAM_SHARED(shared);
    scores += scores_offset + (ulong)number * (ulong)pitch;
#if HAS_MASK
    mask += mask_offset + batch * mask_strides.s0 + head * mask_strides.s1 + row * mask_strides.s2;
#endif
#if BIAS_TYPE
    bias += bias_offset + batch * bias_strides.s0 + head * bias_strides.s1 + row * bias_strides.s2;
#endif

    for (int first = item * WIDTH; first < seen; first += ITEMS * WIDTH) {
        const int count = min(seen - first, WIDTH);
        FLOATW s = LOADV(0, scores + first);
#if SOFTCAP
        s = TANHV(s / softcap) * softcap;
#endif
#if BIAS_TYPE
        s += bias_of(bias, bias_strides.s3, first, count);
#endif
#if HAS_MASK
        s = mask_of(mask, mask_strides.s3, first, count) != 0 ? s : (FLOATW)(-INFINITY);
#endif
        if (count < WIDTH)
            s = od_keep(s, count, -INFINITY);
        if (SOFTCAP || BIAS_TYPE || HAS_MASK || count < WIDTH)
            STOREV(s, 0, scores + first);
        most = OD_LARGER(most, s); // a NaN makes its own weight NaN below
    }
    const float largest = od_team_max(od_max(most), shared);
    const float used = largest == -INFINITY ? 0.0f : largest;

    for (int first = item * WIDTH; first < pitch; first += ITEMS * WIDTH) {
        FLOATW w = (FLOATW)(-0.0f);
        if (first < seen) {
            const FLOATW s = LOADV(0, scores + first);
            w = s == -INFINITY ? w : EXPV(s - used);
            total += w;
        }
        STOREV(w, 0, scores + first);
    }
    const float sum = od_team_sum(od_sum(total), shared);

    if (sum != 0.0f) {
        const float share = 1.0f / sum; // sum is 1 or more: the largest score's weight is 1
        for (int first = item * WIDTH; first < seen; first += ITEMS * WIDTH)
            STOREV(LOADV(0, scores + first) * share, 0, scores + first);
    }
#if LSE
    if (item == 0)
        lse[lse_offset + batch * lse_strides.s0 + head * lse_strides.s1 + row * lse_strides.s2] = largest + log(sum);
#endif
}
