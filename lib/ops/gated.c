/* SPDX-License-Identifier: Apache-2.0
 *
 * gated: y = f(gate) * up.
 */
#include "ops/elementwise.h"
#include "runtime/verbs.h"

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_gated *op = opaque;
    od_elementwise *p = memory;
    p->operation = OD_ELEMENTWISE_GATED;
    OD_TRY(od_elementwise_take(plan, "gate", &op->gate, "up", &op->up, &op->output, p));
    OD_TRY(od_elementwise_activation(op->kind, op->alpha, p));
    return od_elementwise_check(plan, p);
}

const od_operator od_operator_gated = {"gated", check, od_elementwise_strategies, 1, 0};
OD_DEFINE_VERBS(gated)
