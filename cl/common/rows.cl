// SPDX-License-Identifier: Apache-2.0
// Where a row begins: leading axes come as int4 (od_axes, lib/base/view.h), right-aligned, so that the last one varies
// fastest; axes that are not there have length 1.
#ifndef OD_COMMON_ROWS_CL
#define OD_COMMON_ROWS_CL

// x % y, for x >= 0 whose quotient is at hand. Compilers that see both a division and its remainder make an instruction
// of them (freeze) that Oclgrind does not know; they do not see through abs_diff.
static inline int od_rest(int x, int quotient, int y)
{
    return (int)abs_diff(x, quotient * y);
}

// The coordinates of a row's number; shared by all tensors of a call.
static inline int4 od_row(int row, int4 shape)
{
    const int above3 = row / shape.s3, above2 = above3 / shape.s2;
    int4 at;
    at.s3 = od_rest(row, above3, shape.s3);
    at.s2 = od_rest(above3, above2, shape.s2);
    at.s0 = above2 / shape.s1;
    at.s1 = od_rest(above2, at.s0, shape.s1);
    return at;
}

// Those of the row that comes after `at`; past the last one, those of the first.
static inline int4 od_row_after(int4 at, int4 shape)
{
    const int end3 = ++at.s3 == shape.s3;
    at.s3 = end3 ? 0 : at.s3;
    at.s2 += end3;
    if (at.s2 == shape.s2) {
        at.s2 = 0;
        at.s0 += ++at.s1 == shape.s1;
        at.s1 = at.s1 == shape.s1 ? 0 : at.s1;
        at.s0 = at.s0 == shape.s0 ? 0 : at.s0;
    }
    return at;
}

static inline int od_row_offset(int4 at, int4 strides)
{
    return at.s0 * strides.s0 + at.s1 * strides.s1 + at.s2 * strides.s2 + at.s3 * strides.s3;
}

#endif
