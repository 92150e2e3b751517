/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether kernels may use AMX, the matrix unit of Intel's server processors. The processor must have it, the system
 * must let this process use it, which it must be asked for once, and the driver must be one whose compiler is known to
 * take the instructions.
 */
#if defined(__x86_64__) && defined(__linux__)
#define _GNU_SOURCE /* syscall() */
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "runtime/context.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
static bool processor_has_it(void)
{
    const unsigned bf16_and_tiles = 1u << 22 | 1u << 24;
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bf16_and_tiles) == bf16_and_tiles;
}

/* The request holds for all threads of the process, those of the driver included. */
static bool system_allows_it(void)
{
    const long request_permission = 0x1023, tile_data = 18; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}
#else
static bool processor_has_it(void)
{
    return false;
}

static bool system_allows_it(void)
{
    return false;
}
#endif

static bool compiler_takes_it(const od_device *facts)
{
    bool intels = facts->vendor == OD_VENDOR_INTEL && strstr(facts->platform, "LINUX");
    return facts->is_cpu && (intels || strstr(facts->platform, "PoCL"));
}

static const char *why_not(const od_device *facts, bool forbidden)
{
    if (!compiler_takes_it(facts))
        return "this driver is not known to take its instructions";
    if (!processor_has_it())
        return "the processor has none";
    if (forbidden)
        return "the application forbids it";
    return system_allows_it() ? NULL : "the system does not let this process use it";
}

void od_amx_ask(od_device *facts, bool forbidden)
{
    const char *reason = why_not(facts, forbidden);
    facts->amx = reason ? OD_AMX_NEVER : OD_AMX_WHERE_IT_PAYS;
    snprintf(facts->amx_reason, sizeof facts->amx_reason, "%s", reason ? reason : "");
}
