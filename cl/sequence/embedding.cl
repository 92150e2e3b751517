// SPDX-License-Identifier: Apache-2.0
// y[row] = table[id] + position_table[position] + segment_table[segment]; an id outside its table adds zeros.
// A work-group writes one row; ITEMS is 1 on CPUs.

//! TYPE 1..3 dtype of the tables and the output (1 F32, 2 F16, 3 BF16)
//! HAS_POSITION 0..1 there is a position table
//! HAS_POSITION_IDS 0..1 positions are given; else they count along the last axis of ids
//! HAS_SEGMENT 0..1 there is a segment table
//! HAS_SEGMENT_IDS 0..1 segments are given; else all are 0
//! ITEMS 1..256 work-items per group
//! WIDTH 4..16 elements an item moves at once (4 or 16)
#ifndef TYPE
#define TYPE 1
#endif
#ifndef HAS_POSITION
#define HAS_POSITION 1
#endif
#ifndef HAS_POSITION_IDS
#define HAS_POSITION_IDS 1
#endif
#ifndef HAS_SEGMENT
#define HAS_SEGMENT 1
#endif
#ifndef HAS_SEGMENT_IDS
#define HAS_SEGMENT_IDS 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef WIDTH
#define WIDTH 16
#endif

#include "common/ask.cl"
#include "common/rows.cl"
#include "common/width.cl"

// A row of a table, NULL for an id outside of it.
static inline __global const STORAGE(TYPE) *
    row_of(__global const STORAGE(TYPE) * table, uint id, int length, int stride)
{
    return id < (uint)length ? table + (int)id * stride : 0;
}

static inline FLOATW wide_of(__global const STORAGE(TYPE) * row, int i)
{
    return row ? LOADW(TYPE, row, i) : (FLOATW)(0.0f);
}

static inline float one_of(__global const STORAGE(TYPE) * row, int i)
{
    return row ? LOAD1(TYPE, row, i) : 0.0f;
}

// The sum's order is fixed: token, position, segment.
#if HAS_POSITION
#define ADD_POSITION(OF) +OF(position, i)
#else
#define ADD_POSITION(OF)
#endif
#if HAS_SEGMENT
#define ADD_SEGMENT(OF) +OF(segment, i)
#else
#define ADD_SEGMENT(OF)
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
embedding(__global const uint *ids, ulong ids_offset, int4 ids_strides, __global const STORAGE(TYPE) * table,
          ulong table_offset, int table_length, int table_stride,
#if HAS_POSITION_IDS
          __global const uint *position_ids, ulong position_ids_offset, int4 position_ids_strides,
#endif
#if HAS_POSITION
          __global const STORAGE(TYPE) * position_table, ulong position_table_offset, int position_length,
          int position_stride,
#endif
#if HAS_SEGMENT_IDS
          __global const uint *segment_ids, ulong segment_ids_offset, int4 segment_ids_strides,
#endif
#if HAS_SEGMENT
          __global const STORAGE(TYPE) * segment_table, ulong segment_table_offset, int segment_length,
          int segment_stride,
#endif
          __global STORAGE(TYPE) * output, ulong output_offset, int4 output_strides, int4 shape, int sequence,
          int width, int rows, int share) // rows of a group
{
    const int item = (int)get_local_id(0), vectors = width / WIDTH;
    const int first = (int)get_group_id(0) * share, last = min(first + share, rows);
    for (int row = first; row < last; row++) {
        const int4 at = od_row(row, shape);
        __global const STORAGE(TYPE) *token =
            row_of(table + table_offset, ids[ids_offset + od_row_offset(at, ids_strides)], table_length, table_stride);
#if HAS_POSITION
#if HAS_POSITION_IDS
        const uint place = position_ids[position_ids_offset + od_row_offset(at, position_ids_strides)];
#else
        const uint place = (uint)(row % sequence);
#endif
        __global const STORAGE(TYPE) *position =
            row_of(position_table + position_table_offset, place, position_length, position_stride);
#endif
#if HAS_SEGMENT
#if HAS_SEGMENT_IDS
        const uint part = segment_ids[segment_ids_offset + od_row_offset(at, segment_ids_strides)];
#else
        const uint part = 0;
#endif
        __global const STORAGE(TYPE) *segment =
            row_of(segment_table + segment_table_offset, part, segment_length, segment_stride);
#endif
        __global STORAGE(TYPE) *out = output + output_offset + od_row_offset(at, output_strides);
#if ITEMS == 1
        const int4 next_at = od_row(min(row + 1, last - 1), shape);
        __global const STORAGE(TYPE) *next = row_of(
            table + table_offset, ids[ids_offset + od_row_offset(next_at, ids_strides)], table_length, table_stride);
        __global STORAGE(TYPE) *next_out = output + output_offset + od_row_offset(next_at, output_strides);
#endif
        for (int v = item; v < vectors; v += ITEMS) {
            const int i = v * WIDTH;
#if ITEMS == 1
            if (row + 1 < last) {
                OD_ASK(next + i, 1);
                OD_ASK_TO_WRITE(next_out + i);
            }
#endif
            STOREW(TYPE, wide_of(token, i) ADD_POSITION(wide_of) ADD_SEGMENT(wide_of), out, i);
        }
        for (int i = vectors * WIDTH + item; i < width; i += ITEMS)
            STORE1(TYPE, one_of(token, i) ADD_POSITION(one_of) ADD_SEGMENT(one_of), out, i);
    }
}
