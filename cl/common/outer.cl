// SPDX-License-Identifier: Apache-2.0
// What the tiles of products and of attention share: an item's sums, four rows at a time.
//
// These are macros, and every place in an item's arrays is a constant in the source rather than the counter of an
// unrolled loop: Intel's compiler otherwise keeps such an array as one vector, and copies all of it at the end of each
// turn of the loop around it, or leaves it in memory.
//     OD_REPEAT(N, DO)          DO(0) DO(1) .. DO(N - 1); N up to 8, DO a macro of statements
//     OD_ADD_OUTER(sums, a, upper, b)   sums[i] += a[i] b, for four rows; a is a float4, upper its second half
//     OD_UPPER(COUNT, upper, below)     before that: tells AMD's compiler to leave the halves of one or two float4 in
//     pairs of registers OD_CLEAR(rows, COUNT)     COUNT (4 or 8) rows become 0 OD_TURN(rows, COUNT)      drops the
//     first of COUNT (4 or 8) rows: they move up, the last stays as it was
#ifndef OD_COMMON_OUTER_CL
#define OD_COMMON_OUTER_CL

#include "common/waves.cl"

#define OD_REPEAT(N, DO)                                                                                               \
    {                                                                                                                  \
        DO(0)                                                                                                          \
        OD_REPEAT_IF(N, 1, DO)                                                                                         \
        OD_REPEAT_IF(N, 2, DO)                                                                                         \
        OD_REPEAT_IF(N, 3, DO)                                                                                         \
        OD_REPEAT_IF(N, 4, DO)                                                                                         \
        OD_REPEAT_IF(N, 5, DO)                                                                                         \
        OD_REPEAT_IF(N, 6, DO)                                                                                         \
        OD_REPEAT_IF(N, 7, DO)                                                                                         \
    }
#define OD_REPEAT_IF(N, i, DO)                                                                                         \
    if ((N) > i) {                                                                                                     \
        DO(i)                                                                                                          \
    }

// A packed multiplication takes either half of a pair of registers twice. AMD's compiler knows that of a pair's second
// half if the pair is one of its own, but copies w out of a float4, unless it has lost sight of where the pair is from.
#if OD_CDNA
#define OD_UPPER(COUNT, upper, below)                                                                                  \
    {                                                                                                                  \
        if ((COUNT) > 1)                                                                                               \
            __asm__("" : "+v"(upper), "+v"(below));                                                                    \
        else                                                                                                           \
            __asm__("" : "+v"(upper));                                                                                 \
    }
#else
#define OD_UPPER(COUNT, upper, below)
#endif

#define OD_ADD_OUTER(sums, a, upper, b)                                                                                \
    {                                                                                                                  \
        (sums)[0] += (a).x * (b);                                                                                      \
        (sums)[1] += (a).y * (b);                                                                                      \
        (sums)[2] += (upper).x * (b);                                                                                  \
        (sums)[3] += (upper).y * (b);                                                                                  \
    }

#define OD_CLEAR(rows, COUNT)                                                                                          \
    {                                                                                                                  \
        (rows)[0] = (rows)[1] = (rows)[2] = (rows)[3] = 0.0f;                                                          \
        if (COUNT > 4)                                                                                                 \
            (rows)[4] = (rows)[5] = (rows)[6] = (rows)[7] = 0.0f;                                                      \
    }

#define OD_TURN(rows, COUNT)                                                                                           \
    {                                                                                                                  \
        (rows)[0] = (rows)[1];                                                                                         \
        (rows)[1] = (rows)[2];                                                                                         \
        (rows)[2] = (rows)[3];                                                                                         \
        if (COUNT > 4) {                                                                                               \
            (rows)[3] = (rows)[4];                                                                                     \
            (rows)[4] = (rows)[5];                                                                                     \
            (rows)[5] = (rows)[6];                                                                                     \
            (rows)[6] = (rows)[7];                                                                                     \
        }                                                                                                              \
    }

#endif
