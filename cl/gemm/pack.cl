// SPDX-License-Identifier: Apache-2.0
// B into packed panels [ceil(n / 32)][k][32], of its own dtype or another; columns from n on become 0. One work-item
// for each panel and slice of k; the slices of a panel one after the other, so that rows of [n, k] are read on.

//! B_TYPE 1..3 dtype (1 F32, 2 F16, 3 BF16)
//! PACKED_TYPE 1..3 dtype of the panels
//! B_FORM 1..2 how B lies: 1 [k, n], 2 [n, k]
//! KB 16..1024 k of a slice, a multiple of 16
#ifndef B_TYPE
#define B_TYPE 1
#endif
#ifndef PACKED_TYPE
#define PACKED_TYPE 1
#endif
#ifndef B_FORM
#define B_FORM 2
#endif
#ifndef KB
#define KB 256
#endif

#include "gemm/panel.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_pack(__global const STORAGE(B_TYPE) * b,
                                                                       ulong b_offset,
                                                                       __global STORAGE(PACKED_TYPE) * packed,
                                                                       ulong packed_offset, int n, int depth, int ldb)
{
    float16 panel[KB * NV];
    int at = (int)get_group_id(1) * PW, k = (int)get_group_id(0) * KB, slice = min(KB, depth - k);
    int asked = slice * PW - OD_WRITE_AHEAD / (int)sizeof(STORAGE(PACKED_TYPE));
    od_take_panel(panel, b + b_offset, at, n, depth, ldb, k, slice);
    packed += packed_offset + (ulong)at * (ulong)depth + (ulong)k * PW;
    for (int i = 0; i < slice * NV; i++) {
        if (i * 16 < asked)
            OD_ASK_STREAM_TO_WRITE(packed + i * 16);
        STORE16(PACKED_TYPE, panel[i], packed, i * 16);
    }
}
