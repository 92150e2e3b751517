/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that are declared but may not be there yet.
 */
#ifndef VECTORS_PENDING_H
#define VECTORS_PENDING_H
#pragma weak ocldnn_softmax_run
#pragma weak ocldnn_l2_norm_run
#pragma weak ocldnn_layer_norm_run
#pragma weak ocldnn_linear_run
#pragma weak ocldnn_matmul_run
#pragma weak ocldnn_binary_run
#pragma weak ocldnn_activation_run
#pragma weak ocldnn_gated_run
#pragma weak ocldnn_attention_run
#endif
