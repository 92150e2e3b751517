/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for operators that the library does not have yet, so that the command links before they land. An entry goes
 * when its operator comes; weak, so that coming first breaks nothing.
 */
#include "operators.h"

#include <ocldnn/ocldnn.h>

static ocldnn_status check(const void *op, od_plan *plan, void *problem)
{
    (void)op;
    (void)plan;
    (void)problem;
    return od_fail(OCLDNN_UNSUPPORTED, "this version does not have the operator yet");
}

#define PENDING(NAME) __attribute__((weak)) const od_operator od_operator_##NAME = {#NAME, check, NULL, 0, 1};

PENDING(activation)
PENDING(binary)
PENDING(gated)
PENDING(l2_norm)
PENDING(layer_norm)
PENDING(linear)
PENDING(matmul)
PENDING(softmax)

__attribute__((weak)) ocldnn_status ocldnn_linear_pack_layout(ocldnn_context *context, const ocldnn_tensor *weight,
                                                              uint32_t layout, ocldnn_packed_weight *packed)
{
    (void)context;
    (void)weight;
    (void)layout;
    (void)packed;
    return check(NULL, NULL, NULL);
}

__attribute__((weak)) ocldnn_status ocldnn_linear_pack_run(ocldnn_context *context, const ocldnn_linear_pack *op,
                                                           const ocldnn_exec *exec)
{
    (void)context;
    (void)op;
    (void)exec;
    return check(NULL, NULL, NULL);
}
