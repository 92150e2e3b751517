/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX normalizations. Those over an axis that is not the last take their transpose there and back on the host.
 */
#include "runner.h"

#include <string.h>

bool run_softmax(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0];
    ocldnn_dtype type = float_dtype(r, input);
    uint32_t axis = axis_of(test, input, -1);
    value x;
    ocldnn_softmax op = {.logarithm = strcmp(test->op, "LogSoftmax") == 0};
    if (!type)
        return false;
    x = value_axis_to_end(r, *input, axis);
    op.input = upload(r, &x, type);
    op.output = room(r, type, x.rank, x.shape);
    if (!RUN(r, softmax, &op))
        return false;
    results[0] = value_end_to_axis(r, download(r, op.output), axis);
    return true;
}

bool run_lp_norm(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0];
    ocldnn_dtype type = float_dtype(r, input);
    uint32_t axis = axis_of(test, input, -1);
    ocldnn_l2_norm op = {.epsilon = 1e-20f}; /* ONNX has none */
    value x;
    if (!type)
        return false;
    if ((int)case_number(test, "p", 2) != 2)
        return runner_skip(r, "no operator for LpNormalization with p = %d", (int)case_number(test, "p", 2));
    x = value_axis_to_end(r, *input, axis);
    op.input = upload(r, &x, type);
    op.output = room(r, type, x.rank, x.shape);
    if (!RUN(r, l2_norm, &op))
        return false;
    results[0] = value_end_to_axis(r, download(r, op.output), axis);
    return true;
}

/* ONNX normalizes over all axes from `axis` on: one long last axis. The shape of the statistics comes out too. */
static value as_rows(const value *input, uint32_t axis, int64_t statistics[MAX_RANK])
{
    int64_t shape[2] = {1, 1};
    for (uint32_t i = 0; i < input->rank; i++) {
        shape[i >= axis] *= input->shape[i];
        statistics[i] = i >= axis ? 1 : input->shape[i];
    }
    return value_reshape(*input, 2, shape);
}

static value as_vector(const value *input)
{
    return value_reshape(*input, 1, &input->count);
}

bool run_layer_norm(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0];
    ocldnn_dtype type = float_dtype(r, input);
    int64_t statistics[MAX_RANK];
    value x = as_rows(input, axis_of(test, input, -1), statistics), gamma = as_vector(&test->inputs[1]),
          beta = as_vector(&test->inputs[2]);
    ocldnn_layer_norm op = {.epsilon = (float)case_number(test, "epsilon", 1e-5)};
    if (!type)
        return false;
    op.input = upload(r, &x, type);
    op.gamma = upload_same(r, &gamma);
    op.beta = upload_same(r, &beta);
    op.output = room(r, type, x.rank, x.shape);
    op.mean = room(r, OCLDNN_F32, 1, x.shape);
    op.rstd = room(r, OCLDNN_F32, 1, x.shape);
    if (!RUN(r, layer_norm, &op))
        return false;
    results[0] = value_reshape(download(r, op.output), input->rank, input->shape);
    results[1] = value_reshape(download(r, op.mean), input->rank, statistics);
    results[2] = value_reshape(download(r, op.rstd), input->rank, statistics);
    return true;
}

bool run_rms_norm(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0];
    ocldnn_dtype type = float_dtype(r, input);
    int64_t statistics[MAX_RANK];
    value x = as_rows(input, axis_of(test, input, -1), statistics), gamma = as_vector(&test->inputs[1]);
    ocldnn_rms_norm op = {.epsilon = (float)case_number(test, "epsilon", 1e-5)};
    if (!type)
        return false;
    op.input = upload(r, &x, type);
    op.gamma = upload_same(r, &gamma);
    op.output = room(r, type, x.rank, x.shape);
    if (!RUN(r, rms_norm, &op))
        return false;
    results[0] = value_reshape(download(r, op.output), input->rank, input->shape);
    return true;
}

/* Over the batch and the positions of each channel (the default axes): layer_norm of the channels as rows. */
bool run_mean_variance(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0];
    ocldnn_dtype type = float_dtype(r, input);
    static const uint32_t channels_first[4] = {1, 0, 2, 3};
    ocldnn_layer_norm op = {.epsilon = 1e-9f};
    value x, y;
    if (!type)
        return false;
    if (input->rank != 4 || test->attribute_count)
        return runner_skip(r, "MeanVarianceNormalization over other axes than 0, 2 and 3 of 4");
    x = value_permute(r, *input, channels_first);
    y = value_reshape(x, 2, (int64_t[]){x.shape[0], x.count / x.shape[0]});
    op.input = upload(r, &y, type);
    op.output = room(r, type, 2, y.shape);
    if (!RUN(r, layer_norm, &op))
        return false;
    results[0] = value_permute(r, value_reshape(download(r, op.output), 4, x.shape), channels_first);
    return true;
}
