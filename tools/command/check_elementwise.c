/* SPDX-License-Identifier: Apache-2.0
 *
 * Known answers of activations, add, mul and gated products.
 */
#include "check.h"
#include "ops/operators.h"

#include <math.h>

enum { ROWS = 5, WIDTH = 41, COUNT = ROWS * WIDTH };

static const int64_t shape[] = {ROWS, WIDTH};

static double apply(uint32_t kind, double x)
{
    switch (kind) {
    case OCLDNN_RELU:
        return x > 0 ? x : 0;
    case OCLDNN_GELU:
        return x / 2 * (1 + erf(x / sqrt(2.0)));
    case OCLDNN_GELU_TANH:
        return x / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case OCLDNN_SILU:
        return x / (1 + exp(-x));
    case OCLDNN_SIGMOID:
        return 1 / (1 + exp(-x));
    case OCLDNN_TANH:
        return tanh(x);
    case OCLDNN_HARDSWISH:
        return x * fmin(fmax(x / 6 + 0.5, 0), 1);
    case OCLDNN_LEAKY_RELU:
        return x < 0 ? (double)0.01f * x : x;
    case OCLDNN_SOFTPLUS:
        return log(1 + exp(x));
    default:
        return x;
    }
}

static void check_activations(check *c, const double *x)
{
    static const char *const names[] = {"identity", "relu", "gelu",      "gelu_tanh",  "silu",
                                        "sigmoid",  "tanh", "hardswish", "leaky_relu", "softplus"};
    double wanted[COUNT];
    ocldnn_activation op = {.input = check_input(c, c->dtype, 2, shape, x),
                            .output = check_output(c, c->dtype, 2, shape)};
    for (op.kind = 0; op.kind < sizeof names / sizeof *names; op.kind++) {
        for (int i = 0; i < COUNT; i++)
            wanted[i] = apply(op.kind, x[i]);
        check_run(c, names[op.kind], &od_operator_activation, &op, &op.output, wanted);
    }
    check_end(c);
}

static void check_pairs(check *c, const double *x, const double *y)
{
    double wanted[COUNT];
    ocldnn_tensor a = check_input(c, c->dtype, 2, shape, x);
    ocldnn_tensor b = check_input(c, c->dtype, 1, shape + 1, y);
    ocldnn_tensor up = check_input(c, c->dtype, 2, shape, y);
    ocldnn_binary op = {.a = a, .b = b, .output = check_output(c, c->dtype, 2, shape)};
    ocldnn_gated gated = {.gate = a, .up = up, .output = op.output, .kind = OCLDNN_SILU};
    for (op.kind = OCLDNN_ADD; op.kind <= OCLDNN_MUL; op.kind++) {
        for (int i = 0; i < COUNT; i++)
            wanted[i] = op.kind == OCLDNN_ADD ? x[i] + y[i % WIDTH] : x[i] * y[i % WIDTH];
        check_run(c, op.kind == OCLDNN_ADD ? "add" : "mul", &od_operator_binary, &op, &op.output, wanted);
    }
    for (int i = 0; i < COUNT; i++)
        wanted[i] = apply(OCLDNN_SILU, x[i]) * y[i];
    check_run(c, "gated", &od_operator_gated, &gated, &op.output, wanted);
    check_end(c);
}

void check_elementwise(check *c)
{
    double x[COUNT], y[COUNT];
    check_fill(x, COUNT, 10);
    check_fill(y, COUNT, 11);
    check_activations(c, x);
    check_pairs(c, x, y);
}
