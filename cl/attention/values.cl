// SPDX-License-Identifier: Apache-2.0
// Keeps what is behind a mask out of attention's second matrix product, whose weight 0 times a NaN would be a NaN.
//
// Before the product, screen_values copies V with every NaN and infinity replaced by 0, and notes which keys had one;
// note_heads sums that up for each head. After the product, restore_values adds weight * value for those elements,
// except where the key was ruled out for the row (weight -0, scores_softmax.cl). Where a head has none, which is
// always in practice, restore_values ends after one read.
//! X_TYPE 1..3 dtype of value and output
//! ITEMS 1..256 work-items per group
#ifndef X_TYPE
#define X_TYPE 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#include "common/storage.cl"

#define IS_FINITE(v) ((v) > -INFINITY && (v) < INFINITY) // Mesa takes v - v for 0, whatever it is

// A group per key: x = key, y = head of V, z = batch. The copy is dense.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
screen_values(__global const STORAGE(X_TYPE) * value_base, ulong value_offset, __global STORAGE(X_TYPE) * clean_base,
              ulong clean_offset, __global int *flags_base, ulong flags_offset, int4 value_strides, int width)
{
    __local int shared[ITEMS];
    int item = (int)get_local_id(0);
    int key = (int)get_group_id(0), head = (int)get_group_id(1), batch = (int)get_group_id(2);
    int number = (batch * (int)get_num_groups(1) + head) * (int)get_num_groups(0) + key;
    __global const STORAGE(X_TYPE) *from =
        value_base + value_offset + batch * value_strides.s0 + head * value_strides.s1 + key * value_strides.s2;
    __global STORAGE(X_TYPE) *to = clean_base + clean_offset + (ulong)number * (ulong)width;
    int found = 0;
    for (int d = item; d < width; d += ITEMS) {
        float v = LOAD1(X_TYPE, from, d);
        bool finite = IS_FINITE(v);
        found |= !finite;
        STORE1(X_TYPE, finite ? v : 0.0f, to, d);
    }
    shared[item] = found;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; item == 0 && i < ITEMS; i++)
        found |= shared[i];
    if (item == 0)
        (flags_base + flags_offset)[number] = found;
}

// A group per head of V, counted over the batches: any[head] = whether a key of it has a flag.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
note_heads(__global const int *flags_base, ulong flags_offset, __global int *any_base, ulong any_offset, int keys)
{
    __local int shared[ITEMS];
    int item = (int)get_local_id(0), head = (int)get_group_id(0);
    __global const int *flags = flags_base + flags_offset + (ulong)head * (ulong)keys;
    int found = 0;
    for (int key = item; key < keys; key += ITEMS)
        found |= flags[key];
    shared[item] = found;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; item == 0 && i < ITEMS; i++)
        found |= shared[i];
    if (item == 0)
        (any_base + any_offset)[head] = found;
}

// A group per row of weights: x = query, y = head, z = batch, all counted from where this block of scores begins.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
restore_values(__global const float *weights_base, ulong weights_offset, __global const STORAGE(X_TYPE) * value_base,
               ulong value_offset, __global const int *flags_base, ulong flags_offset, __global const int *any_base,
               ulong any_offset, __global STORAGE(X_TYPE) * output_base, ulong output_offset, int4 value_strides,
               int4 output_strides, int group, int key_heads, int keys, int pitch, int width)
{
    int item = (int)get_local_id(0);
    int row = (int)get_group_id(0), head = (int)get_group_id(1), batch = (int)get_group_id(2);
    int number = (batch * (int)get_num_groups(1) + head) * (int)get_num_groups(0) + row;
    int key_head = batch * key_heads + head / group;
    if (!(any_base + any_offset)[key_head])
        return;
    __global const int *flags = flags_base + flags_offset + (ulong)key_head * (ulong)keys;
    __global const float *weights = weights_base + weights_offset + (ulong)number * (ulong)pitch;
    __global const STORAGE(X_TYPE) *values =
        value_base + value_offset + batch * value_strides.s0 + head / group * value_strides.s1;
    __global STORAGE(X_TYPE) *out =
        output_base + output_offset + batch * output_strides.s0 + head * output_strides.s1 + row * output_strides.s2;
    for (int d = item; d < width; d += ITEMS) {
        float sum = LOAD1(X_TYPE, out, d);
        for (int key = 0; key < keys; key++) {
            if (!flags[key] || as_uint(weights[key]) == 0x80000000u)
                continue;
            float v = LOAD1(X_TYPE, values, key * value_strides.s2 + d);
            if (!IS_FINITE(v))
                sum += weights[key] * v;
        }
        STORE1(X_TYPE, sum, out, d);
    }
}
