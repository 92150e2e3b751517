/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiled family, for GPUs.
 */
#include "gemm/gemm.h"

static bool can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    (void)device;
    (void)problem;
    return od_cannot(reason, "the tiled kernels are not there yet");
}

static ocldnn_status plan_none(const od_device *device, const void *problem, od_plan *plan)
{
    (void)device;
    (void)problem;
    (void)plan;
    return od_fail(OCLDNN_UNSUPPORTED, "the tiled kernels are not there yet");
}

static int64_t packed_elements(int64_t n, int64_t k)
{
    return n * k;
}

const od_gemm_family od_gemm_tiled = {"tiled", can, plan_none, OD_GEMM_TILES, packed_elements, plan_none};
