/* SPDX-License-Identifier: Apache-2.0
 *
 * Every operator there is, for what goes through all of them: the command, the program list, the tests.
 */
#ifndef OD_OPS_OPERATORS_H
#define OD_OPS_OPERATORS_H

#include "base/operator.h"

/* X(name): od_operator_name plans the operator ocldnn_name. */
#define OD_OPERATORS(X)                                                                                                \
    X(activation)                                                                                                      \
    X(attention)                                                                                                       \
    X(binary)                                                                                                          \
    X(embedding)                                                                                                       \
    X(gated)                                                                                                           \
    X(l2_norm)                                                                                                         \
    X(layer_norm)                                                                                                      \
    X(linear)                                                                                                          \
    X(linear_pack)                                                                                                     \
    X(matmul)                                                                                                          \
    X(mean_pool)                                                                                                       \
    X(rms_norm)                                                                                                        \
    X(rotary)                                                                                                          \
    X(softmax)                                                                                                         \
    X(top_k)

#define OD_DECLARE_OPERATOR(NAME) extern const od_operator od_operator_##NAME;
OD_OPERATORS(OD_DECLARE_OPERATOR)
#undef OD_DECLARE_OPERATOR

#endif
