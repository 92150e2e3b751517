/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiled family, for GPUs: tiles in local memory (cl/gemm/tiled.cl), a path for at most 8 rows that is bound by
 * reading B (cl/gemm/skinny_tiled.cl), and the packing of B (cl/gemm/pack_tiled.cl). Each product is one launch and
 * needs no workspace.
 */
#include "gemm/gemm.h"
#include "gemm/gpu.h"
#include "sources.h"

#include <string.h>

enum {
    PACKED_STEP = 32, /* a packed B has rows of a multiple of this */
    SKINNY_ROWS = 8,
    SKINNY_ITEMS_NK = 64, /* of the skinny kernel, with its columns per group; B stored [n, k] */
    SKINNY_COLUMNS_NK = 4,
    SKINNY_ITEMS_KN = 128, /* B stored [k, n] */
    SKINNY_COLUMNS_KN = 32
};

/* Outputs of a group, and of an item. */
typedef struct tile {
    int32_t m, n, item_m, item_n;
} tile;

/* The largest first; a smaller one is taken while compute units would be left without a group. Sizes that others found
 * by measuring, so far as the compilers keep them in registers (build/offline.tsv):
 * AMD GCN     two waves of 64 have to fit a SIMD's registers: at most 32 outputs an item
 * AMD CDNA    twice the registers; 64 outputs, because its packed FMA makes operands scarce; in the least group 32
 * AMD RDNA    groups of 128 and 64 outputs an item
 * NVIDIA      groups of 128 and 64 outputs an item; three such groups fit a multiprocessor
 * Intel       32 outputs an item, and deeper slices, which are not fetched ahead: eight threads hide the wait, and the
 *             128 registers are for sums */
static const tile tiles[OD_GPU_KINDS][3] = {
    [OD_GPU_OTHER] = {{64, 64, 8, 4}, {64, 64, 8, 4}, {32, 32, 4, 4}},
    [OD_GPU_AMD_GCN] = {{128, 64, 8, 4}, {64, 64, 8, 4}, {32, 32, 4, 4}},
    [OD_GPU_AMD_CDNA] = {{128, 128, 8, 8}, {64, 64, 8, 8}, {64, 32, 8, 4}},
    [OD_GPU_AMD_RDNA] = {{128, 64, 8, 8}, {64, 64, 8, 4}, {32, 32, 4, 4}},
    [OD_GPU_INTEL] = {{64, 64, 8, 4}, {64, 32, 8, 4}, {32, 32, 8, 4}},
    [OD_GPU_NVIDIA] = {{128, 64, 8, 8}, {64, 64, 8, 4}, {32, 32, 4, 4}},
};
static const tile flat = {16, 64, 4, 4}; /* for few rows; on Intel (Arc) its items need too much at once */

static int64_t packed_pitch(int64_t n)
{
    return od_round_up(n, PACKED_STEP);
}

static int64_t groups_of(const od_gemm *g, const tile *t)
{
    return od_ceil_div(g->m, t->m) * od_ceil_div(g->n, t->n) * g->batch.count;
}

static tile choose_tile(const od_device *device, const od_gemm *g)
{
    const tile *choice = tiles[od_gpu_kind(device)];
    if (g->m <= flat.m && od_gpu_kind(device) != OD_GPU_INTEL)
        return flat;
    for (int i = 0; i < 2; i++, choice++)
        if (groups_of(g, choice) >= device->compute_units)
            break;
    return *choice;
}

bool od_gemm_tile(const od_device *device, int number, int32_t sizes[4])
{
    od_gpu kind = od_gpu_kind(device);
    const tile *t = number < 3 ? &tiles[kind][number] : &flat;
    if (number > (kind == OD_GPU_INTEL ? 2 : 3))
        return false;
    memcpy(sizes, (int32_t[]){t->m, t->n, t->item_m, t->item_n}, 4 * sizeof *sizes);
    return true;
}

static bool skinny(const od_gemm *g)
{
    return g->m <= SKINNY_ROWS && !g->transpose_a;
}

static int64_t launches(const od_device *device, const od_gemm *g)
{
    tile t = choose_tile(device, g);
    if (skinny(g))
        return od_ceil_div(g->n, SKINNY_COLUMNS_NK) * g->batch.count;
    return groups_of(g, &t);
}

static bool can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    const od_gemm *g = problem;
    if (device->family != OD_FAMILY_TILED)
        return od_cannot(reason, "the tiled kernels are for GPUs");
    if (g->format != OD_GEMM_PLAIN && g->format != OD_GEMM_TILES)
        return od_cannot(reason, "B is packed for another family of kernels");
    if (launches(device, g) > INT32_MAX / 256)
        return od_cannot(reason, "%lld work-groups are more than the tiled kernels can number",
                         (long long)launches(device, g));
    return od_gpu_can(device, 256, 32768, reason);
}

/* What both kernels share. */
static od_step *start(const od_gemm *g, od_plan *plan, const od_source *source, const char *kernel)
{
    bool packed = g->format == OD_GEMM_TILES;
    od_step *step = od_gemm_step(g, plan, source, kernel, packed ? packed_pitch(g->n) : g->ldb);
    od_define(step, "TRANSPOSE_B", g->transpose_b && !packed);
    return step;
}

static void plan_skinny(const od_device *device, const od_gemm *g, od_plan *plan)
{
    od_step *step = start(g, plan, &od_source_gemm_skinny_tiled, "gemm_skinny_tiled");
    bool nk = g->transpose_b && g->format != OD_GEMM_TILES;
    uint32_t items = nk ? SKINNY_ITEMS_NK : SKINNY_ITEMS_KN;
    int32_t rows = 1;
    while (rows < g->m)
        rows *= 2;
    od_define(step, "ROWS", rows);
    od_define(step, "ITEMS", (int32_t)items);
    od_define(step, "SUB_GROUP", od_gpu_sub_group(device));
    od_launch(step, od_ceil_div(g->n, nk ? SKINNY_COLUMNS_NK : SKINNY_COLUMNS_KN) * g->batch.count, 1, 1, items, 1, 1);
}

static void plan_tiles(const od_device *device, const od_gemm *g, od_plan *plan)
{
    od_step *step = start(g, plan, &od_source_gemm_tiled, "gemm_tiled");
    tile t = choose_tile(device, g);
    bool intel = od_gpu_kind(device) == OD_GPU_INTEL;
    od_define(step, "TRANSPOSE_A", g->transpose_a);
    od_define(step, "TILE_M", t.m);
    od_define(step, "TILE_N", t.n);
    od_define(step, "TILE_K", intel ? 32 : 16);
    od_define(step, "ITEM_M", t.item_m);
    od_define(step, "ITEM_N", t.item_n);
    od_define(step, "PREFETCH", !intel);
    od_define(step, "SUB_GROUP", od_gpu_sub_group(device));
    od_launch(step, groups_of(g, &t), 1, 1, (uint32_t)(t.m / t.item_m * t.n / t.item_n), 1, 1);
}

static ocldnn_status plan_product(const od_device *device, const void *problem, od_plan *plan)
{
    const od_gemm *g = problem;
    if (skinny(g))
        plan_skinny(device, g, plan);
    else
        plan_tiles(device, g, plan);
    return OCLDNN_SUCCESS;
}

static int64_t packed_elements(int64_t n, int64_t k)
{
    return packed_pitch(n) * k;
}

static ocldnn_status plan_pack(const od_device *device, const void *problem, od_plan *plan)
{
    const od_gemm_pack *p = problem;
    od_step *step = od_plan_kernel(plan, &od_source_gemm_pack_tiled, "gemm_pack_tiled");
    (void)device;
    od_define(step, "B_TYPE", (int32_t)p->b.dtype);
    od_define(step, "TRANSPOSE_B", p->transpose_b);
    od_arg_view(step, &p->b);
    od_arg_view(step, &p->packed);
    od_arg_int(step, p->n);
    od_arg_int(step, p->k);
    od_arg_int(step, p->ldb);
    od_arg_int(step, packed_pitch(p->n));
    od_launch(step, od_ceil_div(p->n, PACKED_STEP), od_ceil_div(p->k, PACKED_STEP), 1, 128, 1, 1);
    return OCLDNN_SUCCESS;
}

const od_gemm_family od_gemm_tiled = {"tiled", can, plan_product, OD_GEMM_TILES, packed_elements, plan_pack};
