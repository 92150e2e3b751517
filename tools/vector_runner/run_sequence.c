/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX RotaryEmbedding and TopK.
 */
#include "runner.h"

/* [B, T, H * D] seen as [B, H, T, D]; a tensor of rank 4 as it is. */
static ocldnn_tensor heads_first(ocldnn_tensor tensor, int64_t heads)
{
    int64_t batch = tensor.shape[0], steps = tensor.shape[1], width = tensor.shape[2];
    if (tensor.rank == 4)
        return tensor;
    tensor = ocldnn_tensor_dense(tensor.buffer, (ocldnn_dtype)tensor.dtype, 4,
                                 (int64_t[]){batch, heads, steps, width / heads});
    tensor.strides[0] = steps * width;
    tensor.strides[1] = width / heads;
    tensor.strides[2] = width;
    tensor.strides[3] = 1;
    return tensor;
}

bool run_rotary(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0], *positions = &test->inputs[3];
    ocldnn_dtype type = float_dtype(r, input);
    int64_t heads = (int64_t)case_number(test, "num_heads", 1);
    ocldnn_tensor output;
    ocldnn_rotary op = {.width = (uint32_t)case_number(test, "rotary_embedding_dim", 0),
                        .interleaved = case_number(test, "interleaved", 0) != 0};
    if (!type)
        return false;
    output = room(r, type, input->rank, input->shape);
    op.input = heads_first(upload(r, input, type), heads);
    op.output = heads_first(output, heads);
    op.cosine = upload_same(r, &test->inputs[1]);
    op.sine = upload_same(r, &test->inputs[2]);
    if (positions->present)
        op.positions = upload(r, positions, OCLDNN_U32);
    if (!RUN(r, rotary, &op))
        return false;
    results[0] = download(r, output);
    return true;
}

bool run_top_k(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0];
    /* F32 holds the published integers exactly. */
    bool integers = input->type == DTYPE_I64 || input->type == DTYPE_U8;
    ocldnn_dtype type = integers ? OCLDNN_F32 : float_dtype(r, input);
    uint32_t axis = axis_of(test, input, -1);
    ocldnn_top_k op = {.smallest = case_number(test, "largest", 1) == 0};
    value x;
    if (!type)
        return false;
    x = value_axis_to_end(r, *input, axis);
    op.input = upload(r, &x, type);
    x.shape[x.rank - 1] = (int64_t)test->inputs[1].data[0];
    op.values = room(r, type, x.rank, x.shape);
    op.indices = room(r, OCLDNN_U32, x.rank, x.shape);
    if (!RUN(r, top_k, &op))
        return false;
    results[0] = value_end_to_axis(r, download(r, op.values), axis);
    results[1] = value_end_to_axis(r, download(r, op.indices), axis);
    results[1].type = DTYPE_I64; /* indices have to be equal */
    return true;
}
