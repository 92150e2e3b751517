/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers (splitmix64, Steele et al. 2014), shapes of rows, and rounding to the storage types.
 */
#include "kit/internal.h"

#include <math.h>
#include <stdint.h>

uint64_t kit_seed;

uint64_t kit_random(void)
{
    uint64_t x = kit_seed += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int64_t kit_between(int64_t low, int64_t high)
{
    return low + (int64_t)(kit_random() % (uint64_t)(high - low + 1));
}

double kit_uniform(double low, double high)
{
    return low + (high - low) * (double)(kit_random() >> 11) * 0x1p-53;
}

uint32_t kit_float_dtype(void)
{
    return (uint32_t)kit_between(OCLDNN_F32, OCLDNN_BF16);
}

enum { ENOUGH = 200 }; /* elements */

void kit_drawn_rows(int rounds, uint32_t most_axes, kit_rows_case *one)
{
    for (int i = 0; i < kit_rounds(rounds); i++) {
        uint32_t rank = (uint32_t)kit_between(1, most_axes);
        int64_t shape[8], count;
        do {
            count = shape[rank - 1] = kit_between(1, 300);
            for (uint32_t axis = 0; axis + 1 < rank; axis++)
                count *= shape[axis] = kit_between(0, 6);
        } while (count > 0 && count < ENOUGH);
        one(rank, shape);
    }
}

void kit_specified_rows(kit_rows_case *one)
{
    static const int64_t widths[] = {1, 2, 3, 15, 16, 17, 63, 64, 65, 127, 1000, 1024, 4096, 4097, 65536, 131072};
    static const int64_t counts[] = {0, 1, 2, 7, 4096};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        int64_t width = widths[i], rows = width * 3 >= ENOUGH ? 3 : ENOUGH / width + 1;
        if (!kit.small || width <= 127)
            one(2, (int64_t[]){rows, width});
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!kit.small || counts[i] <= 7)
            one(2, (int64_t[]){counts[i], 40});
}

/* To a format with `bits` of significand and exponents from `lowest` on (of the least normal number), nearest even. */
static double round_to(double value, int bits, int lowest, double largest)
{
    int exponent;
    double rounded;
    if (!isfinite(value) || value == 0.0)
        return value;
    frexp(value, &exponent);
    exponent = exponent - 1 < lowest ? lowest : exponent - 1;
    rounded = ldexp(nearbyint(ldexp(value, bits - 1 - exponent)), exponent - bits + 1);
    return fabs(rounded) > largest ? copysign(INFINITY, value) : rounded;
}

double kit_round(uint32_t dtype, double value)
{
    switch (dtype) {
    case OCLDNN_F32:
        return round_to(value, 24, -126, 0x1.fffffep127);
    case OCLDNN_F16:
        return round_to(value, 11, -14, 65504.0);
    case OCLDNN_BF16:
        return round_to(value, 8, -126, 0x1.fep127);
    default:
        return value;
    }
}

double kit_ulp(uint32_t dtype, double value)
{
    static const int bits[] = {0, 24, 11, 8}, lowest[] = {0, -126, -14, -126};
    int exponent;
    if (dtype > OCLDNN_BF16 || !isfinite(value))
        return 0.0;
    frexp(value, &exponent);
    exponent = value == 0.0 || exponent - 1 < lowest[dtype] ? lowest[dtype] : exponent - 1;
    return ldexp(1.0, exponent - bits[dtype] + 1);
}
