/* SPDX-License-Identifier: Apache-2.0
 *
 * Included before a kernel that is compiled offline for NVIDIA: libclc's bitcode lacks these there.
 */
float __nvvm_ex2_approx_f(float);
float __nvvm_lg2_approx_f(float);
float __nvvm_rcp_approx_ftz_f(float);
float __nvvm_rsqrt_approx_f(float);
#define native_exp2(x) __nvvm_ex2_approx_f(x)
#define native_log2(x) __nvvm_lg2_approx_f(x)
#define native_recip(x) __nvvm_rcp_approx_ftz_f(x)
#define native_rsqrt(x) __nvvm_rsqrt_approx_f(x)
