/* SPDX-License-Identifier: Apache-2.0
 *
 * How a row of the bench comes by its operator and tensors; bench_lists.c has the rows. `operations` counts one for
 * each arithmetic operation of the formula, exp and erf too: enough for a place on the roofline.
 */
#include "bench_cases.h"

#include "ops/operators.h"

#include <stdlib.h>
#include <string.h>

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
    size_t elements = 1, bytes;
    unsigned char *data;
    cl_int code;
    for (uint32_t axis = 0; axis < rank; axis++)
        elements *= (size_t)shape[axis];
    bytes = elements * ocldnn_dtype_size((ocldnn_dtype)dtype);
    data = malloc(bytes);
    if (data && c->buffer_count < BENCH_BUFFERS) {
        fill(dtype, data, elements, ids);
        made.buffer = clCreateBuffer(b->on.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, &code);
        if (made.buffer)
            c->buffers[c->buffer_count++] = made.buffer;
    }
    free(data);
    return made; /* without a buffer the operator says so */
}

static double count(const ocldnn_tensor *t)
{
    double elements = 1;
    for (uint32_t axis = 0; axis < t->rank; axis++)
        elements *= (double)t->shape[axis];
    return elements;
}

static double bytes_of(const ocldnn_tensor *t)
{
    return count(t) * (double)ocldnn_dtype_size((ocldnn_dtype)t->dtype);
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

void bench_make_linear(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_linear *op = &c->op.linear;
    c->kind = &od_operator_linear;
    op->input = c->left = input(b, c, 2, (int64_t[]){d[0], d[2]});
    op->weight = c->right = input(b, c, 2, (int64_t[]){d[1], d[2]});
    op->output = c->result = output(b, c, 2, (int64_t[]){d[0], d[1]});
    c->choice = &op->strategy;
    c->flops = c->operations = 2.0 * (double)d[0] * (double)d[1] * (double)d[2];
    c->m = d[0];
    c->n = d[1];
    c->k = c->reduction = d[2];
}

/* Failing leaves the operator with a weight that is not packed and no tensor for it: its own check says so. */
void bench_make_packed(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_linear_pack pack = {0};
    ocldnn_exec exec = {.queue = b->on.queue};
    int64_t bytes;
    bench_make_linear(b, c, d);
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
void bench_make_pack(bench *b, bench_case *c, const int64_t *d)
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
void bench_make_matmul(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_matmul *op = &c->op.matmul;
    c->kind = &od_operator_matmul;
    op->a = input(b, c, 3, (int64_t[]){d[0], d[1], d[3]});
    op->b = input(b, c, 3, (int64_t[]){d[0], d[3], d[2]});
    op->output = c->result = output(b, c, 3, (int64_t[]){d[0], d[1], d[2]});
    c->reduction = d[3];
    c->choice = &op->strategy;
    c->flops = c->operations = 2.0 * (double)d[0] * (double)d[1] * (double)d[2] * (double)d[3];
}

/* ---- attention: d = batch, heads, heads of key and value, queries, keys, width, causal --------------------------- */

void bench_make_attention(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_attention *op = &c->op.attention;
    const int64_t query[] = {d[0], d[1], d[3], d[5]}, key[] = {d[0], d[2], d[4], d[5]};
    double pairs = (double)d[3] * (double)d[4];
    c->kind = &od_operator_attention;
    op->query = input(b, c, 4, query);
    op->key = input(b, c, 4, key);
    op->value = input(b, c, 4, key);
    op->output = c->result = output(b, c, 4, query);
    c->reduction = d[4];
    if (d[6]) { /* the last query sees all keys, each one before it one fewer */
        op->causal = OCLDNN_CAUSAL_BOTTOM_RIGHT;
        pairs -= (double)d[3] * (double)(d[3] - 1) / 2;
    }
    c->choice = &op->strategy;
    c->flops = c->operations = 4.0 * (double)(d[0] * d[1]) * pairs * (double)d[5];
}

/* Query, key and value as a linear layer leaves them: side by side, the heads of a token in one row. */
void bench_make_packed_attention(bench *b, bench_case *c, const int64_t *d)
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
    op->output = c->result = output(b, c, 4, (const int64_t[]){1, heads, tokens, width});
    c->reduction = tokens;
    c->choice = &op->strategy;
    c->flops = c->operations = 4.0 * (double)heads * (double)tokens * (double)tokens * (double)width;
}

void bench_make_fallback(bench *b, bench_case *c, const int64_t *d)
{
    bench_make_attention(b, c, d);
    c->op.attention.strategy = OCLDNN_ATTENTION_FALLBACK;
}

/* ---- rows: d = rows, width --------------------------------------------------------------------------------------- */

void bench_make_rms_norm(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_rms_norm *op = &c->op.rms_norm;
    c->kind = &od_operator_rms_norm;
    op->input = input(b, c, 2, d);
    op->gamma = input(b, c, 1, d + 1);
    op->output = c->result = output(b, c, 2, d);
    c->reduction = d[1];
    op->epsilon = 1e-5f;
    c->operations = 4 * count(&op->input);
}

void bench_make_layer_norm(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_layer_norm *op = &c->op.layer_norm;
    c->kind = &od_operator_layer_norm;
    op->input = input(b, c, 2, d);
    op->gamma = input(b, c, 1, d + 1);
    op->beta = input(b, c, 1, d + 1);
    op->output = c->result = output(b, c, 2, d);
    c->reduction = d[1];
    op->epsilon = 1e-5f;
    c->operations = 7 * count(&op->input);
}

void bench_make_l2_norm(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_l2_norm;
    c->op.l2_norm = (ocldnn_l2_norm){.input = input(b, c, 2, d), .output = output(b, c, 2, d), .epsilon = 1e-5f};
    c->operations = 3 * count(&c->op.l2_norm.input);
}

void bench_make_softmax(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_softmax;
    c->op.softmax = (ocldnn_softmax){.input = input(b, c, 2, d), .output = output(b, c, 2, d)};
    c->operations = 5 * count(&c->op.softmax.input);
    c->result = c->op.softmax.output;
    c->reduction = d[1];
}

void bench_make_log_softmax(bench *b, bench_case *c, const int64_t *d)
{
    bench_make_softmax(b, c, d);
    c->op.softmax.logarithm = 1;
}

void bench_make_gelu(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_activation;
    c->op.activation =
        (ocldnn_activation){.input = input(b, c, 2, d), .output = output(b, c, 2, d), .kind = OCLDNN_GELU};
    c->operations = 5 * count(&c->op.activation.input);
    c->result = c->op.activation.output;
    c->reduction = 1;
}

void bench_make_add(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_binary;
    c->op.binary = (ocldnn_binary){.a = input(b, c, 2, d), .b = input(b, c, 2, d), .output = output(b, c, 2, d)};
    c->operations = count(&c->op.binary.output);
    c->result = c->op.binary.output;
    c->reduction = 1;
}

void bench_make_gated(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_gated;
    c->op.gated = (ocldnn_gated){
        .gate = input(b, c, 2, d), .up = input(b, c, 2, d), .output = output(b, c, 2, d), .kind = OCLDNN_SILU};
    c->operations = 5 * count(&c->op.gated.output);
}

/* d = rows, width, k */
void bench_make_top_k(bench *b, bench_case *c, const int64_t *d)
{
    const int64_t kept[] = {d[0], d[2]};
    c->kind = &od_operator_top_k;
    c->op.top_k =
        (ocldnn_top_k){.input = input(b, c, 2, d), .values = output(b, c, 2, kept), .indices = ids(b, c, 2, kept, 1)};
    c->operations = count(&c->op.top_k.input);
}

/* d = batch, tokens, width, words; each token reads a row of the table and one of the positions */
void bench_make_embedding(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_embedding *op = &c->op.embedding;
    c->kind = &od_operator_embedding;
    op->ids = ids(b, c, 2, d, d[3]);
    op->table = tensor(b, c, c->dtype, 2, (int64_t[]){d[3], d[2]}, 0);
    op->position_table = tensor(b, c, c->dtype, 2, (int64_t[]){d[1], d[2]}, 0);
    op->output = output(b, c, 3, d);
    c->bytes_read += bytes_of(&op->output);
    c->operations = count(&op->output);
}

/* d = 1, heads, tokens, width */
void bench_make_rotary(bench *b, bench_case *c, const int64_t *d)
{
    c->kind = &od_operator_rotary;
    c->op.rotary = (ocldnn_rotary){.input = input(b, c, 4, d), .output = output(b, c, 4, d)};
    c->operations = 3 * count(&c->op.rotary.input);
}

/* d = batch, tokens, width */
void bench_make_mean_pool(bench *b, bench_case *c, const int64_t *d)
{
    ocldnn_mean_pool *op = &c->op.mean_pool;
    c->kind = &od_operator_mean_pool;
    op->input = input(b, c, 3, d);
    op->mask = tensor(b, c, OCLDNN_U8, 2, d, 0);
    op->output = output(b, c, 2, (int64_t[]){d[0], d[2]});
    c->operations = count(&op->input);
}
