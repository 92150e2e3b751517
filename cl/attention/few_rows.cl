// SPDX-License-Identifier: Apache-2.0
// How flash_few.cl cuts a row of query, key, value or output into vectors of 16, and how flash_merge.cl puts it back.
//
// Vectors come in pairs of 32 elements as far as these go, then there are up to two single ones. A pair of BF16 holds
// the elements of even places, then those of odd ones: so 32 values become floats by two operations, not four. Products
// along a row need no order; output is put in order when it is stored.
// The last vector of a width that is no multiple of 16 reaches back into the one before it. A key's has zeros in the
// places that it shares, a value's the same values again. Widths below 16 are read one by one.
#ifndef OD_ATTENTION_FEW_ROWS_CL
#define OD_ATTENTION_FEW_ROWS_CL

#ifndef WIDTH
#define WIDTH 16
#endif
#include "common/part.cl"
#include "attention/finish.cl"

enum { MOST_VECTORS = 64 }; // of a row

static inline int od_vectors(int width)
{
    return (width + 15) / 16;
}

#if X_TYPE == OD_BF16
typedef uint16 __attribute__((aligned(2))) od_loose_uint16;

static inline void od_load_pair(__global const ushort *p, float16 *x)
{
    uint16 both = *(__global const od_loose_uint16 *)p;
    x[0] = as_float16(both << 16);
    x[1] = as_float16(both & 0xffff0000u);
}

static inline void od_store_pair(float16 even, float16 odd, __global ushort *p)
{
    uint16 low = convert_uint16(od_narrow_bf16_16(even)), high = convert_uint16(od_narrow_bf16_16(odd));
    *(__global od_loose_uint16 *)p = low | high << 16;
}
#else
static inline void od_load_pair(__global const STORAGE(X_TYPE) * p, float16 *x)
{
    x[0] = LOAD16(X_TYPE, p, 0);
    x[1] = LOAD16(X_TYPE, p, 16);
}

static inline void od_store_pair(float16 first, float16 second, __global STORAGE(X_TYPE) * p)
{
    STORE16(X_TYPE, first, p, 0);
    STORE16(X_TYPE, second, p, 16);
}
#endif

// Single vector number i of a row, which begins at 16 i unless that is too near the end.
static inline float16 od_load_single(__global const STORAGE(X_TYPE) * p, int i, int width)
{
    if (width < 16)
        return OD_PASTE(od_load_some_, X_TYPE)(p, 0, width);
    return LOAD16(X_TYPE, p, min(16 * i, width - 16));
}

// The same with zeros in the places that an earlier vector has.
static inline float16 od_load_single_once(__global const STORAGE(X_TYPE) * p, int i, int width)
{
    const int16 lanes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    float16 x = od_load_single(p, i, width);
    return lanes < 16 * (i + 1) - width && width > 16 ? (float16)(0.0f) : x;
}

// Vectors that lie `step` apart, divided by the sum of the row's weights.
static inline void od_store_row(const float16 *x, int step, float sum, int width, __global STORAGE(X_TYPE) * out)
{
    float16 by = sum, inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
    int i = 0;
    for (; 16 * i + 32 <= width; i += 2)
        od_store_pair(od_divide(x[i * step], by, inverse), od_divide(x[(i + 1) * step], by, inverse), out + 16 * i);
    for (; i < od_vectors(width); i++) {
        float16 y = od_divide(x[i * step], by, inverse);
        if (width < 16)
            OD_PASTE(od_store_some_, X_TYPE)(y, out, 0, width);
        else
            STORE16(X_TYPE, y, out, min(16 * i, width - 16));
    }
}

#endif
