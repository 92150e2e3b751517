/* SPDX-License-Identifier: Apache-2.0
 *
 * What activation, binary and gated share: broadcasting, joining axes, and the launch.
 */
#ifndef OD_OPS_ELEMENTWISE_H
#define OD_OPS_ELEMENTWISE_H

#include "base/operator.h"

/* What the kernel computes from inputs a and b. */
typedef enum od_elementwise_operation {
    OD_ELEMENTWISE_ACTIVATION = 0, /* f(a) */
    OD_ELEMENTWISE_ADD = 1,        /* a + b */
    OD_ELEMENTWISE_MUL = 2,        /* a * b */
    OD_ELEMENTWISE_GATED = 3       /* f(a) * b */
} od_elementwise_operation;

enum { OD_ELEMENTWISE_VIEWS = 3 };

/* A problem. Operators fill what stands above the line; od_elementwise_check() does the rest. Axes are right-aligned,
 * filled up with length 1 and stride 0; the last one is a row. */
typedef struct od_elementwise {
    od_view a, b, output; /* b is absent for an activation */
    od_elementwise_operation operation;
    uint32_t kind; /* ocldnn_activation_kind */
    float alpha;
    /* ---- */
    int32_t shape[OCLDNN_MAX_RANK];
    int32_t strides[OD_ELEMENTWISE_VIEWS][OCLDNN_MAX_RANK]; /* a, b, output */
} od_elementwise;

/* Takes the tensors. */
ocldnn_status od_elementwise_take(od_plan *plan, const char *a_name, const ocldnn_tensor *a, const char *b_name,
                                  const ocldnn_tensor *b, const ocldnn_tensor *output, od_elementwise *problem);

/* Checks that the output has the inputs' broadcast shape, and joins axes. */
ocldnn_status od_elementwise_check(od_plan *plan, od_elementwise *problem);

/* The activation's kind and parameter, for the operators that have one. */
ocldnn_status od_elementwise_activation(uint32_t kind, float alpha, od_elementwise *problem);

/* For planners of other operators: writes a step that copies a view into another of the same shape. */
ocldnn_status od_elementwise_plan_copy(const od_device *device, od_plan *plan, const od_view *from, const od_view *to);

/* The operators' only strategy. */
extern const od_strategy od_elementwise_strategies[1];

#endif
