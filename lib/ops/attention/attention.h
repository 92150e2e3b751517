/* SPDX-License-Identifier: Apache-2.0
 *
 * What attention's strategies share: the checked problem, and what every fused kernel is given.
 */
#ifndef OD_OPS_ATTENTION_H
#define OD_OPS_ATTENTION_H

#include "base/operator.h"

#include <ocldnn/attention.h>

/* The checked call. All views have their axes spelled out: 4 of query, key, value, output; mask and bias are broadcast
 * to [B, Hq, Sq, Skv] by strides of 0; lse has 3. Absent ones have dtype 0. */
typedef struct od_attention {
    od_view query, key, value, mask, bias, output, lse;
    int64_t batch, heads, key_heads, queries, keys, width, value_width; /* B, Hq, Hkv, Sq, Skv, D, Dv */
    int64_t group;                                                      /* heads / key_heads; 1 where there are none */
    float scale;           /* never 0 by default: 1 / sqrt(D) is filled in */
    float softcap;         /* 0 = off */
    bool causal;           /* query i sees key j when j <= i + causal_offset, in either alignment */
    int64_t causal_offset; /* may be negative */
} od_attention;
_Static_assert(sizeof(od_attention) <= OD_PROBLEM_BYTES, "a problem must fit");

/* How the mask varies: what MASK says to the fused kernels. */
enum { OD_MASK_NONE = 0, OD_MASK_KEYS = 1 /* the same keys for all rows of a head */, OD_MASK_ROWS = 2 };
int32_t od_attention_mask_kind(const od_attention *p);

/* Writes what every fused kernel is built with and called with, in this order; mask is a kind of mask, usually
 * od_attention_mask_kind():
 *   -D X_TYPE BIAS_TYPE (0 = none) MASK (0..2, above) CAUSAL SOFTCAP LSE
 *   query, key, value                          a pointer and a ulong offset each
 *   mask,  int4 strides                        #if MASK        __global const uchar *
 *   bias,  int4 strides                        #if BIAS_TYPE
 *   lse,   int4 strides                        #if LSE         __global float *; [B, Hq, Sq], last entry 0
 *   output                                                     pointer and offset
 *   int4 query_strides, key_strides, value_strides, output_strides      [B, H, S, last]
 *   int group, queries, keys, width, value_width, causal_offset         group = Hq / Hkv
 *   float sign, scale, softcap, unit
 * How a kernel gets from products to weights, with no rounding that a plain program would not have too:
 *   score = (sign * q) . k                                sign is 1 or -1, so that scale > 0
 *   SOFTCAP:      score = softcap * tanh(score * scale)   (the division by softcap is in scale)
 *   only a bias:  score = score * scale
 *   bias:         score = score + bias
 *   weight = exp2((score - maximum) * unit)               the difference first, so that a huge score is no trouble
 *   lse = maximum * (SOFTCAP || BIAS_TYPE ? 1 : scale) + log(sum) */
void od_attention_arguments(od_step *step, const od_attention *p, int32_t mask);

/* What turns a difference of scores into an exponent of 2, and the maximum into a natural logarithm; see above. */
float od_attention_unit(const od_attention *p);
float od_attention_lse_scale(const od_attention *p);

/* The strides as one int4; and a tensor with its strides after it, nothing if it is absent. */
void od_attention_arg_strides(od_step *step, const od_view *view);
void od_attention_arg_optional(od_step *step, const od_view *view);

/* The strategies. Each can() says why not. */
bool od_flash_few_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES]);
ocldnn_status od_flash_few_plan(const od_device *device, const void *problem, od_plan *plan);
bool od_flash_vector_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES]);
ocldnn_status od_flash_vector_plan(const od_device *device, const void *problem, od_plan *plan);
bool od_flash_tiled_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES]);
ocldnn_status od_flash_tiled_plan(const od_device *device, const void *problem, od_plan *plan);
bool od_attention_fallback_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES]);
ocldnn_status od_attention_fallback_plan(const od_device *device, const void *problem, od_plan *plan);

#endif
