/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalization and softmax over the last axis.
 *
 * Common to all: `input` has any rank >= 1 and shape [.., H]; the leading axes may have any strides, the last one must
 * be contiguous (stride 1, or H == 1). `output` has the same shape and the same dtype. output may be exactly the input
 * (same buffer, offset and strides: in place), or the residual; any other overlap is OCLDNN_INVALID_BUFFER. F32, F16
 * and BF16; statistics and arithmetic are F32, rounded once at the end. H = 0 is OCLDNN_INVALID_SHAPE; zero rows
 * succeed and do nothing. A row's result does not depend on the other rows. Optional tensors are absent when their
 * dtype is 0.
 */
#ifndef OCLDNN_NORMALIZATION_H
#define OCLDNN_NORMALIZATION_H

#include <ocldnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y = (gamma_offset + gamma) * x / sqrt(mean(x^2) + epsilon)                    (Zhang and Sennrich 2019, eq. 4)
 * With residual: r = x + residual is rounded to the dtype, stored to residual_output if given, and normalized. */
typedef struct ocldnn_rms_norm {
    ocldnn_tensor input;           /* [.., H] */
    ocldnn_tensor gamma;           /* [H], F32 or the input's dtype; optional (1) */
    ocldnn_tensor residual;        /* [.., H], the input's dtype; optional */
    ocldnn_tensor output;          /* [.., H] */
    ocldnn_tensor residual_output; /* [.., H]; optional, needs residual; may be exactly residual or input */
    ocldnn_tensor rstd;            /* [..] F32, 1 / sqrt(mean + epsilon), for the backward pass; optional */
    float epsilon;                 /* finite and > 0 */
    float gamma_offset;            /* 0, or 1 for models that store gamma - 1 (Gemma) */
} ocldnn_rms_norm;
OCLDNN_DECLARE_VERBS(rms_norm);

/* y = gamma * (x - mean) / sqrt(variance + epsilon) + beta, variance over H (biased)   (Ba, Kiros, Hinton 2016, eq.
 * 3-4) The variance is the mean of squared distances from the mean, never E[x^2] - E[x]^2. residual as in rms_norm. */
typedef struct ocldnn_layer_norm {
    ocldnn_tensor input;           /* [.., H] */
    ocldnn_tensor gamma;           /* [H], F32 or the input's dtype; optional (1) */
    ocldnn_tensor beta;            /* [H], gamma's dtype (if both are there); optional (0) */
    ocldnn_tensor residual;        /* [.., H], the input's dtype; optional */
    ocldnn_tensor output;          /* [.., H] */
    ocldnn_tensor residual_output; /* [.., H]; optional, needs residual; may be exactly residual or input */
    ocldnn_tensor mean;            /* [..] F32; optional */
    ocldnn_tensor rstd;            /* [..] F32; optional */
    float epsilon;                 /* finite and > 0 */
} ocldnn_layer_norm;
OCLDNN_DECLARE_VERBS(layer_norm);

/* y = exp(s) / sum(exp(s)), s = scale * x + mask; with logarithm: y = s - log(sum(exp(s))).
 * A row of only -inf, or one that holds NaN or +inf, gives NaN in the whole row: softmax of nothing is undefined. */
typedef struct ocldnn_softmax {
    ocldnn_tensor input;  /* [.., H] */
    ocldnn_tensor mask;   /* added; broadcastable to the input's shape, same rank; F32 or the input's dtype; optional */
    ocldnn_tensor output; /* [.., H] */
    float scale;          /* finite; 0 means 1 */
    uint32_t logarithm;   /* 1 = log-softmax */
} ocldnn_softmax;
OCLDNN_DECLARE_VERBS(softmax);

/* y = x / sqrt(sum(x^2) + epsilon): unit-length keys, queries and embeddings. */
typedef struct ocldnn_l2_norm {
    ocldnn_tensor input;  /* [.., H] */
    ocldnn_tensor output; /* [.., H] */
    float epsilon;        /* finite and > 0 */
} ocldnn_l2_norm;
OCLDNN_DECLARE_VERBS(l2_norm);

#ifdef __cplusplus
}
#endif

#endif
