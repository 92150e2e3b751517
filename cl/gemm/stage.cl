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

#define OD_STAGE(NAME, TYPE, TILE, K_LAST)                                                                             \
    enum {                                                                                                             \
        NAME##_parts = TILE * TILE_K / ITEMS,                                                                          \
        NAME##_across = K_LAST ? 8 : (TILE < ITEMS ? TILE : ITEMS),                                                    \
        NAME##_around = (K_LAST ? TILE_K : TILE) / NAME##_across,                                                      \
        NAME##_down = ITEMS / NAME##_across                                                                            \
    };                                                                                                                 \
    static inline int NAME##_near(int part, uint item)                                                                 \
    {                                                                                                                  \
        return (int)(item % NAME##_across) + part % NAME##_around * NAME##_across;                                     \
    }                                                                                                                  \
    static inline int NAME##_far(int part, uint item)                                                                  \
    {                                                                                                                  \
        return (int)(item / NAME##_across) + part / NAME##_around * NAME##_down;                                       \
    }                                                                                                                  \
    static inline void NAME##_fetch(float *parts, __global const STORAGE(TYPE) * from, int stride, int rows,           \
                                    uint item)                                                                         \
    {                                                                                                                  \
        _Pragma("unroll") for (int part = 0; part < NAME##_parts; part++)                                              \
        {                                                                                                              \
            const int near = NAME##_near(part, item), far = NAME##_far(part, item);                                    \
            const int place = K_LAST ? min(far, rows) * stride + near : far * stride + min(near, rows);                \
            parts[part] = LOAD1(TYPE, from, place);                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void NAME##_fetch_last(float *parts, __global const STORAGE(TYPE) * from, int stride, int rows,      \
                                         int left, uint item)                                                          \
    {                                                                                                                  \
        _Pragma("unroll") for (int part = 0; part < NAME##_parts; part++)                                              \
        {                                                                                                              \
            const int near = NAME##_near(part, item), far = NAME##_far(part, item);                                    \
            const int k = min(K_LAST ? near : far, left - 1), row = min(K_LAST ? far : near, rows);                    \
            const float value = LOAD1(TYPE, from, K_LAST ? row * stride + k : k * stride + row);                       \
            parts[part] = (K_LAST ? near : far) < left ? value : 0.0f;                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void NAME##_move(__local float *tile, __global const STORAGE(TYPE) * from, int stride, int rows,     \
                                   int left, uint item)                                                                \
    {                                                                                                                  \
        _Pragma("unroll 8") for (int part = 0; part < NAME##_parts; part++)                                            \
        {                                                                                                              \
            const int near = NAME##_near(part, item), far = NAME##_far(part, item);                                    \
            const int k = min(K_LAST ? near : far, left - 1), row = min(K_LAST ? far : near, rows);                    \
            const float value = LOAD1(TYPE, from, K_LAST ? row * stride + k : k * stride + row);                       \
            tile[K_LAST ? near * (TILE + 4) + far : far * (TILE + 4) + near] =                                         \
                (K_LAST ? near : far) < left ? value : 0.0f;                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void NAME##_put(const float *parts, __local float *tile, uint item)                                  \
    {                                                                                                                  \
        _Pragma("unroll") for (int part = 0; part < NAME##_parts; part++)                                              \
        {                                                                                                              \
            const int near = NAME##_near(part, item), far = NAME##_far(part, item);                                    \
            tile[K_LAST ? near * (TILE + 4) + far : far * (TILE + 4) + near] = parts[part];                            \
        }                                                                                                              \
    }

#endif
