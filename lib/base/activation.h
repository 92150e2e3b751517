/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameter of an activation, as kernels take it.
 */
#ifndef OD_BASE_ACTIVATION_H
#define OD_BASE_ACTIVATION_H

#include <ocldnn/elementwise.h>

enum { OD_ACTIVATIONS = OCLDNN_SOFTPLUS + 1 };

/* A call's alpha, or the kind's default where it is 0. */
static inline float od_activation_alpha(uint32_t kind, float alpha)
{
    if (alpha != 0.0f)
        return alpha;
    return kind == OCLDNN_LEAKY_RELU ? 0.01f : 1.0f;
}

#endif
