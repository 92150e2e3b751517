/* SPDX-License-Identifier: Apache-2.0
 *
 * The four verbs of every operator, over its table. A file in lib/ops/ ends with
 *
 *     const od_operator od_operator_rms_norm = {...};
 *     OD_DEFINE_VERBS(rms_norm)
 */
#ifndef OD_RUNTIME_VERBS_H
#define OD_RUNTIME_VERBS_H

#include "base/operator.h"

#include <ocldnn/ocldnn.h>

ocldnn_status od_run(ocldnn_context *context, const od_operator *kind, const void *op, const ocldnn_exec *exec);
ocldnn_status od_prepare(ocldnn_context *context, const od_operator *kind, const void *op);
ocldnn_status od_workspace(ocldnn_context *context, const od_operator *kind, const void *op, size_t *bytes);
ocldnn_status od_query(ocldnn_context *context, const od_operator *kind, const void *op, ocldnn_query *query);

#define OD_DEFINE_VERBS(NAME)                                                                                          \
    ocldnn_status ocldnn_##NAME##_run(ocldnn_context *context, const ocldnn_##NAME *op, const ocldnn_exec *exec)       \
    {                                                                                                                  \
        return od_run(context, &od_operator_##NAME, op, exec);                                                         \
    }                                                                                                                  \
    ocldnn_status ocldnn_##NAME##_prepare(ocldnn_context *context, const ocldnn_##NAME *op)                            \
    {                                                                                                                  \
        return od_prepare(context, &od_operator_##NAME, op);                                                           \
    }                                                                                                                  \
    ocldnn_status ocldnn_##NAME##_workspace(ocldnn_context *context, const ocldnn_##NAME *op, size_t *bytes)           \
    {                                                                                                                  \
        return od_workspace(context, &od_operator_##NAME, op, bytes);                                                  \
    }                                                                                                                  \
    ocldnn_status ocldnn_##NAME##_query(ocldnn_context *context, const ocldnn_##NAME *op, ocldnn_query *query)         \
    {                                                                                                                  \
        return od_query(context, &od_operator_##NAME, op, query);                                                      \
    }

#endif
