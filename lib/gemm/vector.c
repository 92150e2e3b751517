/* SPDX-License-Identifier: Apache-2.0
 *
 * The vector family, for CPUs: register tiles (cl/gemm/vector.cl), a path for at most 8 rows that is bound by reading B
 * (cl/gemm/skinny.cl), and the packing of B (cl/gemm/pack.cl): ahead of time, or in workspace before a product of many
 * rows, which gains more by packed panels than they cost.
 */
#include "gemm/amx.h"
#include "sources.h"

/* Sizes of the kernels; PANEL is fixed in cl/gemm/panel.cl and is part of the packed format. */
enum {
    PANEL = 32,
    ROWS_DIRECT = 96,     /* of a block whose B is read where it lies: A's slice is 96 KiB of the second cache */
    COLUMNS_DIRECT = 512, /* and A is turned into floats once for so many columns */
    ROWS_COPIED = 384,    /* of a block whose panels are turned into floats first, for so many rows */
    COLUMNS_COPIED = 256,
    SLICE = 256,       /* of k: a panel's part is 32 KiB, which the first cache holds */
    STRIP_SUMS = 4096, /* most rows * columns of a skinny work-item on a [k, n] matrix: its sums, in the first cache */
    SKINNY_ROWS = 8,
    PACK_ROWS = 768,      /* of a product whose B is packed first */
    PACK_MOST = 16 << 20, /* elements of such a B: 64 MiB of workspace */
    GROUPS_PER_UNIT = 2,  /* how many work-items a compute unit should get at least, where there is work for them */
    SKINNY_GROUPS_PER_UNIT = 8
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    const od_gemm *g = problem;
    if (device->family != OD_FAMILY_VECTOR)
        return od_cannot(reason, "the vector kernels are for CPUs");
    if (g->format != OD_GEMM_PLAIN && g->format != OD_GEMM_PANELS)
        return od_cannot(reason, "B is packed for another family of kernels");
    return true;
}

static int32_t b_form(const od_gemm *g)
{
    return g->format == OD_GEMM_PANELS ? 0 : g->transpose_b ? 2 : 1;
}

/* What both kernels share; a work-item's block is of rows x columns x slice. */
static od_step *start(const od_gemm *g, od_plan *plan, const od_source *source, const char *kernel, int64_t rows,
                      int64_t columns, int64_t slice)
{
    od_step *step = od_gemm_step(g, plan, source, kernel, g->ldb);
    od_define(step, "B_FORM", b_form(g));
    od_arg_int4(step, (int32_t[]){(int32_t)rows, (int32_t)columns, (int32_t)slice, 0});
    return step;
}

/* Column blocks of at most `most_columns`: as many for each compute unit, where there are panels enough. A driver may
 * deal out the launch in equal runs of work-items, columns outermost: then the runs are of equal work, and each core
 * keeps to its own part of B. */
static int64_t column_blocks(const od_gemm *g, int64_t units, int64_t most_columns)
{
    int64_t blocks = od_ceil_div(g->n, most_columns), even = od_round_up(blocks, units);
    return even <= od_ceil_div(g->n, PANEL) ? even : blocks;
}

/* Blocks of at most *rows and *columns, halved until every compute unit has some. */
static void choose_blocks(const od_device *device, const od_gemm *g, int64_t tile, int64_t *rows, int64_t *columns)
{
    int64_t units = most(device->compute_units, 1), wanted = units * GROUPS_PER_UNIT;
    int64_t r = *rows, c = *columns;
    while (od_ceil_div(g->m, r) * column_blocks(g, units, c) * g->batch.count < wanted) {
        if (c > 128)
            c /= 2;
        else if (r > 96)
            r /= 2;
        else if (c > PANEL)
            c /= 2;
        else if (r > 24)
            r /= 2;
        else
            break;
    }
    *rows = od_round_up(od_ceil_div(g->m, od_ceil_div(g->m, r)), tile);
    *columns = od_round_up(od_ceil_div(g->n, column_blocks(g, units, c)), PANEL);
}

/* Lines of the next panel that a tile asks for at every fourth k, so that all of a panel's tiles ask for all of it: 8
 * to a fourth of k in F32. A power of two, so that there are few programs. */
static int32_t ahead(int64_t tiles)
{
    int32_t lines = 1;
    while (lines * tiles < 8)
        lines *= 2;
    return lines;
}

static void plan_blocks(const od_device *device, const od_gemm *g, od_plan *plan)
{
    /* 12 x 32 sums, or 6 x 16 in registers of 8 floats, use all registers; 8 rows waste fewer of them on a short
     * matrix. */
    bool narrow = od_is_narrow(device);
    int64_t tile = narrow ? 6 : g->m <= 16 ? 8 : 12;
    bool direct = g->format == OD_GEMM_PANELS && g->b.dtype == OCLDNN_F32;
    int64_t most_rows = direct ? ROWS_DIRECT : ROWS_COPIED, most_columns = direct ? COLUMNS_DIRECT : COLUMNS_COPIED;
    int64_t rows = most_rows, columns = most_columns;
    int64_t slice = g->k == 0 ? 16 : od_round_up(od_ceil_div(g->k, od_ceil_div(g->k, SLICE)), 16);
    od_step *step;
    choose_blocks(device, g, tile, &rows, &columns);
    step = start(g, plan, &od_source_gemm_vector, "gemm_vector", rows, columns, slice);
    od_define(step, "TRANSPOSE_A", g->transpose_a);
    od_define(step, "MR", (int32_t)tile);
    od_define(step, "TV", narrow ? 1 : 2);
    od_define(step, "MB", (int32_t)most_rows);
    od_define(step, "NB", (int32_t)most_columns);
    od_define(step, "KB", SLICE);
    od_define(step, "AHEAD", ahead(rows / tile * (narrow ? 2 : 1)));
    od_launch(step, od_ceil_div(g->m, rows), od_ceil_div(g->n, columns), g->batch.count, 1, 1, 1);
}

static void plan_skinny(const od_device *device, const od_gemm *g, od_plan *plan)
{
    int64_t wanted = (int64_t)most(device->compute_units, 1) * SKINNY_GROUPS_PER_UNIT;
    int64_t columns = od_ceil_div(g->n, most(1, wanted / g->batch.count));
    int64_t strip;
    int32_t rows = 1;
    od_step *step;
    while (rows < g->m)
        rows *= 2;
    strip = least(STRIP_SUMS / rows, 2048);
    if (b_form(g) == 1) /* runs of memory as long as may be: a page for each run costs more than its bytes */
        columns = od_round_up(least(most(columns * SKINNY_GROUPS_PER_UNIT, 64), strip), 16);
    else
        columns = od_round_up(columns, PANEL);
    step = start(g, plan, &od_source_gemm_skinny, "gemm_skinny", g->m, columns, 0);
    od_define(step, "ROWS", rows);
    od_define(step, "STRIP", (int32_t)strip);
    od_launch(step, od_ceil_div(g->n, columns), 1, g->batch.count, 1, 1, 1);
}

static int64_t packed_elements(int64_t n, int64_t k)
{
    return od_round_up(n, PANEL) * k;
}

static ocldnn_status plan_pack(const od_device *device, const void *problem, od_plan *plan)
{
    const od_gemm_pack *p = problem;
    od_step *step = od_plan_kernel(plan, &od_source_gemm_pack, "gemm_pack");
    (void)device;
    od_define(step, "B_TYPE", (int32_t)p->b.dtype);
    od_define(step, "PACKED_TYPE", (int32_t)p->packed.dtype);
    od_define(step, "B_FORM", p->transpose_b ? 2 : 1);
    od_define(step, "KB", SLICE);
    od_arg_view(step, &p->b);
    od_arg_view(step, &p->packed);
    od_arg_int(step, p->n);
    od_arg_int(step, p->k);
    od_arg_int(step, p->ldb);
    od_launch(step, od_ceil_div(p->k, SLICE), od_ceil_div(p->n, PANEL), 1, 1, 1, 1);
    return OCLDNN_SUCCESS;
}

/* One B for all batches, read by so many rows that packing it first pays. */
static bool worth_packing(const od_gemm *g)
{
    return od_gemm_shares_b(g) && g->format == OD_GEMM_PLAIN && g->m * g->batch.count >= PACK_ROWS && g->k > 0 &&
           packed_elements(g->n, g->k) <= PACK_MOST;
}

static ocldnn_status plan_packed_first(const od_device *device, const od_gemm *g, od_plan *plan)
{
    od_gemm_pack pack = {.b = g->b, .n = g->n, .k = g->k, .ldb = g->ldb, .transpose_b = g->transpose_b};
    od_gemm product = *g;
    pack.packed = product.b = od_plan_temp(plan, "packed B", OCLDNN_F32, packed_elements(g->n, g->k));
    product.format = OD_GEMM_PANELS;
    OD_TRY(plan_pack(device, &pack, plan));
    plan_blocks(device, &product, plan);
    return OCLDNN_SUCCESS;
}

static ocldnn_status plan_product(const od_device *device, const void *problem, od_plan *plan)
{
    const od_gemm *g = problem;
    if (od_gemm_amx_suits(device, g))
        return od_gemm_amx_plan(device, g, plan);
    if (g->m <= SKINNY_ROWS && !g->transpose_a)
        plan_skinny(device, g, plan);
    else if (worth_packing(g))
        return plan_packed_first(device, g, plan);
    else
        plan_blocks(device, g, plan);
    return OCLDNN_SUCCESS;
}

const od_gemm_family od_gemm_vector = {"vector", can, plan_product, OD_GEMM_PANELS, packed_elements, plan_pack};
