// SPDX-License-Identifier: Apache-2.0
// What compilers can be told of a kernel's registers; nothing for those that take no such wish.
//     OD_CDNA         1 on AMD GPUs that multiply pairs of floats in one instruction (CDNA 2 and later)
//     OD_WAVES        before a kernel: leave registers for two waves a SIMD (AMD); sub-groups of SUB_GROUP, if that is
//                     not 0 (Intel)
//     OD_TWO_WAVES    the same before a kernel that multiplies: on CDNA two waves are also enough, and the registers go
//     to
//                     operands that are read ahead; otherwise every multiplication would wait for its own
//     OD_UNIFORM(x)   an int that is the same for all items of a group, whatever the compiler (AMD's) thinks of it
#ifndef OD_COMMON_WAVES_CL
#define OD_COMMON_WAVES_CL

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
#define OD_CDNA 1
#else
#define OD_CDNA 0
#endif

#ifdef __AMDGCN__
#define OD_WAVES __attribute__((amdgpu_waves_per_eu(2)))
#define OD_UNIFORM(x) __builtin_amdgcn_readfirstlane(x)
#elif SUB_GROUP && defined(cl_intel_required_subgroup_size)
#define OD_WAVES __attribute__((intel_reqd_sub_group_size(SUB_GROUP)))
#define OD_UNIFORM(x) (x)
#else
#define OD_WAVES
#define OD_UNIFORM(x) (x)
#endif
#if OD_CDNA
#define OD_TWO_WAVES __attribute__((amdgpu_waves_per_eu(2, 2)))
#else
#define OD_TWO_WAVES OD_WAVES
#endif

#endif
