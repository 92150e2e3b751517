/* SPDX-License-Identifier: Apache-2.0
 *
 * The case list whose programs are compiled offline and held against the kernels' own parameter lines.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "base/operator.h"

#include <ocldnn/ocldnn.h>

/* Plans op on the device at hand and prints the programs. A strategy that cannot run there prints nothing; any other
 * refusal is a mistake in the case list and ends the program. */
void list(const od_operator *kind, const void *op);

/* A dense tensor without a buffer: shape is given as its sizes. */
ocldnn_tensor dense(uint32_t dtype, uint32_t rank, ...);

const od_device *device_at_hand(void);

/* Called for each device. */
void list_normalization(void);
void list_elementwise(void);
void list_sequence(void);
void list_linear(void);
void list_attention(void);

#define FOR_EACH_FLOAT(type) for (uint32_t type = OCLDNN_F32; type <= OCLDNN_BF16; type++)

#endif
