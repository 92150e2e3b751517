/* SPDX-License-Identifier: Apache-2.0
 *
 * Values on the host in other shapes: what ONNX says by attributes and oclDNN by the order of the axes.
 */
#include "runner.h"

#include <string.h>

value value_reshape(value from, uint32_t rank, const int64_t *shape)
{
    memmove(from.shape, shape, rank * sizeof *shape);
    from.rank = rank;
    return from;
}

value value_permute(runner *r, value from, const uint32_t *order)
{
    int64_t shape[MAX_RANK], strides[MAX_RANK], stride = 1;
    value to;
    for (uint32_t axis = from.rank; axis-- > 0; stride *= from.shape[axis])
        strides[axis] = stride;
    for (uint32_t axis = 0; axis < from.rank; axis++)
        shape[axis] = from.shape[order[axis]];
    to = value_new(r, from.type, from.rank, shape);
    for (int64_t i = 0; i < to.count; i++) {
        int64_t rest = i, source = 0;
        for (uint32_t axis = to.rank; axis-- > 0; rest /= shape[axis])
            source += rest % shape[axis] * strides[order[axis]];
        to.data[i] = from.data[source];
    }
    return to;
}

value value_axis_to_end(runner *r, value from, uint32_t axis)
{
    uint32_t order[MAX_RANK], n = 0;
    for (uint32_t i = 0; i < from.rank; i++)
        if (i != axis)
            order[n++] = i;
    order[n] = axis;
    return value_permute(r, from, order);
}

value value_end_to_axis(runner *r, value from, uint32_t axis)
{
    uint32_t order[MAX_RANK];
    for (uint32_t i = 0; i < from.rank; i++)
        order[i] = i < axis ? i : i == axis ? from.rank - 1 : i - 1;
    return value_permute(r, from, order);
}

value value_join(runner *r, value a, value b, uint32_t axis)
{
    int64_t shape[MAX_RANK], outer = 1, inner_a = 1, inner_b = 1;
    value to;
    memcpy(shape, a.shape, sizeof shape);
    shape[axis] += b.shape[axis];
    to = value_new(r, a.type, a.rank, shape);
    for (uint32_t i = 0; i < axis; i++)
        outer *= shape[i];
    for (uint32_t i = axis; i < a.rank; i++) {
        inner_a *= a.shape[i];
        inner_b *= b.shape[i];
    }
    for (int64_t i = 0; i < outer; i++) {
        double *row = to.data + i * (inner_a + inner_b);
        memcpy(row, a.data + i * inner_a, (size_t)inner_a * sizeof *row);
        memcpy(row + inner_a, b.data + i * inner_b, (size_t)inner_b * sizeof *row);
    }
    return to;
}
