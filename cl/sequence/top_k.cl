// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest of each row, in order; equal values by lower index first; NaN is larger than everything.
//
// An element becomes one 64-bit number whose order is the wanted order: the value's bits, made monotonic, above the
// complement of the index. One work-item on a CPU finds few candidates by vectors, or keeps a heap of the best
// (top_k_vector.cl); a group on a GPU keeps them sorted in local memory and merges the row into them, a chunk at a
// time.

//! TYPE 1..3 dtype of input and values (1 F32, 2 F16, 3 BF16)
//! SMALLEST 0..1 the smallest instead of the largest
//! HAS_VALUES 0..1 values are stored too
//! ITEMS 1..256 work-items per group; 1 takes the heap
//! BEST 1..1024 how many can be kept; with ITEMS > 1 a power of 2, >= ITEMS
#ifndef TYPE
#define TYPE 1
#endif
#ifndef SMALLEST
#define SMALLEST 0
#endif
#ifndef HAS_VALUES
#define HAS_VALUES 1
#endif
#ifndef ITEMS
#define ITEMS 64
#endif
#ifndef BEST
#define BEST 64
#endif

#include "common/rows.cl"
#include "common/storage.cl"

static inline ulong ordered(float x, int index)
{
    const uint bits = as_uint(x == 0.0f ? 0.0f : x); // -0 equals +0
    uint key = (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
    key = isnan(x) ? 0xffffffffu : key;
    return (ulong)(SMALLEST ? ~key : key) << 32 | (uint)~index;
}

static inline int index_of(ulong number)
{
    return (int)~(uint)number;
}

#if ITEMS == 1
#include "sequence/top_k_vector.cl"
#else
// Bitonic sort of 2 * BEST numbers, largest first.
static inline void sort(__local ulong *numbers, int item)
{
    for (int size = 2; size <= 2 * BEST; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int pair = item; pair < BEST; pair += ITEMS) {
                const int a = 2 * pair - (pair & (stride - 1)), b = a + stride;
                const ulong x = numbers[a], y = numbers[b];
                const int falling = (a & size) == 0;
                numbers[a] = falling ? max(x, y) : min(x, y);
                numbers[b] = falling ? min(x, y) : max(x, y);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
top_k(__global const STORAGE(TYPE) * input, ulong input_offset, int4 input_strides,
#if HAS_VALUES
      __global STORAGE(TYPE) * values, ulong values_offset, int4 values_strides,
#endif
      __global uint *indices, ulong indices_offset, int4 indices_strides, int4 shape, int length, int k)
{
    const int item = (int)get_local_id(0);
    const int4 at = od_row((int)get_group_id(0), shape);
#if ITEMS == 1
    ulong numbers[CANDIDATES];
#else
    __local ulong numbers[2 * BEST];
    __local int wanted;
#endif
    input += input_offset + od_row_offset(at, input_strides);
    indices += indices_offset + od_row_offset(at, indices_strides);
#if HAS_VALUES
    values += values_offset + od_row_offset(at, values_strides);
#endif
#if ITEMS == 1
    if (!keep_candidates(input, length, numbers, k))
        keep_best(input, length, numbers, k);
#else
    for (int i = item; i < 2 * BEST; i += ITEMS)
        numbers[i] = 0;
    for (int first = 0; first < length; first += BEST) {
        if (item == 0)
            wanted = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < BEST; i += ITEMS) {
            const ulong number = first + i < length ? ordered(LOAD1(TYPE, input, first + i), first + i) : 0;
            numbers[BEST + i] = number;
            if (number > numbers[k - 1])
                atomic_or(&wanted, 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (wanted)
            sort(numbers, item);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    for (int i = item; i < k; i += ITEMS) {
        const int index = index_of(numbers[i]);
        indices[i] = (uint)index;
#if HAS_VALUES
        values[i] = input[index];
#endif
    }
}
