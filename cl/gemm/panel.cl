// SPDX-License-Identifier: Apache-2.0
// Panels of B: 32 columns as [k][32], in which order a register tile reads them.
//
// A file that includes this has B_TYPE and B_FORM (0 packed panels, 1 [k, n], 2 [n, k]).
#ifndef OD_GEMM_PANEL_CL
#define OD_GEMM_PANEL_CL

#include "common/ask.cl"
#include "common/storage.cl"
#include "common/transpose.cl"

enum { NV = 2, PW = 16 * NV }; // vectors and columns of a panel

#define OD_UNROLL __attribute__((opencl_unroll_hint))

// Packed F32 panels are multiplied where they lie. While that goes on, each of the tiles asks for a share of the panel
// that comes next, LINES lines at every fourth k, so that the memory has a panel's time to answer; left to itself the
// processor sees the next panel when it gets there, and stands. The first cache is full of what is in use.
#if B_FORM == 0 && B_TYPE == OD_F32
#define OD_ASK_AHEAD(next, k, LINES)                                                                                   \
    OD_UNROLL for (int line = 0; line < LINES; line++) OD_ASK((next) + ((k) / 4 * LINES + line) * 16, 2)
#else
#define OD_ASK_AHEAD(next, k, LINES)
#endif

// Fills panel[slice][32] with floats: columns at .. at + 31 of B and k .. k + slice - 1. Columns from n on become 0.
#if B_FORM == 0
static inline void od_take_panel(float16 *panel, __global const STORAGE(B_TYPE) * b, int at, int n, int depth, int ldb,
                                 int k, int slice)
{
    __global const STORAGE(B_TYPE) *source = b + (ulong)at * (ulong)depth + (ulong)k * PW;
    for (int i = 0; i < slice; i++) {
        OD_UNROLL for (int j = 0; j < NV; j++) panel[i * NV + j] = LOAD16(B_TYPE, source, i * PW + 16 * j);
    }
}
#elif B_FORM == 1
static inline void od_take_panel(float16 *panel, __global const STORAGE(B_TYPE) * b, int at, int n, int depth, int ldb,
                                 int k, int slice)
{
    __global const STORAGE(B_TYPE) *source = b + k * ldb + at;
    int columns = min(PW, n - at);
    if (columns == PW) {
        for (int i = 0; i < slice; i++) {
            OD_UNROLL for (int j = 0; j < NV; j++) panel[i * NV + j] = LOAD16(B_TYPE, source, i * ldb + 16 * j);
        }
        return;
    }
    for (int i = 0; i < slice; i++)
        for (int j = 0; j < PW; j++)
            ((float *)panel)[i * PW + j] = j < columns ? LOAD1(B_TYPE, source, i * ldb + j) : 0.0f;
}
#else
static inline void od_take_panel(float16 *panel, __global const STORAGE(B_TYPE) * b, int at, int n, int depth, int ldb,
                                 int k, int slice)
{
    for (int side = 0; side < PW; side += 16) {
        __global const STORAGE(B_TYPE) *source = b + (at + side) * ldb + k;
        int columns = clamp(n - at - side, 0, 16), i = 0;
        for (; columns == 16 && i + 4 <= slice; i += 4) {
            float16 x[4];
            OD_COLUMNS4(B_TYPE, source, ldb, i, x);
            OD_UNROLL for (int j = 0; j < 4; j++) panel[(i + j) * NV + side / 16] = x[j];
        }
        for (; i < slice; i++)
            for (int j = 0; j < 16; j++)
                ((float *)panel)[i * PW + side + j] = j < columns ? LOAD1(B_TYPE, source, j * ldb + i) : 0.0f;
    }
}
#endif

// Packed F32 panels are read where they are. A panel from its column `side` on, a multiple of 16.
#if B_FORM == 0 && B_TYPE == OD_F32
#define OD_TAKE_PANEL(panel, b, at, n, depth, ldb, k, slice)
#define OD_PANEL16(panel, i) vload16(i, panel)
#define OD_PANEL(panel, b, at, depth, k, side) ((b) + (ulong)(at) * (ulong)(depth) + (ulong)(k)*PW + (side))
#define OD_SHARE(panel, b, at, depth, k, lines) OD_PANEL(panel, b, at, depth, k, (lines)*16)
#else
#define OD_TAKE_PANEL(panel, b, at, n, depth, ldb, k, slice) od_take_panel(panel, b, at, n, depth, ldb, k, slice)
#define OD_PANEL16(panel, i) ((panel)[i])
#define OD_PANEL(panel, b, at, depth, k, side) ((panel) + (side) / 16)
#define OD_SHARE(panel, b, at, depth, k, lines) (panel)
#endif

#endif
