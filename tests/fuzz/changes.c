/* SPDX-License-Identifier: Apache-2.0
 *
 * From a good struct to others, some of them bad.
 */
#include "fuzz.h"
#include "ops/operators.h"

#include <string.h>

enum { FEWEST_OPTION = 16 /* smaller numbers among the options are no lengths */, MOST_LENGTHS = 32 };

uint64_t fuzz_take(fuzz_input *in, int bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < bytes && in->left > 0; i++, in->left--)
        number |= (uint64_t)*in->bytes++ << (8 * i);
    return number;
}

ocldnn_packed_weight *fuzz_packed(fuzz_problem *p)
{
    if (p->kind == &od_operator_linear)
        return (ocldnn_packed_weight *)(void *)(p->op.bytes + offsetof(ocldnn_linear, packed));
    if (p->kind == &od_operator_linear_pack)
        return (ocldnn_packed_weight *)(void *)(p->op.bytes + offsetof(ocldnn_linear_pack, packed));
    return NULL;
}

static bool is_there(const ocldnn_tensor *tensor)
{
    return tensor->dtype != OCLDNN_ABSENT && tensor->rank <= OCLDNN_MAX_RANK;
}

/* ---- lengths wherever they occur --------------------------------------------------------------------------------- */

static uint32_t first_option(const fuzz_problem *p)
{
    return (uint32_t)(p->tensors * sizeof(ocldnn_tensor) / sizeof(uint32_t));
}

/* Lengths are also found in packed weights and among the options (a rotary's width). Those already changed are set
 * apart by their sign. */
static void replace(fuzz_problem *p, int64_t old, int64_t new)
{
    ocldnn_packed_weight *packed = fuzz_packed(p);
    for (uint32_t t = 0; t < p->tensors; t++)
        for (uint32_t axis = 0; axis < OCLDNN_MAX_RANK; axis++)
            if (p->op.tensors[t].shape[axis] == old)
                p->op.tensors[t].shape[axis] = new;
    if (packed) {
        packed->n = packed->n == old ? new : packed->n;
        packed->k = packed->k == old ? new : packed->k;
        return;
    }
    for (uint32_t w = first_option(p); w < p->bytes / sizeof(uint32_t); w++)
        if ((int32_t)p->op.words[w] == old && (old >= FEWEST_OPTION || old < 0))
            p->op.words[w] = (uint32_t) new;
}

void fuzz_shrink(fuzz_input *in, fuzz_problem *p)
{
    static const uint8_t lengths[] = {4, 1, 2, 3, 5, 6, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 128, 0};
    int64_t new[MOST_LENGTHS];
    int found = 0;
    for (uint32_t t = 0; t < p->tensors; t++)
        for (uint32_t axis = 0; is_there(&p->op.tensors[t]) && axis < p->op.tensors[t].rank; axis++) {
            int64_t old = p->op.tensors[t].shape[axis];
            if (old <= 1 || found == MOST_LENGTHS)
                continue;
            new[found++] = lengths[fuzz_take(in, 1) % sizeof lengths];
            replace(p, old, -found);
        }
    for (int i = 0; i < found; i++)
        replace(p, -1 - i, new[i]);
}

/* ---- one field --------------------------------------------------------------------------------------------------- */

static int64_t length(fuzz_input *in)
{
    static const int64_t odd[] = {0,         1,         2,         3,         4,         5,         7,
                                  8,         9,         15,        16,        17,        24,        31,
                                  32,        33,        63,        64,        65,        127,       128,
                                  129,       255,       256,       257,       1000,      1023,      1024,
                                  1025,      4095,      4096,      4097,      32000,     65535,     65536,
                                  1 << 24,   INT32_MAX, -1,        -2,        INT64_MAX, 1ll << 31, (1ll << 31) - 64,
                                  1ll << 32, 1ll << 33, 1ll << 61, 1ll << 62, INT64_MIN, INT32_MIN};
    uint64_t at = fuzz_take(in, 1);
    return at < sizeof odd / sizeof *odd ? odd[at] : (int64_t)at;
}

static uint32_t option(fuzz_input *in)
{
    static const uint32_t odd[] = {
        0,          1,          2,          3,          4,          5,          6,          7,
        8,          9,          10,         16,         255,        UINT32_MAX, 0x80000000, 0x3f800000,
        0xbf800000, 0x3f000000, 0x3727c5ac, 0x41200000, 0x00000001, /* -0, 1, -1, 1/2, 1e-5, 10 */
        0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x461c4000 /* infinite, NaN, the largest, 10000 */};
    return odd[fuzz_take(in, 1) % (sizeof odd / sizeof *odd)];
}

/* Spells out dense strides, with two axes exchanged in memory and rows further apart. */
static void spell_strides(ocldnn_tensor *tensor, uint32_t a, uint32_t b, int64_t apart)
{
    int64_t stride = 1;
    for (uint32_t i = 0; is_there(tensor) && i < tensor->rank; i++) {
        uint32_t axis = tensor->rank - 1 - i, lies = axis == a ? b : axis == b ? a : axis;
        tensor->strides[lies] = stride;
        if (__builtin_mul_overflow(stride, tensor->shape[lies], &stride))
            stride = INT64_MAX;
        if (i == 0 && __builtin_add_overflow(stride, apart, &stride))
            stride = INT64_MAX;
    }
}

static void change_dtype_everywhere(fuzz_problem *p, uint32_t old, uint32_t new)
{
    ocldnn_packed_weight *packed = fuzz_packed(p);
    for (uint32_t t = 0; t < p->tensors; t++)
        if (p->op.tensors[t].dtype == old && old != OCLDNN_ABSENT)
            p->op.tensors[t].dtype = new;
    if (packed && packed->dtype == old)
        packed->dtype = new;
}

static void change_buffer(fuzz_input *in, ocldnn_tensor *tensor, const cl_mem *buffers)
{
    uint64_t which = fuzz_take(in, 1) % (FUZZ_BUFFERS + 1);
    tensor->buffer = buffers && which < FUZZ_BUFFERS ? buffers[which] : NULL;
}

/* The kinds of change of a tensor. */
enum {
    LENGTH_EVERYWHERE,
    LENGTH,
    STRIDE,
    STRIDES,
    OFFSET,
    DTYPE,
    DTYPE_EVERYWHERE,
    RANK,
    BUFFER,
    COPY,
    REMOVE,
    TENSOR_CHANGES
};

static void change_tensor(fuzz_input *in, fuzz_problem *p, uint64_t how, const cl_mem *buffers)
{
    ocldnn_tensor *tensor = &p->op.tensors[fuzz_take(in, 1) % p->tensors], *other;
    cl_mem own = tensor->buffer;
    uint64_t axes = fuzz_take(in, 1);
    uint32_t a = axes % OCLDNN_MAX_RANK, b = axes / OCLDNN_MAX_RANK % OCLDNN_MAX_RANK;
    switch (how) {
    case LENGTH_EVERYWHERE:
        replace(p, tensor->shape[a], length(in));
        break;
    case LENGTH:
        tensor->shape[a] = length(in);
        break;
    case STRIDE:
        tensor->strides[a] = length(in);
        break;
    case STRIDES:
        spell_strides(tensor, a, b, (int64_t)fuzz_take(in, 1));
        break;
    case OFFSET:
        tensor->offset = (uint64_t)length(in);
        break;
    case DTYPE:
        tensor->dtype = (uint32_t)fuzz_take(in, 1) % 8;
        break;
    case DTYPE_EVERYWHERE:
        change_dtype_everywhere(p, tensor->dtype, OCLDNN_F32 + (uint32_t)fuzz_take(in, 1) % 3);
        break;
    case RANK:
        tensor->rank = (uint32_t)fuzz_take(in, 1) % (OCLDNN_MAX_RANK + 2);
        break;
    case BUFFER:
        change_buffer(in, tensor, buffers);
        break;
    case COPY:
        other = &p->op.tensors[a % p->tensors];
        *tensor = *other;
        if (own && b != 0) /* else they are the same tensor */
            tensor->buffer = own;
        break;
    default:
        memset(tensor, 0, sizeof *tensor);
        break;
    }
}

void fuzz_change(fuzz_input *in, fuzz_problem *p, const cl_mem *buffers)
{
    uint32_t options = first_option(p), words = (uint32_t)(p->bytes / sizeof(uint32_t));
    while (in->left > 0) {
        uint64_t how = fuzz_take(in, 1) % (TENSOR_CHANGES + 5);
        if (how < TENSOR_CHANGES)
            change_tensor(in, p, how, buffers);
        else if (how < TENSOR_CHANGES + 4 && options < words)
            p->op.words[options + fuzz_take(in, 1) % (words - options)] = option(in);
        else
            p->op.bytes[fuzz_take(in, 2) % p->bytes] = (unsigned char)fuzz_take(in, 1);
    }
}
