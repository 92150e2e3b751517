/* SPDX-License-Identifier: Apache-2.0
 *
 * attention: what a call must satisfy, and the table of its strategies.
 */
#include "ops/attention/attention.h"
#include "runtime/verbs.h"

#include <float.h>
#include <math.h>

enum { MAX_WIDTH = 1024 };

static ocldnn_status take_tensors(const ocldnn_attention *op, od_plan *plan, od_attention *p)
{
    uint32_t x, f32 = OD_DTYPE(OCLDNN_F32);
    OD_TRY(od_plan_tensor(plan, "query", &op->query, OD_READ, OD_FLOATS, 4, 4, &p->query));
    x = OD_DTYPE(p->query.dtype);
    OD_TRY(od_plan_tensor(plan, "key", &op->key, OD_READ, x, 4, 4, &p->key));
    OD_TRY(od_plan_tensor(plan, "value", &op->value, OD_READ, x, 4, 4, &p->value));
    OD_TRY(od_plan_optional(plan, "mask", &op->mask, OD_READ, OD_DTYPE(OCLDNN_U8), 4, 4, &p->mask));
    OD_TRY(od_plan_optional(plan, "bias", &op->bias, OD_READ, x | f32, 4, 4, &p->bias));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, x, 4, 4, &p->output));
    OD_TRY(od_plan_optional(plan, "lse", &op->lse, OD_WRITE, f32, 3, 3, &p->lse));
    OD_TRY(od_check_last_contiguous(&p->query));
    OD_TRY(od_check_last_contiguous(&p->key));
    OD_TRY(od_check_last_contiguous(&p->value));
    return od_check_last_contiguous(&p->output);
}

static ocldnn_status check_width(const od_view *view)
{
    if (view->shape[3] < 1 || view->shape[3] > MAX_WIDTH)
        return od_fail(OCLDNN_INVALID_SHAPE, "%s: axis 3 is %lld, must be 1 to %d", view->name,
                       (long long)view->shape[3], MAX_WIDTH);
    return OCLDNN_SUCCESS;
}

static ocldnn_status check_shapes(const od_attention *p)
{
    OD_TRY(od_check_axis(&p->key, 0, &p->query, 0));
    OD_TRY(od_check_axis(&p->key, 3, &p->query, 3));
    OD_TRY(od_check_axis(&p->value, 0, &p->query, 0));
    OD_TRY(od_check_axis(&p->value, 1, &p->key, 1));
    OD_TRY(od_check_axis(&p->value, 2, &p->key, 2));
    for (uint32_t axis = 0; axis < 3; axis++)
        OD_TRY(od_check_axis(&p->output, axis, &p->query, axis));
    OD_TRY(od_check_axis(&p->output, 3, &p->value, 3));
    for (uint32_t axis = 0; axis < 3 && od_present(&p->lse); axis++)
        OD_TRY(od_check_axis(&p->lse, axis, &p->query, axis));
    OD_TRY(check_width(&p->query));
    OD_TRY(check_width(&p->value));
    if (p->heads != p->key_heads && (p->key_heads == 0 || p->heads % p->key_heads != 0))
        return od_fail(OCLDNN_INVALID_SHAPE, "key: axis 1 is %lld, which does not divide axis 1 of query, %lld",
                       (long long)p->key_heads, (long long)p->heads);
    return OCLDNN_SUCCESS;
}

/* Mask and bias as if they had the whole shape [B, Hq, Sq, Skv]. */
static ocldnn_status spread(const od_attention *p, od_view *view)
{
    const int64_t shape[4] = {p->batch, p->heads, p->queries, p->keys};
    od_view scores = {.name = "the scores", .rank = 4, .shape = {shape[0], shape[1], shape[2], shape[3]}};
    if (!od_present(view))
        return OCLDNN_SUCCESS;
    OD_TRY(od_check_broadcastable(view, &scores));
    *view = od_view_broadcast(view, 4, shape);
    return OCLDNN_SUCCESS;
}

static ocldnn_status take_options(const ocldnn_attention *op, od_attention *p)
{
    OD_TRY(od_check_finite("scale", op->scale));
    if (op->softcap != 0.0f)
        OD_TRY(od_check_positive("softcap", op->softcap));
    OD_TRY(od_check_enum("causal", op->causal, OCLDNN_CAUSAL_TOP_LEFT + 1));
    p->scale = op->scale != 0.0f ? op->scale : 1.0f / sqrtf((float)p->width);
    p->softcap = op->softcap;
    p->causal = op->causal != OCLDNN_CAUSAL_NONE;
    p->causal_offset = op->causal == OCLDNN_CAUSAL_BOTTOM_RIGHT ? p->keys - p->queries : 0;
    return OCLDNN_SUCCESS;
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_attention *op = opaque;
    od_attention *p = memory;
    plan->requested = op->strategy;
    OD_TRY(take_tensors(op, plan, p));
    p->batch = p->query.shape[0];
    p->heads = p->query.shape[1];
    p->queries = p->query.shape[2];
    p->width = p->query.shape[3];
    p->key_heads = p->key.shape[1];
    p->group = p->heads > 0 && p->key_heads > 0 ? p->heads / p->key_heads : 1;
    p->keys = p->key.shape[2];
    p->value_width = p->value.shape[3];
    OD_TRY(check_shapes(p));
    OD_TRY(spread(p, &p->mask));
    OD_TRY(spread(p, &p->bias));
    OD_TRY(take_options(op, p));
    plan->empty = p->output.count == 0;
    return OCLDNN_SUCCESS;
}

/* ---- what the fused kernels share -------------------------------------------------------------------------------- */

int32_t od_attention_mask_kind(const od_attention *p)
{
    if (!od_present(&p->mask))
        return OD_MASK_NONE;
    return p->mask.strides[2] == 0 ? OD_MASK_KEYS : OD_MASK_ROWS;
}

void od_attention_arg_strides(od_step *step, const od_view *view)
{
    int32_t strides[4] = {0, 0, 0, 0};
    for (uint32_t axis = 0; axis < view->rank; axis++)
        strides[axis] = (int32_t)view->strides[axis];
    od_arg_int4(step, strides);
}

void od_attention_arg_optional(od_step *step, const od_view *view)
{
    if (od_present(view)) {
        od_arg_view(step, view);
        od_attention_arg_strides(step, view);
    }
}

/* Extreme options must not become inf, which would turn a score of 0 into NaN. */
static float finite(double value)
{
    return (float)fmax(fmin(value, FLT_MAX), -FLT_MAX);
}

static double scale_size(const od_attention *p)
{
    return fabs((double)p->scale);
}

float od_attention_unit(const od_attention *p)
{
    const double log2_e = 1.4426950408889634;
    return finite(p->softcap != 0.0f || od_present(&p->bias) ? log2_e : scale_size(p) * log2_e);
}

float od_attention_lse_scale(const od_attention *p)
{
    return p->softcap != 0.0f || od_present(&p->bias) ? 1.0f : finite(scale_size(p));
}

void od_attention_arguments(od_step *step, const od_attention *p, int32_t mask)
{
    bool capped = p->softcap != 0.0f;
    od_define(step, "X_TYPE", (int32_t)p->query.dtype);
    od_define(step, "BIAS_TYPE", (int32_t)p->bias.dtype);
    od_define(step, "MASK", mask);
    od_define(step, "CAUSAL", p->causal);
    od_define(step, "SOFTCAP", capped);
    od_define(step, "LSE", od_present(&p->lse));
    od_arg_view(step, &p->query);
    od_arg_view(step, &p->key);
    od_arg_view(step, &p->value);
    od_attention_arg_optional(step, &p->mask);
    od_attention_arg_optional(step, &p->bias);
    od_attention_arg_optional(step, &p->lse);
    od_arg_view(step, &p->output);
    od_attention_arg_strides(step, &p->query);
    od_attention_arg_strides(step, &p->key);
    od_attention_arg_strides(step, &p->value);
    od_attention_arg_strides(step, &p->output);
    od_arg_int(step, p->group);
    od_arg_int(step, p->queries);
    od_arg_int(step, p->keys);
    od_arg_int(step, p->width);
    od_arg_int(step, p->value_width);
    od_arg_int(step, p->causal_offset);
    od_arg_float(step, p->scale < 0.0f ? -1.0f : 1.0f);
    od_arg_float(step, finite(capped ? scale_size(p) / (double)p->softcap : scale_size(p)));
    od_arg_float(step, p->softcap);
    od_arg_float(step, od_attention_unit(p));
}

/* ---- strategies: AUTO takes the first that can ------------------------------------------------------------------- */

static const od_strategy strategies[] = {
    {"flash_unit (few)", OCLDNN_ATTENTION_FLASH_UNIT, od_flash_few_can, od_flash_few_plan},
    {"flash_unit (vector)", OCLDNN_ATTENTION_FLASH_UNIT, od_flash_vector_can, od_flash_vector_plan},
    {"flash_unit (tiled)", OCLDNN_ATTENTION_FLASH_UNIT, od_flash_tiled_can, od_flash_tiled_plan},
    {"fallback", OCLDNN_ATTENTION_FALLBACK, od_attention_fallback_can, od_attention_fallback_plan},
};

const od_operator od_operator_attention = {"attention", check, strategies, sizeof strategies / sizeof *strategies,
                                           OCLDNN_ATTENTION_FLASH_UNIT};
OD_DEFINE_VERBS(attention)
