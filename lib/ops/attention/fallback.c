/* SPDX-License-Identifier: Apache-2.0
 *
 * attention by matrix products: scores = Q K^T, softmax, output = weights V. The scores lie in the workspace, in blocks
 * of bounded size: as many whole batches, heads or queries as fit, one block after the other in the same memory.
 *
 * Keys that are ruled out must not show through 0 * NaN in the second product: with a mask or causal it reads a copy
 * of V without NaN and infinity, and what the copy lacks is added back where it is due (cl/attention/values.cl).
 */
#include "gemm/gemm.h"
#include "ops/attention/attention.h"
#include "sources.h"

/* Of a block of scores: on a CPU few enough for its caches, as far as launches stay long beside their start. */
enum { MOST_SCORES = 8 << 20 /* 32 MiB */, MOST_SCORES_VECTOR = 2 << 20, VECTOR_KEYS = 16 };

/* A plan has up to four launches for each block, and about 2 KB for each launch. */
enum { MOST_BLOCKS = 16384 };

/* What all blocks share. */
typedef struct shared {
    const od_device *device;
    const od_attention *p;
    od_view scores, value; /* value: V, or its copy without NaN and infinity */
    od_view flags, any;    /* absent if V is read as it is */
    int64_t pitch, group;
} shared;

/* Queries q0 .. q0 + rows of `heads` heads from h0 on, of `batches` batches from b0 on. heads and h0 are multiples of
 * the group. */
typedef struct block {
    int64_t b0, batches, h0, heads, q0, rows;
} block;

static uint32_t items(const od_device *device)
{
    return device->family == OD_FAMILY_VECTOR ? 1 : 64;
}

/* ---- one block --------------------------------------------------------------------------------------------------- */

/* A tensor from the block's first row on; by is 1 for tensors over query heads, the group for those over key heads,
 * rows says whether axis 2 counts queries. */
static od_view at_block(const od_view *view, const block *at, int64_t by, bool rows)
{
    od_view moved = *view;
    if (od_present(view))
        moved.offset += (uint64_t)(at->b0 * view->strides[0] + at->h0 / by * view->strides[1] +
                                   (rows ? at->q0 * view->strides[2] : 0));
    return moved;
}

static void set_batch(od_axes *axes, const shared *s, const block *at)
{
    axes->count = at->batches * at->heads;
    axes->shape[0] = 1;
    axes->shape[1] = (int32_t)at->batches;
    axes->shape[2] = (int32_t)(at->heads / s->group);
    axes->shape[3] = (int32_t)s->group;
}

/* per_key: the tensor has key heads, which repeat over a group. */
static void set_strides(od_axes *axes, int operand, const shared *s, int64_t batch, int64_t head, bool per_key)
{
    axes->strides[operand][0] = 0;
    axes->strides[operand][1] = (int32_t)batch;
    axes->strides[operand][2] = (int32_t)(per_key ? head : head * s->group);
    axes->strides[operand][3] = (int32_t)(per_key ? 0 : head);
}

static ocldnn_status plan_scores(const shared *s, const block *at, od_plan *plan)
{
    const od_attention *p = s->p;
    od_gemm gemm = {.a = at_block(&p->query, at, 1, true),
                    .b = at_block(&p->key, at, s->group, false),
                    .c = s->scores,
                    .m = at->rows,
                    .n = p->keys,
                    .k = p->width,
                    .transpose_b = true,
                    .lda = p->query.strides[2],
                    .ldb = p->key.strides[2],
                    .ldc = s->pitch,
                    .alpha = p->scale};
    set_batch(&gemm.batch, s, at);
    set_strides(&gemm.batch, OD_GEMM_A, s, p->query.strides[0], p->query.strides[1], false);
    set_strides(&gemm.batch, OD_GEMM_B, s, p->key.strides[0], p->key.strides[1], true);
    set_strides(&gemm.batch, OD_GEMM_C, s, at->heads * at->rows * s->pitch, at->rows * s->pitch, false);
    return od_gemm_plan(s->device, &gemm, plan);
}

static ocldnn_status plan_output(const shared *s, const block *at, od_plan *plan)
{
    const od_attention *p = s->p;
    od_gemm gemm = {.a = s->scores,
                    .b = at_block(&s->value, at, s->group, false),
                    .c = at_block(&p->output, at, 1, true),
                    .m = at->rows,
                    .n = p->value_width,
                    .k = p->keys,
                    .lda = s->pitch,
                    .ldb = s->value.strides[2],
                    .ldc = p->output.strides[2],
                    .alpha = 1.0f};
    set_batch(&gemm.batch, s, at);
    set_strides(&gemm.batch, OD_GEMM_A, s, at->heads * at->rows * s->pitch, at->rows * s->pitch, false);
    set_strides(&gemm.batch, OD_GEMM_B, s, s->value.strides[0], s->value.strides[1], true);
    set_strides(&gemm.batch, OD_GEMM_C, s, p->output.strides[0], p->output.strides[1], false);
    return od_gemm_plan(s->device, &gemm, plan);
}

static void plan_softmax(const shared *s, const block *at, od_plan *plan)
{
    const od_attention *p = s->p;
    od_step *step = od_plan_kernel(plan, &od_source_attention_scores_softmax, "scores_softmax");
    od_view mask = at_block(&p->mask, at, 1, true), bias = at_block(&p->bias, at, 1, true);
    od_view lse = at_block(&p->lse, at, 1, true);
    od_define(step, "BIAS_TYPE", (int32_t)p->bias.dtype);
    od_define(step, "HAS_MASK", od_present(&p->mask));
    od_define(step, "CAUSAL", p->causal);
    od_define(step, "SOFTCAP", p->softcap != 0.0f);
    od_define(step, "LSE", od_present(&p->lse));
    od_define(step, "ITEMS", (int32_t)items(s->device));
    od_define(step, "WIDTH", s->device->family == OD_FAMILY_VECTOR ? VECTOR_KEYS : 4);
    od_arg_view(step, &s->scores);
    od_attention_arg_optional(step, &mask);
    od_attention_arg_optional(step, &bias);
    od_attention_arg_optional(step, &lse);
    od_arg_int(step, p->keys);
    od_arg_int(step, s->pitch);
    od_arg_int(step, at->q0 + p->causal_offset);
    od_arg_float(step, p->softcap);
    od_launch(step, at->rows, at->heads, at->batches, items(s->device), 1, 1);
}

static void plan_restore(const shared *s, const block *at, od_plan *plan)
{
    const od_attention *p = s->p;
    od_step *step = od_plan_kernel(plan, &od_source_attention_values, "restore_values");
    od_view value = at_block(&p->value, at, s->group, false), output = at_block(&p->output, at, 1, true);
    od_view flags = s->flags, any = s->any;
    int64_t first = at->b0 * p->key_heads + at->h0 / s->group;
    flags.offset += (uint64_t)(first * p->keys);
    any.offset += (uint64_t)first;
    od_define(step, "X_TYPE", (int32_t)p->value.dtype);
    od_define(step, "ITEMS", (int32_t)items(s->device));
    od_arg_view(step, &s->scores);
    od_arg_view(step, &value);
    od_arg_view(step, &flags);
    od_arg_view(step, &any);
    od_arg_view(step, &output);
    od_attention_arg_strides(step, &value);
    od_attention_arg_strides(step, &output);
    od_arg_int(step, s->group);
    od_arg_int(step, p->key_heads);
    od_arg_int(step, p->keys);
    od_arg_int(step, s->pitch);
    od_arg_int(step, p->value_width);
    od_launch(step, at->rows, at->heads, at->batches, items(s->device), 1, 1);
}

static ocldnn_status plan_block(const shared *s, const block *at, od_plan *plan)
{
    OD_TRY(plan_scores(s, at, plan));
    plan_softmax(s, at, plan);
    OD_TRY(plan_output(s, at, plan));
    if (od_present(&s->flags))
        plan_restore(s, at, plan);
    return OCLDNN_SUCCESS;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* The copy of V, and which of its keys and heads lack something. */
static void plan_screen(shared *s, od_plan *plan)
{
    const od_attention *p = s->p;
    int64_t heads = p->batch * p->key_heads;
    od_step *step;
    s->value = od_plan_temp_dense(plan, "value without NaN", p->value.dtype, 4, p->value.shape);
    s->flags = od_plan_temp(plan, "keys with NaN", OCLDNN_I32, heads * p->keys);
    s->any = od_plan_temp(plan, "heads with NaN", OCLDNN_I32, heads);
    step = od_plan_kernel(plan, &od_source_attention_values, "screen_values");
    od_define(step, "X_TYPE", (int32_t)p->value.dtype);
    od_define(step, "ITEMS", (int32_t)items(s->device));
    od_arg_view(step, &p->value);
    od_arg_view(step, &s->value);
    od_arg_view(step, &s->flags);
    od_attention_arg_strides(step, &p->value);
    od_arg_int(step, p->value_width);
    od_launch(step, p->keys, p->key_heads, p->batch, items(s->device), 1, 1);
    step = od_plan_kernel(plan, &od_source_attention_values, "note_heads");
    od_define(step, "X_TYPE", (int32_t)p->value.dtype);
    od_define(step, "ITEMS", (int32_t)items(s->device));
    od_arg_view(step, &s->flags);
    od_arg_view(step, &s->any);
    od_arg_int(step, p->keys);
    od_launch(step, heads, 1, 1, items(s->device), 1, 1);
}

static int64_t at_least_one(int64_t fit, int64_t all)
{
    return fit < 1 || all < 1 ? 1 : fit < all ? fit : all; /* all is 0 of an empty tensor */
}

static int64_t pitch_of(const od_attention *p)
{
    return p->keys > 0 ? od_round_up(p->keys, VECTOR_KEYS) : VECTOR_KEYS;
}

/* The first block; the last ones of an axis may be smaller. */
static block largest_block(const od_device *device, const od_attention *p)
{
    int64_t most_scores = device->family == OD_FAMILY_VECTOR ? MOST_SCORES_VECTOR : MOST_SCORES;
    int64_t per_query = p->group * pitch_of(p);
    block b = {.rows = at_least_one(most_scores / per_query, p->queries)};
    b.heads = p->group * (b.rows < p->queries ? 1 : at_least_one(most_scores / (per_query * b.rows), p->key_heads));
    b.batches = b.heads < p->heads ? 1 : at_least_one(most_scores / (b.heads * pitch_of(p) * b.rows), p->batch);
    return b;
}

static int64_t blocks_of(const od_attention *p, block b)
{
    return od_ceil_div(p->batch, b.batches) * od_ceil_div(p->heads, b.heads) * od_ceil_div(p->queries, b.rows);
}

bool od_attention_fallback_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    const od_attention *p = problem;
    int64_t blocks;
    if (p->keys > INT32_MAX / 2 / p->group)
        return od_cannot(reason, "one query's scores over %lld keys and %lld heads are more than a tensor may have",
                         (long long)p->keys, (long long)p->group);
    if (p->value.count > INT32_MAX)
        return od_cannot(reason, "value repeats itself to %lld elements, its copy may have 2147483647",
                         (long long)p->value.count);
    blocks = blocks_of(p, largest_block(device, p));
    if (blocks > MOST_BLOCKS)
        return od_cannot(reason, "its scores would be computed in %lld blocks, more than %d", (long long)blocks,
                         MOST_BLOCKS);
    return true;
}

ocldnn_status od_attention_fallback_plan(const od_device *device, const void *problem, od_plan *plan)
{
    const od_attention *p = problem;
    const block first = largest_block(device, p);
    shared s = {.device = device, .p = p, .value = p->value, .group = p->group, .pitch = pitch_of(p)};
    uint64_t start, most;
    s.scores = od_plan_temp(plan, "scores", OCLDNN_F32, first.batches * first.heads * first.rows * s.pitch);
    if ((od_present(&p->mask) || p->causal) && p->keys > 0)
        plan_screen(&s, plan);
    start = most = plan->workspace_bytes;
    for (block at = {.b0 = 0}; at.b0 < p->batch; at.b0 += first.batches) {
        at.batches = at_least_one(first.batches, p->batch - at.b0);
        for (at.h0 = 0; at.h0 < p->heads; at.h0 += first.heads) {
            at.heads = at_least_one(first.heads, p->heads - at.h0);
            for (at.q0 = 0; at.q0 < p->queries; at.q0 += first.rows) {
                at.rows = at_least_one(first.rows, p->queries - at.q0);
                plan->workspace_bytes = start; /* what a product needs besides is free again after the block */
                OD_TRY(plan_block(&s, &at, plan));
                most = plan->workspace_bytes > most ? plan->workspace_bytes : most;
            }
        }
    }
    plan->workspace_bytes = most;
    return OCLDNN_SUCCESS;
}
