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
//! ITEMS 1..256 work-items per row
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
#include "common/width.cl"
#include "common/math.cl"

#define LOADV OD_PASTE(vload, WIDTH)
#define STOREV OD_PASTE(vstore, WIDTH)
#define EXPV OD_PASTE(od_exp_, WIDTH)
#define TANHV OD_PASTE(od_tanh_, WIDTH)

// What every item has found, put together in the order of the items.
static inline float largest_of(float mine, __local float *shared, int item)
{
    shared[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    float all = shared[0];
    for (int i = 1; i < ITEMS; i++)
        all = shared[i] > all ? shared[i] : all;
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

static inline float sum_of(float mine, __local float *shared, int item)
{
    shared[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    float all = shared[0];
    for (int i = 1; i < ITEMS; i++)
        all += shared[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
scores_softmax(__global float *scores_base, ulong scores_offset,
#if HAS_MASK
               __global const uchar *mask_base, ulong mask_offset, int4 mask_strides,
#endif
#if BIAS_TYPE
               __global const STORAGE(BIAS_TYPE) * bias_base, ulong bias_offset, int4 bias_strides,
#endif
#if LSE
               __global float *lse_base, ulong lse_offset, int4 lse_strides,
#endif
               int keys, int pitch, int causal_offset, float softcap)
{
    __local float shared[ITEMS];
    int item = (int)get_local_id(0);
    int row = (int)get_group_id(0), head = (int)get_group_id(1), batch = (int)get_group_id(2);
    int number = (batch * (int)get_num_groups(1) + head) * (int)get_num_groups(0) + row;
    __global float *scores = scores_base + scores_offset + (ulong)number * (ulong)pitch;
    float largest = -INFINITY, sum = 0.0f;

    for (int first = item * WIDTH; first < pitch; first += ITEMS * WIDTH) {
        float taken[WIDTH];
#if SOFTCAP
        STOREV(TANHV(LOADV(0, scores + first) / softcap) * softcap, 0, taken);
#else
        STOREV(LOADV(0, scores + first), 0, taken);
#endif
        for (int i = 0; i < WIDTH; i++) {
            int key = first + i;
            bool seen = key < keys;
#if CAUSAL
            seen = seen && key <= row + causal_offset;
#endif
#if HAS_MASK
            seen = seen && (mask_base + mask_offset)[batch * mask_strides.s0 + head * mask_strides.s1 +
                                                     row * mask_strides.s2 + key * mask_strides.s3] != 0;
#endif
#if BIAS_TYPE
            if (seen)
                taken[i] += LOAD1(BIAS_TYPE, bias_base + bias_offset,
                                  batch * bias_strides.s0 + head * bias_strides.s1 + row * bias_strides.s2 +
                                      key * bias_strides.s3);
#endif
            taken[i] = seen ? taken[i] : -INFINITY;
            largest = taken[i] > largest ? taken[i] : largest; // a NaN makes its own weight NaN below
        }
        STOREV(LOADV(0, taken), 0, scores + first);
    }
    largest = largest_of(largest, shared, item);
    float used = largest == -INFINITY ? 0.0f : largest;

    for (int first = item * WIDTH; first < pitch; first += ITEMS * WIDTH) {
        float weights[WIDTH];
        FLOATW s = LOADV(0, scores + first);
        FLOATW w = EXPV(s - used);
        w = s == -INFINITY ? (FLOATW)(-0.0f) : w;
        STOREV(w, 0, scores + first);
        STOREV(w, 0, weights);
        for (int i = 0; i < WIDTH; i++)
            sum += weights[i];
    }
    sum = sum_of(sum, shared, item);

    if (sum != 0.0f)
        for (int first = item * WIDTH; first < pitch; first += ITEMS * WIDTH)
            STOREV(LOADV(0, scores + first) / sum, 0, scores + first);
#if LSE
    if (item == 0)
        (lse_base + lse_offset)[batch * lse_strides.s0 + head * lse_strides.s1 + row * lse_strides.s2] =
            largest + log(sum);
#endif
}
