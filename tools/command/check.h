/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of `ocldnn check`: small tensors in, a line of verdict out. A case fills inputs with small whole numbers,
 * which every dtype holds exactly, computes the answer from the formula in double precision, and calls check_run().
 * The cases serve tests/failing too, which has a check_run() and a check_call() of its own.
 */
#ifndef OD_COMMAND_CHECK_H
#define OD_COMMAND_CHECK_H

#include "base/operator.h"
#include "command.h"

enum { CHECK_BUFFERS = 16 };

typedef struct check {
    opened on;
    bool all; /* also strategies that compile kernels of their own, which takes long */
    unsigned passed, failed, skipped;
    uint32_t dtype; /* of this round's cases */
    cl_mem buffers[CHECK_BUFFERS];
    int buffer_count;
} check;

/* A whole number from -3 to 3 for place i of the tensor with this seed. */
int check_number(int64_t i, int seed);

/* A dense input with these values (any dtype), and an output, filled with NaN (or ones). They live until check_end().
 */
ocldnn_tensor check_input(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape, const double *values);
ocldnn_tensor check_output(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape);

/* check_number() into values. */
void check_fill(double *values, int64_t count, int seed);

/* Runs the operator and compares its output with what is wanted. Prints the line. */
void check_run(check *c, const char *name, const od_operator *kind, const void *op, const ocldnn_tensor *output,
               const double *wanted);

/* Runs an operator whose output is only another one's input; prints a line if it is refused, and returns false. */
bool check_call(check *c, const char *name, const od_operator *kind, const void *op);

/* Reads an output: what is wrong with it as a sentence, an empty one if nothing is. */
const char *check_wrong(const check *c, const ocldnn_tensor *output, const double *wanted, char text[128]);

/* Releases the buffers of a case. */
void check_end(check *c);

/* The cases, by family; each runs all of its operators with c->dtype. */
void check_normalization(check *c);
void check_products(check *c);
void check_attention(check *c);
void check_elementwise(check *c);
void check_sequence(check *c);

#endif
