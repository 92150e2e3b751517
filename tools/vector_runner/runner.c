/* SPDX-License-Identifier: Apache-2.0
 *
 * The device, and tensors going there and back.
 */
#include "runner.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool say(runner *r, bool skip, const char *format, va_list arguments)
{
    r->skip = skip;
    vsnprintf(r->problem, sizeof r->problem, format, arguments);
    return false;
}

bool runner_fail(runner *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(r, false, format, arguments);
    va_end(arguments);
    return false;
}

bool runner_skip(runner *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(r, true, format, arguments);
    va_end(arguments);
    return false;
}

bool runner_ok(runner *r, ocldnn_status status)
{
    return status == OCLDNN_SUCCESS || runner_fail(r, "%s: %s", ocldnn_status_name(status), ocldnn_last_error());
}

bool runner_open(runner *r)
{
    cl_int error = CL_SUCCESS;
    memset(r, 0, sizeof *r);
    if (!runner_ok(r, ocldnn_context_create_default(NULL, &r->context)))
        return false;
    r->queue = clCreateCommandQueue(ocldnn_context_cl(r->context), ocldnn_context_device(r->context), 0, &error);
    return r->queue || runner_fail(r, "clCreateCommandQueue gives %d", error);
}

void runner_end_case(runner *r)
{
    for (size_t i = 0; i < r->buffer_count; i++)
        clReleaseMemObject(r->buffers[i]);
    for (size_t i = 0; i < r->block_count; i++)
        free(r->blocks[i]);
    r->buffer_count = r->block_count = 0;
    r->skip = false;
    r->problem[0] = '\0';
}

void runner_close(runner *r)
{
    runner_end_case(r);
    free(r->buffers);
    free(r->blocks);
    if (r->queue)
        clReleaseCommandQueue(r->queue);
    ocldnn_context_destroy(r->context);
}

/* This is a test program: without memory there is nothing left to report. */
static void *grow(void *list, size_t count, size_t size)
{
    void *bigger = count % 64 ? list : realloc(list, (count + 64) * size);
    if (!bigger) {
        fprintf(stderr, "vectors: out of memory\n");
        exit(2);
    }
    return bigger;
}

static void *block(runner *r, size_t bytes)
{
    r->blocks = grow(r->blocks, r->block_count, sizeof *r->blocks);
    r->blocks[r->block_count] = grow(NULL, 0, bytes / 64 + 1);
    return r->blocks[r->block_count++];
}

static uint16_t half_from(double number)
{
    float f = (float)number, scaled;
    uint16_t sign = signbit(number) ? 0x8000u : 0;
    int exponent;
    if (isnan(number))
        return 0x7e00u;
    f = fabsf(f);
    if (f >= 65520.0f)
        return sign | 0x7c00u;
    if (f < 0x1p-14f) /* a denormal counts units of 2^-24 */
        return sign | (uint16_t)nearbyintf(f * 0x1p24f);
    scaled = frexpf(f, &exponent); /* in [0.5, 1); a carry out of the fraction lands in the exponent, as it should */
    return sign | (uint16_t)(((unsigned)(exponent + 13) << 10) + (unsigned)nearbyintf(scaled * 0x1p11f));
}

static double half_to(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000u ? -size : size;
}

static void encode(double number, ocldnn_dtype type, unsigned char *to)
{
    float f = (float)number;
    uint16_t h = 0;
    uint32_t u = 0;
    switch (type) {
    case OCLDNN_F16:
        h = half_from(number);
        memcpy(to, &h, sizeof h);
        break;
    case OCLDNN_U8:
        *to = (unsigned char)number;
        break;
    case OCLDNN_U32:
    case OCLDNN_I32:
        u = (uint32_t)(int64_t)number;
        memcpy(to, &u, sizeof u);
        break;
    default:
        memcpy(to, &f, sizeof f);
    }
}

static double decode(const unsigned char *from, uint32_t type)
{
    float f;
    uint16_t h;
    uint32_t u;
    switch (type) {
    case OCLDNN_F16:
        memcpy(&h, from, sizeof h);
        return half_to(h);
    case OCLDNN_U8:
        return *from;
    case OCLDNN_U32:
        memcpy(&u, from, sizeof u);
        return u;
    default:
        memcpy(&f, from, sizeof f);
        return (double)f;
    }
}

static int64_t elements(uint32_t rank, const int64_t *shape)
{
    int64_t count = 1;
    for (uint32_t axis = 0; axis < rank; axis++)
        count *= shape[axis];
    return count;
}

static ocldnn_tensor place(runner *r, ocldnn_dtype type, uint32_t rank, const int64_t *shape, void *bytes)
{
    size_t size = (size_t)elements(rank, shape) * ocldnn_dtype_size(type);
    cl_int error = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(ocldnn_context_cl(r->context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   size ? size : 1, bytes, &error);
    if (!buffer) {
        fprintf(stderr, "vectors: clCreateBuffer gives %d\n", error);
        exit(2);
    }
    r->buffers = grow(r->buffers, r->buffer_count, sizeof *r->buffers);
    r->buffers[r->buffer_count++] = buffer;
    return ocldnn_tensor_dense(buffer, type, rank, shape);
}

ocldnn_tensor upload(runner *r, const value *from, ocldnn_dtype as)
{
    size_t size = ocldnn_dtype_size(as);
    unsigned char *bytes = block(r, size * (size_t)from->count + 1);
    for (int64_t i = 0; i < from->count; i++)
        encode(from->data[i], as, bytes + size * (size_t)i);
    return place(r, as, from->rank, from->shape, bytes);
}

ocldnn_tensor upload_same(runner *r, const value *from)
{
    ocldnn_tensor absent = {0};
    return from->present ? upload(r, from, from->type == DTYPE_F16 ? OCLDNN_F16 : OCLDNN_F32) : absent;
}

ocldnn_tensor room(runner *r, ocldnn_dtype type, uint32_t rank, const int64_t *shape)
{
    size_t size = (size_t)elements(rank, shape) * ocldnn_dtype_size(type) + 1;
    return place(r, type, rank, shape, memset(block(r, size), 0xff, size));
}

value download(runner *r, ocldnn_tensor tensor)
{
    value out = value_new(r, tensor.dtype == OCLDNN_F16 ? DTYPE_F16 : DTYPE_F32, tensor.rank, tensor.shape);
    size_t size = ocldnn_dtype_size((ocldnn_dtype)tensor.dtype);
    unsigned char *bytes = block(r, size * (size_t)out.count + 1);
    if (out.count)
        clEnqueueReadBuffer(r->queue, tensor.buffer, CL_TRUE, 0, size * (size_t)out.count, bytes, 0, NULL, NULL);
    for (int64_t i = 0; i < out.count; i++)
        out.data[i] = decode(bytes + size * (size_t)i, tensor.dtype);
    return out;
}

value value_new(runner *r, dtype type, uint32_t rank, const int64_t *shape)
{
    value out = {.present = true, .type = type, .rank = rank, .count = elements(rank, shape)};
    memcpy(out.shape, shape, rank * sizeof *shape);
    out.data = block(r, sizeof(double) * (size_t)out.count + 1);
    return out;
}

ocldnn_dtype float_dtype(runner *r, const value *of)
{
    if (of->type == DTYPE_F32)
        return OCLDNN_F32;
    if (of->type == DTYPE_F16)
        return OCLDNN_F16;
    runner_skip(r, "this library computes in F32, F16 and BF16 only");
    return OCLDNN_ABSENT;
}

uint32_t axis_of(const test_case *test, const value *of, double otherwise)
{
    int axis = (int)case_number(test, "axis", otherwise);
    return (uint32_t)(axis < 0 ? axis + (int)of->rank : axis);
}
