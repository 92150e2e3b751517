// SPDX-License-Identifier: Apache-2.0
// What a matrix looks like to AMX: tiles of 16 lines (rows of A, columns of B) x 32 k, in BF16.
//
// A float is 24 bits of precision, BF16 has 8: an operand is the sum of PARTS tiles of BF16, each what the ones before
// left, rounded. F32 has 3 parts, F16 two, BF16 one; the sum is exact. Packed: [slice of KB
// k][panel of 16 lines][step of 32 k][part][16][32].
//
// The unit takes denormal numbers and results for 0, and infinity times a part that is 0 is no number. So each line has
// a note for each slice of k: its largest magnitude, in whose lowest bits are flags.
//   OD_PLAIN     it is multiplied by ordinary arithmetic: values that are not finite, or 2^62 and more (whose products
//                may be no floats), or none as large as 2^-40, or, as parts, some that BF16 is too coarse for
//   OD_ENLARGED  its tiles hold 2^64 times its values, of which BF16 has all bits
//   OD_SMALL     it has values below 2^-39: a result that is no larger than what the unit may lose is made anew
#ifndef OD_GEMM_AMX_TILES_CL
#define OD_GEMM_AMX_TILES_CL

#include "common/storage.cl"

enum { LINES = 16, STEP = 32, TILE = LINES * STEP }; // TILE: elements

#define OD_PLAIN 1u
#define OD_ENLARGED 2u
#define OD_SMALL 4u
#define OD_FLAGS 7u
#define OD_ENLARGE 0x1p64f
#define OD_REDUCE 0x1p-64f

#define OD_UNROLL __attribute__((opencl_unroll_hint))

// Steps of a slice of at most KB of k, and slices.
#define OD_STEPS(depth) (((depth) + STEP - 1) / STEP)
#define OD_SLICES(depth) (((depth) + KB - 1) / KB)

// Of one batch: steps before this panel's of this slice, and how many there are.
#define OD_STEPS_OF(slice, depth) min(KB / STEP, OD_STEPS(depth) - (slice) * (KB / STEP))
#define OD_PLACE(slice, panel, panels, depth) ((slice) * (KB / STEP) * (panels) + (panel)*OD_STEPS_OF(slice, depth))

// Vectors whose places are multiples of a float's, which PoCL's vload16 and vstore16 would take to pieces.
typedef uint16 __attribute__((aligned(4))) od_loose_uint16;

#endif
