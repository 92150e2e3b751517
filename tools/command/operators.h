/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators' tables (lib/ops/): the command plans and runs them without the typed verbs in between.
 */
#ifndef OD_COMMAND_OPERATORS_H
#define OD_COMMAND_OPERATORS_H

#include "base/operator.h"

extern const od_operator od_operator_activation, od_operator_attention, od_operator_binary, od_operator_embedding,
    od_operator_gated, od_operator_l2_norm, od_operator_layer_norm, od_operator_linear, od_operator_linear_pack,
    od_operator_matmul, od_operator_mean_pool, od_operator_rms_norm, od_operator_rotary, od_operator_softmax,
    od_operator_top_k;

#endif
