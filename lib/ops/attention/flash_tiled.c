/* SPDX-License-Identifier: Apache-2.0
 *
 * attention by one fused kernel for GPUs (cl/attention/flash_tiled.cl).
 */
#include "gemm/gpu.h"
#include "ops/attention/attention.h"
#include "sources.h"

/* How a work-group is laid out: items along keys and along rows, rows per item. */
typedef struct form {
    int32_t lanes_key, lanes_row, rows_item;
} form;

static const form few = {32, 2, 4};    /* 8 rows, 128 keys a block: decoding, where memory is the limit */
static const form middle = {16, 8, 4}; /* 32 rows, 64 keys, for few registers */
static const form wide = {32, 4, 4};   /* 16 rows, 128 keys: twice the columns without more registers */
/* With 8 rows an item, which needs over 128 registers or Intel's 128 of eight lanes: three reads for 32 multiply-adds,
 * not four. */
static const form narrow_8 = {8, 8, 8}; /* 64 rows, 32 keys, 32 columns */
static const form middle_8 = {16, 4, 8};
static const form many_8 = {16, 8, 8};  /* 64 rows, 64 keys */
static const form wide_8 = {32, 2, 8};  /* 16 rows, 128 keys */
static const form intel_8 = {32, 4, 8}; /* 32 rows, 128 keys, 128 columns in one pass */

/* What a GPU's registers allow: whether items may have 8 rows, and how often they may take `vector` columns. Intel's
 * compiler has none left for what a bias, a mask or a softcap needs beside 8 rows (see eight_rows()). */
static const struct {
    bool eight;
    int32_t passes;
} limits[OD_GPU_KINDS] = {
    [OD_GPU_OTHER] = {false, 4},   [OD_GPU_AMD_GCN] = {false, 4}, [OD_GPU_AMD_CDNA] = {true, 4},
    [OD_GPU_AMD_RDNA] = {true, 4}, [OD_GPU_INTEL] = {true, 1},    [OD_GPU_NVIDIA] = {true, 4},
};

enum {
    MOST_ITEMS = 128,
    VALUE_FLOATS = 2048, /* of V in local memory */
    WIDEST = 128         /* columns of O for which an item's sums fit in the forms with 16 lanes */
};

static bool eight_rows(od_gpu kind, const od_attention *p)
{
    bool changed = od_attention_mask_kind(p) != 0 || p->bias.dtype != 0 || p->softcap != 0.0f;
    return limits[kind].eight && !(kind == OD_GPU_INTEL && changed);
}

static form choose_form(const od_device *device, const od_attention *p)
{
    int64_t rows = p->group * p->queries;
    od_gpu kind = od_gpu_kind(device);
    bool one_pass = limits[kind].passes == 1, eight = eight_rows(kind, p);
    if (rows <= few.lanes_row * few.rows_item)
        return !one_pass ? few : eight ? wide_8 : wide;
    if (eight && p->value_width <= 4 * narrow_8.lanes_key)
        return narrow_8;
    if (one_pass && p->value_width > 4 * middle.lanes_key)
        return eight ? intel_8 : wide;
    if (p->value_width > WIDEST)
        return eight ? wide_8 : wide;
    if (!eight)
        return middle;
    return rows <= middle_8.lanes_row * middle_8.rows_item ? middle_8 : many_8;
}

/* Columns of O in a group: passes of lanes_key * vector, as few as cover Dv with little waste; wider values are cut
 * into slices, for each of which the scores are made again. */
static void choose_columns(const od_device *device, const form *f, int64_t width, int32_t *vector, int32_t *passes)
{
    int64_t most = limits[od_gpu_kind(device)].passes < 64 / f->lanes_key ? limits[od_gpu_kind(device)].passes
                                                                          : 64 / f->lanes_key; /* 256 columns */
    int64_t steps = od_ceil_div(width, 2 * f->lanes_key);
    bool odd = steps == 1 || (steps == 3 && most >= 3);
    int64_t wanted = odd ? steps : (steps + 1) / 2;
    *vector = odd ? 2 : 4;
    *passes = (int32_t)(wanted < most ? wanted : most);
}

static int64_t groups_of(const od_device *device, const od_attention *p, const form *f)
{
    int32_t vector, passes;
    choose_columns(device, f, p->value_width, &vector, &passes);
    return od_ceil_div(p->group * p->queries, f->lanes_row * f->rows_item) *
           od_ceil_div(p->value_width, f->lanes_key * vector * passes) * p->key_heads * p->batch;
}

bool od_flash_tiled_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    const od_attention *p = problem;
    form f = choose_form(device, p);
    if (device->family != OD_FAMILY_TILED)
        return od_cannot(reason, "the tiled kernel is for GPUs, this device takes the vector one");
    if (groups_of(device, p, &f) > INT32_MAX / MOST_ITEMS)
        return od_cannot(reason, "%lld work-groups are more than the tiled kernel can number",
                         (long long)groups_of(device, p, &f));
    return od_gpu_can(device, MOST_ITEMS, 32768, reason);
}

ocldnn_status od_flash_tiled_plan(const od_device *device, const void *problem, od_plan *plan)
{
    const od_attention *p = problem;
    od_step *step = od_plan_kernel(plan, &od_source_attention_flash_tiled, "flash_tiled");
    form f = choose_form(device, p);
    int32_t vector, passes, value_keys = f.lanes_key;
    choose_columns(device, &f, p->value_width, &vector, &passes);
    while (value_keys * f.lanes_key * vector * passes > VALUE_FLOATS)
        value_keys /= 2;
    od_attention_arguments(step, p, od_attention_mask_kind(p));
    od_arg_int(step, p->key_heads);
    od_define(step, "LANES_KEY", f.lanes_key);
    od_define(step, "LANES_ROW", f.lanes_row);
    od_define(step, "ROWS_ITEM", f.rows_item);
    od_define(step, "VECTOR", vector);
    od_define(step, "PASSES", passes);
    od_define(step, "VALUE_KEYS", value_keys);
    od_define(step, "SUB_GROUP", od_gpu_sub_group(device));
    od_launch(step, groups_of(device, p, &f), 1, 1, (uint32_t)(f.lanes_key * f.lanes_row), 1, 1);
    return OCLDNN_SUCCESS;
}
