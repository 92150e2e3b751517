// SPDX-License-Identifier: Apache-2.0
// For kernels whose vector width is a parameter (-D WIDTH=4|16): FLOATW and LOADW, STOREW beside storage.cl's.
#ifndef OD_COMMON_WIDTH_CL
#define OD_COMMON_WIDTH_CL

#include "common/storage.cl"

#define FLOATW OD_PASTE(float, WIDTH)
#define UINTW OD_PASTE(uint, WIDTH)
#define INTW OD_PASTE(int, WIDTH)
#define LOADW(T, p, i) OD_PASTE(LOAD, WIDTH)(T, p, i)
#define STOREW(T, v, p, i) OD_PASTE(STORE, WIDTH)(T, v, p, i)

// For functions that are called twice in a loop's place, with constants that decide what is left of them.
#define OD_INLINE __attribute__((always_inline))

#endif
