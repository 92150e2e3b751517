/* SPDX-License-Identifier: Apache-2.0
 *
 * The vector family's products on AMX.
 */
#ifndef OD_GEMM_AMX_H
#define OD_GEMM_AMX_H

#include "gemm/gemm.h"

/* Whether the device has the unit, and the product gains by it. */
bool od_gemm_amx_suits(const od_device *device, const od_gemm *g);

ocldnn_status od_gemm_amx_plan(const od_device *device, const od_gemm *g, od_plan *plan);

#endif
