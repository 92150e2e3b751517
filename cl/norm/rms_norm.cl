// SPDX-License-Identifier: Apache-2.0
// y = (gamma_shift + gamma) * x / sqrt(mean(x^2) + epsilon); x may be the sum of two inputs.
// A team of LANES items takes a row. On a CPU the team is one item, which goes through `block` rows: while it writes a
// row it reads the next one, so that memory is never idle; the row it writes is in the cache then.

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

#include "norm/row.cl"

// What is the same for all rows; y = x * prescale * scale * (gamma + gamma_shift).
typedef struct norm {
#if GAMMA_TYPE
    __global const STORAGE(GAMMA_TYPE) * gamma;
#endif
    float gamma_shift;
    int width;
} norm;

// This item's part of the sum of squares of a row.
static inline float squares_of(const norm *n, const row *r, float prescale)
{
    FLOATW sum = 0.0f, x;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= n->width; i += LANES * WIDTH) {
        x = values(r, i, WIDTH) * prescale;
        sum = fma(x, x, sum);
    }
    if (i < n->width) {
        x = values(r, i, n->width - i) * prescale;
        sum = fma(x, x, sum);
    }
    return od_sum(sum);
}

// Writes a vector. On a CPU it adds the squares of row `next` to `sum`, else nothing.
static inline OD_INLINE void write_vector(const norm *n, const row *r, float prescale, float scale, const row *next,
                                          FLOATW *sum, int i, int count)
{
    FLOATW x, y;
#if READS_AHEAD
    x = values(next, i, count);
    *sum = fma(x, x, *sum);
#endif
    x = values(r, i, count);
    y = x * prescale * scale;
#if GAMMA_TYPE
    y *= LOAD_PART(GAMMA_TYPE, n->gamma, i, count) + n->gamma_shift;
#endif
#if HAS_RESIDUAL_OUTPUT
    STORE_PART(X_TYPE, x, r->sum, i, count);
#endif
    STORE_PART(X_TYPE, y, r->output, i, count);
}

// Writes a row. On a CPU it gives the sum of squares of row `next`, else 0.
static inline float write(const norm *n, const row *r, float prescale, float scale, const row *next)
{
    FLOATW sum = 0.0f;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= n->width; i += LANES * WIDTH) {
        if (READS_AHEAD)
            ask_ahead(r, next, i);
        write_vector(n, r, prescale, scale, next, &sum, i, WIDTH);
    }
    if (i < n->width)
        write_vector(n, r, prescale, scale, next, &sum, i, n->width - i);
    return od_sum(sum);
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
    int first, end;
    const int there = od_team_rows(rows, block, &first, &end);
    const strides steps = ROW_STEPS;
    const row base = ROW_BASE;
    const norm n = {
#if GAMMA_TYPE
        .gamma = gamma + gamma_offset,
#endif
        .gamma_shift = gamma_shift,
        .width = there ? width : 0,
    };
    int4 at = od_row(first, shape);
    row r = row_at(base, &steps, at);
    float squares = 0.0f;
    for (int k = first; k < end; k++) {
        const int4 next_at = k + 1 < end ? od_row_after(at, shape) : at;
        const row next = row_at(base, &steps, next_at);
        float prescale = 1.0f, scale;
        int missing = !READS_AHEAD || k == first; // the same for all teams of a group, as barriers ask
        do {
            if (missing)
                squares = od_team_sum(squares_of(&n, &r, prescale), shared);
            missing = prescale == 1.0f && !(squares < OVERFLOWING);
            prescale = missing ? PRESCALE : prescale;
            missing = od_group_any(missing, shared);
        } while (missing);
        scale = 1.0f / sqrt(squares / divisor + epsilon * prescale * prescale);
#if HAS_RSTD
        if (there && TEAM_LANE == 0)
            rstd[rstd_offset + od_row_offset(at, rstd_strides)] = scale * prescale;
#endif
        squares = write(&n, &r, prescale, scale, &next);
        r = next;
        at = next_at;
    }
}
