/* SPDX-License-Identifier: Apache-2.0
 *
 * oneDNN as a peer, on the CPU, in F32, F16 and BF16 as far as it has them: a primitive for each row that has one.
 */
#include "bench_onednn.h"

#include "ops/operators.h"

#include <stdlib.h>
#include <string.h>

/* ---- chains ------------------------------------------------------------------------------------------------------ */

int onednn_tensor(onednn_chain *chain, int axes, const int64_t *sizes, const int64_t *strides, uint32_t dtype,
                  void *data)
{
    int place = chain->tensor_count + 1;
    int64_t dense[OCLDNN_MAX_RANK], count = 1;
    if (place > ONEDNN_TENSORS) {
        free(data);
        return 0;
    }
    for (int axis = axes - 1; axis >= 0; axis--) {
        dense[axis] = count;
        count *= sizes[axis];
    }
    if (!data && !strides)
        data = bench_aligned((size_t)count * ocldnn_dtype_size((ocldnn_dtype)dtype));
    chain->tensor_count = place;
    chain->tensors[place].axes = axes;
    chain->tensors[place].data = data;
    if (data && onednn_describe(&chain->tensors[place].descriptor, axes, sizes, strides ? strides : dense, dtype) &&
        onednn_memory(&chain->tensors[place].memory, chain->tensors[place].descriptor, data))
        return place;
    return 0;
}

bool onednn_add(onednn_chain *chain, onednn_step step)
{
    if (!step.first || !step.target || chain->step_count == ONEDNN_STEPS || !onednn_primitive(chain, &step))
        return false;
    chain->step_count++;
    chain->answer = step.target;
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Ours as theirs: the same sizes and strides. */
static int input(bench *b, onednn_chain *chain, const ocldnn_tensor *t)
{
    od_view v;
    void *data = bench_download(b, t);
    if (!data || od_view_from_tensor("a peer's input", t, OD_READ, OD_FLOATS, 1, OCLDNN_MAX_RANK, &v) != OCLDNN_SUCCESS)
        return 0;
    return onednn_tensor(chain, (int)v.rank, v.shape, v.strides, v.dtype, data);
}

static int output(onednn_chain *chain, const ocldnn_tensor *t)
{
    return onednn_tensor(chain, (int)t->rank, t->shape, NULL, t->dtype, NULL);
}

/* gamma or beta, which oneDNN wants in F32. */
static int parameter(bench *b, onednn_chain *chain, const ocldnn_tensor *t)
{
    void *stored = bench_download(b, t);
    float *values = bench_aligned((size_t)t->shape[0] * sizeof *values);
    if (stored && values)
        for (int64_t i = 0; i < t->shape[0]; i++)
            values[i] = load_value(t->dtype, stored, (size_t)i);
    if (!stored) {
        free(values);
        values = NULL;
    }
    free(stored);
    return values ? onednn_tensor(chain, 1, t->shape, NULL, OCLDNN_F32, values) : 0;
}

/* The weight lies as [N, K], so that its axes K, N have the strides 1, K. */
static bool linear(bench *b, const bench_case *c, onednn_chain *chain)
{
    const int64_t sizes[] = {c->k, c->n}, strides[] = {1, c->k};
    onednn_step step = {.kind = ONEDNN_MATMUL, .first = input(b, chain, &c->left)};
    void *weight = bench_download(b, &c->right);
    step.second = weight ? onednn_tensor(chain, 2, sizes, strides, c->dtype, weight) : 0;
    step.target = output(chain, &c->result);
    return step.second && onednn_add(chain, step);
}

static bool pair(bench *b, onednn_chain *chain, onednn_kind kind, const ocldnn_tensor *first,
                 const ocldnn_tensor *second, const ocldnn_tensor *result)
{
    onednn_step step = {.kind = kind, .first = input(b, chain, first), .second = input(b, chain, second)};
    step.target = output(chain, result);
    return step.second && onednn_add(chain, step);
}

static bool one(bench *b, onednn_chain *chain, onednn_kind kind, const ocldnn_tensor *first,
                const ocldnn_tensor *result)
{
    onednn_step step = {.kind = kind, .first = input(b, chain, first)};
    step.target = output(chain, result);
    return onednn_add(chain, step);
}

static bool layer_norm(bench *b, const ocldnn_layer_norm *op, onednn_chain *chain)
{
    onednn_step step = {.kind = ONEDNN_LAYER_NORM, .first = input(b, chain, &op->input), .epsilon = op->epsilon};
    step.second = parameter(b, chain, &op->gamma);
    step.third = parameter(b, chain, &op->beta);
    step.target = output(chain, &op->output);
    return step.second && step.third && onednn_add(chain, step);
}

static bool rms_norm(bench *b, const ocldnn_rms_norm *op, onednn_chain *chain)
{
    onednn_step step = {.kind = ONEDNN_RMS_NORM, .first = input(b, chain, &op->input), .epsilon = op->epsilon};
    step.second = parameter(b, chain, &op->gamma);
    step.target = output(chain, &op->output);
    return step.second && onednn_add(chain, step);
}

static bool fill(bench *b, const bench_case *c, onednn_chain *chain)
{
    if (c->kind == &od_operator_linear)
        return linear(b, c, chain);
    if (c->kind == &od_operator_matmul)
        return pair(b, chain, ONEDNN_MATMUL, &c->op.matmul.a, &c->op.matmul.b, &c->result);
    if (c->kind == &od_operator_layer_norm)
        return layer_norm(b, &c->op.layer_norm, chain);
    if (c->kind == &od_operator_rms_norm)
        return rms_norm(b, &c->op.rms_norm, chain);
    if (c->kind == &od_operator_softmax)
        return one(b, chain, c->op.softmax.logarithm ? ONEDNN_LOG_SOFTMAX : ONEDNN_SOFTMAX, &c->op.softmax.input,
                   &c->result);
    if (c->kind == &od_operator_activation && c->op.activation.kind == OCLDNN_GELU)
        return one(b, chain, ONEDNN_GELU, &c->op.activation.input, &c->result);
    if (c->kind == &od_operator_binary && c->op.binary.kind == OCLDNN_ADD)
        return pair(b, chain, ONEDNN_ADD, &c->op.binary.a, &c->op.binary.b, &c->result);
    return false;
}

/* ---- the peers --------------------------------------------------------------------------------------------------- */

static bool load(bench *b)
{
    (void)b;
    return onednn_library_load();
}

static void close_chain(void *state)
{
    onednn_chain *chain = state;
    onednn_release(chain);
    for (int i = 1; i <= ONEDNN_TENSORS; i++) {
        onednn_forget(chain->tensors[i].descriptor);
        free(chain->tensors[i].data);
    }
    free(chain);
}

static void *open_chain(bench *b, const bench_case *c, bool (*fill_it)(bench *, const bench_case *, onednn_chain *))
{
    onednn_chain *chain = calloc(1, sizeof *chain);
    if (!chain || fill_it(b, c, chain))
        return chain;
    close_chain(chain);
    return NULL;
}

static void *open_one(bench *b, const bench_case *c)
{
    return open_chain(b, c, fill);
}

static void *open_attention(bench *b, const bench_case *c)
{
    return c->kind == &od_operator_attention ? open_chain(b, c, onednn_attention) : NULL;
}

static bool go(bench *b, void *state)
{
    (void)b;
    return onednn_run(state);
}

static bool answer(bench *b, const void *state, void *data, size_t bytes)
{
    const onednn_chain *chain = state;
    (void)b;
    memcpy(data, chain->tensors[chain->answer].data, bytes);
    return true;
}

const bench_peer bench_onednn = {"oneDNN", "libdnnl2", 0.05, load, open_one, go, answer, close_chain};
/* What the first one has said of the library need not be said again: no package. */
const bench_peer bench_onednn_attention = {"oneDNN (3 primitives)", NULL, 0.05,   load,
                                           open_attention,          go,   answer, close_chain};
