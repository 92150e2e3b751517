/* SPDX-License-Identifier: Apache-2.0
 *
 * Known answers of linear, packed linear and matmul. Whole numbers: the products are exact in F32, and outputs up to a
 * rounding in F16 and BF16.
 */
#include "check.h"
#include "ops/operators.h"
#include "runtime/context.h"

#include <stdlib.h>

enum { M = 35, N = 83, K = 70, BATCH = 2 };

typedef struct numbers {
    double x[BATCH * M * K], weight[N * K], bias[N], y[BATCH * M * N];
} numbers;

/* relu(x w^T + bias) of the first m rows */
static void multiply(numbers *v, int m, bool linear)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < N; j++) {
            double sum = linear ? v->bias[j] : 0;
            for (int k = 0; k < K; k++)
                sum += v->x[i * K + k] * v->weight[j * K + k];
            v->y[i * N + j] = linear && sum < 0 ? 0 : sum;
        }
    }
}

static void each_strategy(check *c, const char *name, ocldnn_linear *op, const numbers *v)
{
    for (op->strategy = 1; op->strategy <= od_operator_linear.highest_strategy; op->strategy++)
        check_run(c, name, &od_operator_linear, op, &op->output, v->y);
}

static void check_packed(check *c, ocldnn_linear *op, const numbers *v)
{
    ocldnn_linear_pack pack = {.weight = op->weight};
    int64_t bytes;
    if (ocldnn_linear_pack_layout(c->on.context, &op->weight, op->layout, &pack.packed) != OCLDNN_SUCCESS) {
        complain("linear_pack: %s", ocldnn_last_error());
        exit(1);
    }
    bytes = (int64_t)pack.packed.bytes;
    pack.packed.buffer = check_output(c, OCLDNN_U8, 1, &bytes).buffer;
    if (!check_call(c, "linear_pack", &od_operator_linear_pack, &pack))
        return;
    op->packed = pack.packed;
    op->weight = (ocldnn_tensor){0};
    op->strategy = OCLDNN_GEMM_NATIVE;
    check_run(c, "linear_pack", &od_operator_linear, op, &op->output, v->y);
}

static void check_linear(check *c, numbers *v)
{
    static const int rows[] = {M, 3, 1};
    static const char *const names[] = {"linear", "linear M=3", "linear M=1"};
    ocldnn_linear op = {.activation = OCLDNN_RELU};
    for (int i = 0; i < 3; i++) {
        op.input = check_input(c, c->dtype, 2, (int64_t[]){rows[i], K}, v->x);
        op.weight = check_input(c, c->dtype, 2, (int64_t[]){N, K}, v->weight);
        op.bias = check_input(c, c->dtype, 1, (int64_t[]){N}, v->bias);
        op.output = check_output(c, c->dtype, 2, (int64_t[]){rows[i], N});
        op.packed = (ocldnn_packed_weight){0};
        multiply(v, rows[i], true);
        each_strategy(c, names[i], &op, v);
        if (i == 0)
            check_packed(c, &op, v);
        check_end(c);
    }
}

static void check_matmul(check *c, const char *name, uint32_t highest_strategy, numbers *v)
{
    ocldnn_matmul op = {.transpose_b = 1};
    op.a = check_input(c, c->dtype, 3, (int64_t[]){BATCH, M, K}, v->x);
    op.b = check_input(c, c->dtype, 2, (int64_t[]){N, K}, v->weight);
    op.output = check_output(c, c->dtype, 3, (int64_t[]){BATCH, M, N});
    multiply(v, BATCH * M, false);
    for (op.strategy = 1; op.strategy <= highest_strategy; op.strategy++)
        check_run(c, name, &od_operator_matmul, &op, &op.output, v->y);
    check_end(c);
}

/* As above, on the matrix unit, which would not take so small a product by itself. */
static void check_amx(check *c, numbers *v)
{
    od_device facts = *od_context_facts(c->on.context);
    od_amx before = facts.amx;
    if (before == OD_AMX_NEVER)
        return;
    facts.amx = OD_AMX_ALWAYS;
    od_context_set_facts(c->on.context, &facts);
    check_matmul(c, "matmul on AMX", OCLDNN_GEMM_NATIVE, v);
    facts.amx = before;
    od_context_set_facts(c->on.context, &facts);
}

void check_products(check *c)
{
    static numbers v;
    check_fill(v.x, BATCH * M * K, 3);
    check_fill(v.weight, (int64_t)N * K, 4);
    check_fill(v.bias, N, 5);
    check_linear(c, &v);
    check_matmul(c, "matmul", od_operator_matmul.highest_strategy, &v);
    check_amx(c, &v);
}
