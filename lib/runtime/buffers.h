/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OD_RUNTIME_BUFFERS_H
#define OD_RUNTIME_BUFFERS_H

#include "base/plan.h"

struct ocldnn_context;

/* Whether every tensor of the plan lies inside a buffer of this context, and no output where it must not; and whether
 * the caller's workspace, if there is one, is large enough and apart from the tensors. */
ocldnn_status od_check_buffers(const struct ocldnn_context *context, const od_plan *plan, const ocldnn_exec *exec);

#endif
