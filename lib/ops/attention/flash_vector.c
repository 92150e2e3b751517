/* SPDX-License-Identifier: Apache-2.0
 *
 * attention by one fused kernel for CPUs (cl/attention/flash_vector.cl).
 */
#include "ops/attention/attention.h"
#include "sources.h"

/* Measured on PoCL. Of up to WIDE columns a block of queries, output and 96 keys' scores stay in the second cache. */
enum { KEYS = 96, WIDE = 256, MOST_VECTORS = 4 };

/* Keys (or columns of V) in a register tile, by the vectors of 16 rows in it: together 16 to 24 sums, which hide the
 * latency of a multiplication. Each divides KEYS. */
static const int32_t tiles[MOST_VECTORS] = {16, 12, 8, 6};

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

/* Vectors of 16 rows in a work-item: the more, the fewer broadcasts of a key for each multiplication, but rows past the
 * last query are wasted. `cost` is the time a row takes. */
static int32_t row_vectors(int64_t queries, int64_t width)
{
    static const int64_t cost[MOST_VECTORS] = {128, 106, 105, 100};
    int64_t least = INT64_MAX;
    int32_t best = 1;
    for (int32_t vectors = 1; vectors <= (width > WIDE ? 2 : MOST_VECTORS); vectors++) {
        int64_t rows = 16 * vectors, time = (queries + rows - 1) / rows * rows * cost[vectors - 1];
        if (time < least) {
            least = time;
            best = vectors;
        }
    }
    return best;
}

ocldnn_status od_flash_vector_plan(const od_device *device, const void *problem, od_plan *plan)
{
    const od_attention *p = problem;
    od_step *step = od_plan_kernel(plan, &od_source_attention_flash_vector, "flash_vector");
    int32_t vectors = row_vectors(p->queries, p->width > p->value_width ? p->width : p->value_width);
    (void)device;
    od_attention_arguments(step, p);
    od_define(step, "WIDTH", room(p->width));
    od_define(step, "VALUE_WIDTH", room(p->value_width));
    od_define(step, "ROW_VECTORS", vectors);
    od_define(step, "TILE", tiles[vectors - 1]);
    od_define(step, "KEYS", KEYS);
    od_launch(step, (p->queries + 16 * vectors - 1) / (16 * vectors), p->heads, p->batch, 1, 1, 1);
    return OCLDNN_SUCCESS;
}
