// SPDX-License-Identifier: Apache-2.0
// What compilers can be told of a kernel's registers; nothing for those that take no such wish.
//     OD_WAVES        before a kernel: leave registers for two waves a SIMD (AMD); sub-groups of SUB_GROUP, if that is
//                     not 0 (Intel)
//     OD_UNIFORM(x)   an int that is the same for all items of a group, whatever the compiler (AMD's) thinks of it
#ifndef OD_COMMON_WAVES_CL
#define OD_COMMON_WAVES_CL

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

#endif
