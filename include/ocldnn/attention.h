/* SPDX-License-Identifier: Apache-2.0
 *
 * Scaled dot-product attention (Vaswani et al. 2017, eq. 1; online softmax: Milakov and Gimelshein 2018; Dao 2022).
 */
#ifndef OCLDNN_ATTENTION_H
#define OCLDNN_ATTENTION_H

#include <ocldnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ocldnn_attention_strategy {
    OCLDNN_ATTENTION_AUTO = 0,      /* FLASH_UNIT */
    OCLDNN_ATTENTION_FALLBACK = 1,  /* batched GEMM, softmax, batched GEMM; scores in bounded blocks of workspace,
                                       at most 16384 of them */
    OCLDNN_ATTENTION_FLASH_UNIT = 2 /* one fused kernel with an online softmax; no score matrix in memory */
} ocldnn_attention_strategy;

typedef enum ocldnn_causal {
    OCLDNN_CAUSAL_NONE = 0,
    OCLDNN_CAUSAL_BOTTOM_RIGHT = 1, /* key j for query i when j <= i + Skv - Sq: the last query sees every key. What
                                       decoding with a cache needs, and what FlashAttention does. */
    OCLDNN_CAUSAL_TOP_LEFT = 2      /* key j for query i when j <= i: PyTorch's is_causal */
} ocldnn_causal;

/* O[b,h,i] = sum_j P[b,h,i,j] V[b,g(h),j],  P = softmax_j(S),  g(h) = h / (Hq / Hkv)  (grouped-query attention; Hkv = 1
 * is multi-query). In this order: S = scale * Q K^T; softcap: S = softcap * tanh(S / softcap); + bias; then keys that
 * mask or causal rule out are set aside.
 * A row without any key gives O = 0 and lse = -inf. NaN or inf in a key or value that is ruled out never shows.
 * Sq = 0 or B = 0 does nothing and succeeds; Skv = 0 gives rows without any key.
 * B, H and S may have any strides ([B,S,H,D] and packed QKV need no copy); the last axis of query, key, value and
 * output is contiguous. No output may overlap an input. Deterministic; a row's result does not depend on what is in the
 * other rows, nor on B. It may depend on how many they are: on a CPU, FLASH_UNIT takes up to 16 rows that share a head
 * of keys (Sq * Hq / Hkv) by a kernel of their own, which adds in another order.
 * Workspace: FALLBACK always; FLASH_UNIT on a CPU with few rows and more than 256 keys, and in F32 where rows of keys
 * or values lie more than 1024 elements apart and 256 rows or more share them. */
typedef struct ocldnn_attention {
    ocldnn_tensor query;  /* [B, Hq, Sq, D], F32, F16 or BF16; D and Dv up to 1024 */
    ocldnn_tensor key;    /* [B, Hkv, Skv, D], same dtype; Hq % Hkv == 0 */
    ocldnn_tensor value;  /* [B, Hkv, Skv, Dv], same dtype */
    ocldnn_tensor mask;   /* broadcastable to [B, Hq, Sq, Skv], rank 4, U8: NONZERO = THIS KEY TAKES PART, as in PyTorch
                             and ONNX (ruDNN and burn mean the opposite); optional */
    ocldnn_tensor bias;   /* broadcastable to [B, Hq, Sq, Skv], rank 4, F32 or query's dtype; optional. A large negative
                             number here is not a mask: where it absorbs every score the result is the average. */
    ocldnn_tensor output; /* [B, Hq, Sq, Dv], query's dtype */
    ocldnn_tensor lse;    /* [B, Hq, Sq] F32, natural logarithm of the sum of exp(S); optional */
    float scale;          /* finite; 0 = 1 / sqrt(D) */
    float softcap;        /* finite, > 0; 0 = off */
    uint32_t causal;      /* ocldnn_causal */
    uint32_t strategy;    /* ocldnn_attention_strategy: one asked for by name runs or gives OCLDNN_UNSUPPORTED */
} ocldnn_attention;
OCLDNN_DECLARE_VERBS(attention);

#ifdef __cplusplus
}
#endif

#endif
