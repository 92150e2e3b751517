/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX Attention. What it says by attributes and shapes is turned into strides, a mask and a bias; keys and values of
 * the past are put before the new ones on the host, where they are also compared with the "present" outputs.
 */
#include "runner.h"

#include <math.h>
#include <string.h>

typedef struct problem {
    ocldnn_dtype type;
    bool packed; /* rank 3: [B, S, H * D] */
    int64_t batch, query_heads, key_heads, queries, keys, past;
    int64_t width, value_width;
    value key, value; /* [B, Hkv, Skv, D], with the past */
    value bias, mask; /* of rank 4, each may be absent */
    ocldnn_attention op;
    ocldnn_tensor output; /* as ONNX wants it */
} problem;

/* [B, S, H * D] -> [B, H, S, D]. */
static value split_heads(runner *r, value from, int64_t heads)
{
    static const uint32_t order[4] = {0, 2, 1, 3};
    if (from.rank == 4)
        return from;
    return value_permute(
        r, value_reshape(from, 4, (int64_t[]){from.shape[0], from.shape[1], heads, from.shape[2] / heads}), order);
}

/* The same by strides, on the device. */
static ocldnn_tensor view_heads(ocldnn_tensor tensor, int64_t heads)
{
    int64_t width = tensor.shape[2], steps = tensor.shape[1];
    ocldnn_tensor view = tensor;
    if (tensor.rank == 4)
        return tensor;
    view.rank = 4;
    memcpy(view.shape, (int64_t[]){tensor.shape[0], heads, steps, width / heads}, 4 * sizeof *view.shape);
    memcpy(view.strides, (int64_t[]){steps * width, width / heads, width, 1}, 4 * sizeof *view.strides);
    return view;
}

static value with_leading_axes(value from)
{
    int64_t shape[4] = {1, 1, 1, 1};
    memcpy(shape + 4 - from.rank, from.shape, from.rank * sizeof *shape);
    return value_reshape(from, 4, shape);
}

/* A bool mask is our mask. A float one is a bias, but -inf there means "takes no part": behind a mask nothing shows,
 * while 0 * NaN would. */
static void take_mask(runner *r, const value *given, problem *p)
{
    value mask;
    bool any = false;
    if (!given->present)
        return;
    if (given->type == DTYPE_BOOL) {
        p->mask = with_leading_axes(*given);
        return;
    }
    p->bias = with_leading_axes(*given);
    mask = value_new(r, DTYPE_U8, 4, p->bias.shape);
    for (int64_t i = 0; i < mask.count; i++) {
        bool out = isinf(p->bias.data[i]) && p->bias.data[i] < 0;
        mask.data[i] = !out;
        any = any || out;
    }
    if (any)
        p->mask = mask;
}

/* Key j takes part for query i of sequence b when j < lengths[b] and, if causal, j <= i + offset. */
static bool mask_by_lengths(runner *r, const value *lengths, bool causal, problem *p)
{
    value mask = value_new(r, DTYPE_U8, 4, (int64_t[]){p->batch, 1, p->queries, p->keys});
    if (p->mask.present)
        return runner_skip(r, "a mask together with key lengths or an unusual causal offset");
    for (int64_t at = 0; at < mask.count; at++) {
        int64_t j = at % p->keys, i = at / p->keys % p->queries, b = at / p->keys / p->queries;
        int64_t length = lengths->present ? (int64_t)lengths->data[b] : p->keys;
        int64_t offset = lengths->present ? length - p->queries : p->past;
        mask.data[at] = j < length && (!causal || j <= i + offset);
    }
    p->mask = mask;
    return true;
}

static bool take_causal(runner *r, const test_case *test, problem *p)
{
    bool causal = case_number(test, "is_causal", 0) != 0;
    const value *lengths = &test->inputs[6];
    if (lengths->present)
        return mask_by_lengths(r, lengths, causal, p);
    if (!causal)
        return true;
    if (p->past == 0)
        p->op.causal = OCLDNN_CAUSAL_TOP_LEFT;
    else if (p->past == p->keys - p->queries)
        p->op.causal = OCLDNN_CAUSAL_BOTTOM_RIGHT;
    else
        return mask_by_lengths(r, lengths, causal, p);
    return true;
}

static bool take(runner *r, const test_case *test, problem *p)
{
    const value *in = test->inputs;
    p->type = float_dtype(r, &in[0]);
    if (!p->type)
        return false;
    p->packed = in[0].rank == 3;
    p->batch = in[0].shape[0];
    p->query_heads = p->packed ? (int64_t)case_number(test, "q_num_heads", 1) : in[0].shape[1];
    p->key_heads = p->packed ? (int64_t)case_number(test, "kv_num_heads", 1) : in[1].shape[1];
    p->queries = in[0].shape[p->packed ? 1 : 2];
    p->key = split_heads(r, in[1], p->key_heads);
    p->value = split_heads(r, in[2], p->key_heads);
    if (in[4].present) {
        p->past = in[4].shape[2];
        p->key = value_join(r, in[4], p->key, 2);
        p->value = value_join(r, in[5], p->value, 2);
    }
    p->keys = p->key.shape[2];
    p->width = p->key.shape[3];
    p->value_width = p->value.shape[3];
    p->op.scale = (float)case_number(test, "scale", 0);
    p->op.softcap = (float)case_number(test, "softcap", 0);
    take_mask(r, &in[3], p);
    return take_causal(r, test, p);
}

static void place(runner *r, const test_case *test, problem *p)
{
    int64_t flat[3] = {p->batch, p->queries, p->query_heads * p->value_width};
    int64_t deep[4] = {p->batch, p->query_heads, p->queries, p->value_width};
    bool as_given = p->packed && !p->past;
    p->op.query = view_heads(upload(r, &test->inputs[0], p->type), p->query_heads);
    p->op.key = view_heads(upload(r, as_given ? &test->inputs[1] : &p->key, p->type), p->key_heads);
    p->op.value = view_heads(upload(r, as_given ? &test->inputs[2] : &p->value, p->type), p->key_heads);
    if (p->mask.present)
        p->op.mask = upload(r, &p->mask, OCLDNN_U8);
    if (p->bias.present)
        p->op.bias = upload(r, &p->bias, p->type);
    p->output = p->packed ? room(r, p->type, 3, flat) : room(r, p->type, 4, deep);
    p->op.output = view_heads(p->output, p->query_heads);
}

/* The scores as ONNX shows them (mode 0 raw, 1 capped, 2 with the bias, 3 after softmax), by operators of their own. */
static bool scores(runner *r, problem *p, int mode, value *result)
{
    float scale = p->op.scale != 0 ? p->op.scale : 1.0f / sqrtf((float)p->width);
    float cap = p->op.softcap;
    ocldnn_matmul product = {
        .a = p->op.query, .b = p->op.key, .transpose_b = 1, .alpha = cap > 0 ? scale / cap : scale};
    ocldnn_activation tanh_of = {.kind = OCLDNN_TANH};
    ocldnn_binary times = {.kind = OCLDNN_MUL}, add = {.kind = OCLDNN_ADD};
    ocldnn_softmax softmax = {.scale = 1.0f};
    ocldnn_tensor s = room(r, p->type, 4, (int64_t[]){p->batch, p->query_heads, p->queries, p->keys});
    value factor = value_new(r, DTYPE_F32, 1, (int64_t[]){1});
    if (p->query_heads != p->key_heads || p->op.causal || p->mask.present)
        return runner_skip(r, "qk_matmul_output with grouped heads or a mask");
    product.output = tanh_of.input = tanh_of.output = times.a = times.output = add.a = add.output = s;
    softmax.input = softmax.output = s;
    if (!RUN(r, matmul, &product))
        return false;
    if (cap > 0) {
        factor.data[0] = (double)cap;
        times.b = upload(r, &factor, p->type);
        if ((mode > 0 && !RUN(r, activation, &tanh_of)) || !RUN(r, binary, &times))
            return false;
    }
    add.b = p->op.bias;
    if (mode >= 2 && add.b.dtype && !RUN(r, binary, &add))
        return false;
    if (mode >= 3 && !RUN(r, softmax, &softmax))
        return false;
    *result = download(r, s);
    return true;
}

bool run_attention(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    problem p = {.type = OCLDNN_ABSENT};
    if (!take(r, test, &p))
        return false;
    place(r, test, &p);
    if (!RUN(r, attention, &p.op))
        return false;
    results[0] = download(r, p.output);
    results[1] = p.key;
    results[2] = p.value;
    if (test->outputs[3].present)
        return scores(r, &p, (int)case_number(test, "qk_matmul_output_mode", 0), &results[3]);
    return true;
}

/* FlexAttention's modifications are graphs, which a case file does not hold; their names give them away. */
bool run_flex_attention(runner *r, const test_case *test, value results[MAX_TENSORS])
{
    if (strstr(test->name, "_mod") || strstr(test->name, "relative"))
        return runner_skip(r, "FlexAttention's modification is not in the file");
    return run_attention(r, test, results);
}
