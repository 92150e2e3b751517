// SPDX-License-Identifier: Apache-2.0
// Puts together what flash_few.cl has computed of each chunk of keys, in the order of the chunks. A work-item per row.
//! X_TYPE 1..3 dtype of the output
//! LSE 0..1 the logarithm of the sum is stored
#ifndef X_TYPE
#define X_TYPE 1
#endif
#ifndef LSE
#define LSE 0
#endif
#include "common/exp2.cl"
#include "common/storage.cl"
#include "attention/few_rows.cl"

// states: maximum and sum of each chunk of each row. lse = maximum * scale + log(sum).
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
flash_merge(__global const float *sums, ulong sums_offset, __global const float *states, ulong states_offset,
#if LSE
            __global float *lse, ulong lse_offset, int4 lse_strides,
#endif
            __global STORAGE(X_TYPE) * out, ulong out_offset, int4 out_strides, int pieces, int value_width, float unit,
            float scale)
{
    float16 output[MOST_VECTORS];
    int query = (int)get_group_id(0), head = (int)get_group_id(1), batch = (int)get_group_id(2);
    int vectors = od_vectors(value_width);
    ulong row = ((ulong)batch * get_num_groups(1) + (ulong)head) * get_num_groups(0) + (ulong)query;
    float most = -INFINITY, used, total = 0.0f;
    sums += sums_offset + row * (ulong)pieces * (ulong)(16 * vectors);
    states += states_offset + 2 * row * (ulong)pieces;
    for (int i = 0; i < pieces; i++)
        most = states[2 * i] > most ? states[2 * i] : most;
    used = most == -INFINITY ? 0.0f : most;
    for (int j = 0; j < vectors; j++)
        output[j] = 0.0f;
    for (int i = 0; i < pieces; i++) {
        float16 weight = od_exp2_16((float16)((states[2 * i] - used) * unit));
        total = fma(states[2 * i + 1], weight.s0, total);
        for (int j = 0; j < vectors; j++)
            output[j] = fma(LOAD16(OD_F32, sums, (i * vectors + j) * 16), weight, output[j]);
    }
#if LSE
    lse[lse_offset + batch * lse_strides.s0 + head * lse_strides.s1 + query * lse_strides.s2] =
        fma(most, scale, log(total));
#endif
    od_store_row(output, 1, total, value_width,
                 out + out_offset + batch * out_strides.s0 + head * out_strides.s1 + query * out_strides.s2);
}
