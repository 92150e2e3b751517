/* SPDX-License-Identifier: Apache-2.0
 *
 * Known answers of the operators over rows.
 */
#include "check.h"
#include "ops/operators.h"

#include <math.h>

enum { ROWS = 3, WIDTH = 77, COUNT = ROWS * WIDTH };

static const int64_t shape[] = {ROWS, WIDTH};
static const int64_t width[] = {WIDTH};

static double mean(const double *row, double (*of)(double, double), double about)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += of(row[i], about);
    return sum / WIDTH;
}

static double difference(double x, double about)
{
    return x - about;
}

static double square(double x, double about)
{
    return (x - about) * (x - about);
}

static void check_norms(check *c, const double *x, const double *gamma)
{
    const double epsilon = 0.5;
    double rms[COUNT], layer[COUNT], unit[COUNT];
    ocldnn_tensor input = check_input(c, c->dtype, 2, shape, x);
    ocldnn_tensor scale = check_input(c, c->dtype, 1, width, gamma);
    ocldnn_tensor output = check_output(c, c->dtype, 2, shape);
    const ocldnn_rms_norm a = {.input = input, .gamma = scale, .output = output, .epsilon = (float)epsilon};
    const ocldnn_layer_norm b = {
        .input = input, .gamma = scale, .beta = scale, .output = output, .epsilon = (float)epsilon};
    const ocldnn_l2_norm d = {.input = input, .output = output, .epsilon = (float)epsilon};
    for (int i = 0; i < COUNT; i++) {
        const double *row = x + i / WIDTH * WIDTH;
        double average = mean(row, difference, 0);
        double factor = gamma[i % WIDTH];
        rms[i] = factor * x[i] / sqrt(mean(row, square, 0) + epsilon);
        layer[i] = factor * (x[i] - average) / sqrt(mean(row, square, average) + epsilon) + factor;
        unit[i] = x[i] / sqrt(WIDTH * mean(row, square, 0) + epsilon);
    }
    check_run(c, "rms_norm", &od_operator_rms_norm, &a, &output, rms);
    check_run(c, "layer_norm", &od_operator_layer_norm, &b, &output, layer);
    check_run(c, "l2_norm", &od_operator_l2_norm, &d, &output, unit);
    check_end(c);
}

static void check_softmax(check *c, const double *x)
{
    double plain[COUNT], logarithm[COUNT];
    ocldnn_tensor input = check_input(c, c->dtype, 2, shape, x);
    ocldnn_tensor output = check_output(c, c->dtype, 2, shape);
    ocldnn_softmax op = {.input = input, .output = output, .scale = 0.5f};
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = 0; i < WIDTH; i++)
            sum += exp(0.5 * x[row * WIDTH + i]);
        for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++) {
            plain[i] = exp(0.5 * x[i]) / sum;
            logarithm[i] = 0.5 * x[i] - log(sum);
        }
    }
    check_run(c, "softmax", &od_operator_softmax, &op, &output, plain);
    op.logarithm = 1;
    check_run(c, "log_softmax", &od_operator_softmax, &op, &output, logarithm);
    check_end(c);
}

void check_normalization(check *c)
{
    double x[COUNT], gamma[WIDTH];
    check_fill(x, COUNT, 1);
    check_fill(gamma, WIDTH, 2);
    check_norms(c, x, gamma);
    check_softmax(c, x);
}
