// SPDX-License-Identifier: Apache-2.0
// What rms_norm and layer_norm share: rows of an input to which a residual may be added, where both are written, and
// the guard against squares that overflow. The including file has X_TYPE, HAS_RESIDUAL and HAS_RESIDUAL_OUTPUT.
#ifndef OD_NORM_ROW_CL
#define OD_NORM_ROW_CL

#include "common/ask.cl"
#include "common/part.cl"
#include "common/rows.cl"
#include "common/team.cl"

// From such a sum of squares on, x is made smaller first: 2^31 squares of (2^128 * PRESCALE) are still a float.
#define OVERFLOWING 0x1p120f
#define PRESCALE 0x1p-80f

typedef struct row {
    __global const STORAGE(X_TYPE) * input;
    __global STORAGE(X_TYPE) * output;
#if HAS_RESIDUAL
    __global const STORAGE(X_TYPE) * residual;
#endif
#if HAS_RESIDUAL_OUTPUT
    __global STORAGE(X_TYPE) * sum;
#endif
} row;

typedef struct strides {
    int4 input, output, residual, sum;
} strides;

// Where row `at` of all tensors begins.
static inline row row_at(row base, const strides *steps, int4 at)
{
    base.input += od_row_offset(at, steps->input);
    base.output += od_row_offset(at, steps->output);
#if HAS_RESIDUAL
    base.residual += od_row_offset(at, steps->residual);
#endif
#if HAS_RESIDUAL_OUTPUT
    base.sum += od_row_offset(at, steps->sum);
#endif
    return base;
}

// Elements i .. i+count-1 of what is normalized.
static inline OD_INLINE FLOATW values(const row *r, int i, int count)
{
#if HAS_RESIDUAL
    return ROUNDED(X_TYPE, LOAD_PART(X_TYPE, r->input, i, count) + LOAD_PART(X_TYPE, r->residual, i, count));
#else
    return LOAD_PART(X_TYPE, r->input, i, count);
#endif
}

// On a CPU, at element i of row r, which is written, and of row `next`, which is read; the last row is its own next.
static inline OD_INLINE void ask_ahead(const row *r, const row *next, int i)
{
    OD_ASK_STREAM(next->input + i);
#if HAS_RESIDUAL
    OD_ASK_STREAM(next->residual + i);
#endif
    if (next->output != r->output) {
        OD_ASK_STREAM_TO_WRITE(r->output + i);
#if HAS_RESIDUAL_OUTPUT
        OD_ASK_STREAM_TO_WRITE(r->sum + i);
#endif
    }
}

// The kernel's arguments as a `strides` and a `row`.
#if HAS_RESIDUAL
#define RESIDUAL_STEPS , .residual = residual_strides
#define RESIDUAL_BASE , .residual = residual + residual_offset
#else
#define RESIDUAL_STEPS
#define RESIDUAL_BASE
#endif
#if HAS_RESIDUAL_OUTPUT
#define SUM_STEPS , .sum = sum_strides
#define SUM_BASE , .sum = sum + sum_offset
#else
#define SUM_STEPS
#define SUM_BASE
#endif
#define ROW_STEPS                                                                                                      \
    {                                                                                                                  \
        .input = input_strides, .output = output_strides RESIDUAL_STEPS SUM_STEPS                                      \
    }
#define ROW_BASE                                                                                                       \
    {                                                                                                                  \
        .input = input + input_offset, .output = output + output_offset RESIDUAL_BASE SUM_BASE                         \
    }

#endif
