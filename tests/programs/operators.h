/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators' tables.
 */
#ifndef PROGRAMS_OPERATORS_H
#define PROGRAMS_OPERATORS_H

#include "base/operator.h"

#define TABLE(NAME) extern const od_operator od_operator_##NAME
TABLE(rms_norm);
TABLE(layer_norm);
TABLE(softmax);
TABLE(l2_norm);
TABLE(linear);
TABLE(linear_pack);
TABLE(matmul);
TABLE(activation);
TABLE(binary);
TABLE(gated);
TABLE(embedding);
TABLE(rotary);
TABLE(mean_pool);
TABLE(top_k);
TABLE(attention);

#endif
