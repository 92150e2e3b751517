/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a device, and the storage formats on the host's side.
 */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool open_device(const char *part, const char *family, opened *result)
{
    const ocldnn_quirk forced = {.flags = family && strcmp(family, "tiled") == 0 ? OCLDNN_QUIRK_TILED_FAMILY
                                                                                 : OCLDNN_QUIRK_VECTOR_FAMILY,
                                 .reason = "asked for on the command line"};
    const ocldnn_context_options options = {.quirks = family ? &forced : NULL, .quirk_count = family != NULL};
    cl_int code;
    memset(result, 0, sizeof *result);
    /* The library's own way of choosing a device, so that the command means the same one. */
    if (part)
        setenv("OCLDNN_DEVICE", part, 1);
    if (ocldnn_context_create_default(&options, &result->context) != OCLDNN_SUCCESS) {
        complain("%s", ocldnn_last_error());
        return false;
    }
    result->cl = ocldnn_context_cl(result->context);
    result->device = ocldnn_context_device(result->context);
    result->queue = clCreateCommandQueue(result->cl, result->device, 0, &code);
    if (code == CL_SUCCESS)
        return true;
    complain("clCreateCommandQueue failed with OpenCL error %d", code);
    close_device(result);
    return false;
}

void close_device(opened *result)
{
    if (result->queue)
        clReleaseCommandQueue(result->queue);
    ocldnn_context_destroy(result->context);
    memset(result, 0, sizeof *result);
}

static uint16_t bf16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)((bits >> 16) | 0x40);
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

static uint16_t f16_of(float value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs((double)value);
    int exponent;
    double steps;
    if (isnan(value))
        return 0x7e00;
    if (size >= 65520.0)
        return sign | 0x7c00;
    frexp(size, &exponent);
    if (exponent < -13 || size == 0)
        exponent = -13; /* denormals and zero share the smallest exponent */
    steps = nearbyint(ldexp(size, 11 - exponent));
    /* Of a number in [2^(e-1), 2^e) steps is in [1024, 2048]; the carry of 2048 runs into the exponent by itself. */
    return (uint16_t)(sign | (uint16_t)((exponent + 13) * 1024 + (int)steps));
}

void store_value(uint32_t dtype, void *data, size_t index, float value)
{
    if (dtype == OCLDNN_F32)
        ((float *)data)[index] = value;
    else
        ((uint16_t *)data)[index] = dtype == OCLDNN_F16 ? f16_of(value) : bf16_of(value);
}

static float from_f16(uint16_t bits)
{
    int exponent = (bits >> 10) & 31;
    double size;
    if (exponent == 31)
        size = bits & 0x3ff ? NAN : INFINITY;
    else if (exponent == 0)
        size = ldexp(bits & 0x3ff, -24);
    else
        size = ldexp((bits & 0x3ff) + 1024, exponent - 25);
    return (float)(bits & 0x8000 ? -size : size);
}

float load_value(uint32_t dtype, const void *data, size_t index)
{
    uint32_t bits;
    float value;
    if (dtype == OCLDNN_F32)
        return ((const float *)data)[index];
    if (dtype == OCLDNN_F16)
        return from_f16(((const uint16_t *)data)[index]);
    bits = (uint32_t)((const uint16_t *)data)[index] << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}
