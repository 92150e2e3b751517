// SPDX-License-Identifier: Apache-2.0
// y = exp(s - m) / sum(exp(s - m)) with s = scale * x + mask and m the row's maximum, or y = s - m - log(sum).
// Teams as in rms_norm.cl. On a CPU the next row is read, for its maximum, while the exponentials of one are taken, and
// those of a row that is not too long are kept for writing it.

//! X_TYPE 1..3 dtype of input and output (1 F32, 2 F16, 3 BF16)
//! MASK_TYPE 0..3 dtype of the mask, 0 if absent
//! LOGARITHM 0..1 log-softmax
//! KEPT 0..8192 exponentials that an item keeps, a multiple of WIDTH; 0: computed again for writing
//! LANES 1..256 items that work on a row together, a power of two
//! TEAMS 1..64 rows side by side in a group
//! WIDTH 4..16 elements an item moves at once (4 or 16)
#ifndef X_TYPE
#define X_TYPE 1
#endif
#ifndef MASK_TYPE
#define MASK_TYPE 1
#endif
#ifndef LOGARITHM
#define LOGARITHM 0
#endif
#ifndef KEPT
#define KEPT 4096
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

#define KEEPS (KEPT > 0 && !LOGARITHM)

typedef struct row {
    __global const STORAGE(X_TYPE) * input;
    __global STORAGE(X_TYPE) * output;
#if MASK_TYPE
    __global const STORAGE(MASK_TYPE) * mask;
#endif
} row;

typedef struct strides {
    int4 input, output, mask;
} strides;

// Where row `at` of all tensors begins.
static inline row row_at(row base, const strides *steps, int4 at)
{
    base.input += od_row_offset(at, steps->input);
    base.output += od_row_offset(at, steps->output);
#if MASK_TYPE
    base.mask += od_row_offset(at, steps->mask);
#endif
    return base;
}

// What is the same for all rows. mask_step is 0 where one value of the mask stands for a whole row.
typedef struct job {
    float scale;
    int width, mask_step;
} job;

// s of elements i .. i+WIDTH-1.
static inline FLOATW values(const job *j, const row *r, int i)
{
#if MASK_TYPE
    const FLOATW mask = j->mask_step ? LOADW(MASK_TYPE, r->mask, i) : (FLOATW)(LOAD1(MASK_TYPE, r->mask, 0));
    return fma(LOADW(X_TYPE, r->input, i), j->scale, mask);
#else
    return LOADW(X_TYPE, r->input, i) * j->scale;
#endif
}

static inline FLOATW values_part(const job *j, const row *r, int i, int count)
{
#if MASK_TYPE
    const FLOATW mask = j->mask_step ? LOAD_PART(MASK_TYPE, r->mask, i, count) : (FLOATW)(LOAD1(MASK_TYPE, r->mask, 0));
    return fma(LOAD_PART(X_TYPE, r->input, i, count), j->scale, mask);
#else
    return LOAD_PART(X_TYPE, r->input, i, count) * j->scale;
#endif
}

// e^x for x <= 0, good to 2 ulp, 0 below the normal floats, NaN for NaN. e^x = 2^n e^r: adding 1.5 * 2^23 rounds to an
// integer and leaves it, with the bias of the exponent, in the low bits.
static inline FLOATW exp_negative(FLOATW x)
{
    const FLOATW t = fma(x, (FLOATW)(1.442695041f), (FLOATW)(12582912.0f + 127.0f)), n = t - (12582912.0f + 127.0f);
    const FLOATW r = fma(n, (FLOATW)(-0.69314718056f), x);
    FLOATW p = fma((FLOATW)(0.00831252616f), r, (FLOATW)(0.0418901667f));
    p = fma(p, r, (FLOATW)(0.166671142f));
    p = fma(p, r, (FLOATW)(0.499992311f));
    p = fma(p, r, (FLOATW)(1.0f));
    p = fma(p, r, (FLOATW)(1.0f));
    p *= OD_PASTE(as_float, WIDTH)(OD_PASTE(as_uint, WIDTH)(t) << 23);
    return x < (FLOATW)(-87.0f) ? (FLOATW)(0.0f) : p;
}

// This item's part of the maximum of a row.
static inline float maximum_of(const job *j, const row *r)
{
    FLOATW most = -INFINITY, s;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= j->width; i += LANES * WIDTH) {
        s = values(j, r, i);
        most = OD_LARGER(most, s);
    }
    if (i < j->width) {
        s = od_keep(values_part(j, r, i, j->width - i), j->width - i, -INFINITY);
        most = OD_LARGER(most, s);
    }
    return od_max(most);
}

// This item's part of the sum of the exponentials; those of whole vectors stay in `kept` if there is room. On a CPU the
// second number is the maximum of row `next`.
static inline float2 exponentials_of(const job *j, const row *r, float maximum, float *kept, const row *next)
{
    FLOATW sum = 0.0f, most = -INFINITY, e;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= j->width; i += LANES * WIDTH) {
#if READS_AHEAD
        e = values(j, next, i);
        most = OD_LARGER(most, e);
#endif
        e = exp_negative(values(j, r, i) - maximum);
        sum += e;
#if KEEPS
        if (j->width <= KEPT)
            OD_VSTOREW(e, 0, kept + i);
#endif
    }
    if (i < j->width) {
        const int count = j->width - i;
#if READS_AHEAD
        e = od_keep(values_part(j, next, i, count), count, -INFINITY);
        most = OD_LARGER(most, e);
#endif
        sum += od_keep(exp_negative(values_part(j, r, i, count) - maximum), count, 0.0f);
    }
    return (float2)(od_sum(sum), od_max(most));
}

// What is written, from s; `last` is log(sum), or 1 / sum.
static inline FLOATW result(FLOATW s, float maximum, float last)
{
#if LOGARITHM
    return s - maximum - last;
#else
    return exp_negative(s - maximum) * last;
#endif
}

static inline void write(const job *j, const row *r, float maximum, float last, const float *kept)
{
    int i = TEAM_LANE * WIDTH;
#if KEEPS
    if (j->width <= KEPT)
        for (; i + WIDTH <= j->width; i += LANES * WIDTH)
            STOREW(X_TYPE, OD_VLOADW(0, kept + i) * last, r->output, i);
#endif
    for (; i + WIDTH <= j->width; i += LANES * WIDTH)
        STOREW(X_TYPE, result(values(j, r, i), maximum, last), r->output, i);
    if (i < j->width)
        STORE_PART(X_TYPE, result(values_part(j, r, i, j->width - i), maximum, last), r->output, i, j->width - i);
}

__kernel __attribute__((reqd_work_group_size(LANES * TEAMS, 1, 1))) void
softmax(__global const STORAGE(X_TYPE) * input, ulong input_offset, int4 input_strides,
#if MASK_TYPE
        __global const STORAGE(MASK_TYPE) * mask, ulong mask_offset, int4 mask_strides, int mask_step,
#endif
        __global STORAGE(X_TYPE) * output, ulong output_offset, int4 output_strides, int4 shape, int rows, int block,
        int width, float scale)
{
    TEAM_SHARED(shared);
    const uint number = TEAM_NUMBER * (uint)block;
    const int there = number < (uint)rows; // teams past the last row go along with it, but write nothing
    const int first = (int)min(number, (uint)rows - 1), end = min(block, rows - first) + first;
#if KEEPS
    float kept[KEPT];
#else
    float *const kept = 0;
#endif
    job j = {scale, width, 0};
    strides steps = {.input = input_strides, .output = output_strides};
    row base = {.input = input + input_offset, .output = output + output_offset};
    row r;
    float maximum = 0.0f;
#if MASK_TYPE
    j.mask_step = mask_step;
    steps.mask = mask_strides;
    base.mask = mask + mask_offset;
#endif
    r = row_at(base, &steps, od_row(first, shape));
    for (int k = first; k < end; k++) {
        const row next = row_at(base, &steps, od_row(min(k + 1, end - 1), shape));
        float2 sum_and_next;
        float last;
        if (!READS_AHEAD || k == first)
            maximum = od_team_max(maximum_of(&j, &r), shared);
        sum_and_next = exponentials_of(&j, &r, maximum, kept, &next);
        last = od_team_sum(sum_and_next.s0, shared);
        last = LOGARITHM ? log(last) : 1.0f / last;
        if (there)
            write(&j, &r, maximum, last, kept);
        maximum = sum_and_next.s1;
        r = next;
    }
}
