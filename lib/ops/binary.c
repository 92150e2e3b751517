/* SPDX-License-Identifier: Apache-2.0
 *
 * binary: y = a + b or a * b, broadcast.
 */
#include "ops/elementwise.h"
#include "runtime/verbs.h"

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_binary *op = opaque;
    od_elementwise *p = memory;
    OD_TRY(od_elementwise_take(plan, "a", &op->a, "b", &op->b, &op->output, p));
    OD_TRY(od_check_enum("kind", op->kind, OCLDNN_MUL + 1));
    p->operation = op->kind == OCLDNN_ADD ? OD_ELEMENTWISE_ADD : OD_ELEMENTWISE_MUL;
    p->kind = OCLDNN_IDENTITY;
    p->alpha = 0.0f;
    return od_elementwise_check(plan, p);
}

const od_operator od_operator_binary = {"binary", check, od_elementwise_strategies, 1, 0};
OD_DEFINE_VERBS(binary)
