/* SPDX-License-Identifier: Apache-2.0
 *
 * attention by one fused kernel for CPUs (cl/attention/flash_vector.cl).
 */
#include "ops/attention/attention.h"
#include "ops/elementwise.h"
#include "sources.h"

/* Measured on PoCL. Of up to WIDE columns a block of queries, output and 96 keys' scores stay in the second cache. */
enum { KEYS = 96, WIDE = 256, MOST_VECTORS = 4 };

/* See worth_copying(): elements from one row to the next, elements in all (64 MiB), and queries that read them. */
enum { COPY_PITCH = 1024, COPY_MOST = 16 << 20, COPY_QUERIES = 256 };

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
        int64_t rows = 16 * vectors, time = od_round_up(queries, rows) * cost[vectors - 1];
        if (time < least) {
            least = time;
            best = vectors;
        }
    }
    return best;
}

/* Whether copying keys or values to one dense block first pays. F32 rows that lie further apart than a page, as heads
 * do that stand side by side, fall into few sets of the caches and each into a page of its own; every block of queries
 * reads them all. The copy costs as much as some 30 queries. */
static bool worth_copying(const od_attention *p, const od_view *rows)
{
    return rows->dtype == OCLDNN_F32 && rows->strides[2] > COPY_PITCH && rows->count <= COPY_MOST &&
           p->queries * p->group >= COPY_QUERIES;
}

static ocldnn_status copy_rows(const od_device *device, od_plan *plan, const char *name, od_view *rows)
{
    od_view near = od_plan_temp_dense(plan, name, OCLDNN_F32, rows->rank, rows->shape);
    OD_TRY(od_elementwise_plan_copy(device, plan, rows, &near));
    *rows = near;
    return OCLDNN_SUCCESS;
}

ocldnn_status od_flash_vector_plan(const od_device *device, const void *problem, od_plan *plan)
{
    od_attention with_copies = *(const od_attention *)problem, *p = &with_copies;
    int32_t vectors = row_vectors(p->queries, p->width > p->value_width ? p->width : p->value_width);
    od_step *step;
    if (worth_copying(p, &p->key))
        OD_TRY(copy_rows(device, plan, "keys", &p->key));
    if (worth_copying(p, &p->value))
        OD_TRY(copy_rows(device, plan, "values", &p->value));
    step = od_plan_kernel(plan, &od_source_attention_flash_vector, "flash_vector");
    od_attention_arguments(step, p, od_attention_mask_kind(p));
    od_define(step, "WIDTH", room(p->width));
    od_define(step, "VALUE_WIDTH", room(p->value_width));
    od_define(step, "ROW_VECTORS", vectors);
    od_define(step, "TILE", tiles[vectors - 1]);
    od_define(step, "KEYS", KEYS);
    od_launch(step, (p->queries + 16 * vectors - 1) / (16 * vectors), p->heads, p->batch, 1, 1, 1);
    return OCLDNN_SUCCESS;
}
