/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX matrix products.
 */
#include "runner.h"

/* y = x W^T + c or x W + c: what a linear layer is. */
static bool as_linear(runner *r, const test_case *test, ocldnn_dtype type, value *result)
{
    const value *a = &test->inputs[0], *b = &test->inputs[1], *c = &test->inputs[2];
    bool transposed = case_number(test, "transB", 0) != 0;
    value bias = value_reshape(*c, 1, &c->count);
    ocldnn_linear op = {.layout = transposed ? OCLDNN_WEIGHT_NK : OCLDNN_WEIGHT_KN};
    op.input = upload(r, a, type);
    op.weight = upload(r, b, type);
    op.bias = upload_same(r, &bias);
    op.output = room(r, type, 2, (int64_t[]){a->shape[0], b->shape[transposed ? 0 : 1]});
    if (!RUN(r, linear, &op))
        return false;
    *result = download(r, op.output);
    return true;
}

/* alpha is matmul's; beta is multiplied into C here, and C added by a broadcasting add. */
static bool as_matmul(runner *r, const test_case *test, ocldnn_dtype type, value *result)
{
    const value *a = &test->inputs[0], *b = &test->inputs[1], *c = &test->inputs[2];
    ocldnn_matmul op = {.transpose_a = case_number(test, "transA", 0) != 0,
                        .transpose_b = case_number(test, "transB", 0) != 0,
                        .alpha = (float)case_number(test, "alpha", 1)};
    ocldnn_binary add = {.kind = OCLDNN_ADD};
    op.a = upload(r, a, type);
    op.b = upload(r, b, type);
    op.output = room(r, type, 2, (int64_t[]){a->shape[op.transpose_a], b->shape[!op.transpose_b]});
    if (!RUN(r, matmul, &op))
        return false;
    if (c->present) {
        value scaled = value_new(r, c->type, c->rank, c->shape);
        for (int64_t i = 0; i < c->count; i++)
            scaled.data[i] = c->data[i] * case_number(test, "beta", 1);
        add.a = op.output;
        add.b = upload(r, &scaled, type);
        add.output = op.output;
        if (!RUN(r, binary, &add))
            return false;
    }
    *result = download(r, op.output);
    return true;
}

bool run_gemm(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *b = &test->inputs[1], *c = &test->inputs[2];
    ocldnn_dtype type = float_dtype(r, &test->inputs[0]);
    int64_t n = b->shape[case_number(test, "transB", 0) != 0 ? 0 : 1];
    bool plain =
        case_number(test, "alpha", 1) == 1 && case_number(test, "beta", 1) == 1 && case_number(test, "transA", 0) == 0;
    bool vector = c->present && c->count == n && c->rank >= 1 && c->shape[c->rank - 1] == n;
    if (!type)
        return false;
    if (plain && (vector || !c->present))
        return as_linear(r, test, type, &results[0]);
    return as_matmul(r, test, type, &results[0]);
}

/* A vector on the left is a row, on the right a column; the axis of length 1 leaves the result again. */
bool run_matmul(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    value a = test->inputs[0], b = test->inputs[1];
    ocldnn_dtype type = float_dtype(r, &a);
    bool row = a.rank == 1, column = b.rank == 1;
    int64_t shape[MAX_RANK], kept[MAX_RANK];
    uint32_t rank, left = 0;
    ocldnn_matmul op = {.a = {0}};
    if (!type)
        return false;
    if (row)
        a = value_reshape(a, 2, (int64_t[]){1, a.count});
    if (column)
        b = value_reshape(b, 2, (int64_t[]){b.count, 1});
    rank = a.rank > b.rank ? a.rank : b.rank;
    for (uint32_t i = 0; i + 2 < rank; i++) { /* leading axes broadcast, aligned at the last */
        int64_t mine = i + a.rank >= rank ? a.shape[i + a.rank - rank] : 1;
        shape[i] = mine != 1 || i + b.rank < rank ? mine : b.shape[i + b.rank - rank];
    }
    shape[rank - 2] = a.shape[a.rank - 2];
    shape[rank - 1] = b.shape[b.rank - 1];
    op.a = upload(r, &a, type);
    op.b = upload(r, &b, type);
    op.output = room(r, type, rank, shape);
    if (!RUN(r, matmul, &op))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (!(row && i == rank - 2) && !(column && i == rank - 1))
            kept[left++] = shape[i];
    results[0] = value_reshape(download(r, op.output), left, kept);
    return true;
}
