/* SPDX-License-Identifier: Apache-2.0
 *
 * What linear and linear_pack share about packed weights.
 */
#ifndef OD_OPS_PACKED_H
#define OD_OPS_PACKED_H

#include "base/operator.h"

#include <ocldnn/linear.h>

/* Checks the fields, and records the packed form as a tensor of the plan. */
ocldnn_status od_packed_tensor(od_plan *plan, const ocldnn_packed_weight *packed, od_access access, od_view *view);

/* Whether it was made for this device, driver and library; for a strategy's `can`. */
bool od_packed_suits(const od_device *device, const ocldnn_packed_weight *packed, char reason[OD_REASON_BYTES]);

#endif
