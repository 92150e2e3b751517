// SPDX-License-Identifier: Apache-2.0
// y = (gamma_shift + gamma) * x / sqrt(mean(x^2) + epsilon); x may be the sum of two inputs.
// A team of LANES items goes through `block` rows one after the other. While it writes a row it reads the next one, so
// that memory is busy all the time; the row it writes is in the cache then.

//! X_TYPE 1..3 dtype of input, residual and outputs (1 F32, 2 F16, 3 BF16)
//! GAMMA_TYPE 0..3 dtype of gamma, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added first
//! HAS_RESIDUAL_OUTPUT 0..1 the sum is stored
//! HAS_RSTD 0..1 1 / sqrt(...) is stored
//! LANES 1..256 items that work on a row together, a power of two
//! TEAMS 1..64 rows side by side in a group
//! WIDTH 4..16 elements an item moves at once (4 or 16)
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
#ifndef LANES
#define LANES 1
#endif
#ifndef TEAMS
#define TEAMS 1
#endif
#ifndef WIDTH
#define WIDTH 16
#endif

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

// What is the same for all rows.
typedef struct norm {
#if GAMMA_TYPE
    __global const STORAGE(GAMMA_TYPE) * gamma;
#endif
    float gamma_shift;
    int width;
} norm;

// y = x * prescale * scale. The prescale is 1, or small where squares would overflow.
typedef struct factors {
    float prescale, scale;
} factors;

static inline FLOATW values(const row *r, int i)
{
#if HAS_RESIDUAL
    return ROUNDED(X_TYPE, LOADW(X_TYPE, r->input, i) + LOADW(X_TYPE, r->residual, i));
#else
    return LOADW(X_TYPE, r->input, i);
#endif
}

static inline FLOATW values_part(const row *r, int i, int count)
{
#if HAS_RESIDUAL
    return ROUNDED(X_TYPE, LOAD_PART(X_TYPE, r->input, i, count) + LOAD_PART(X_TYPE, r->residual, i, count));
#else
    return LOAD_PART(X_TYPE, r->input, i, count);
#endif
}

static inline void write(const norm *n, const row *r, factors f, int i)
{
    FLOATW x = values(r, i), y = x * f.prescale * f.scale;
#if GAMMA_TYPE
    y *= LOADW(GAMMA_TYPE, n->gamma, i) + n->gamma_shift;
#endif
#if HAS_RESIDUAL_OUTPUT
    STOREW(X_TYPE, x, r->sum, i);
#endif
    STOREW(X_TYPE, y, r->output, i);
}

static inline void write_part(const norm *n, const row *r, factors f, int i, int count)
{
    FLOATW x = values_part(r, i, count), y = x * f.prescale * f.scale;
#if GAMMA_TYPE
    y *= LOAD_PART(GAMMA_TYPE, n->gamma, i, count) + n->gamma_shift;
#endif
#if HAS_RESIDUAL_OUTPUT
    STORE_PART(X_TYPE, x, r->sum, i, count);
#endif
    STORE_PART(X_TYPE, y, r->output, i, count);
}

// Writes row `done` if there is one, and returns this item's part of the sum of squares of row `next` if there is one.
static inline __attribute__((always_inline)) float sweep(const norm *n, const row *done, factors f, const row *next,
                                                         float prescale)
{
    FLOATW squares = 0.0f, more = 0.0f, x;
    const int step = LANES * WIDTH;
    int i = TEAM_LANE * WIDTH;
    for (; i + step + WIDTH <= n->width; i += 2 * step) {
        if (next) {
            x = values(next, i) * prescale;
            squares = fma(x, x, squares);
            x = values(next, i + step) * prescale;
            more = fma(x, x, more);
        }
        if (done) {
            write(n, done, f, i);
            write(n, done, f, i + step);
        }
    }
    for (; i + WIDTH <= n->width; i += step) {
        if (next) {
            x = values(next, i) * prescale;
            squares = fma(x, x, squares);
        }
        if (done)
            write(n, done, f, i);
    }
    if (i < n->width) {
        if (next) {
            x = values_part(next, i, n->width - i) * prescale;
            more = fma(x, x, more);
        }
        if (done)
            write_part(n, done, f, i, n->width - i);
    }
    return od_sum(squares + more);
}

__kernel __attribute__((reqd_work_group_size(LANES * TEAMS, 1, 1))) void
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
         int4 shape, int rows, int block, int width, float divisor, float epsilon, float gamma_shift)
{
    TEAM_SHARED(shared);
    const uint first = (get_group_id(0) * TEAMS + TEAM_OF_GROUP) * (uint)block;
    const int mine = first < (uint)rows ? min(rows - (int)first, block) : 0;
    row done, next;
    factors f = {1.0f, 1.0f};
    norm n;
    n.gamma_shift = gamma_shift;
    n.width = width;
#if GAMMA_TYPE
    n.gamma = gamma + gamma_offset;
#endif
    for (int k = 0; k <= block; k++) {
        float squares = 0.0f;
        int overflows;
        int4 at = 0;
        if (k < mine) {
            at = od_row((int)first + k, shape);
            next.input = input + input_offset + od_row_offset(at, input_strides);
            next.output = output + output_offset + od_row_offset(at, output_strides);
#if HAS_RESIDUAL
            next.residual = residual + residual_offset + od_row_offset(at, residual_strides);
#endif
#if HAS_RESIDUAL_OUTPUT
            next.sum = sum + sum_offset + od_row_offset(at, sum_strides);
#endif
            squares = k > 0 ? sweep(&n, &done, f, &next, 1.0f) : sweep(&n, 0, f, &next, 1.0f);
        } else if (k == mine && k > 0) {
            sweep(&n, &done, f, 0, 1.0f);
        }
        if (k == block)
            break;
        squares = od_team_sum(squares, shared);
        overflows = !(squares < OVERFLOWING);
        f.prescale = overflows ? PRESCALE : 1.0f;
        if (od_group_any(overflows, shared)) {
            float again = od_team_sum(k < mine ? sweep(&n, 0, f, &next, f.prescale) : 0.0f, shared);
            squares = overflows ? again : squares;
        }
        f.scale = 1.0f / sqrt(squares / divisor + epsilon * f.prescale * f.prescale);
#if HAS_RSTD
        if (k < mine && TEAM_LANE == 0)
            rstd[rstd_offset + od_row_offset(at, rstd_strides)] = f.scale * f.prescale;
#endif
        done = next;
    }
}
