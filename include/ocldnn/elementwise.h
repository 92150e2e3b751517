/* SPDX-License-Identifier: Apache-2.0
 *
 * Activations, sums and products, gated products.
 *
 * Common to all: F32, F16 and BF16; all tensors of one call have the same dtype; arithmetic is F32, rounded once.
 * Any strides. The output has the broadcast shape; it may be exactly one of the inputs (in place), any other overlap is
 * OCLDNN_INVALID_BUFFER. Inputs broadcast like numpy's: shapes are aligned at the last axis, missing leading axes and
 * axes of length 1 repeat. An empty output succeeds and does nothing.
 */
#ifndef OCLDNN_ELEMENTWISE_H
#define OCLDNN_ELEMENTWISE_H

#include <ocldnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Also the choices of linear's epilogue. alpha is a parameter of the call (0 = the default given here). */
typedef enum ocldnn_activation_kind {
    OCLDNN_IDENTITY = 0,
    OCLDNN_RELU = 1,      /* max(x, 0); NaN stays NaN */
    OCLDNN_GELU = 2,      /* x/2 * (1 + erf(x / sqrt(2)))                 (Hendrycks and Gimpel 2016) */
    OCLDNN_GELU_TANH = 3, /* x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) */
    OCLDNN_SILU = 4,      /* x * sigmoid(alpha * x), alpha default 1      (swish) */
    OCLDNN_SIGMOID = 5,   /* 1 / (1 + exp(-x)) */
    OCLDNN_TANH = 6,
    OCLDNN_HARDSWISH = 7,  /* x * clamp(x/6 + 1/2, 0, 1)                   (Howard et al. 2019) */
    OCLDNN_LEAKY_RELU = 8, /* x < 0 ? alpha * x : x, alpha default 0.01 */
    OCLDNN_SOFTPLUS = 9    /* log(1 + exp(x)) */
} ocldnn_activation_kind;

/* y = f(x) */
typedef struct ocldnn_activation {
    ocldnn_tensor input;
    ocldnn_tensor output;
    uint32_t kind; /* ocldnn_activation_kind */
    float alpha;   /* finite; 0 = the kind's default */
} ocldnn_activation;
OCLDNN_DECLARE_VERBS(activation);

typedef enum ocldnn_binary_kind { OCLDNN_ADD = 0, OCLDNN_MUL = 1 } ocldnn_binary_kind;

/* y = a + b or y = a * b */
typedef struct ocldnn_binary {
    ocldnn_tensor a;
    ocldnn_tensor b;
    ocldnn_tensor output;
    uint32_t kind; /* ocldnn_binary_kind */
} ocldnn_binary;
OCLDNN_DECLARE_VERBS(binary);

/* y = f(gate) * up: SwiGLU with SILU, GeGLU with GELU (Shazeer 2020). Halves of one buffer are two strided views. */
typedef struct ocldnn_gated {
    ocldnn_tensor gate;
    ocldnn_tensor up;
    ocldnn_tensor output;
    uint32_t kind; /* ocldnn_activation_kind, of the gate */
    float alpha;   /* finite; 0 = the kind's default */
} ocldnn_gated;
OCLDNN_DECLARE_VERBS(gated);

#ifdef __cplusplus
}
#endif

#endif
