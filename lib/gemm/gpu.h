/* SPDX-License-Identifier: Apache-2.0
 *
 * Which kind of GPU a device is, so far as the tiled kernels' tile sizes depend on it.
 */
#ifndef OD_GEMM_GPU_H
#define OD_GEMM_GPU_H

#include "base/operator.h"

typedef enum od_gpu {
    OD_GPU_OTHER = 0,
    OD_GPU_AMD_GCN = 1,  /* gfx6 to gfx909, Vega: waves of 64, 256 registers in a SIMD */
    OD_GPU_AMD_CDNA = 2, /* gfx908, gfx90a, gfx94x, gfx95x: waves of 64, 512 registers */
    OD_GPU_AMD_RDNA = 3, /* gfx10 and later: waves of 32 */
    OD_GPU_INTEL = 4,
    OD_GPU_NVIDIA = 5
} od_gpu;
enum { OD_GPU_KINDS = 6 };

/* By vendor; AMD's by the name that its OpenCL gives a device ("gfx1100", "gfx90a:sramecc+:xnack-"). */
od_gpu od_gpu_kind(const od_device *device);

/* The sub-group size that kernels with many registers ask Intel's compiler for, 0 on other devices: the least that the
 * device has, for the most registers an item. Xe HPC and Xe2, whose least is 16, are those with more than 64 KiB of
 * local memory; left to itself the compiler takes 32 there, and spills. */
int32_t od_gpu_sub_group(const od_device *device);

/* Whether groups of so many items with so many bytes of local memory can run. */
bool od_gpu_can(const od_device *device, uint32_t items, uint64_t local_bytes, char reason[OD_REASON_BYTES]);

/* The tiles that products may get on the device: writes M, N of a group and M, N of an item, false past the last. */
bool od_gemm_tile(const od_device *device, int number, int32_t sizes[4]);

#endif
