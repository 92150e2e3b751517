/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of _run share: a context with queues, a call of rms_norm over ones, and what becomes of it. Included
 * once per test program; unused functions are no fault.
 */
#ifndef OD_TESTS_RUN_KIT_H
#define OD_TESTS_RUN_KIT_H

#include "runtime/context.h"

#include <math.h>
#include <ocldnn/ocldnn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define UNUSED_OK __attribute__((unused))

enum { ROWS = 8, WIDTH = 64, COUNT = ROWS * WIDTH };

typedef struct fixture {
    ocldnn_context *context;
    cl_command_queue queue, unordered; /* unordered is NULL where the driver has none */
    cl_mem input, output;
    ocldnn_rms_norm op;
} fixture;

static fixture f;

UNUSED_OK static cl_mem buffer_of(cl_context cl, size_t bytes)
{
    float ones[2 * COUNT];
    cl_int code;
    cl_mem memory;
    for (int i = 0; i < 2 * COUNT; i++)
        ones[i] = 1.0f;
    memory = clCreateBuffer(cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, ones, &code);
    assert_int_equal(code, CL_SUCCESS);
    return memory;
}

UNUSED_OK static int set_up(void **state)
{
    cl_int code;
    int64_t shape[] = {ROWS, WIDTH};
    ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    (void)state;
    if (ocldnn_context_create_default(&options, &f.context) != OCLDNN_SUCCESS) {
        print_message("%s\n", ocldnn_last_error());
        return -1;
    }
    f.queue = clCreateCommandQueue(ocldnn_context_cl(f.context), ocldnn_context_device(f.context), 0, &code);
    f.unordered = clCreateCommandQueue(ocldnn_context_cl(f.context), ocldnn_context_device(f.context),
                                       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    f.input = buffer_of(ocldnn_context_cl(f.context), COUNT * sizeof(float));
    f.output = buffer_of(ocldnn_context_cl(f.context), COUNT * sizeof(float));
    f.op = (ocldnn_rms_norm){.input = ocldnn_tensor_dense(f.input, OCLDNN_F32, 2, shape),
                             .output = ocldnn_tensor_dense(f.output, OCLDNN_F32, 2, shape),
                             .epsilon = 1e-5f};
    return 0;
}

UNUSED_OK static int tear_down(void **state)
{
    (void)state;
    clReleaseMemObject(f.input);
    clReleaseMemObject(f.output);
    clReleaseCommandQueue(f.queue);
    if (f.unordered)
        clReleaseCommandQueue(f.unordered);
    ocldnn_context_destroy(f.context);
    return 0;
}

UNUSED_OK static void expect(ocldnn_status wanted, const char *part, ocldnn_rms_norm op, ocldnn_exec exec)
{
    ocldnn_status status = ocldnn_rms_norm_run(f.context, &op, &exec);
    if (status != wanted || (part && !strstr(ocldnn_last_error(), part)))
        fail_msg("%s \"%s\", wanted %s with \"%s\"", ocldnn_status_name(status), ocldnn_last_error(),
                 ocldnn_status_name(wanted), part ? part : "");
}

/* Fills a tensor's buffer, runs, and reads element 0 of the output: 1 if the kernel ran over ones. */
UNUSED_OK static float first_output(cl_mem output)
{
    float value;
    assert_int_equal(clFinish(f.queue), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(f.queue, output, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL), CL_SUCCESS);
    return value;
}

UNUSED_OK static void poison(cl_mem memory)
{
    const float nine = 9.0f;
    assert_int_equal(clEnqueueFillBuffer(f.queue, memory, &nine, sizeof nine, 0, COUNT * sizeof nine, 0, NULL, NULL),
                     CL_SUCCESS);
    clFinish(f.queue);
}

#endif
