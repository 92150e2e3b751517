/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX activations.
 */
#include "runner.h"

#include <string.h>

bool run_gelu(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *input = &test->inputs[0];
    ocldnn_dtype type = float_dtype(r, input);
    ocldnn_activation op = {.kind = strcmp(case_text(test, "approximate", "none"), "tanh") == 0 ? OCLDNN_GELU_TANH
                                                                                                : OCLDNN_GELU};
    if (!type)
        return false;
    op.input = upload(r, input, type);
    op.output = room(r, type, input->rank, input->shape);
    if (!RUN(r, activation, &op))
        return false;
    results[0] = download(r, op.output);
    return true;
}

bool run_swiglu(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    const value *gate = &test->inputs[0];
    ocldnn_dtype type = float_dtype(r, gate);
    ocldnn_gated op = {.kind = OCLDNN_SILU, .alpha = (float)case_number(test, "alpha", 1)};
    if (!type)
        return false;
    op.gate = upload(r, gate, type);
    op.up = upload(r, &test->inputs[1], type);
    op.output = room(r, type, gate->rank, gate->shape);
    if (!RUN(r, gated, &op))
        return false;
    results[0] = download(r, op.output);
    return true;
}
