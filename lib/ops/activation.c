/* SPDX-License-Identifier: Apache-2.0
 *
 * activation: y = f(x).
 */
#include "ops/elementwise.h"
#include "runtime/verbs.h"

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_activation *op = opaque;
    od_elementwise *p = memory;
    p->operation = OD_ELEMENTWISE_ACTIVATION;
    OD_TRY(od_elementwise_take(plan, "input", &op->input, NULL, NULL, &op->output, p));
    OD_TRY(od_elementwise_activation(op->kind, op->alpha, p));
    return od_elementwise_check(plan, p);
}

const od_operator od_operator_activation = {"activation", check, od_elementwise_strategies, 1, 0};
OD_DEFINE_VERBS(activation)
