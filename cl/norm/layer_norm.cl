// SPDX-License-Identifier: Apache-2.0
// y = gamma * (x - mean) / sqrt(variance + epsilon) + beta; x may be the sum of two inputs.
// Teams and reading ahead as in rms_norm.cl. One pass takes distances and their squares from an origin near the row:
// the mean of its first values. Where that turns out to be further from the mean than the row is wide, or squares
// overflow, another pass takes them from a better one. So values far from zero lose nothing.

//! X_TYPE 1..3 dtype of input, residual and outputs (1 F32, 2 F16, 3 BF16)
//! GAMMA_TYPE 1..3 dtype of gamma and beta
//! HAS_GAMMA 0..1 there is a gamma
//! HAS_BETA 0..1 there is a beta
//! HAS_RESIDUAL 0..1 a residual is added first
//! HAS_RESIDUAL_OUTPUT 0..1 the sum is stored
//! HAS_MEAN 0..1 the mean is stored
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
#ifndef HAS_GAMMA
#define HAS_GAMMA 1
#endif
#ifndef HAS_BETA
#define HAS_BETA 1
#endif
#ifndef HAS_RESIDUAL
#define HAS_RESIDUAL 0
#endif
#ifndef HAS_RESIDUAL_OUTPUT
#define HAS_RESIDUAL_OUTPUT 0
#endif
#ifndef HAS_MEAN
#define HAS_MEAN 0
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

// What is the same for all rows.
typedef struct norm {
#if HAS_GAMMA
    __global const STORAGE(GAMMA_TYPE) * gamma;
#endif
#if HAS_BETA
    __global const STORAGE(GAMMA_TYPE) * beta;
#endif
    int width;
} norm;

// y = (x * prescale - center) * scale + shift, before gamma and beta.
typedef struct factors {
    float prescale, center, scale, shift;
} factors;

// The mean of the first vector, whose sum may be no float.
static inline float start_of(const norm *n, const row *r)
{
    const int count = min(n->width, WIDTH);
    return count > 0 ? od_sum(values(r, 0, count) * 0.0625f) / (float)count * 16.0f : 0.0f;
}

static inline OD_INLINE void add_distances(const row *r, float prescale, float origin, FLOATW *sum, FLOATW *squares,
                                           int i, int count)
{
    const FLOATW d = od_keep(fma(values(r, i, count), prescale, -origin), count, 0.0f);
    *sum += d;
    *squares = fma(d, d, *squares);
}

// This item's part of the sums of the distances of a row from `origin`, and of their squares.
static inline float2 distances_of(const norm *n, const row *r, float prescale, float origin)
{
    FLOATW sum = 0.0f, squares = 0.0f;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= n->width; i += LANES * WIDTH)
        add_distances(r, prescale, origin, &sum, &squares, i, WIDTH);
    if (i < n->width)
        add_distances(r, prescale, origin, &sum, &squares, i, n->width - i);
    return (float2)(od_sum(sum), od_sum(squares));
}

static inline OD_INLINE void write_vector(const norm *n, const row *r, const factors *f, int i, int count)
{
    const FLOATW x = values(r, i, count);
    FLOATW y = fma(fma(x, f->prescale, -f->center), f->scale, f->shift);
#if HAS_GAMMA
    y *= LOAD_PART(GAMMA_TYPE, n->gamma, i, count);
#endif
#if HAS_BETA
    y += LOAD_PART(GAMMA_TYPE, n->beta, i, count);
#endif
#if HAS_RESIDUAL_OUTPUT
    STORE_PART(X_TYPE, x, r->sum, i, count);
#endif
    STORE_PART(X_TYPE, y, r->output, i, count);
}

// Writes a row. On a CPU it gives the distances of row `next` from its `origin`, else zeros.
static inline float2 write(const norm *n, const row *r, const factors *f, const row *next, float origin)
{
    FLOATW sum = 0.0f, squares = 0.0f;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= n->width; i += LANES * WIDTH) {
        if (READS_AHEAD) {
            ask_ahead(r, next, i);
            add_distances(next, 1.0f, origin, &sum, &squares, i, WIDTH);
        }
        write_vector(n, r, f, i, WIDTH);
    }
    if (i < n->width) {
        if (READS_AHEAD)
            add_distances(next, 1.0f, origin, &sum, &squares, i, n->width - i);
        write_vector(n, r, f, i, n->width - i);
    }
    return (float2)(od_sum(sum), od_sum(squares));
}

__kernel __attribute__((reqd_work_group_size(LANES * TEAMS, 1, 1))) void
layer_norm(__global const STORAGE(X_TYPE) * input, ulong input_offset, int4 input_strides,
#if HAS_GAMMA
           __global const STORAGE(GAMMA_TYPE) * gamma, ulong gamma_offset,
#endif
#if HAS_BETA
           __global const STORAGE(GAMMA_TYPE) * beta, ulong beta_offset,
#endif
#if HAS_RESIDUAL
           __global const STORAGE(X_TYPE) * residual, ulong residual_offset, int4 residual_strides,
#endif
           __global STORAGE(X_TYPE) * output, ulong output_offset, int4 output_strides,
#if HAS_RESIDUAL_OUTPUT
           __global STORAGE(X_TYPE) * sum, ulong sum_offset, int4 sum_strides,
#endif
#if HAS_MEAN
           __global float *mean, ulong mean_offset, int4 mean_strides,
#endif
#if HAS_RSTD
           __global float *rstd, ulong rstd_offset, int4 rstd_strides,
#endif
           int4 shape, int rows, int block, int width, float epsilon)
{
    TEAM_SHARED(shared);
    int first, end;
    const int there = od_team_rows(rows, block, &first, &end);
    const strides steps = ROW_STEPS;
    const row base = ROW_BASE;
    const norm n = {
#if HAS_GAMMA
        .gamma = gamma + gamma_offset,
#endif
#if HAS_BETA
        .beta = beta + beta_offset,
#endif
        .width = there ? width : 0,
    };
    int4 at = od_row(first, shape);
    row r = row_at(base, &steps, at);
    float origin = start_of(&n, &r);
    float2 distances = 0.0f;
    for (int k = first; k < end; k++) {
        const int4 next_at = k + 1 < end ? od_row_after(at, shape) : at;
        const row next = row_at(base, &steps, next_at);
        const float next_origin = READS_AHEAD ? start_of(&n, &next) : 0.0f;
        float mean_distance, variance;
        factors f = {.prescale = 1.0f};
        int missing = !READS_AHEAD || k == first; // the same for all teams of a group, as barriers ask
        for (int tries = 0;; tries++) {
            if (missing) {
                distances = distances_of(&n, &r, f.prescale, origin);
                distances.s0 = od_team_sum(distances.s0, shared);
                distances.s1 = od_team_sum(distances.s1, shared);
            }
            mean_distance = distances.s0 / (float)width;
            variance = distances.s1 / (float)width - mean_distance * mean_distance;
            missing = 0;
            if (f.prescale == 1.0f && !(distances.s1 < OVERFLOWING)) {
                f.prescale = PRESCALE;
                origin *= PRESCALE;
                missing = 1;
            } else if (mean_distance * mean_distance > variance && tries < 3) {
                origin += mean_distance;
                missing = 1;
            }
            missing = od_group_any(missing, shared);
            if (!missing)
                break;
        }
        f.center = origin + mean_distance;
        f.scale = 1.0f / sqrt(OD_LARGER(0.0f, variance) + epsilon * f.prescale * f.prescale);
        f.shift = (f.center - origin - mean_distance) * f.scale;
#if HAS_MEAN
        if (there && TEAM_LANE == 0)
            mean[mean_offset + od_row_offset(at, mean_strides)] = f.center / f.prescale;
#endif
#if HAS_RSTD
        if (there && TEAM_LANE == 0)
            rstd[rstd_offset + od_row_offset(at, rstd_strides)] = f.scale * f.prescale;
#endif
        TEAM_HAS_READ();
        distances = write(&n, &r, &f, &next, next_origin);
        r = next;
        at = next_at;
        origin = next_origin;
    }
}
