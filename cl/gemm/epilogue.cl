// SPDX-License-Identifier: Apache-2.0
// What a matrix product does with a sum before it is stored: f(alpha * sum + bias) + residual, in F32.
//
// A file that includes this has C_TYPE, BIAS_TYPE (0 = none), HAS_RESIDUAL and ACTIVATION. EPILOGUE_ARGS stand last but
// the numbers in a kernel's list; od_finish1 and od_finish16 take a sum (or 16 of one row) to its place.
#ifndef OD_GEMM_EPILOGUE_CL
#define OD_GEMM_EPILOGUE_CL

#include "common/math.cl"
#include "common/rows.cl"
#include "common/storage.cl"

#if BIAS_TYPE
#define OD_BIAS_PARAMETER __global const STORAGE(BIAS_TYPE) * bias, ulong bias_offset,
#define OD_BIAS1(column) LOAD1(BIAS_TYPE, bias, column)
#define OD_BIAS4(column) LOAD4(BIAS_TYPE, bias, column)
#define OD_BIAS16(column) LOAD16(BIAS_TYPE, bias, column)
#else
#define OD_BIAS_PARAMETER
#define OD_BIAS1(column) 0.0f
#define OD_BIAS4(column) (float4)(0.0f)
#define OD_BIAS16(column) (float16)(0.0f)
#endif

#if HAS_RESIDUAL
#define OD_RESIDUAL_PARAMETER __global const STORAGE(C_TYPE) * residual, ulong residual_offset,
#define OD_RESIDUAL1(place) LOAD1(C_TYPE, residual, place)
#define OD_RESIDUAL4(place) LOAD4(C_TYPE, residual, place)
#define OD_RESIDUAL16(place) LOAD16(C_TYPE, residual, place)
#else
#define OD_RESIDUAL_PARAMETER
#define OD_RESIDUAL1(place) 0.0f
#define OD_RESIDUAL4(place) (float4)(0.0f)
#define OD_RESIDUAL16(place) (float16)(0.0f)
#endif

// To the parameters' first elements; BATCH is the residual's offset of this batch.
#if BIAS_TYPE
#define OD_MOVE_BIAS() bias += bias_offset
#else
#define OD_MOVE_BIAS()
#endif
#if HAS_RESIDUAL
#define OD_MOVE_RESIDUAL(BATCH) residual += residual_offset + (ulong)(BATCH)
#else
#define OD_MOVE_RESIDUAL(BATCH)
#endif

#if HAS_RESIDUAL
#define OD_PLUS_RESIDUAL(value, read) ((value) + (read))
#else
#define OD_PLUS_RESIDUAL(value, read) (value)
#endif

#if BIAS_TYPE
#define OD_SCALED(W, alpha, sum, column) ((sum) * (alpha) + OD_BIAS##W(column))
#else
#define OD_SCALED(W, alpha, sum, column) ((sum) * (alpha))
#endif

// Stores at c_place; the residual is read at r_place.
#define OD_FINISH1(sum, column, c_place, r_place)                                                                      \
    STORE1(C_TYPE,                                                                                                     \
           OD_PLUS_RESIDUAL(od_activate1(ACTIVATION, activation_alpha, OD_SCALED(1, alpha, sum, column)),              \
                            OD_RESIDUAL1(r_place)),                                                                    \
           c, c_place)
#define OD_FINISH4(sum, column, c_place, r_place)                                                                      \
    STORE4(C_TYPE,                                                                                                     \
           OD_PLUS_RESIDUAL(od_activate4(ACTIVATION, activation_alpha, OD_SCALED(4, alpha, sum, column)),              \
                            OD_RESIDUAL4(r_place)),                                                                    \
           c, c_place)
#define OD_FINISH16(sum, column, c_place, r_place)                                                                     \
    STORE16(C_TYPE,                                                                                                    \
            OD_PLUS_RESIDUAL(od_activate16(ACTIVATION, activation_alpha, OD_SCALED(16, alpha, sum, column)),           \
                             OD_RESIDUAL16(r_place)),                                                                  \
            c, c_place)

// Where batch number `batch` begins: shape and strides of up to four axes.
static inline int od_batch_offset(int batch, int4 shape, int4 strides)
{
    return od_row_offset(od_row(batch, shape), strides);
}

#endif
