/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul: Y = alpha * A B, by the shared matrix product.
 */
#include "gemm/gemm.h"
#include "runtime/verbs.h"

#include <ocldnn/linear.h>
#include <string.h>

_Static_assert(sizeof(od_gemm) <= OD_PROBLEM_BYTES, "a problem must fit");

/* Leading axis `from_end` of the output: that of a and b, one of which may be 1 or missing. */
static ocldnn_status check_leading(const od_view *a, const od_view *b, const od_view *c, uint32_t from_end)
{
    int64_t in_a = od_length_from_end(a, from_end), in_b = od_length_from_end(b, from_end);
    int64_t length = in_a == 1 ? in_b : in_a;
    if (in_a != 1 && in_b != 1 && in_a != in_b)
        return od_fail(OCLDNN_INVALID_SHAPE, "b: axis %u is %lld, axis %u of a is %lld", b->rank - 1 - from_end,
                       (long long)in_b, a->rank - 1 - from_end, (long long)in_a);
    return od_check_length(c, c->rank - 1 - from_end, length, "a and b broadcast");
}

static ocldnn_status check_shapes(const ocldnn_matmul *op, const od_view *a, const od_view *b, const od_view *c,
                                  od_gemm *g)
{
    uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    uint32_t a_k = a->rank - (op->transpose_a ? 2 : 1), b_k = b->rank - (op->transpose_b ? 1 : 2);
    OD_TRY(od_check_last_contiguous(a));
    OD_TRY(od_check_last_contiguous(b));
    OD_TRY(od_check_last_contiguous(c));
    OD_TRY(od_check_axis(b, b_k, a, a_k));
    OD_TRY(od_check_rank(c, rank));
    g->m = a->shape[a->rank - (op->transpose_a ? 1 : 2)];
    g->n = b->shape[b->rank - (op->transpose_b ? 2 : 1)];
    g->k = a->shape[a_k];
    OD_TRY(od_check_length(c, rank - 2, g->m, "a's m"));
    OD_TRY(od_check_length(c, rank - 1, g->n, "b's n"));
    for (uint32_t from_end = 2; from_end < rank; from_end++)
        OD_TRY(check_leading(a, b, c, from_end));
    return OCLDNN_SUCCESS;
}

/* The view's matrix under the output's leading axes. */
static od_view under(const od_view *view, const od_view *c)
{
    int64_t shape[OCLDNN_MAX_RANK];
    memcpy(shape, c->shape, sizeof shape);
    shape[c->rank - 2] = view->shape[view->rank - 2];
    shape[c->rank - 1] = view->shape[view->rank - 1];
    return od_view_broadcast(view, c->rank, shape);
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_matmul *op = opaque;
    const od_view none = {.dtype = OCLDNN_ABSENT};
    uint32_t most = OCLDNN_MAX_RANK, x;
    od_gemm *g = memory;
    od_view a, b;
    memset(g, 0, sizeof *g);
    OD_TRY(od_plan_tensor(plan, "a", &op->a, OD_READ, OD_FLOATS, 2, most, &g->a));
    x = OD_DTYPE(g->a.dtype);
    OD_TRY(od_plan_tensor(plan, "b", &op->b, OD_READ, x, 2, most, &g->b));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, x, 2, most, &g->c));
    OD_TRY(od_check_enum("transpose_a", op->transpose_a, 2));
    OD_TRY(od_check_enum("transpose_b", op->transpose_b, 2));
    OD_TRY(check_shapes(op, &g->a, &g->b, &g->c, g));
    OD_TRY(od_check_finite("alpha", op->alpha));
    g->transpose_a = op->transpose_a != 0;
    g->transpose_b = op->transpose_b != 0;
    g->ldb = g->b.strides[g->b.rank - 2];
    g->alpha = op->alpha == 0.0f ? 1.0f : op->alpha;
    g->activation_alpha = 1.0f;
    plan->requested = op->strategy ? op->strategy : OCLDNN_GEMM_NATIVE; /* AUTO does not take CLBlast unasked */
    plan->empty = g->c.count == 0;
    a = under(&g->a, &g->c);
    b = under(&g->b, &g->c);
    return od_gemm_walk(g, &a, &b, &g->c, &none);
}

const od_operator od_operator_matmul = {"matmul", check, od_gemm_strategies, OD_GEMM_STRATEGIES, OCLDNN_GEMM_CLBLAST};
OD_DEFINE_VERBS(matmul)
