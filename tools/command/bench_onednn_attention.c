/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention as one builds it from oneDNN, which has no primitive for it: batched product, softmax in place, batched
 * product. The scale, and a causal mask as a tensor of zeros and -inf, ride along with the first product. Scores are
 * stored in the row's dtype. Query heads that share a head of keys are rows of one product.
 */
#include "bench_onednn.h"

#include <math.h>
#include <stdlib.h>

typedef struct joined {
    int64_t sizes[3], strides[3]; /* groups of all batches; rows of a group; width */
    bool good;
} joined;

/* [B, H, S, D] as [B * groups, H / groups * S, D], where the strides allow it. */
static joined join(const ocldnn_tensor *t, int64_t groups)
{
    joined made = {.good = false};
    od_view v;
    int64_t share;
    if (od_view_from_tensor("a peer's input", t, OD_READ, OD_FLOATS, 4, 4, &v) != OCLDNN_SUCCESS)
        return made;
    share = v.shape[1] / groups;
    made = (joined){
        .sizes = {v.shape[0] * groups, share * v.shape[2], v.shape[3]},
        .strides = {v.strides[1] * share, v.shape[2] > 1 ? v.strides[2] : v.strides[1], 1},
        .good = (v.shape[0] == 1 || v.strides[0] == v.shape[1] * v.strides[1]) &&
                (share == 1 || v.shape[2] == 1 || v.strides[1] == v.shape[2] * v.strides[2]),
    };
    return made;
}

static joined transposed(joined j)
{
    joined made = {.sizes = {j.sizes[0], j.sizes[2], j.sizes[1]},
                   .strides = {j.strides[0], j.strides[2], j.strides[1]},
                   .good = j.good};
    return made;
}

static int place(bench *b, onednn_chain *chain, const ocldnn_tensor *t, joined j)
{
    void *data = j.good ? bench_download(b, t) : NULL;
    return data ? onednn_tensor(chain, 3, j.sizes, j.strides, t->dtype, data) : 0;
}

static bool sees(const ocldnn_attention *op, int64_t query, int64_t key)
{
    int64_t shift = op->causal == OCLDNN_CAUSAL_BOTTOM_RIGHT ? op->key.shape[2] - op->query.shape[2] : 0;
    return op->causal == OCLDNN_CAUSAL_NONE || key <= query + shift;
}

static int make_mask(onednn_chain *chain, const ocldnn_attention *op, int64_t groups, int64_t rows)
{
    const int64_t keys = op->key.shape[2], sizes[] = {groups, rows, keys};
    float *mask = bench_aligned((size_t)(groups * rows * keys) * sizeof *mask);
    for (int64_t i = 0; mask && i < groups * rows; i++)
        for (int64_t j = 0; j < keys; j++)
            mask[i * keys + j] = sees(op, i % rows % op->query.shape[2], j) ? 0 : -INFINITY;
    return mask ? onednn_tensor(chain, 3, sizes, NULL, OCLDNN_F32, mask) : 0;
}

/* Version 2 does not repeat a mask for all heads: there it gets one for each. */
static bool add_scores(onednn_chain *chain, const ocldnn_attention *op, onednn_step scores, const int64_t *sizes)
{
    if (sees(op, 0, op->key.shape[2] - 1)) /* the first query sees the fewest */
        return onednn_add(chain, scores);
    scores.third = make_mask(chain, op, 1, sizes[1]);
    if (scores.third && onednn_add(chain, scores))
        return true;
    scores.third = make_mask(chain, op, sizes[0], sizes[1]);
    return scores.third && onednn_add(chain, scores);
}

bool onednn_attention(bench *b, const bench_case *c, onednn_chain *chain)
{
    const ocldnn_attention *op = &c->op.attention;
    const int64_t groups = op->key.shape[1];
    joined query = join(&op->query, groups), out = join(&op->output, groups);
    const int64_t sizes[] = {query.sizes[0], query.sizes[1], op->key.shape[2]};
    onednn_step scores = {.kind = ONEDNN_MATMUL, .scale = op->scale}, values = {.kind = ONEDNN_MATMUL};
    if (scores.scale == 0)
        scores.scale = 1 / sqrtf((float)op->query.shape[3]);
    scores.first = place(b, chain, &op->query, query);
    scores.second = place(b, chain, &op->key, transposed(join(&op->key, groups)));
    scores.target = values.first = onednn_tensor(chain, 3, sizes, NULL, c->dtype, NULL);
    values.second = place(b, chain, &op->value, join(&op->value, groups));
    values.target = onednn_tensor(chain, 3, out.sizes, NULL, c->dtype, NULL);
    return scores.second && values.second && add_scores(chain, op, scores, sizes) &&
           onednn_add(chain, (onednn_step){.kind = ONEDNN_SOFTMAX, .first = values.first, .target = values.first}) &&
           onednn_add(chain, values);
}
