// SPDX-License-Identifier: Apache-2.0
// C = f(alpha S + bias) + residual for a product S [batch, m, n] that another library has computed. One work-item for
// each 16 columns of a row.

//! C_TYPE 1..3 dtype of S, C and the residual (1 F32, 2 F16, 3 BF16)
//! BIAS_TYPE 0..3 dtype of the bias, 0 if absent
//! HAS_RESIDUAL 0..1 a residual is added last
//! ACTIVATION 0..9 ocldnn_activation_kind
#ifndef C_TYPE
#define C_TYPE 1
#endif
#ifndef BIAS_TYPE
#define BIAS_TYPE 0
#endif
#ifndef HAS_RESIDUAL
#define HAS_RESIDUAL 0
#endif
#ifndef ACTIVATION
#define ACTIVATION 0
#endif

#include "gemm/epilogue.cl"

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
gemm_finish(__global const STORAGE(C_TYPE) * sums, ulong sums_offset, __global STORAGE(C_TYPE) * c, ulong c_offset,
            OD_BIAS_PARAMETER OD_RESIDUAL_PARAMETER int4 size, int4 batch_shape, int4 batch_c, int4 batch_residual,
            float alpha, float activation_alpha)
{
    int m = size.s0, n = size.s1, chunks = (n + 15) / 16;
    int batch = (int)get_group_id(1), row = (int)get_global_id(0) / chunks;
    int column = ((int)get_global_id(0) - row * chunks) * 16, end = min(column + 16, n);
    if (row >= m)
        return;
    sums += sums_offset + ((ulong)batch * (ulong)m + (ulong)row) * (ulong)n;
    c += c_offset + (ulong)od_batch_offset(batch, batch_shape, batch_c);
    OD_MOVE_BIAS();
    OD_MOVE_RESIDUAL(od_batch_offset(batch, batch_shape, batch_residual));
    if (end - column == 16) {
        OD_FINISH16(LOAD16(C_TYPE, sums, column), column, row * size.s2 + column, row * size.s3 + column);
        return;
    }
    for (; column < end; column++)
        OD_FINISH1(LOAD1(C_TYPE, sums, column), column, row * size.s2 + column, row * size.s3 + column);
}
