/* SPDX-License-Identifier: Apache-2.0
 *
 * linear: Y = f(X W^T + bias) + residual, by the shared matrix product.
 */
#include "base/activation.h"
#include "gemm/gemm.h"
#include "ops/packed.h"
#include "runtime/verbs.h"

#include <string.h>

typedef struct problem {
    od_gemm gemm; /* first: what the gemm's own strategies take */
    bool packed;
    ocldnn_packed_weight weight;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

typedef struct tensors {
    od_view input, weight, bias, residual, output;
} tensors;

static ocldnn_status take_tensors(const ocldnn_linear *op, od_plan *plan, tensors *t)
{
    uint32_t most = OCLDNN_MAX_RANK, x;
    OD_TRY(od_plan_tensor(plan, "input", &op->input, OD_READ, OD_FLOATS, 1, most, &t->input));
    x = OD_DTYPE(t->input.dtype);
    if (op->packed.bytes == 0)
        OD_TRY(od_plan_tensor(plan, "weight", &op->weight, OD_READ, x, 2, most, &t->weight));
    else if (op->weight.dtype != OCLDNN_ABSENT)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "weight: must be absent where packed is given");
    else
        OD_TRY(od_packed_tensor(plan, &op->packed, OD_READ, &t->weight));
    if (t->weight.dtype != t->input.dtype)
        return od_check_same_dtype(&t->weight, &t->input);
    OD_TRY(od_plan_optional(plan, "bias", &op->bias, OD_READ, x | OD_DTYPE(OCLDNN_F32), 1, 1, &t->bias));
    OD_TRY(od_plan_optional(plan, "residual", &op->residual, OD_READ, x, 1, most, &t->residual));
    OD_TRY(od_plan_tensor(plan, "output", &op->output, OD_WRITE, x, 1, most, &t->output));
    od_plan_may_be(plan, &t->output, &t->residual);
    return OCLDNN_SUCCESS;
}

/* Leading axes of a weight of rank > 2: the input's, or 1. */
static ocldnn_status check_weight_batch(const tensors *t)
{
    if (t->weight.rank == 2)
        return OCLDNN_SUCCESS;
    if (t->weight.rank != t->input.rank)
        return od_fail(OCLDNN_INVALID_SHAPE, "weight: rank is %u, must be 2 or %u (input's)", t->weight.rank,
                       t->input.rank);
    for (uint32_t axis = 0; axis + 2 < t->weight.rank; axis++)
        if (t->weight.shape[axis] != 1)
            OD_TRY(od_check_axis(&t->weight, axis, &t->input, axis));
    return OCLDNN_SUCCESS;
}

/* Fills n, k and how the weight lies. */
static ocldnn_status take_weight(const ocldnn_linear *op, tensors *t, problem *p)
{
    uint32_t last = t->input.rank - 1, out = t->weight.rank - 2, in = t->weight.rank - 1;
    od_gemm *g = &p->gemm;
    p->packed = op->packed.bytes != 0;
    OD_TRY(od_check_enum("layout", op->layout, 2));
    if (p->packed) {
        p->weight = op->packed;
        g->n = op->packed.n;
        g->k = op->packed.k;
        g->format = (od_gemm_format)op->packed.format;
        if (t->input.shape[last] != g->k)
            return od_fail(OCLDNN_INVALID_SHAPE, "input: axis %u is %lld, packed has k %lld", last,
                           (long long)t->input.shape[last], (long long)g->k);
        return OCLDNN_SUCCESS;
    }
    g->transpose_b = op->layout == OCLDNN_WEIGHT_NK;
    if (!g->transpose_b) {
        out = t->weight.rank - 1;
        in = t->weight.rank - 2;
    }
    OD_TRY(od_check_axis(&t->input, last, &t->weight, in));
    OD_TRY(check_weight_batch(t));
    OD_TRY(od_check_last_contiguous(&t->weight));
    g->n = t->weight.shape[out];
    g->k = t->weight.shape[in];
    g->ldb = t->weight.strides[t->weight.rank - 2];
    return OCLDNN_SUCCESS;
}

static ocldnn_status check_shapes(const tensors *t, const od_gemm *g)
{
    uint32_t last = t->input.rank - 1;
    OD_TRY(od_check_last_contiguous(&t->input));
    OD_TRY(od_check_rank(&t->output, t->input.rank));
    for (uint32_t axis = 0; axis < last; axis++)
        OD_TRY(od_check_axis(&t->output, axis, &t->input, axis));
    OD_TRY(od_check_length(&t->output, last, g->n, "the weight's n"));
    OD_TRY(od_check_last_contiguous(&t->output));
    if (od_present(&t->bias)) {
        OD_TRY(od_check_length(&t->bias, 0, g->n, "the weight's n"));
        OD_TRY(od_check_last_contiguous(&t->bias));
    }
    if (od_present(&t->residual)) {
        OD_TRY(od_check_same_shape(&t->residual, &t->output));
        OD_TRY(od_check_last_contiguous(&t->residual));
    }
    return OCLDNN_SUCCESS;
}

/* A row by itself is a matrix of one row. */
static od_view as_matrix(const od_view *view)
{
    return od_present(view) && view->rank == 1 ? od_view_broadcast(view, 2, (int64_t[]){1, view->shape[0]}) : *view;
}

static ocldnn_status walk(const tensors *t, od_gemm *g)
{
    od_view a = as_matrix(&t->input), c = as_matrix(&t->output), r = as_matrix(&t->residual), b = {0};
    if (g->format == OD_GEMM_PLAIN) {
        int64_t shape[OCLDNN_MAX_RANK];
        memcpy(shape, c.shape, sizeof shape);
        shape[c.rank - 2] = t->weight.shape[t->weight.rank - 2];
        shape[c.rank - 1] = t->weight.shape[t->weight.rank - 1];
        b = od_view_broadcast(&t->weight, c.rank, shape);
    }
    return od_gemm_walk(g, &a, &b, &c, &r);
}

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_linear *op = opaque;
    problem *p = memory;
    tensors t;
    memset(&p->gemm, 0, sizeof p->gemm);
    OD_TRY(take_tensors(op, plan, &t));
    OD_TRY(take_weight(op, &t, p));
    OD_TRY(check_shapes(&t, &p->gemm));
    OD_TRY(od_check_enum("activation", op->activation, OD_ACTIVATIONS));
    OD_TRY(od_check_finite("alpha", op->alpha));
    p->gemm.a = t.input;
    p->gemm.b = t.weight;
    p->gemm.c = t.output;
    p->gemm.bias = t.bias;
    p->gemm.residual = t.residual;
    p->gemm.alpha = 1.0f;
    p->gemm.activation = op->activation;
    p->gemm.activation_alpha = od_activation_alpha(op->activation, op->alpha);
    plan->requested = op->strategy ? op->strategy : OCLDNN_GEMM_NATIVE; /* AUTO does not take CLBlast unasked */
    plan->empty = t.output.count == 0;
    return walk(&t, &p->gemm);
}

/* A packed weight suits only the device that it was made for. */
static bool native_can(const od_device *device, const void *memory, char reason[OD_REASON_BYTES])
{
    const problem *p = memory;
    if (p->packed && !od_packed_suits(device, &p->weight, reason))
        return false;
    return od_gemm_strategies[0].can(device, &p->gemm, reason);
}

static ocldnn_status native_plan(const od_device *device, const void *memory, od_plan *plan)
{
    return od_gemm_strategies[0].plan(device, memory, plan);
}

static const od_strategy strategies[] = {
    {"native", OCLDNN_GEMM_NATIVE, native_can, native_plan},
    {"clblast", OCLDNN_GEMM_CLBLAST, od_gemm_clblast_can, od_gemm_clblast_plan},
};

const od_operator od_operator_linear = {"linear", check, strategies, 2, OCLDNN_GEMM_CLBLAST};
OD_DEFINE_VERBS(linear)
