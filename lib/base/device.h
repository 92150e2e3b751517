/* SPDX-License-Identifier: Apache-2.0
 *
 * The facts of a device that planners decide by. Plain data: a test can invent a device, the runtime fills one from
 * what OpenCL reports (runtime/facts.c) and from the table of quirks (runtime/quirks.c).
 */
#ifndef OD_BASE_DEVICE_H
#define OD_BASE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* Which form of a kernel suits the device. */
typedef enum od_family {
    OD_FAMILY_VECTOR = 0, /* CPUs: one work-item per group is a core's inner loop over wide vectors */
    OD_FAMILY_TILED = 1   /* GPUs: groups of 64 to 256 items share tiles in local memory */
} od_family;

typedef enum od_vendor { OD_VENDOR_OTHER = 0, OD_VENDOR_AMD = 1, OD_VENDOR_INTEL = 2, OD_VENDOR_NVIDIA = 3 } od_vendor;

/* ALWAYS is for tests, whose problems are small. */
typedef enum od_amx { OD_AMX_NEVER = 0, OD_AMX_WHERE_IT_PAYS = 1, OD_AMX_ALWAYS = 2 } od_amx;

typedef struct od_device {
    char name[128];
    char vendor_name[64];
    char driver[96];    /* driver version */
    char platform[192]; /* platform version */
    od_vendor vendor;
    od_family family;
    bool is_cpu;
    bool has_compiler; /* false: nothing can be built */
    bool out_of_order; /* queues may be out-of-order */
    bool fp16;         /* cl_khr_fp16 */
    bool clblast;      /* CLBlast may be used; if not, clblast_reason says why */
    char clblast_reason[96];
    od_amx amx; /* whether kernels use the matrix unit of Intel's server processors; if not, amx_reason says why */
    char amx_reason[64];
    uint32_t quirks; /* OCLDNN_QUIRK_*, as they apply */
    char quirk_reasons[256];
    uint32_t compute_units;
    uint32_t vector_floats; /* in a native vector: 16 with AVX-512, 8 with AVX2, 4 with SSE or NEON; 0 unknown */
    uint32_t max_group_size;
    uint64_t local_memory;   /* bytes per work-group */
    uint64_t global_memory;  /* bytes */
    uint64_t max_allocation; /* bytes */
    uint64_t pack_tag;       /* what a packed weight is marked with: a hash of device, driver and library version */
} od_device;

/* Of kernels of the vector family: whether all the device's registers hold some 16 x 8 floats, not 32 x 16. Kernels are
 * written in vectors of 16 floats, each of which then takes two registers. */
static inline bool od_is_narrow(const od_device *device)
{
    return device->vector_floats > 0 && device->vector_floats < 16;
}

#endif
