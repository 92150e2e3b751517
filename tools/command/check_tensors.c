/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensors of `ocldnn check`, and how far an output is from the answer.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int check_number(int64_t i, int seed)
{
    uint64_t mixed = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u + (uint64_t)seed * 0xbf58476d1ce4e5b9u;
    return (int)((mixed >> 40) % 7) - 3;
}

void check_fill(double *values, int64_t count, int seed)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = check_number(i, seed);
}

static int64_t count_of(const ocldnn_tensor *tensor)
{
    int64_t count = 1;
    for (uint32_t axis = 0; axis < tensor->rank; axis++)
        count *= tensor->shape[axis];
    return count;
}

static void put(uint32_t dtype, void *data, size_t i, double value)
{
    if (dtype == OCLDNN_U8)
        ((uint8_t *)data)[i] = (uint8_t)value;
    else if (dtype == OCLDNN_U32 || dtype == OCLDNN_I32)
        ((uint32_t *)data)[i] = (uint32_t)value;
    else
        store_value(dtype, data, i, (float)value);
}

static double get(uint32_t dtype, const void *data, size_t i)
{
    if (dtype == OCLDNN_U32 || dtype == OCLDNN_I32)
        return ((const uint32_t *)data)[i];
    return (double)load_value(dtype, data, i);
}

static ocldnn_tensor make(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape, const double *values)
{
    ocldnn_tensor tensor = ocldnn_tensor_dense(NULL, (ocldnn_dtype)dtype, rank, shape);
    size_t count = (size_t)count_of(&tensor);
    size_t bytes = count * ocldnn_dtype_size((ocldnn_dtype)dtype);
    void *data = malloc(bytes ? bytes : 1);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    if (data) {
        for (size_t i = 0; i < count; i++)
            put(dtype, data, i, values ? values[i] : dtype <= OCLDNN_BF16 ? (double)NAN : 1e6);
        tensor.buffer = clCreateBuffer(c->on.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, &code);
    }
    free(data);
    if (code != CL_SUCCESS || c->buffer_count == CHECK_BUFFERS) {
        complain("no buffer of %zu bytes (OpenCL error %d)", bytes, code);
        exit(1);
    }
    c->buffers[c->buffer_count++] = tensor.buffer;
    return tensor;
}

ocldnn_tensor check_input(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape, const double *values)
{
    return make(c, dtype, rank, shape, values);
}

ocldnn_tensor check_output(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape)
{
    return make(c, dtype, rank, shape, NULL);
}

void check_end(check *c)
{
    while (c->buffer_count > 0)
        clReleaseMemObject(c->buffers[--c->buffer_count]);
}

/* The worst difference as a part of what is allowed, and where it is. */
static double worst_of(const ocldnn_tensor *output, const void *data, const double *wanted, size_t *place)
{
    static const double allowed[] = {[OCLDNN_F32] = 2e-6, [OCLDNN_F16] = 1e-3, [OCLDNN_BF16] = 8e-3};
    double worst = 0;
    for (size_t i = 0; i < (size_t)count_of(output); i++) {
        double size = fabs(wanted[i]) > 1 ? fabs(wanted[i]) : 1;
        double bound = output->dtype <= OCLDNN_BF16 ? allowed[output->dtype] * size : 1e-9;
        double part = fabs(get(output->dtype, data, i) - wanted[i]) / bound;
        if (!(part <= worst)) { /* also when it is NaN */
            worst = isnan(part) ? INFINITY : part;
            *place = i;
        }
    }
    return worst;
}

const char *check_wrong(const check *c, const ocldnn_tensor *output, const double *wanted, char text[128])
{
    size_t bytes = (size_t)count_of(output) * ocldnn_dtype_size((ocldnn_dtype)output->dtype);
    size_t place = 0;
    void *data = malloc(bytes);
    cl_int code = data ? clEnqueueReadBuffer(c->on.queue, output->buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL)
                       : CL_OUT_OF_HOST_MEMORY;
    text[0] = '\0';
    if (code != CL_SUCCESS)
        snprintf(text, 128, "reading the result gives OpenCL error %d", code);
    else if (!(worst_of(output, data, wanted, &place) <= 1))
        snprintf(text, 128, "element %zu is %.7g, must be %.7g", place, get(output->dtype, data, place), wanted[place]);
    free(data);
    return text;
}
