// SPDX-License-Identifier: Apache-2.0
// y = (gamma_offset + gamma) * x / sqrt(mean(x^2) + epsilon), one work-item for each row.

//! X_TYPE 1..3 dtype of input, residual and outputs (1 F32, 2 F16, 3 BF16)
//! GAMMA_TYPE 0..3 dtype of gamma, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added first
//! HAS_RESIDUAL_OUTPUT 0..1 the sum is stored
//! HAS_RSTD 0..1 1 / sqrt(...) is stored
#ifndef X_TYPE
#define X_TYPE 1
#endif
#ifndef GAMMA_TYPE
#define GAMMA_TYPE 1
#endif
#ifndef HAS_RESIDUAL
#define HAS_RESIDUAL 0
#endif
#ifndef HAS_RESIDUAL_OUTPUT
#define HAS_RESIDUAL_OUTPUT 0
#endif
#ifndef HAS_RSTD
#define HAS_RSTD 0
#endif

#include "common/storage.cl"

static inline int row_offset(int row, int4 shape, int4 strides)
{
    int offset = row % shape.s3 * strides.s3;
    row /= shape.s3;
    offset += row % shape.s2 * strides.s2;
    row /= shape.s2;
    return offset + row % shape.s1 * strides.s1 + row / shape.s1 * strides.s0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
rms_norm(__global const STORAGE(X_TYPE) * input, ulong input_offset, int4 input_strides,
#if GAMMA_TYPE
         __global const STORAGE(GAMMA_TYPE) * gamma, ulong gamma_offset,
#endif
#if HAS_RESIDUAL
         __global const STORAGE(X_TYPE) * residual, ulong residual_offset, int4 residual_strides,
#endif
         __global STORAGE(X_TYPE) * output, ulong output_offset, int4 output_strides,
#if HAS_RESIDUAL_OUTPUT
         __global STORAGE(X_TYPE) * sum, ulong sum_offset, int4 sum_strides,
#endif
#if HAS_RSTD
         __global float *rstd, ulong rstd_offset, int4 rstd_strides,
#endif
         int4 shape, int width, float epsilon, float gamma_shift)
{
    int row = (int)get_global_id(0);
    float squares = 0.0f, scale;
    input += input_offset + row_offset(row, shape, input_strides);
    output += output_offset + row_offset(row, shape, output_strides);
#if GAMMA_TYPE
    gamma += gamma_offset;
#endif
#if HAS_RESIDUAL
    residual += residual_offset + row_offset(row, shape, residual_strides);
#endif
#if HAS_RESIDUAL_OUTPUT
    sum += sum_offset + row_offset(row, shape, sum_strides);
#endif
    for (int i = 0; i < width; i++) {
        float x = LOAD1(X_TYPE, input, i);
#if HAS_RESIDUAL
        x += LOAD1(X_TYPE, residual, i);
#endif
        squares += x * x;
    }
    scale = 1.0f / sqrt(squares / (float)width + epsilon);
#if HAS_RSTD
    rstd[rstd_offset + row_offset(row, shape, rstd_strides)] = scale;
#endif
    for (int i = 0; i < width; i++) {
        float x = LOAD1(X_TYPE, input, i), factor = scale;
#if HAS_RESIDUAL
        x += LOAD1(X_TYPE, residual, i);
#endif
#if HAS_RESIDUAL_OUTPUT
        STORE1(X_TYPE, x, sum, i);
#endif
#if GAMMA_TYPE
        factor *= gamma_shift + LOAD1(GAMMA_TYPE, gamma, i);
#endif
        STORE1(X_TYPE, x * factor, output, i);
    }
}
