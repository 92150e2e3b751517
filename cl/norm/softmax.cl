// SPDX-License-Identifier: Apache-2.0
// y = exp(s - m) / sum(exp(s - m)) with s = scale * x + mask and m the row's maximum, or y = s - m - log(sum).
// Teams as in rms_norm.cl. A CPU's work-item has its rows in three stages at a time, so that neither memory nor
// arithmetic is idle: while it writes one row, it takes the exponentials of the next and reads the one after that, for
// its maximum. What it will write stays in private memory. Rows too long for that, and GPUs, read a row three times.

//! X_TYPE 1..3 dtype of input and output (1 F32, 2 F16, 3 BF16)
//! MASK_TYPE 0..3 dtype of the mask, 0 if absent
//! SCALED 0..1 scale is not 1
//! LOGARITHM 0..1 log-softmax
//! KEPT 0..8192 longest row that goes in stages, a multiple of WIDTH; 0 where a team has several items
//! LANES 1..256 items that work on a row together, a power of two
//! TEAMS 1..64 rows side by side in a group
//! WIDTH 4..16 elements an item moves at once (4 or 16)
#ifndef X_TYPE
#define X_TYPE 1
#endif
#ifndef MASK_TYPE
#define MASK_TYPE 1
#endif
#ifndef SCALED
#define SCALED 1
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

#include "common/ask.cl"
#include "common/part.cl"
#include "common/rows.cl"
#include "common/team.cl"

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

// s of elements i .. i+count-1.
static inline OD_INLINE FLOATW values(const job *j, const row *r, int i, int count)
{
    FLOATW x = LOAD_PART(X_TYPE, r->input, i, count);
#if SCALED
    x *= j->scale;
#endif
#if MASK_TYPE
    x += j->mask_step ? LOAD_PART(MASK_TYPE, r->mask, i, count) : (FLOATW)(LOAD1(MASK_TYPE, r->mask, 0));
#endif
    return x;
}

// e^x for x <= 0, good to 2 ulp, 0 below the normal floats, NaN for NaN. e^x = 2^n e^r: adding 1.5 * 2^23 rounds to an
// integer and leaves it, with the bias of the exponent, in the low bits.
static inline FLOATW exp_negative(FLOATW x)
{
    const FLOATW seen = x < (FLOATW)(-88.02969f) ? (FLOATW)(-88.02969f) : x; // -127 ln 2, from where on 2^n is 0
    const FLOATW t = fma(seen, (FLOATW)(1.442695041f), (FLOATW)(12582912.0f + 127.0f)), n = t - (12582912.0f + 127.0f);
    const FLOATW r = fma(n, (FLOATW)(-0.69314718056f), seen);
    FLOATW p = fma((FLOATW)(0.00831252616f), r, (FLOATW)(0.0418901667f));
    p = fma(p, r, (FLOATW)(0.166671142f));
    p = fma(p, r, (FLOATW)(0.499992311f));
    p = fma(p, r, (FLOATW)(1.0f));
    p = fma(p, r, (FLOATW)(1.0f));
    return p * OD_PASTE(as_float, WIDTH)(OD_PASTE(as_uint, WIDTH)(t) << 23);
}

// `last` is log(sum), or 1 / sum.
static inline float last_of(float sum)
{
    return LOGARITHM ? log(sum) : 1.0f / sum;
}

// ---- in stages ----

#if KEPT
typedef struct stages {
    row written, taken, read; // the rows that are in each stage,
    int writes, takes, reads; // if there are any,
    float last, maximum;      // what is known of the first two,
    FLOATW sum, most;         // and what comes to light of the last two
} stages;

// Loads first: one that comes after a store with the same address modulo 4096 waits for it on many CPUs.
static inline OD_INLINE void advance_vector(const job *j, stages *s, FLOATW *kept, int i, int count)
{
    FLOATW x, e;
    const FLOATW before = kept[i / WIDTH];
    if (s->reads) {
        x = od_keep(values(j, &s->read, i, count), count, -INFINITY);
        s->most = OD_LARGER(s->most, x);
    }
    if (s->takes) {
        x = values(j, &s->taken, i, count) - s->maximum;
        e = exp_negative(x);
        s->sum += od_keep(e, count, 0.0f);
        kept[i / WIDTH] = LOGARITHM ? x : e;
    }
    if (s->writes)
        STORE_PART(X_TYPE, LOGARITHM ? before - s->last : before * s->last, s->written.output, i, count);
}

static inline void in_stages(const job *j, row base, const strides *steps, int4 shape, int first, int end)
{
    FLOATW kept[KEPT / WIDTH];
    stages s;
    int4 at = od_row(first, shape);
    s.written = s.taken = s.read = base;
    s.last = s.maximum = 0.0f;
    for (int k = first - 2; k < end; k++) {
        int i = 0;
        s.writes = k >= first;
        s.takes = k + 1 >= first && k + 1 < end;
        s.reads = k + 2 < end;
        s.sum = 0.0f;
        s.most = -INFINITY;
        s.written = s.taken;
        s.taken = s.read;
        s.read = row_at(base, steps, at);
        at = od_row_after(at, shape);
        for (; i + WIDTH <= j->width; i += WIDTH) {
            OD_ASK_STREAM(s.read.input + i);
            if (s.takes)
                OD_ASK_STREAM_TO_WRITE(s.written.output + i);
            advance_vector(j, &s, kept, i, WIDTH);
        }
        if (i < j->width)
            advance_vector(j, &s, kept, i, j->width - i);
        s.last = last_of(od_sum(s.sum));
        s.maximum = od_max(s.most);
    }
}
#endif

// ---- one after the other; each function for this item's part of a row ----

static inline float maximum_of(const job *j, const row *r)
{
    FLOATW most = -INFINITY, s;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= j->width; i += LANES * WIDTH) {
        s = values(j, r, i, WIDTH);
        most = OD_LARGER(most, s);
    }
    if (i < j->width) {
        s = od_keep(values(j, r, i, j->width - i), j->width - i, -INFINITY);
        most = OD_LARGER(most, s);
    }
    return od_max(most);
}

// The sum of the exponentials.
static inline float sum_of(const job *j, const row *r, float maximum)
{
    FLOATW sum = 0.0f;
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= j->width; i += LANES * WIDTH)
        sum += exp_negative(values(j, r, i, WIDTH) - maximum);
    if (i < j->width)
        sum += od_keep(exp_negative(values(j, r, i, j->width - i) - maximum), j->width - i, 0.0f);
    return od_sum(sum);
}

static inline OD_INLINE void write_vector(const job *j, const row *r, float maximum, float last, int i, int count)
{
    const FLOATW x = values(j, r, i, count) - maximum;
    STORE_PART(X_TYPE, LOGARITHM ? x - last : exp_negative(x) * last, r->output, i, count);
}

static inline void write(const job *j, const row *r, float maximum, float last)
{
    int i = TEAM_LANE * WIDTH;
    for (; i + WIDTH <= j->width; i += LANES * WIDTH)
        write_vector(j, r, maximum, last, i, WIDTH);
    if (i < j->width)
        write_vector(j, r, maximum, last, i, j->width - i);
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
    int first, end;
    const int there = od_team_rows(rows, block, &first, &end);
    job j = {scale, there ? width : 0, 0};
    strides steps = {.input = input_strides, .output = output_strides};
    row base = {.input = input + input_offset, .output = output + output_offset};
#if MASK_TYPE
    j.mask_step = mask_step;
    steps.mask = mask_strides;
    base.mask = mask + mask_offset;
#endif
#if KEPT
    if (width <= KEPT) {
        in_stages(&j, base, &steps, shape, first, end);
        return;
    }
#endif
    for (int k = first; k < end; k++) {
        const row r = row_at(base, &steps, od_row(k, shape));
        const float maximum = od_team_max(maximum_of(&j, &r), shared);
        const float sum = od_team_sum(sum_of(&j, &r, maximum), shared);
        write(&j, &r, maximum, last_of(sum));
    }
}
