/* SPDX-License-Identifier: Apache-2.0
 *
 * The declared list of rows: operators and shapes, each in F32, F16 and BF16.
 */
#include "bench.h"
#include "ops/operators.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct declared {
    const char *name;
    void (*make)(bench *b, bench_case *c, const int64_t *d);
    const char *shape; /* as the table shows it */
    int64_t d[5];
} declared;

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* Values between -1 and 1; the pattern's length is a prime, so that rows differ. Ids are kept below `ids`. */
static void fill(uint32_t dtype, unsigned char *data, size_t count, uint32_t ids)
{
    enum { PATTERN = 65521 };
    size_t size = ocldnn_dtype_size((ocldnn_dtype)dtype), first = count < PATTERN ? count : PATTERN;
    uint32_t state = 12345;
    for (size_t i = 0; i < first; i++) {
        state = state * 1664525u + 1013904223u;
        if (dtype == OCLDNN_U32)
            ((uint32_t *)(void *)data)[i] = (state >> 8) % ids;
        else if (dtype == OCLDNN_U8)
            data[i] = 1;
        else
            store_value(dtype, data, i, (float)(state >> 8) / 8388608.0f - 1.0f);
    }
    for (size_t done = first; done < count; done += done < count - done ? done : count - done)
        memcpy(data + done * size, data, (done < count - done ? done : count - done) * size);
}

static ocldnn_tensor tensor(bench *b, bench_case *c, uint32_t dtype, uint32_t rank, const int64_t *shape, uint32_t ids)
{
    ocldnn_tensor made = ocldnn_tensor_dense(NULL, (ocldnn_dtype)dtype, rank, shape);
    size_t count = 1, bytes;
    unsigned char *data;
    cl_int code;
    for (uint32_t axis = 0; axis < rank; axis++)
        count *= (size_t)shape[axis];
    bytes = count * ocldnn_dtype_size((ocldnn_dtype)dtype);
    data = malloc(bytes);
    if (data && c->buffer_count < BENCH_BUFFERS) {
        fill(dtype, data, count, ids);
        made.buffer = clCreateBuffer(b->on.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, &code);
        if (made.buffer)
            c->buffers[c->buffer_count++] = made.buffer;
    }
    free(data);
    return made; /* without a buffer the operator says so */
}

static double bytes_of(const ocldnn_tensor *t)
{
    double bytes = (double)ocldnn_dtype_size((ocldnn_dtype)t->dtype);
    for (uint32_t axis = 0; axis < t->rank; axis++)
        bytes *= (double)t->shape[axis];
    return bytes;
}

static ocldnn_tensor input(bench *b, bench_case *c, uint32_t rank, const int64_t *shape)
{
    ocldnn_tensor made = tensor(b, c, c->dtype, rank, shape, 0);
    c->bytes_read += bytes_of(&made);
    return made;
}

static ocldnn_tensor output(bench *b, bench_case *c, uint32_t rank, const int64_t *shape)
{
    ocldnn_tensor made = tensor(b, c, c->dtype, rank, shape, 0);
    c->bytes_written += bytes_of(&made);
    return made;
}

static ocldnn_tensor ids(bench *b, bench_case *c, uint32_t rank, const int64_t *shape, int64_t below)
{
    ocldnn_tensor made = tensor(b, c, OCLDNN_U32, rank, shape, (uint32_t)below);
    c->bytes_read += bytes_of(&made);
    return made;
}

/* ---- products: d = M, N, K --------------------------------------------------------------------------------------- */

static void make_linear(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_linear *op = &c->op.linear;
    c->kind = &od_operator_linear;
    op->input = c->left = input(b, c, 2, (int64_t[]){d[0], d[2]});
    op->weight = c->right = input(b, c, 2, (int64_t[]){d[1], d[2]});
    op->output = output(b, c, 2, (int64_t[]){d[0], d[1]});
    c->flops = 2.0 * (double)d[0] * (double)d[1] * (double)d[2];
    c->m = d[0];
    c->n = d[1];
    c->k = d[2];
}

/* Failing leaves the operator with a weight that is not packed and no tensor for it: its own check says so. */
static void make_packed(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_linear_pack pack = {0};
    ocldnn_exec exec = {.queue = b->on.queue};
    int64_t bytes;
    make_linear(b, c, d);
    pack.weight = c->op.linear.weight;
    memset(&c->op.linear.weight, 0, sizeof c->op.linear.weight);
    if (ocldnn_linear_pack_layout(b->on.context, &pack.weight, c->op.linear.layout, &pack.packed) != OCLDNN_SUCCESS)
        return;
    bytes = (int64_t)pack.packed.bytes;
    pack.packed.buffer = tensor(b, c, OCLDNN_U8, 1, &bytes, 0).buffer;
    if (ocldnn_linear_pack_run(b->on.context, &pack, &exec) == OCLDNN_SUCCESS && clFinish(b->on.queue) == CL_SUCCESS)
        c->op.linear.packed = pack.packed;
}

/* d = N, K */
static void make_pack(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_linear_pack *op = &c->op.linear_pack;
    int64_t bytes;
    c->kind = &od_operator_linear_pack;
    op->weight = input(b, c, 2, d);
    if (ocldnn_linear_pack_layout(b->on.context, &op->weight, op->layout, &op->packed) != OCLDNN_SUCCESS)
        return;
    bytes = (int64_t)op->packed.bytes;
    op->packed.buffer = tensor(b, c, OCLDNN_U8, 1, &bytes, 0).buffer;
    c->bytes_written += (double)bytes;
}

/* d = batch, M, N, K */
static void make_matmul(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_matmul *op = &c->op.matmul;
    c->kind = &od_operator_matmul;
    op->a = input(b, c, 3, (int64_t[]){d[0], d[1], d[3]});
    op->b = input(b, c, 3, (int64_t[]){d[0], d[3], d[2]});
    op->output = output(b, c, 3, (int64_t[]){d[0], d[1], d[2]});
    c->flops = 2.0 * (double)d[0] * (double)d[1] * (double)d[2] * (double)d[3];
}

/* ---- attention: d = heads, sequence, width, causal, groups ------------------------------------------------------- */

static void make_attention(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_attention *op = &c->op.attention;
    const int64_t query[] = {1, d[0], d[1], d[2]}, key[] = {1, d[4], d[1], d[2]};
    c->kind = &od_operator_attention;
    op->query = input(b, c, 4, query);
    op->key = input(b, c, 4, key);
    op->value = input(b, c, 4, key);
    op->output = output(b, c, 4, query);
    op->causal = d[3] ? OCLDNN_CAUSAL_BOTTOM_RIGHT : OCLDNN_CAUSAL_NONE;
    c->flops = 4.0 * (double)d[0] * (double)d[1] * (double)d[1] * (double)d[2] / (d[3] ? 2 : 1);
}

/* Query, key and value as a linear layer leaves them: side by side, the heads of a token in one row. */
static void make_packed_attention(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_attention *op = &c->op.attention;
    const int64_t heads = d[0], tokens = d[1], width = d[2], row = 3 * heads * width;
    ocldnn_tensor packed = input(b, c, 2, (const int64_t[]){tokens, row});
    ocldnn_tensor *parts[] = {&op->query, &op->key, &op->value};
    c->kind = &od_operator_attention;
    for (int i = 0; i < 3; i++)
        *parts[i] = (ocldnn_tensor){.buffer = packed.buffer,
                                    .offset = (uint64_t)(i * heads * width),
                                    .dtype = packed.dtype,
                                    .rank = 4,
                                    .shape = {1, heads, tokens, width},
                                    .strides = {tokens * row, width, row, 1}};
    op->output = output(b, c, 4, (const int64_t[]){1, heads, tokens, width});
    c->flops = 4.0 * (double)heads * (double)tokens * (double)tokens * (double)width;
}

static void make_fallback(bench *b, bench_case *c, const int64_t *d)
{
    make_attention(b, c, d);
    c->op.attention.strategy = OCLDNN_ATTENTION_FALLBACK;
}

/* ---- rows: d = rows, width --------------------------------------------------------------------------------------- */

static void make_rms_norm(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_rms_norm *op = &c->op.rms_norm;
    c->kind = &od_operator_rms_norm;
    op->input = input(b, c, 2, d);
    op->gamma = input(b, c, 1, d + 1);
    op->output = output(b, c, 2, d);
    op->epsilon = 1e-5f;
}

static void make_layer_norm(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_layer_norm *op = &c->op.layer_norm;
    c->kind = &od_operator_layer_norm;
    op->input = input(b, c, 2, d);
    op->gamma = input(b, c, 1, d + 1);
    op->beta = input(b, c, 1, d + 1);
    op->output = output(b, c, 2, d);
    op->epsilon = 1e-5f;
}

static void make_l2_norm(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_l2_norm;
    c->op.l2_norm = (ocldnn_l2_norm){.input = input(b, c, 2, d), .output = output(b, c, 2, d), .epsilon = 1e-5f};
}

static void make_softmax(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_softmax;
    c->op.softmax = (ocldnn_softmax){.input = input(b, c, 2, d), .output = output(b, c, 2, d)};
}

static void make_log_softmax(bench *b, bench_case *c, const int64_t *d)
{
    make_softmax(b, c, d);
    c->op.softmax.logarithm = 1;
}

static void make_gelu(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_activation;
    c->op.activation =
        (ocldnn_activation){.input = input(b, c, 2, d), .output = output(b, c, 2, d), .kind = OCLDNN_GELU};
}

static void make_add(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_binary;
    c->op.binary = (ocldnn_binary){.a = input(b, c, 2, d), .b = input(b, c, 2, d), .output = output(b, c, 2, d)};
}

static void make_gated(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_gated;
    c->op.gated = (ocldnn_gated){
        .gate = input(b, c, 2, d), .up = input(b, c, 2, d), .output = output(b, c, 2, d), .kind = OCLDNN_SILU};
}

/* d = rows, width, k */
static void make_top_k(bench *b, bench_case *c, const int64_t *d)
{
    const int64_t kept[] = {d[0], d[2]};
    c->kind = &od_operator_top_k;
    c->op.top_k =
        (ocldnn_top_k){.input = input(b, c, 2, d), .values = output(b, c, 2, kept), .indices = ids(b, c, 2, kept, 1)};
}

/* d = batch, tokens, width, words; each token reads a row of the table and one of the positions */
static void make_embedding(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_embedding *op = &c->op.embedding;
    c->kind = &od_operator_embedding;
    op->ids = ids(b, c, 2, d, d[3]);
    op->table = tensor(b, c, c->dtype, 2, (int64_t[]){d[3], d[2]}, 0);
    op->position_table = tensor(b, c, c->dtype, 2, (int64_t[]){d[1], d[2]}, 0);
    op->output = output(b, c, 3, d);
    c->bytes_read += bytes_of(&op->output);
}

/* d = 1, heads, tokens, width */
static void make_rotary(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_rotary;
    c->op.rotary = (ocldnn_rotary){.input = input(b, c, 4, d), .output = output(b, c, 4, d)};
}

/* d = batch, tokens, width */
static void make_mean_pool(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_mean_pool *op = &c->op.mean_pool;
    c->kind = &od_operator_mean_pool;
    op->input = input(b, c, 3, d);
    op->mask = tensor(b, c, OCLDNN_U8, 2, d, 0);
    op->output = output(b, c, 2, (int64_t[]){d[0], d[2]});
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static const declared list[] = {
    {"gemm_packed", make_packed, "512x512x512", {512, 512, 512}},
    {"gemm_packed", make_packed, "1024x1024x1024", {1024, 1024, 1024}},
    {"gemm_packed", make_packed, "2048x2048x2048", {2048, 2048, 2048}},
    {"gemm", make_linear, "512x512x512", {512, 512, 512}},
    {"gemm", make_linear, "1024x1024x1024", {1024, 1024, 1024}},
    {"gemm", make_linear, "2048x2048x2048", {2048, 2048, 2048}},
    {"linear", make_linear, "1x4096x4096", {1, 4096, 4096}},
    {"linear_packed", make_packed, "1x4096x4096", {1, 4096, 4096}},
    {"linear_packed", make_packed, "8x4096x4096", {8, 4096, 4096}},
    {"linear_pack", make_pack, "4096x4096", {4096, 4096}},
    {"matmul", make_matmul, "8x256x256x256", {8, 256, 256, 256}},
    {"attention", make_attention, "8h 1024 d64", {8, 1024, 64, 0, 8}},
    {"attention", make_attention, "8h 1024 d128", {8, 1024, 128, 0, 8}},
    {"attention_causal", make_attention, "8h 1024 d64", {8, 1024, 64, 1, 8}},
    {"attention_causal", make_attention, "8h 1024 d128", {8, 1024, 128, 1, 8}},
    {"attention_packed", make_packed_attention, "12h 1024 d64", {12, 1024, 64}},
    {"attention_gemms", make_fallback, "8h 1024 d64", {8, 1024, 64, 0, 8}},
    {"rms_norm", make_rms_norm, "4096x4096", {4096, 4096}},
    {"layer_norm", make_layer_norm, "4096x4096", {4096, 4096}},
    {"l2_norm", make_l2_norm, "4096x4096", {4096, 4096}},
    {"softmax", make_softmax, "4096x4096", {4096, 4096}},
    {"log_softmax", make_log_softmax, "4096x4096", {4096, 4096}},
    {"gelu", make_gelu, "4096x4096", {4096, 4096}},
    {"add", make_add, "4096x4096", {4096, 4096}},
    {"gated_silu", make_gated, "4096x4096", {4096, 4096}},
    {"embedding", make_embedding, "32x512x1024", {32, 512, 1024, 30000}},
    {"rotary", make_rotary, "32h 2048 d128", {1, 32, 2048, 128}},
    {"mean_pool", make_mean_pool, "32x512x1024", {32, 512, 1024}},
    {"top_k", make_top_k, "64x32000 k50", {64, 32000, 50}},
};

enum { DTYPES = 3 };

int bench_case_count(void)
{
    return DTYPES * (int)(sizeof list / sizeof *list);
}

void bench_case_name(int index, bench_case *c)
{
    const declared *row = &list[index / DTYPES];
    memset(c, 0, sizeof *c);
    c->name = row->name;
    c->dtype = (uint32_t)(OCLDNN_F32 + index % DTYPES);
    snprintf(c->shape, sizeof c->shape, "%s", row->shape);
}

bool bench_case_make(bench *b, int index, bench_case *c)
{
    bench_case_name(index, c);
    list[index / DTYPES].make(b, c, list[index / DTYPES].d);
    for (int i = 0; i < c->buffer_count; i++)
        if (!c->buffers[i])
            return complain("%s %s: no memory for its tensors", c->name, c->shape) == 0;
    return true;
}

void bench_case_free(bench_case *c)
{
    while (c->buffer_count > 0)
        clReleaseMemObject(c->buffers[--c->buffer_count]);
}
