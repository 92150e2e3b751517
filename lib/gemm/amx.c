/* SPDX-License-Identifier: Apache-2.0
 *
 * Products on AMX, the matrix unit of Intel's server processors since Sapphire Rapids (cl/gemm/amx.cl). A and B are
 * packed into tiles of BF16 in workspace, large ones a chunk of rows or columns at a time, and multiplied there.
 */
#include "gemm/amx.h"
#include "sources.h"

enum {
    LINES = 16, /* of a panel of tiles, cl/gemm/amx_tiles.cl */
    STEP = 32,
    SIDE = 32, /* rows and columns that are multiplied at a time */
    SLICE = 512,
    BLOCK_ROWS = 256,
    BLOCK_COLUMNS = 256,
    CHUNK_BYTES = 64 << 20, /* of packed A, and of packed B */
    MOST_CHUNKS = 3,        /* a plan of more launches would not be kept on the stack */
    GROUPS_PER_UNIT = 2
};

/* How many BF16 add up to a value. */
static int32_t parts_of(const od_view *x)
{
    return x->dtype == OCLDNN_F32 ? 3 : x->dtype == OCLDNN_F16 ? 2 : 1;
}

/* An operand on its way into tiles. */
typedef struct operand {
    const od_view *view;
    int64_t lines, chunk; /* rows of A or columns of B; how many are packed at a time */
    int64_t lead, step;   /* elements from one stored row, and from one line, to the next */
    int64_t batches;      /* packed each by itself */
    int32_t form;         /* cl/gemm/amx_pack.cl */
    int32_t parts;
    bool pairs;
    const int32_t *strides;
} operand;

static int64_t panels_of(int64_t lines)
{
    return od_ceil_div(lines, SIDE) * (SIDE / LINES);
}

static void choose_chunk(operand *x, int64_t depth)
{
    int64_t line_bytes = od_round_up(depth, STEP) * x->parts * 2 * x->batches;
    int64_t chunk = CHUNK_BYTES / line_bytes / SIDE * SIDE;
    x->chunk = x->lines <= chunk ? x->lines : chunk;
}

static operand take_a(const od_gemm *g)
{
    operand a = {.view = &g->a,
                 .lines = g->m,
                 .lead = g->lda,
                 .step = g->transpose_a ? 1 : g->lda,
                 .batches = g->batch.count,
                 .form = g->transpose_a ? 1 : 2,
                 .parts = parts_of(&g->a),
                 .strides = g->batch.strides[OD_GEMM_A]};
    choose_chunk(&a, g->k);
    return a;
}

static operand take_b(const od_gemm *g)
{
    operand b = {.view = &g->b,
                 .lines = g->n,
                 .lead = g->ldb,
                 .step = g->transpose_b ? g->ldb : 1,
                 .batches = od_gemm_shares_b(g) ? 1 : g->batch.count,
                 .form = g->transpose_b ? 2 : 1,
                 .parts = parts_of(&g->b),
                 .pairs = true,
                 .strides = g->batch.strides[OD_GEMM_B]};
    if (g->format == OD_GEMM_PANELS) {
        b.step = g->k;
        b.form = 0;
    }
    choose_chunk(&b, g->k);
    return b;
}

/* Packing costs by m * k + n * k, writing results by m * n, multiplying m * n * k. What that gains over ordinary
 * arithmetic depends on how many products of parts it takes; measured on two cores of Sapphire Rapids. */
static bool pays(const od_gemm *g, int32_t products)
{
    int64_t reuse = g->m * g->n / (g->m + g->n);
    return g->k >= 4 * STEP && reuse >= (products == 1 ? 32 : products <= 4 ? 96 : 208);
}

bool od_gemm_amx_suits(const od_device *device, const od_gemm *g)
{
    if (g->k == 0 || device->amx == OD_AMX_NEVER)
        return false;
    if (device->amx == OD_AMX_WHERE_IT_PAYS && !pays(g, parts_of(&g->a) * parts_of(&g->b)))
        return false;
    operand a = take_a(g), b = take_b(g);
    return a.chunk > 0 && b.chunk > 0 && od_ceil_div(a.lines, a.chunk) * od_ceil_div(b.lines, b.chunk) <= MOST_CHUNKS;
}

/* Room for an operand's chunk: its tiles, and a note for each line and slice. */
typedef struct room {
    od_view tiles, notes;
} room;

static room make_room(od_plan *plan, const operand *x, const char *tiles, const char *notes, int64_t depth)
{
    int64_t panels = panels_of(x->chunk) * x->batches;
    return (room){od_plan_temp(plan, tiles, OCLDNN_BF16, panels * LINES * od_round_up(depth, STEP) * x->parts),
                  od_plan_temp(plan, notes, OCLDNN_U32, panels * od_ceil_div(depth, SLICE) * LINES)};
}

static od_view moved(od_view view, int64_t elements)
{
    view.offset += (uint64_t)elements;
    return view;
}

/* Lines first .. first + count - 1 into the room. */
static void plan_pack(od_plan *plan, const od_gemm *g, const operand *x, const room *to, int64_t first, int64_t count)
{
    od_step *step = od_plan_kernel(plan, &od_source_gemm_amx_pack, "gemm_amx_pack");
    od_view from = moved(*x->view, first * x->step);
    od_define(step, "X_TYPE", (int32_t)x->view->dtype);
    od_define(step, "PARTS", x->parts);
    od_define(step, "FORM", x->form);
    od_define(step, "PAIRS", x->pairs);
    od_define(step, "KB", SLICE);
    od_arg_view(step, &from);
    od_arg_view(step, &to->tiles);
    od_arg_view(step, &to->notes);
    od_arg_int(step, count);
    od_arg_int(step, g->k);
    od_arg_int(step, x->lead);
    od_arg_int4(step, g->batch.shape);
    od_arg_int4(step, x->strides);
    od_launch(step, od_ceil_div(g->k, SLICE), panels_of(count), x->batches, 1, 1, 1);
}

/* Even parts of a length, multiples of SIDE. */
static int64_t part_of(int64_t length, int64_t most)
{
    return od_round_up(od_ceil_div(length, od_ceil_div(length, most)), SIDE);
}

/* Blocks of at most BLOCK_ROWS x BLOCK_COLUMNS, smaller ones where there would be too few for the device. */
static void choose_blocks(const od_device *device, const od_gemm *g, int64_t *rows, int64_t *columns)
{
    int64_t wanted = GROUPS_PER_UNIT * (int64_t)(device->compute_units ? device->compute_units : 1);
    int64_t most_rows = BLOCK_ROWS, most_columns = BLOCK_COLUMNS;
    for (;;) {
        *rows = part_of(g->m, most_rows);
        *columns = part_of(g->n, most_columns);
        if (od_ceil_div(g->m, *rows) * od_ceil_div(g->n, *columns) * g->batch.count >= wanted ||
            most_rows * most_columns <= SIDE * SIDE)
            return;
        if (most_rows >= most_columns)
            most_rows /= 2;
        else
            most_columns /= 2;
    }
}

static void plan_tiles(const od_device *device, const od_gemm *g, od_plan *plan, const operand *a, const operand *b,
                       const room *a_room, const room *b_room)
{
    int64_t rows, columns;
    od_step *step = od_gemm_step(g, plan, &od_source_gemm_amx, "gemm_amx", 0);
    choose_blocks(device, g, &rows, &columns);
    od_define(step, "A_PARTS", a->parts);
    od_define(step, "B_PARTS", b->parts);
    od_define(step, "B_SHARED", b->batches == 1);
    od_define(step, "MB", BLOCK_ROWS);
    od_define(step, "NB", BLOCK_COLUMNS);
    od_define(step, "KB", SLICE);
    od_arg_int4(step, (int32_t[]){(int32_t)rows, (int32_t)columns, 0, 0});
    od_arg_view(step, &a_room->notes);
    od_arg_view(step, &b_room->notes);
    od_launch(step, od_ceil_div(g->m, rows), od_ceil_div(g->n, columns), g->batch.count, 1, 1, 1);
}

ocldnn_status od_gemm_amx_plan(const od_device *device, const od_gemm *g, od_plan *plan)
{
    const operand a = take_a(g), b = take_b(g);
    const room a_room = make_room(plan, &a, "tiles of A", "notes of A", g->k);
    const room b_room = make_room(plan, &b, "tiles of B", "notes of B", g->k);
    for (int64_t column = 0; column < g->n; column += b.chunk) {
        od_gemm chunk = *g;
        chunk.n = g->n - column < b.chunk ? g->n - column : b.chunk;
        chunk.a = a_room.tiles;
        chunk.b = b_room.tiles;
        plan_pack(plan, g, &b, &b_room, column, chunk.n);
        for (int64_t row = 0; row < g->m; row += a.chunk) {
            chunk.m = g->m - row < a.chunk ? g->m - row : a.chunk;
            chunk.c = moved(g->c, row * g->ldc + column);
            chunk.residual = moved(g->residual, row * g->ldr + column);
            chunk.bias = moved(g->bias, column);
            if (column == 0 || a.chunk < g->m)
                plan_pack(plan, g, &a, &a_room, row, chunk.m);
            plan_tiles(device, &chunk, plan, &a, &b, &a_room, &b_room);
        }
    }
    return OCLDNN_SUCCESS;
}
