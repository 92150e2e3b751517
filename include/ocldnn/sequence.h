/* SPDX-License-Identifier: Apache-2.0
 *
 * What a whole transformer needs round its matrix products: embedding, rotary positions, pooling, top-k.
 *
 * F32, F16 and BF16; arithmetic is F32, rounded once. Leading axes may have any strides, the last axis is contiguous
 * unless said otherwise. No output may overlap an input unless said otherwise. Empty outputs succeed and do nothing.
 */
#ifndef OCLDNN_SEQUENCE_H
#define OCLDNN_SEQUENCE_H

#include <ocldnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y[..] = table[ids[..]] + position_table[p] + segment_table[segment_ids[..]], each term optional but the first.
 * p = position_ids[..] if given, else the index along the last axis of ids. An id outside its table adds zeros. */
typedef struct ocldnn_embedding {
    ocldnn_tensor ids;            /* [..] U32 or I32, any strides */
    ocldnn_tensor table;          /* [V, H] */
    ocldnn_tensor position_ids;   /* ids' shape and dtype; optional, needs position_table */
    ocldnn_tensor position_table; /* [P, H], table's dtype; optional */
    ocldnn_tensor segment_ids;    /* ids' shape and dtype; optional, needs segment_table (absent = segment 0) */
    ocldnn_tensor segment_table;  /* [G, H], table's dtype; optional */
    ocldnn_tensor output;         /* [.., H], table's dtype */
} ocldnn_embedding;
OCLDNN_DECLARE_VERBS(embedding);

/* Rotary position embedding (Su et al. 2021, eq. 34): each pair (x1, x2) of a head is turned by the angle
 * position * base^(-2 i / W), i the pair's number, W the rotary width:
 *     y1 = x1 cos - x2 sin,   y2 = x2 cos + x1 sin.
 * Pairs are (i, i + W/2) ("halves", GPT-NeoX and Llama) or (2 i, 2 i + 1) (interleaved, GPT-J). Elements past W are
 * copied. Computed angles are right to F32 rounding for positions up to 2^20. A position outside a given cache gives
 * NaN for that token's rotated elements: a wrong id is seen, and nothing is read outside. */
typedef struct ocldnn_rotary {
    ocldnn_tensor input;     /* [B, H, T, D]; [B, T, H, D] by strides */
    ocldnn_tensor positions; /* [B, T] U32 or I32 (B or its stride may broadcast); optional (0, 1, .. T-1) */
    ocldnn_tensor cosine;    /* [P, W/2], or [B, T, W/2] without positions; F32 or the input's dtype; optional */
    ocldnn_tensor sine;      /* as cosine; both or neither */
    ocldnn_tensor output;    /* input's shape and dtype; may be exactly the input */
    float base;              /* without caches; finite and > 0; 0 = 10000 */
    uint32_t width;          /* W, even, <= D; 0 = D */
    uint32_t interleaved;    /* 1 = pairs (2 i, 2 i + 1) */
} ocldnn_rotary;
OCLDNN_DECLARE_VERBS(rotary);

/* y[b] = mean of input[b, s] over the s with mask[b, s] != 0; zeros where there is none. Masked rows are skipped: NaN
 * there does not show. */
typedef struct ocldnn_mean_pool {
    ocldnn_tensor input;  /* [B, S, H] */
    ocldnn_tensor mask;   /* [B, S] U8; optional (all) */
    ocldnn_tensor output; /* [B, H], input's dtype */
} ocldnn_mean_pool;
OCLDNN_DECLARE_VERBS(mean_pool);

/* The k largest (or smallest) of each row, in order, equal values by lower index first; argmax is k = 1 without values.
 * NaN counts as larger than everything. 1 <= k <= N, k <= 1024. */
typedef struct ocldnn_top_k {
    ocldnn_tensor input;   /* [.., N] */
    ocldnn_tensor values;  /* [.., k], input's dtype; optional */
    ocldnn_tensor indices; /* [.., k] U32 */
    uint32_t smallest;     /* 1 = the k smallest, ascending (NaN still counts as larger) */
} ocldnn_top_k;
OCLDNN_DECLARE_VERBS(top_k);

#ifdef __cplusplus
}
#endif

#endif
