/* SPDX-License-Identifier: Apache-2.0
 *
 * attention for few queries on CPUs (cl/attention/flash_few.cl): all rows that share a head of keys and values go
 * through them together, and the keys are cut into chunks, so that every compute unit has work; a second launch puts
 * the chunks together (cl/attention/flash_merge.cl).
 */
#include "ops/attention/attention.h"
#include "sources.h"

enum {
    MOST_ROWS = 16,  /* that share keys; see od_flash_few_can() */
    BLOCK_ROWS = 8,  /* of a work-item */
    BLOCK_KEYS = 64, /* as in the kernel: chunks are of whole blocks */
    LEAST_CHUNK = 256,
    CHUNKS_PER_UNIT = 4
};

static int64_t all_rows(const od_attention *p)
{
    return p->group * p->queries;
}

/* Keys in a chunk. Neither B, heads nor queries count, so that a sequence gives the same bits in any company; and where
 * these are many, a launch of too many work-items costs little. */
static int64_t chunk_of(const od_device *device, const od_attention *p)
{
    int64_t units = device->compute_units > 0 ? device->compute_units : 1;
    int64_t chunk = od_round_up(od_ceil_div(p->keys, units * CHUNKS_PER_UNIT), BLOCK_KEYS);
    return chunk > LEAST_CHUNK ? chunk : LEAST_CHUNK;
}

static int64_t pieces_of(const od_device *device, const od_attention *p)
{
    int64_t pieces = od_ceil_div(p->keys, chunk_of(device, p));
    return pieces > 0 ? pieces : 1;
}

/* Floats that a row of a chunk leaves: O in whole vectors. */
static int64_t pitch_of(const od_attention *p)
{
    return od_round_up(p->value_width, 16);
}

static int64_t sums_of(const od_device *device, const od_attention *p)
{
    return p->batch * p->heads * p->queries * pieces_of(device, p) * pitch_of(p);
}

bool od_flash_few_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES])
{
    const od_attention *p = problem;
    if (device->family != OD_FAMILY_VECTOR)
        return od_cannot(reason, "the kernel for few queries is for CPUs, this device takes the tiled one");
    if (all_rows(p) > MOST_ROWS)
        return od_cannot(reason, "%lld rows share a head of keys, the kernel for few queries is for %d",
                         (long long)all_rows(p), MOST_ROWS);
    if (sums_of(device, p) > INT32_MAX)
        return od_cannot(reason, "%lld sums over chunks of keys are more than a tensor may have",
                         (long long)sums_of(device, p));
    return true;
}

/* Here all rows that share keys go together, so a mask must also be the same for all their heads. */
static int32_t mask_kind(const od_attention *p)
{
    int32_t kind = od_attention_mask_kind(p);
    return kind == OD_MASK_KEYS && p->heads != p->key_heads && p->mask.strides[1] != 0 ? OD_MASK_ROWS : kind;
}

static void plan_merge(const od_attention *p, const od_view *sums, const od_view *states, int64_t pieces, od_plan *plan)
{
    od_step *step = od_plan_kernel(plan, &od_source_attention_flash_merge, "flash_merge");
    od_define(step, "X_TYPE", (int32_t)p->output.dtype);
    od_define(step, "LSE", od_present(&p->lse));
    od_arg_view(step, sums);
    od_arg_view(step, states);
    od_attention_arg_optional(step, &p->lse);
    od_arg_view(step, &p->output);
    od_attention_arg_strides(step, &p->output);
    od_arg_int(step, pieces);
    od_arg_int(step, p->value_width);
    od_arg_float(step, od_attention_unit(p));
    od_arg_float(step, od_attention_lse_scale(p));
    od_launch(step, p->queries, p->heads, p->batch, 1, 1, 1);
}

ocldnn_status od_flash_few_plan(const od_device *device, const void *problem, od_plan *plan)
{
    const od_attention *p = problem;
    int64_t rows = all_rows(p), blocks = od_ceil_div(rows, BLOCK_ROWS), block_rows = od_ceil_div(rows, blocks);
    int64_t pieces = pieces_of(device, p), states_count = p->batch * p->heads * p->queries * pieces * 2;
    od_view sums = {0}, states = {0};
    int32_t room = 1;
    od_step *step;
    while (room < block_rows)
        room *= 2;
    if (pieces > 1) {
        sums = od_plan_temp(plan, "sums over chunks of keys", OCLDNN_F32, sums_of(device, p));
        states = od_plan_temp(plan, "maxima of chunks of keys", OCLDNN_F32, states_count);
    }
    step = od_plan_kernel(plan, &od_source_attention_flash_few, "flash_few");
    od_attention_arguments(step, p, mask_kind(p));
    od_define(step, "SPLIT", pieces > 1);
    od_define(step, "ROWS", room);
    if (pieces > 1) {
        od_arg_view(step, &sums);
        od_arg_view(step, &states);
    }
    od_arg_int(step, block_rows);
    od_arg_int(step, chunk_of(device, p));
    od_launch(step, blocks * pieces, p->key_heads, p->batch, 1, 1, 1);
    if (pieces > 1)
        plan_merge(p, &sums, &states, pieces, plan);
    return OCLDNN_SUCCESS;
}
