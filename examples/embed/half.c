/* SPDX-License-Identifier: Apache-2.0 */
#include "half.h"

#include <string.h>

static uint32_t to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint16_t to_bf16(float value)
{
    uint32_t bits = to_bits(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)(bits >> 16 | 0x40); /* NaN stays NaN */
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static uint16_t to_f16(float value)
{
    uint32_t bits = to_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;

    if (magnitude > 0x7F800000)
        return (uint16_t)(sign | 0x7E00);
    if (magnitude >= 0x477FF000) /* 65520 and more round to infinity */
        return (uint16_t)(sign | 0x7C00);
    if (magnitude < 0x38800000) /* below 2^-14: adding 0.5 leaves a multiple of 2^-24 in the low bits, rounded */
        return (uint16_t)(sign | (to_bits(from_bits(magnitude) + 0.5f) - 0x3F000000));
    magnitude += 0xFFF + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

static float from_f16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = (uint32_t)(half & 0x7FFF) << 13;

    if (rest >= 0x0F800000) /* infinity and NaN */
        return from_bits(sign | (rest + 0x70000000));
    if (rest < 0x00800000) /* subnormal: a multiple of 2^-24 */
        return from_bits(sign | to_bits((float)(half & 0x7FFF) * 0x1p-24f));
    return from_bits(sign | (rest + 0x38000000));
}

void floats_read(const void *from, ocldnn_dtype dtype, size_t count, float *to)
{
    const unsigned char *bytes = from;
    uint16_t half;

    if (dtype == OCLDNN_F32) {
        memcpy(to, from, count * sizeof *to);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(&half, bytes + 2 * i, sizeof half);
        to[i] = dtype == OCLDNN_F16 ? from_f16(half) : from_bits((uint32_t)half << 16);
    }
}

void floats_write(const float *from, size_t count, void *to, ocldnn_dtype dtype)
{
    uint16_t *halves = to;

    if (dtype == OCLDNN_F32) {
        memcpy(to, from, count * sizeof *from);
        return;
    }
    for (size_t i = 0; i < count; i++)
        halves[i] = dtype == OCLDNN_F16 ? to_f16(from[i]) : to_bf16(from[i]);
}
