/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for operators that the library does not have yet, so that the command links before they land. An entry goes
 * when its operator comes; weak, so that coming first breaks nothing.
 */
#include "operators.h"

static ocldnn_status check(const void *op, od_plan *plan, void *problem)
{
    (void)op;
    (void)plan;
    (void)problem;
    return od_fail(OCLDNN_UNSUPPORTED, "this version does not have the operator yet");
}

#define PENDING(NAME) __attribute__((weak)) const od_operator od_operator_##NAME = {#NAME, check, NULL, 0, 1};

PENDING(l2_norm)
PENDING(layer_norm)
PENDING(softmax)
