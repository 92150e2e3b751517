/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of drivers beyond what they report. One table; an application extends it by
 * ocldnn_context_options.quirks.
 */
#include "runtime/context.h"

#include <stdio.h>
#include <string.h>

static const ocldnn_quirk known[] = {
    {NULL, "pthread", NULL, OCLDNN_QUIRK_SERIAL_BUILDS | OCLDNN_QUIRK_LATE_BINARIES,
     "PoCL's compiler holds a lock; eight programs build faster one "
     "after the other. It compiles at a program's first launch, and once more to give a binary"},
    {NULL, "basic", NULL, OCLDNN_QUIRK_SERIAL_BUILDS | OCLDNN_QUIRK_LATE_BINARIES, "PoCL, see pthread"},
    {"Intel(R) Corporation", "Xeon", NULL, OCLDNN_QUIRK_SERIAL_BUILDS, "Intel's CPU compiler holds a lock"},
    {"Intel(R) Corporation", "Core", NULL, OCLDNN_QUIRK_SERIAL_BUILDS, "Intel's CPU compiler holds a lock"},
    {NULL, "Oclgrind", NULL, OCLDNN_QUIRK_VECTOR_FAMILY | OCLDNN_QUIRK_NO_BINARIES,
     "an interpreter: the fewest work-items are the fastest, and its build options are not part of a binary"},
    {NULL, "llvmpipe", NULL, OCLDNN_QUIRK_TILED_FAMILY | OCLDNN_QUIRK_KERNEL_LIMITS | OCLDNN_QUIRK_EARLY_FINISH,
     "its compiler takes minutes over the vector family's kernels; it says 32 of kernels that run in groups of 1024, "
     "and counts their local memory twice; its clFinish forgets what clFlush has sent off"},
};

static bool holds(const char *text, const char *part)
{
    return !part || strstr(text, part) != NULL;
}

static void apply(od_device *facts, const ocldnn_quirk *quirk)
{
    size_t used = strlen(facts->quirk_reasons);
    if (!holds(facts->vendor_name, quirk->vendor) || !holds(facts->name, quirk->device) ||
        !holds(facts->driver, quirk->driver))
        return;
    facts->quirks |= quirk->flags;
    if (quirk->reason && used + 1 < sizeof facts->quirk_reasons)
        snprintf(facts->quirk_reasons + used, sizeof facts->quirk_reasons - used, "%s%s", used ? "; " : "",
                 quirk->reason);
}

void od_quirks_apply(od_device *facts, const ocldnn_quirk *extra, uint32_t extra_count)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        apply(facts, &known[i]);
    for (uint32_t i = 0; i < extra_count; i++)
        apply(facts, &extra[i]);
    if (facts->quirks & OCLDNN_QUIRK_VECTOR_FAMILY)
        facts->family = OD_FAMILY_VECTOR;
    if (facts->quirks & OCLDNN_QUIRK_TILED_FAMILY)
        facts->family = OD_FAMILY_TILED;
    if (facts->clblast && (facts->quirks & OCLDNN_QUIRK_NO_CLBLAST)) {
        facts->clblast = false;
        snprintf(facts->clblast_reason, sizeof facts->clblast_reason, "a quirk of this driver rules CLBlast out");
    }
}
