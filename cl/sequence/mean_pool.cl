// SPDX-License-Identifier: Apache-2.0
// y[b, h] = mean over the s with mask[b, s] != 0 of x[b, s, h]; zeros where there is none. Masked rows are not read.
// On a GPU an item sums WIDTH columns of one batch entry; on a CPU up to MOST_COLUMNS, so that memory is read in long
// runs while the sums stay in the first cache. Either way in the order of s.

//! TYPE 1..3 dtype of input and output (1 F32, 2 F16, 3 BF16)
//! HAS_MASK 0..1 there is a mask
//! ITEMS 1..256 work-items per group
//! WIDTH 4..16 columns of an item (4 or 16)
#ifndef TYPE
#define TYPE 1
#endif
#ifndef HAS_MASK
#define HAS_MASK 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef WIDTH
#define WIDTH 16
#endif

#include "common/ask.cl"
#include "common/width.cl"

enum { MOST_COLUMNS = 1024 }; // lib/ops/mean_pool.c

// One batch entry.
typedef struct job {
    __global const STORAGE(TYPE) * input;
    __global STORAGE(TYPE) * output;
#if HAS_MASK
    __global const uchar *mask;
    int mask_stride;
#endif
    int input_stride, sequence;
} job;

#if HAS_MASK
#define TAKES_PART(j, s) ((j)->mask[(s) * (j)->mask_stride] != 0)
#else
#define TAKES_PART(j, s) 1
#endif

// factor * the mean of column i.
static inline float mean_of(const job *j, int i, float factor)
{
    float sum = 0.0f;
    int count = 0;
    for (int s = 0; s < j->sequence; s++) {
        if (!TAKES_PART(j, s))
            continue;
        sum = fma(LOAD1(TYPE, j->input, s * j->input_stride + i), factor, sum);
        count++;
    }
    return sum / (float)max(count, 1);
}

// Columns from `first` to before `end`, one by one. Where a sum of finite values leaves the floats, all are made
// smaller first: 2^31 of them are then a float.
static inline void write_columns(const job *j, int first, int end)
{
    for (int i = first; i < end; i++) {
        float mean = mean_of(j, i, 1.0f);
        if (mean - mean != 0.0f)
            mean = mean_of(j, i, 0x1p-32f) * 0x1p32f;
        STORE1(TYPE, mean, j->output, i);
    }
}

// A vector's means, as far as they are floats.
static inline void write_vector(const job *j, FLOATW mean, int first)
{
    const FLOATW rest = mean * 0.0f;
    if (od_sum(rest) == 0.0f)
        STOREW(TYPE, mean, j->output, first);
    else
        write_columns(j, first, first + WIDTH);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
mean_pool(__global const STORAGE(TYPE) * input, ulong input_offset, int input_batch_stride, int input_stride,
#if HAS_MASK
          __global const uchar *mask, ulong mask_offset, int mask_batch_stride, int mask_stride,
#endif
          __global STORAGE(TYPE) * output, ulong output_offset, int output_batch_stride, int sequence, int width,
          int share) // columns of an item
{
    const int batch = (int)get_global_id(1), first = (int)get_global_id(0) * share;
    int count = 0;
    job j = {.input_stride = input_stride, .sequence = sequence};
    if (first >= width)
        return;
    j.input = input + input_offset + batch * input_batch_stride;
    j.output = output + output_offset + batch * output_batch_stride;
#if HAS_MASK
    j.mask = mask + mask_offset + batch * mask_batch_stride;
    j.mask_stride = mask_stride;
#endif
#if ITEMS == 1
    float16 sums[MOST_COLUMNS / 16];
    const int vectors = min(share, width - first) / 16;
    for (int v = 0; v < vectors; v++)
        sums[v] = (float16)(0.0f);
    for (int s = 0; s < sequence;) {
        int at[4], taken = 0; // rows at a time: the sums are read and written once for so many
        for (; s < sequence && taken < 4; s++)
            if (TAKES_PART(&j, s))
                at[taken++] = s * input_stride + first;
        count += taken;
        if (taken == 4) {
            for (int v = 0; v < vectors; v++) {
                for (int i = 0; i < 4; i++)
                    OD_ASK(j.input + at[i] + 4 * input_stride + v * 16, 2);
                float16 sum = sums[v] + LOAD16(TYPE, j.input, at[0] + v * 16);
                sum += LOAD16(TYPE, j.input, at[1] + v * 16);
                sum += LOAD16(TYPE, j.input, at[2] + v * 16);
                sums[v] = sum + LOAD16(TYPE, j.input, at[3] + v * 16);
            }
        } else {
            for (int i = 0; i < taken; i++)
                for (int v = 0; v < vectors; v++)
                    sums[v] += LOAD16(TYPE, j.input, at[i] + v * 16);
        }
    }
    for (int v = 0; v < vectors; v++)
        write_vector(&j, sums[v] / (float)max(count, 1), first + v * 16);
    write_columns(&j, first + vectors * 16, min(first + share, width));
#else
    FLOATW sum = (FLOATW)(0.0f);
    if (first + WIDTH > width) {
        write_columns(&j, first, width);
        return;
    }
    for (int s = 0; s < sequence; s++) {
        if (!TAKES_PART(&j, s))
            continue;
        sum += LOADW(TYPE, j.input, s * input_stride + first);
        count++;
    }
    write_vector(&j, sum / (float)max(count, 1), first);
#endif
}
