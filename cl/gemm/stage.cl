// SPDX-License-Identifier: Apache-2.0
// How a work-group brings a slice of a matrix into local memory as floats, K by K: tile[k * (TILE + 4) + row].
//
// A file that includes this has TILE_K (a multiple of 8) and ITEMS. OD_STAGE(NAME, TYPE, TILE, K_LAST) defines for an
// operand of TILE rows (B's columns count as its rows here), stored [rows, k] if K_LAST, else [k, rows]:
//     NAME_fetch(parts, from, stride, rows, item)              an item's part of a whole slice, to registers
//     NAME_fetch_last(parts, from, stride, rows, left, item)   the same where only `left` of k remain; the rest is 0
//     NAME_put(parts, tile, item)                              from there to local memory
//     NAME_move(tile, from, stride, rows, left, item)          both at once
// `rows` is the last row there is: what lies past it repeats it, and is never used.
// Neighbouring items read neighbours in memory. Of a K-last operand 8 lie along k and the rest across rows: with four
// floats of padding their stores meet no two in a bank, and rows stay 16-byte aligned.
#ifndef OD_GEMM_STAGE_CL
#define OD_GEMM_STAGE_CL

#include "common/storage.cl"

// A part's distance from the item's first one, along what lies together in memory and across; a place in the tile. The
// parts' distances are constants, so that they need no registers.
#define OD_STAGE_NEAR(NAME, part) ((part) % NAME##_around * NAME##_across)
#define OD_STAGE_FAR(NAME, part) ((part) / NAME##_around * NAME##_down)
#define OD_STAGE_PLACE(TILE, K_LAST, near, far) (K_LAST ? (near) * (TILE + 4) + (far) : (far) * (TILE + 4) + (near))

#define OD_STAGE(NAME, TYPE, TILE, K_LAST)                                                                             \
    enum {                                                                                                             \
        NAME##_parts = TILE * TILE_K / ITEMS,                                                                          \
        NAME##_across = K_LAST ? 8 : (TILE < ITEMS ? TILE : ITEMS),                                                    \
        NAME##_around = (K_LAST ? TILE_K : TILE) / NAME##_across,                                                      \
        NAME##_down = ITEMS / NAME##_across                                                                            \
    };                                                                                                                 \
    static inline int NAME##_near(uint item)                                                                           \
    {                                                                                                                  \
        return (int)(item % NAME##_across);                                                                            \
    }                                                                                                                  \
    static inline int NAME##_far(uint item)                                                                            \
    {                                                                                                                  \
        return (int)(item / NAME##_across);                                                                            \
    }                                                                                                                  \
    static inline float NAME##_load(__global const STORAGE(TYPE) * from, int stride, int rows, int near, int far)      \
    {                                                                                                                  \
        return LOAD1(TYPE, from, K_LAST ? min(far, rows) * stride + near : far * stride + min(near, rows));            \
    }                                                                                                                  \
    static inline float NAME##_load_last(__global const STORAGE(TYPE) * from, int stride, int rows, int left,          \
                                         int near, int far)                                                            \
    {                                                                                                                  \
        const int k = min(K_LAST ? near : far, left - 1), row = min(K_LAST ? far : near, rows);                        \
        const float value = LOAD1(TYPE, from, K_LAST ? row * stride + k : k * stride + row);                           \
        return (K_LAST ? near : far) < left ? value : 0.0f;                                                            \
    }                                                                                                                  \
    static inline void NAME##_fetch(float *parts, __global const STORAGE(TYPE) * from, int stride, int rows,           \
                                    uint item)                                                                         \
    {                                                                                                                  \
        _Pragma("unroll") for (int part = 0; part < NAME##_parts; part++) parts[part] =                                \
            NAME##_load(from, stride, rows, NAME##_near(item) + OD_STAGE_NEAR(NAME, part),                             \
                        NAME##_far(item) + OD_STAGE_FAR(NAME, part));                                                  \
    }                                                                                                                  \
    static inline void NAME##_fetch_last(float *parts, __global const STORAGE(TYPE) * from, int stride, int rows,      \
                                         int left, uint item)                                                          \
    {                                                                                                                  \
        _Pragma("unroll") for (int part = 0; part < NAME##_parts; part++) parts[part] =                                \
            NAME##_load_last(from, stride, rows, left, NAME##_near(item) + OD_STAGE_NEAR(NAME, part),                  \
                             NAME##_far(item) + OD_STAGE_FAR(NAME, part));                                             \
    }                                                                                                                  \
    static inline void NAME##_move(__local float *tile, __global const STORAGE(TYPE) * from, int stride, int rows,     \
                                   int left, uint item)                                                                \
    {                                                                                                                  \
        tile += OD_STAGE_PLACE(TILE, K_LAST, NAME##_near(item), NAME##_far(item));                                     \
        _Pragma("unroll 8") for (int part = 0; part < NAME##_parts; part++)                                            \
            tile[OD_STAGE_PLACE(TILE, K_LAST, OD_STAGE_NEAR(NAME, part), OD_STAGE_FAR(NAME, part))] =                  \
                NAME##_load_last(from, stride, rows, left, NAME##_near(item) + OD_STAGE_NEAR(NAME, part),              \
                                 NAME##_far(item) + OD_STAGE_FAR(NAME, part));                                         \
    }                                                                                                                  \
    static inline void NAME##_put(const float *parts, __local float *tile, uint item)                                  \
    {                                                                                                                  \
        tile += OD_STAGE_PLACE(TILE, K_LAST, NAME##_near(item), NAME##_far(item));                                     \
        _Pragma("unroll") for (int part = 0; part < NAME##_parts; part++)                                              \
            tile[OD_STAGE_PLACE(TILE, K_LAST, OD_STAGE_NEAR(NAME, part), OD_STAGE_FAR(NAME, part))] = parts[part];     \
    }

#endif
