/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear layers, packed weights, and batched matrix products.
 *
 * F32, F16 and BF16 storage; products are summed in F32 (or better), the epilogue is F32, and each output is rounded
 * once. No output may overlap an input, except that linear's output may be exactly its residual.
 *
 * Workspace: on a CPU a product that reads one plain B with 768 rows or more packs it first, in up to 64 MiB (a packed
 * weight needs none); one on AMX packs both operands, also a packed weight, in up to 65 MiB for each; CLBLAST may need
 * room for its product.
 *
 * The order in which products are summed is not said: where sums of some of them are no floats, though the sum of all
 * is one, the result may be infinite or no number.
 */
#ifndef OCLDNN_LINEAR_H
#define OCLDNN_LINEAR_H

#include <ocldnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ocldnn_gemm_strategy {
    OCLDNN_GEMM_AUTO = 0,   /* NATIVE; CLBlast is not taken unasked (it compiles its kernels at first use, 6-10 s) */
    OCLDNN_GEMM_NATIVE = 1, /* this library's kernels; a row's result does not depend on the other rows for a given M */
    OCLDNN_GEMM_CLBLAST = 2 /* CLBlast's GEMM, then the epilogue; F32 only: CLBlast sums F16 in F16 */
} ocldnn_gemm_strategy;

typedef enum ocldnn_weight_layout {
    OCLDNN_WEIGHT_NK = 0, /* weight [.., N, K], as models store it */
    OCLDNN_WEIGHT_KN = 1  /* weight [.., K, N] */
} ocldnn_weight_layout;

/* A weight re-laid for this device's kernels. Its fields are filled by ocldnn_linear_pack_layout(), all but buffer and
 * offset, which the caller sets. Plain data: it may be stored beside the bytes and used again with the same device,
 * driver and library version; any other context refuses it (OCLDNN_UNSUPPORTED). */
typedef struct ocldnn_packed_weight {
    cl_mem buffer;
    uint64_t offset; /* bytes; a multiple of 64 */
    uint64_t bytes;  /* room it needs; 0 = absent */
    uint64_t made_for;
    uint32_t format;
    uint32_t dtype;
    int64_t n;
    int64_t k;
} ocldnn_packed_weight;

/* Y = f(X W^T + bias) + residual, per batch. X [.., M, K]; leading axes of X and Y must agree.
 * A weight of rank 2 is shared by all batches (all leading axes of X then count as rows, if their strides allow).
 * K = 0 gives f(bias) + residual; M = 0 or N = 0 does nothing and succeeds. */
typedef struct ocldnn_linear {
    ocldnn_tensor input;         /* [.., M, K], last axis contiguous, rank >= 1 */
    ocldnn_tensor weight;        /* [N, K] or [K, N] by layout, or with the input's leading axes (length 1: shared);
                                    last axis contiguous; the input's dtype */
    ocldnn_tensor bias;          /* [N], F32 or the input's dtype; optional */
    ocldnn_tensor residual;      /* output's shape and dtype; optional */
    ocldnn_tensor output;        /* [.., M, N], last axis contiguous; the input's dtype */
    ocldnn_packed_weight packed; /* instead of weight, when its bytes are not 0 */
    uint32_t layout;             /* ocldnn_weight_layout */
    uint32_t activation;         /* ocldnn_activation_kind (elementwise.h) */
    float alpha;                 /* the activation's parameter; 0 = its default */
    uint32_t strategy;           /* ocldnn_gemm_strategy */
} ocldnn_linear;
OCLDNN_DECLARE_VERBS(linear);

/* Copies a weight of rank 2 into its packed form, so that linear need not do so at every call. */
typedef struct ocldnn_linear_pack {
    ocldnn_tensor weight; /* [N, K] or [K, N] by layout, last axis contiguous */
    uint32_t layout;      /* ocldnn_weight_layout */
    ocldnn_packed_weight packed;
} ocldnn_linear_pack;
OCLDNN_DECLARE_VERBS(linear_pack);

/* Says how much room the packed form of a weight needs on this context's device and fills *packed, with buffer NULL. */
OCLDNN_API ocldnn_status ocldnn_linear_pack_layout(ocldnn_context *context, const ocldnn_tensor *weight,
                                                   uint32_t layout, ocldnn_packed_weight *packed);

/* Y = alpha * A B, per batch, with optional transposes. Leading axes broadcast (length 1 or missing). */
typedef struct ocldnn_matmul {
    ocldnn_tensor a;      /* [.., M, K], or [.., K, M] with transpose_a; last axis contiguous */
    ocldnn_tensor b;      /* [.., K, N], or [.., N, K] with transpose_b; last axis contiguous; a's dtype */
    ocldnn_tensor output; /* [.., M, N]; last axis contiguous; a's dtype */
    uint32_t transpose_a;
    uint32_t transpose_b;
    float alpha;       /* finite; 0 = 1 */
    uint32_t strategy; /* ocldnn_gemm_strategy */
} ocldnn_matmul;
OCLDNN_DECLARE_VERBS(matmul);

#ifdef __cplusplus
}
#endif

#endif
