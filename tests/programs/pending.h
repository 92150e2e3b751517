/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators' tables; some may not be there yet.
 */
#ifndef PROGRAMS_PENDING_H
#define PROGRAMS_PENDING_H

#include "base/operator.h"

#define PENDING(NAME) extern const od_operator od_operator_##NAME __attribute__((weak))
PENDING(rms_norm);
PENDING(layer_norm);
PENDING(softmax);
PENDING(l2_norm);
PENDING(linear);
PENDING(linear_pack);
PENDING(matmul);
PENDING(activation);
PENDING(binary);
PENDING(gated);
PENDING(embedding);
PENDING(rotary);
PENDING(mean_pool);
PENDING(top_k);
PENDING(attention);
#define THERE(NAME) (&od_operator_##NAME != NULL)

#endif
