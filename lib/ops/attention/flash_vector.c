/* SPDX-License-Identifier: Apache-2.0
 *
 * attention by one fused kernel for CPUs (cl/attention/flash_vector.cl).
 */
#include "ops/attention/attention.h"
#include "sources.h"

/* Measured on PoCL: 32 rows keep a block of queries and its scores in a first-level cache of 32 KiB or more also at
 * D = 128; more rows read the keys fewer times, but fall out of it. */
enum { KEYS = 96, TILE = 8, MAX_VECTORS = 2 };

bool od_flash_vector_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    (void)problem;
    if (device->family != OD_FAMILY_VECTOR)
        return od_cannot(reason, "the vector kernel is for CPUs, this device takes the tiled one");
    return true;
}

/* Few sizes of private arrays, so that few programs are built. */
static int32_t room(int64_t width)
{
    int32_t size = 32;
    while (size < width)
        size *= 2;
    return size;
}

ocldnn_status od_flash_vector_plan(const od_device *device, const void *problem, od_plan *plan)
{
    const od_attention *p = problem;
    od_step *step = od_plan_kernel(plan, &od_source_attention_flash_vector, "flash_vector");
    int32_t vectors = p->queries > 16 ? MAX_VECTORS : 1;
    (void)device;
    od_attention_arguments(step, p);
    od_define(step, "WIDTH", room(p->width));
    od_define(step, "VALUE_WIDTH", room(p->value_width));
    od_define(step, "ROW_VECTORS", vectors);
    od_define(step, "TILE", TILE);
    od_define(step, "KEYS", KEYS);
    od_launch(step, (p->queries + 16 * vectors - 1) / (16 * vectors), p->heads, p->batch, 1, 1, 1);
    return OCLDNN_SUCCESS;
}
