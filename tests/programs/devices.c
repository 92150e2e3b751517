/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"

#define GPU(GPU, NAME, VENDOR, UNITS, ITEMS, LOCAL)                                                                    \
    {                                                                                                                  \
        .gpu = GPU, .facts = {                                                                                         \
            .name = NAME,                                                                                              \
            .vendor = OD_VENDOR_##VENDOR,                                                                              \
            .family = OD_FAMILY_TILED,                                                                                 \
            .has_compiler = true,                                                                                      \
            .clblast = true,                                                                                           \
            .pack_tag = 1,                                                                                             \
            .out_of_order = true,                                                                                      \
            .fp16 = OD_VENDOR_##VENDOR != OD_VENDOR_NVIDIA,                                                            \
            .compute_units = UNITS,                                                                                    \
            .max_group_size = ITEMS,                                                                                   \
            .local_memory = (LOCAL) << 10,                                                                             \
            .global_memory = 16ull << 30,                                                                              \
            .max_allocation = 4ull << 30                                                                               \
        }                                                                                                              \
    }

#define CPU(NAME, AMX)                                                                                                 \
    {                                                                                                                  \
        .gpu = "-", .facts = {                                                                                         \
            .name = NAME,                                                                                              \
            .family = OD_FAMILY_VECTOR,                                                                                \
            .is_cpu = true,                                                                                            \
            .has_compiler = true,                                                                                      \
            .clblast = true,                                                                                           \
            .amx = AMX,                                                                                                \
            .pack_tag = 1,                                                                                             \
            .compute_units = 8,                                                                                        \
            .max_group_size = 4096,                                                                                    \
            .local_memory = 256 << 10,                                                                                 \
            .global_memory = 16ull << 30,                                                                              \
            .max_allocation = 4ull << 30                                                                               \
        }                                                                                                              \
    }

const invented_device invented_devices[INVENTED_DEVICES] = {
    CPU("a CPU", OD_AMX_NEVER),
    GPU("gfx906", "gfx906:sramecc+:xnack-", AMD, 60, 256, 64),
    GPU("gfx90a", "gfx90a:sramecc+:xnack-", AMD, 104, 256, 64),
    GPU("gfx942", "gfx942:sramecc+:xnack-", AMD, 304, 256, 64),
    GPU("gfx1030", "gfx1030", AMD, 30, 256, 64),
    GPU("gfx1100", "gfx1100", AMD, 48, 256, 64),
    GPU("gfx1151", "gfx1151", AMD, 20, 256, 64),
    GPU("gfx1201", "gfx1201", AMD, 28, 256, 64),
    GPU("tgllp", "Intel(R) Iris(R) Xe Graphics", INTEL, 96, 512, 64),
    GPU("dg2", "Intel(R) Arc(TM) A770 Graphics", INTEL, 512, 1024, 64),
    GPU("pvc", "Intel(R) Data Center GPU Max 1550", INTEL, 512, 1024, 128),
    GPU("sm_75", "Tesla T4", NVIDIA, 40, 1024, 48),
    GPU("sm_80", "NVIDIA A100-SXM4-40GB", NVIDIA, 108, 1024, 48),
    GPU("sm_90", "NVIDIA H100 PCIe", NVIDIA, 114, 1024, 48),
    GPU("sm_120", "NVIDIA GeForce RTX 5090", NVIDIA, 170, 1024, 48),
    CPU("a CPU with AMX", OD_AMX_ALWAYS),
};
