// SPDX-License-Identifier: Apache-2.0
// y = f(a), a + b, a * b or f(a) * b, element by element, over tensors that may lie in any way.
//
// The host sorts and joins the axes. What is left is `rows` rows of `width` elements: a row is contiguous in every
// tensor, or one element repeated (A_REPEATS, B_REPEATS), or strided somewhere (STRIDED). A row is cut into pieces of
// LANES elements; a work-group takes `share` pieces in a row.

//! TYPE 1..3 dtype of all tensors (1 F32, 2 F16, 3 BF16)
//! OPERATION 0..3 0 f(a), 1 a + b, 2 a * b, 3 f(a) * b
//! ACTIVATION 0..9 f, see ocldnn_activation_kind
//! A_REPEATS 0..1 a row of a is one element, repeated
//! B_REPEATS 0..1 a row of b is one element, repeated
//! STRIDED 0..1 elements of a row are not neighbours in some tensor
//! HAS_FAR 0..1 rows have more than four axes
//! ITEMS 1..256 work-items per group
//! WIDTH 4..16 lanes of a vector (4 or 16)
#ifndef TYPE
#define TYPE 1
#endif
#ifndef OPERATION
#define OPERATION 3
#endif
#ifndef ACTIVATION
#define ACTIVATION 4
#endif
#ifndef A_REPEATS
#define A_REPEATS 0
#endif
#ifndef B_REPEATS
#define B_REPEATS 0
#endif
#ifndef STRIDED
#define STRIDED 0
#endif
#ifndef HAS_FAR
#define HAS_FAR 0
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef WIDTH
#define WIDTH 16
#endif

#include "common/ask.cl"
#include "common/math.cl"
#include "common/rows.cl"
#include "common/width.cl"

#define HAS_B (OPERATION != 0)
#define LANES (STRIDED ? 1 : WIDTH)

#if OPERATION == 0
#define COMBINE(LANES_, a, b) OD_PASTE(od_activate, LANES_)(ACTIVATION, alpha, a)
#elif OPERATION == 1
#define COMBINE(LANES_, a, b) ((a) + (b))
#elif OPERATION == 2
#define COMBINE(LANES_, a, b) ((a) * (b))
#else
#define COMBINE(LANES_, a, b) (OD_PASTE(od_activate, LANES_)(ACTIVATION, alpha, a) * (b))
#endif

// Where a row of one tensor begins.
#if HAS_FAR
#define ROW_OF(strides, far_strides) (od_row_offset(near_at, strides) + od_row_offset(far_at, far_strides))
#define FIND_ROW(row)                                                                                                  \
    const int far_row = (row) / near_count;                                                                            \
    const int4 near_at = od_row((row)-far_row * near_count, shape), far_at = od_row(far_row, far_shape)
#else
#define ROW_OF(strides, far_strides) od_row_offset(near_at, strides)
#define FIND_ROW(row) const int4 near_at = od_row((row), shape)
#endif

// Elements i to i + LANES of a row, as far as they exist.
static inline void piece(__global const STORAGE(TYPE) * a, int a_step,
#if HAS_B
                         __global const STORAGE(TYPE) * b, int b_step,
#endif
                         __global STORAGE(TYPE) * y, int y_step, int i, int width, float alpha)
{
#if !STRIDED
    if (i + WIDTH <= width) {
        const FLOATW wide_a = A_REPEATS ? (FLOATW)(LOAD1(TYPE, a, 0)) : LOADW(TYPE, a, i);
#if HAS_B
        const FLOATW wide_b = B_REPEATS ? (FLOATW)(LOAD1(TYPE, b, 0)) : LOADW(TYPE, b, i);
#endif
        STOREW(TYPE, COMBINE(WIDTH, wide_a, wide_b), y, i);
        return;
    }
#endif
    for (const int last = min(i + LANES, width); i < last; i++) {
        const float one_a = LOAD1(TYPE, a, i * a_step);
#if HAS_B
        const float one_b = LOAD1(TYPE, b, i * b_step);
#endif
        STORE1(TYPE, COMBINE(1, one_a, one_b), y, i * y_step);
    }
}

#if HAS_B
#define PIECE(i)                                                                                                       \
    piece(a + ROW_OF(a_strides, a_far_strides), a_step, b + ROW_OF(b_strides, b_far_strides), b_step,                  \
          y + ROW_OF(y_strides, y_far_strides), y_step, i, width, alpha)
#else
#define PIECE(i)                                                                                                       \
    piece(a + ROW_OF(a_strides, a_far_strides), a_step, y + ROW_OF(y_strides, y_far_strides), y_step, i, width, alpha)
#endif

#if HAS_B && !B_REPEATS
#define ASK_B(i) OD_ASK_STREAM(b + ROW_OF(b_strides, b_far_strides) + (i))
#else
#define ASK_B(i) ((void)0)
#endif

// At element i of a row of which elements up to `end` are this group's.
#define ASK(i, end)                                                                                                    \
    do {                                                                                                               \
        if (!A_REPEATS)                                                                                                \
            OD_ASK_STREAM(a + ROW_OF(a_strides, a_far_strides) + (i));                                                 \
        ASK_B(i);                                                                                                      \
        if ((i) + ahead < (end))                                                                                       \
            OD_ASK_STREAM_TO_WRITE(y + ROW_OF(y_strides, y_far_strides) + (i));                                        \
    } while (0)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
elementwise(__global const STORAGE(TYPE) * a, ulong a_offset, int4 a_strides, int a_step,
#if HAS_B
            __global const STORAGE(TYPE) * b, ulong b_offset, int4 b_strides, int b_step,
#endif
            __global STORAGE(TYPE) * y, ulong y_offset, int4 y_strides, int y_step, int4 shape,
#if HAS_FAR
            int4 a_far_strides,
#if HAS_B
            int4 b_far_strides,
#endif
            int4 y_far_strides, int4 far_shape, int near_count,
#endif
            int width, uint pieces, uint share, float alpha)
{
    const uint per_row = ((uint)width + LANES - 1) / LANES;
    const uint first = (uint)get_group_id(0) * share;
    const uint last = share < pieces - first ? first + share : pieces;
    a += a_offset;
#if HAS_B
    b += b_offset;
#endif
    y += y_offset;
#if ITEMS == 1
    const int ahead = OD_WRITE_AHEAD / (int)sizeof(STORAGE(TYPE));
    for (uint at = first; at < last;) {
        const uint row = at / per_row, begin = at - row * per_row;
        const uint count = min(per_row - begin, last - at);
        FIND_ROW((int)row);
        for (uint k = begin; k < begin + count; k++) {
#if !STRIDED
            ASK((int)k * LANES, (int)(begin + count) * LANES);
#endif
            PIECE((int)k * LANES);
        }
        at += count;
    }
#else
    for (uint at = first + (uint)get_local_id(0); at < last; at += ITEMS) {
        const uint row = at / per_row;
        FIND_ROW((int)row);
        PIECE((int)(at - row * per_row) * LANES);
    }
#endif
}
