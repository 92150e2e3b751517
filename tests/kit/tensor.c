/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors with guard zones. The image is what the whole buffer should hold: the tensor's elements, and 0xa5 around and
 * between them.
 */
#include "kit/internal.h"

#include <math.h>

enum { GUARD_BYTES = 256, GUARD = 0xa5 };

typedef struct scratch {
    struct scratch *next;
    double numbers[];
} scratch;

static kit_tensor *tensors;
static scratch *arrays;

double *kit_doubles(int64_t count)
{
    scratch *made = malloc(sizeof *made + ((size_t)count + 1) * sizeof *made->numbers);
    assert_non_null(made);
    made->next = arrays;
    arrays = made;
    return made->numbers;
}

void kit_free_all(void)
{
    while (tensors) {
        kit_tensor *tensor = tensors;
        tensors = tensor->next;
        clReleaseMemObject(tensor->tensor.buffer);
        free(tensor->image);
        free(tensor);
    }
    while (arrays) {
        scratch *array = arrays;
        arrays = array->next;
        free(array);
    }
}

/* ---- elements -----------------------------------------------------------------------------------------------------
 */

static uint16_t half_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (isnan(value))
        return 0x7e00;
    if (isinf(value))
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)ldexp(size, 24));
    frexp(size, &exponent);
    return (uint16_t)(sign | (uint16_t)((exponent + 14) << 10) | ((uint16_t)ldexp(size, 11 - exponent) & 0x3ff));
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

void kit_encode(uint32_t dtype, double value, unsigned char *bytes)
{
    float single = (float)value;
    uint32_t word;
    uint16_t half;
    memcpy(&word, &single, sizeof word);
    switch (dtype) {
    case OCLDNN_F32:
        memcpy(bytes, &single, sizeof single);
        return;
    case OCLDNN_F16:
        half = half_bits(value);
        memcpy(bytes, &half, sizeof half);
        return;
    case OCLDNN_BF16:
        half = (uint16_t)(word >> 16);
        memcpy(bytes, &half, sizeof half);
        return;
    case OCLDNN_U8:
        bytes[0] = (unsigned char)value;
        return;
    default:
        word = dtype == OCLDNN_I32 ? (uint32_t)(int32_t)value : (uint32_t)value;
        memcpy(bytes, &word, sizeof word);
    }
}

double kit_decode(uint32_t dtype, const unsigned char *bytes)
{
    float single;
    uint32_t word;
    uint16_t half;
    switch (dtype) {
    case OCLDNN_F32:
        memcpy(&single, bytes, sizeof single);
        return (double)single;
    case OCLDNN_F16:
        memcpy(&half, bytes, sizeof half);
        return half_value(half);
    case OCLDNN_BF16:
        memcpy(&half, bytes, sizeof half);
        word = (uint32_t)half << 16;
        memcpy(&single, &word, sizeof single);
        return (double)single;
    case OCLDNN_U8:
        return bytes[0];
    default:
        memcpy(&word, bytes, sizeof word);
        return dtype == OCLDNN_I32 ? (double)(int32_t)word : (double)word;
    }
}

/* ---- layout -------------------------------------------------------------------------------------------------------
 */

static void draw_strides(ocldnn_tensor *tensor, kit_layout layout)
{
    uint32_t order[OCLDNN_MAX_RANK], rank = tensor->rank;
    int64_t stride = 1;
    for (uint32_t i = 0; i < rank; i++)
        order[i] = rank - 1 - i; /* from the innermost on */
    for (uint32_t i = 0; layout == KIT_ANY && i + 1 < rank; i++) {
        uint32_t j = (uint32_t)kit_between(i, rank - 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (uint32_t i = 0; i < rank; i++) {
        tensor->strides[order[i]] = stride;
        stride *= tensor->shape[order[i]] > 0 ? tensor->shape[order[i]] : 1;
        if (layout != KIT_DENSE && kit_between(0, 2) == 0)
            stride += kit_between(1, 9);
    }
}

/* Where element `number` (row-major) lies, in elements from the tensor's first. */
static int64_t place_of(const ocldnn_tensor *tensor, int64_t number)
{
    int64_t place = 0;
    for (uint32_t axis = tensor->rank; axis-- > 0;) {
        place += number % tensor->shape[axis] * tensor->strides[axis];
        number /= tensor->shape[axis];
    }
    return place;
}

static unsigned char *element(const kit_tensor *tensor, int64_t number)
{
    size_t size = ocldnn_dtype_size((ocldnn_dtype)tensor->tensor.dtype);
    return tensor->image + ((size_t)place_of(&tensor->tensor, number) + tensor->tensor.offset) * size;
}

static kit_tensor *make(uint32_t dtype, kit_layout layout, uint32_t rank, const int64_t *shape)
{
    kit_tensor *made = calloc(1, sizeof *made);
    ocldnn_tensor *tensor;
    size_t size = ocldnn_dtype_size((ocldnn_dtype)dtype);
    int64_t last = 0;
    cl_int code;
    assert_non_null(made);
    tensor = &made->tensor;
    *tensor = ocldnn_tensor_dense(NULL, (ocldnn_dtype)dtype, rank, shape);
    draw_strides(tensor, layout);
    made->count = 1;
    for (uint32_t axis = 0; axis < rank; axis++) {
        made->count *= shape[axis];
        last += shape[axis] > 0 ? (shape[axis] - 1) * tensor->strides[axis] : 0;
    }
    tensor->offset = (uint64_t)(GUARD_BYTES + kit_between(0, 63));
    made->bytes = ((size_t)tensor->offset + (size_t)last + 1) * size + GUARD_BYTES;
    made->image = malloc(made->bytes);
    assert_non_null(made->image);
    memset(made->image, GUARD, made->bytes);
    made->values = kit_doubles(made->count);
    tensor->buffer = clCreateBuffer(kit.cl, CL_MEM_READ_WRITE, made->bytes, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    made->next = tensors;
    tensors = made;
    return made;
}

static void upload(kit_tensor *tensor)
{
    assert_int_equal(
        clEnqueueWriteBuffer(kit.queue, tensor->tensor.buffer, CL_TRUE, 0, tensor->bytes, tensor->image, 0, NULL, NULL),
        CL_SUCCESS);
}

void kit_write(kit_tensor *tensor)
{
    for (int64_t i = 0; i < tensor->count; i++) {
        tensor->values[i] = kit_round(tensor->tensor.dtype, tensor->values[i]);
        kit_encode(tensor->tensor.dtype, tensor->values[i], element(tensor, i));
    }
    upload(tensor);
}

void kit_poison(kit_tensor *tensor)
{
    bool real = tensor->tensor.dtype <= OCLDNN_BF16;
    for (int64_t i = 0; i < tensor->count; i++)
        kit_encode(tensor->tensor.dtype, real ? (double)NAN : 0xdb, element(tensor, i));
    upload(tensor);
}

kit_tensor *kit_values(uint32_t dtype, kit_layout layout, uint32_t rank, const int64_t *shape, const double *values)
{
    kit_tensor *made = make(dtype, layout, rank, shape);
    memcpy(made->values, values, (size_t)made->count * sizeof *values);
    kit_write(made);
    return made;
}

kit_tensor *kit_input(uint32_t dtype, kit_layout layout, kit_fill fill, uint32_t rank, const int64_t *shape)
{
    kit_tensor *made = make(dtype, layout, rank, shape);
    for (int64_t i = 0; i < made->count; i++) {
        double sum = kit_uniform(-1, 1) + kit_uniform(-1, 1) + kit_uniform(-1, 1);
        made->values[i] = fill == KIT_NORMAL     ? sum
                          : fill == KIT_INTEGERS ? (double)kit_between(-4, 4)
                          : fill == KIT_BITS     ? (double)kit_between(0, 1)
                                                 : 0.0;
    }
    kit_write(made);
    return made;
}

kit_tensor *kit_output(uint32_t dtype, kit_layout layout, uint32_t rank, const int64_t *shape)
{
    kit_tensor *made = make(dtype, layout, rank, shape);
    kit_poison(made);
    return made;
}

void kit_read(kit_tensor *tensor)
{
    size_t size = ocldnn_dtype_size((ocldnn_dtype)tensor->tensor.dtype);
    unsigned char *found = malloc(tensor->bytes), *image = tensor->image;
    assert_non_null(found);
    assert_int_equal(
        clEnqueueReadBuffer(kit.queue, tensor->tensor.buffer, CL_TRUE, 0, tensor->bytes, found, 0, NULL, NULL),
        CL_SUCCESS);
    for (int64_t i = 0; i < tensor->count; i++) {
        unsigned char *place = element(tensor, i);
        memcpy(place, found + (place - image), size);
        tensor->values[i] = kit_decode(tensor->tensor.dtype, place);
    }
    for (size_t byte = 0; byte < tensor->bytes; byte++) {
        if (found[byte] != image[byte]) {
            unsigned char wrong = found[byte];
            free(found);
            fail_msg("byte %zu of %zu is not the tensor's, but was changed to 0x%02x", byte, tensor->bytes, wrong);
        }
    }
    free(found);
}
