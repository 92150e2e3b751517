/* SPDX-License-Identifier: Apache-2.0
 *
 * What running a case needs: a device, tensors going there and back, and values that live as long as the case.
 */
#ifndef VECTORS_RUNNER_H
#define VECTORS_RUNNER_H

#include "case.h"

#include <ocldnn/ocldnn.h>

typedef struct runner {
    ocldnn_context *context;
    cl_command_queue queue;
    bool skip;         /* the library has no way to say this case; problem has the reason */
    char problem[512]; /* why the case could not be run */
    cl_mem *buffers;
    size_t buffer_count;
    void **blocks;
    size_t block_count;
} runner;

/* A handler computes the case's outputs; results start out absent. It returns false after runner_fail or _skip. */
typedef bool handler(runner *r, const test_case *test, value results[MAX_TENSORS]);

bool runner_open(runner *r);
void runner_end_case(runner *r);
void runner_close(runner *r);

bool runner_fail(runner *r, const char *format, ...);
bool runner_skip(runner *r, const char *format, ...);

/* For the status of a public call: what it said becomes the problem. */
bool runner_ok(runner *r, ocldnn_status status);

/* A dense tensor with these values; a tensor of that shape that holds NaN (0xff in each byte); its values. */
ocldnn_tensor upload(runner *r, const value *from, ocldnn_dtype as);
ocldnn_tensor upload_same(runner *r, const value *from); /* floats keep their dtype; absent stays absent */
ocldnn_tensor room(runner *r, ocldnn_dtype type, uint32_t rank, const int64_t *shape);
value download(runner *r, ocldnn_tensor tensor);

/* Values on the host: new ones, the same numbers in another shape, axes in another order. */
value value_new(runner *r, dtype type, uint32_t rank, const int64_t *shape);
value value_reshape(value from, uint32_t rank, const int64_t *shape);
value value_permute(runner *r, value from, const uint32_t *order);
value value_axis_to_end(runner *r, value from, uint32_t axis);
value value_end_to_axis(runner *r, value from, uint32_t axis);
value value_join(runner *r, value a, value b, uint32_t axis); /* one after the other along an axis */

/* The dtype as the library names it; OCLDNN_ABSENT (and a skip) for those it does not compute in. */
ocldnn_dtype float_dtype(runner *r, const value *of);
uint32_t axis_of(const test_case *test, const value *of, double otherwise);

/* Calls operator NAME's run. */
#define RUN(r, NAME, op) runner_ok((r), ocldnn_##NAME##_run((r)->context, (op), &(ocldnn_exec){.queue = (r)->queue}))

handler run_softmax, run_layer_norm, run_rms_norm, run_lp_norm, run_mean_variance;
handler run_gemm, run_matmul;
handler run_gelu, run_swiglu;
handler run_rotary, run_top_k;
handler run_attention, run_flex_attention;

#endif
