/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm/gpu.h"

#include <stdlib.h>
#include <string.h>

static od_gpu amd_kind(const char *name)
{
    const char *number = strstr(name, "gfx");
    if (!number)
        return OD_GPU_AMD_RDNA;
    number += 3;
    if (strspn(number, "0123456789") >= 4)
        return OD_GPU_AMD_RDNA;
    if (strncmp(number, "908", 3) == 0 || strncmp(number, "90a", 3) == 0 || strncmp(number, "94", 2) == 0 ||
        strncmp(number, "95", 2) == 0)
        return OD_GPU_AMD_CDNA;
    return OD_GPU_AMD_GCN;
}

od_gpu od_gpu_kind(const od_device *device)
{
    switch (device->vendor) {
    case OD_VENDOR_AMD:
        return amd_kind(device->name);
    case OD_VENDOR_INTEL:
        return OD_GPU_INTEL;
    case OD_VENDOR_NVIDIA:
        return OD_GPU_NVIDIA;
    case OD_VENDOR_OTHER:
        break;
    }
    return OD_GPU_OTHER;
}

int32_t od_gpu_sub_group(const od_device *device)
{
    if (od_gpu_kind(device) != OD_GPU_INTEL || device->is_cpu)
        return 0;
    return device->local_memory > 64 << 10 ? 16 : 8;
}

bool od_gpu_can(const od_device *device, uint32_t items, uint64_t local_bytes, char reason[OD_REASON_BYTES])
{
    if (device->max_group_size < items)
        return od_cannot(reason, "the device runs groups of %u work-items, the kernel needs %u", device->max_group_size,
                         items);
    if (device->local_memory < local_bytes)
        return od_cannot(reason, "the device has %llu bytes of local memory, the kernel needs %llu",
                         (unsigned long long)device->local_memory, (unsigned long long)local_bytes);
    return true;
}
