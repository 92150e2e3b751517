/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every operator's _run: queues, events, buffers, threads. rms_norm stands for all.
 */
#include "runtime/context.h"

#include <math.h>
#include <ocldnn/ocldnn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 8, WIDTH = 64, COUNT = ROWS * WIDTH };

typedef struct fixture {
    ocldnn_context *context;
    cl_command_queue queue, unordered; /* unordered is NULL where the driver has none */
    cl_mem input, output;
    ocldnn_rms_norm op;
} fixture;

static fixture f;

static cl_mem buffer_of(cl_context cl, size_t bytes)
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

static int set_up(void **state)
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

static int tear_down(void **state)
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

static void expect(ocldnn_status wanted, const char *part, ocldnn_rms_norm op, ocldnn_exec exec)
{
    ocldnn_status status = ocldnn_rms_norm_run(f.context, &op, &exec);
    if (status != wanted || (part && !strstr(ocldnn_last_error(), part)))
        fail_msg("%s \"%s\", wanted %s with \"%s\"", ocldnn_status_name(status), ocldnn_last_error(),
                 ocldnn_status_name(wanted), part ? part : "");
}

/* Fills a tensor's buffer, runs, and reads element 0 of the output: 1 if the kernel ran over ones. */
static float first_output(cl_mem output)
{
    float value;
    assert_int_equal(clFinish(f.queue), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(f.queue, output, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL), CL_SUCCESS);
    return value;
}

static void poison(cl_mem memory)
{
    const float nine = 9.0f;
    assert_int_equal(clEnqueueFillBuffer(f.queue, memory, &nine, sizeof nine, 0, COUNT * sizeof nine, 0, NULL, NULL),
                     CL_SUCCESS);
    clFinish(f.queue);
}

static void refuses_bad_calls(void **state)
{
    ocldnn_exec exec = {.queue = f.queue};
    ocldnn_query query;
    size_t bytes;
    (void)state;
    assert_int_equal(ocldnn_rms_norm_run(NULL, &f.op, &exec), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_rms_norm_run(f.context, NULL, &exec), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_rms_norm_run(f.context, &f.op, NULL), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_rms_norm_prepare(NULL, &f.op), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_rms_norm_workspace(f.context, &f.op, NULL), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_rms_norm_workspace(NULL, &f.op, &bytes), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_rms_norm_query(f.context, &f.op, NULL), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_rms_norm_query(NULL, &f.op, &query), OCLDNN_INVALID_ARGUMENT);
    assert_int_equal(ocldnn_context_create(NULL, NULL), OCLDNN_INVALID_ARGUMENT);
    expect(OCLDNN_INVALID_QUEUE, "queue is NULL", f.op, (ocldnn_exec){0});
    expect(OCLDNN_INVALID_ARGUMENT, "wait_count is 2, but wait_list is NULL", f.op,
           (ocldnn_exec){.queue = f.queue, .wait_count = 2});
    expect(OCLDNN_INVALID_ARGUMENT, "event 0 of the wait list", f.op,
           (ocldnn_exec){.queue = f.queue, .wait_count = 1, .wait_list = (cl_event[]){NULL}});
    assert_int_equal(first_output(f.output), 1); /* untouched: made of ones */
}

static void refuses_foreign_objects(void **state)
{
    cl_device_id device = ocldnn_context_device(f.context);
    cl_int code;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(other, device, 0, &code);
    cl_mem memory = buffer_of(other, COUNT * sizeof(float));
    cl_event event = clCreateUserEvent(other, &code);
    ocldnn_rms_norm op = f.op;
    (void)state;
    expect(OCLDNN_INVALID_QUEUE, "another cl_context", f.op, (ocldnn_exec){.queue = queue});
    expect(OCLDNN_INVALID_ARGUMENT, "another cl_context", f.op,
           (ocldnn_exec){.queue = f.queue, .wait_count = 1, .wait_list = &event});
    expect(OCLDNN_INVALID_BUFFER, "the workspace belongs to another cl_context", f.op, /* which needs none */
           (ocldnn_exec){.queue = f.queue, .workspace = memory, .workspace_bytes = 1});
    op.output.buffer = memory;
    expect(OCLDNN_INVALID_BUFFER, "output: its buffer belongs to another cl_context", op,
           (ocldnn_exec){.queue = f.queue});
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
}

static void refuses_a_queue_of_another_device(void **state)
{
    cl_platform_id platform;
    cl_device_id devices[2];
    cl_uint count = 0;
    cl_int code;
    cl_context both;
    cl_command_queue queue;
    ocldnn_context *context;
    ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    (void)state;
    clGetDeviceInfo(ocldnn_context_device(f.context), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count) != CL_SUCCESS || count < 2) {
        print_message("skipped: the platform has one device only (POCL_DEVICES=\"basic pthread\" makes two)\n");
        skip();
    }
    both = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
    queue = clCreateCommandQueue(both, devices[1], 0, &code);
    options.context = both;
    options.device = devices[0];
    assert_int_equal(ocldnn_context_create(&options, &context), OCLDNN_SUCCESS);
    assert_int_equal(ocldnn_rms_norm_run(context, &f.op, &(ocldnn_exec){.queue = queue}), OCLDNN_INVALID_QUEUE);
    assert_non_null(strstr(ocldnn_last_error(), "another device"));
    ocldnn_context_destroy(context);
    clReleaseCommandQueue(queue);
    clReleaseContext(both);
}

static void refuses_bad_buffers(void **state)
{
    ocldnn_exec exec = {.queue = f.queue};
    ocldnn_rms_norm op = f.op;
    (void)state;
    op.input.buffer = NULL;
    expect(OCLDNN_INVALID_ARGUMENT, "input: its buffer is NULL", op, exec);
    op = f.op;
    op.output.offset = 1;
    expect(OCLDNN_INVALID_BUFFER, "output: ends at byte 2052, its buffer has 2048", op, exec);
    op = f.op;
    op.output.buffer = f.input;
    op.output.offset = WIDTH;
    op.input.shape[0] = op.output.shape[0] = ROWS - 1;
    expect(OCLDNN_INVALID_BUFFER, "output: bytes 256 to 2048 overlap input (bytes 0 to 1792", op, exec);
    op = f.op;
    op.output = op.input; /* in place is allowed */
    expect(OCLDNN_SUCCESS, NULL, op, exec);
}

static void refuses_images(void **state)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc sizes = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = ROWS};
    ocldnn_rms_norm op = f.op;
    cl_int code;
    cl_mem image = clCreateImage(ocldnn_context_cl(f.context), CL_MEM_READ_WRITE, &format, &sizes, NULL, &code);
    (void)state;
    if (code != CL_SUCCESS)
        skip(); /* a device without images */
    op.input.buffer = image;
    expect(OCLDNN_INVALID_BUFFER, "input: its buffer is an image", op, (ocldnn_exec){.queue = f.queue});
    clReleaseMemObject(image);
}

/* Scores in workspace, which must be the caller's own, large enough and apart from the tensors. */
static void callers_workspace(void **state)
{
    cl_context cl = ocldnn_context_cl(f.context);
    ocldnn_tensor tensor = ocldnn_tensor_dense(f.input, OCLDNN_F32, 4, (int64_t[]){1, 1, ROWS, WIDTH});
    ocldnn_attention op = {tensor, .key = tensor, .value = tensor, .output = tensor,
                           .strategy = OCLDNN_ATTENTION_FALLBACK};
    size_t bytes;
    cl_int code;
    cl_mem memory;
    ocldnn_exec exec = {.queue = f.queue};
    (void)state;
    op.output.buffer = f.output;
    assert_int_equal(ocldnn_attention_workspace(f.context, &op, &bytes), OCLDNN_SUCCESS);
    assert_in_range(bytes, 1, COUNT * sizeof(float));
    memory = clCreateBuffer(cl, CL_MEM_READ_WRITE, bytes, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    exec.workspace = memory;
    exec.workspace_bytes = bytes - 1;
    assert_int_equal(ocldnn_attention_run(f.context, &op, &exec), OCLDNN_WORKSPACE_TOO_SMALL);
    assert_non_null(strstr(ocldnn_last_error(), "the call needs"));
    exec.workspace_bytes = bytes + 1;
    assert_int_equal(ocldnn_attention_run(f.context, &op, &exec), OCLDNN_INVALID_BUFFER);
    assert_non_null(strstr(ocldnn_last_error(), "workspace_bytes is"));
    exec.workspace_bytes = bytes;
    exec.workspace = f.output;
    assert_int_equal(ocldnn_attention_run(f.context, &op, &exec), OCLDNN_INVALID_BUFFER);
    assert_non_null(strstr(ocldnn_last_error(), "overlaps output"));
    exec.workspace = memory;
    poison(f.output);
    assert_int_equal(ocldnn_attention_run(f.context, &op, &exec), OCLDNN_SUCCESS);
    assert_true(fabsf(first_output(f.output) - 1.0f) < 1e-4f); /* values are near 1, and so is their average */
    clReleaseMemObject(memory);
}

static void slices_of_one_buffer(void **state)
{
    cl_mem packed = buffer_of(ocldnn_context_cl(f.context), 2 * COUNT * sizeof(float));
    ocldnn_rms_norm op = f.op;
    (void)state;
    op.input.buffer = op.output.buffer = packed;
    op.input.strides[0] = op.output.strides[0] = 2 * WIDTH;
    op.input.strides[1] = op.output.strides[1] = 1;
    op.output.offset = WIDTH;
    expect(OCLDNN_SUCCESS, NULL, op, (ocldnn_exec){.queue = f.queue});
    op.output.offset = WIDTH - 1;
    expect(OCLDNN_INVALID_BUFFER, "overlap", op, (ocldnn_exec){.queue = f.queue});
    clFinish(f.queue);
    clReleaseMemObject(packed);
}

static void sub_buffers(void **state)
{
    cl_int code;
    cl_mem packed = buffer_of(ocldnn_context_cl(f.context), 2 * COUNT * sizeof(float));
    cl_buffer_region first = {0, COUNT * sizeof(float)}, second = {COUNT * sizeof(float), COUNT * sizeof(float)};
    cl_buffer_region middle = {COUNT * sizeof(float) / 2, COUNT * sizeof(float)};
    cl_mem a = clCreateSubBuffer(packed, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &first, &code);
    cl_mem b = clCreateSubBuffer(packed, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &second, &code);
    cl_mem c = clCreateSubBuffer(packed, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &middle, &code);
    ocldnn_rms_norm op = f.op;
    (void)state;
    op.input.buffer = a;
    op.output.buffer = b;
    expect(OCLDNN_SUCCESS, NULL, op, (ocldnn_exec){.queue = f.queue});
    op.output.buffer = c;
    expect(OCLDNN_INVALID_BUFFER, "output: bytes 1024 to 3072 overlap input (bytes 0 to 2048", op,
           (ocldnn_exec){.queue = f.queue});
    op.output.buffer = b;
    op.output.offset = WIDTH; /* past the sub-buffer's own end, not its parent's */
    op.input.shape[0] = op.output.shape[0] = ROWS;
    expect(OCLDNN_INVALID_BUFFER, "its buffer has 2048", op, (ocldnn_exec){.queue = f.queue});
    clFinish(f.queue);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseMemObject(packed);
}

/* The event must not be complete before the wait list is, and the result must be there after it. */
static void check_events(cl_command_queue queue, int64_t rows)
{
    cl_int code, state = CL_COMPLETE;
    cl_event gate = clCreateUserEvent(ocldnn_context_cl(f.context), &code), done = NULL;
    ocldnn_rms_norm op = f.op;
    op.input.shape[0] = op.output.shape[0] = rows;
    poison(f.output);
    expect(OCLDNN_SUCCESS, NULL, op,
           (ocldnn_exec){.queue = queue, .wait_count = 1, .wait_list = &gate, .event = &done});
    assert_non_null(done);
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    assert_int_not_equal(state, CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_int_equal(first_output(f.output), rows ? 0 : 9); /* 0.99999 is cut to 0 */
    clReleaseEvent(done);
    clReleaseEvent(gate);
}

static void honours_events(void **state)
{
    cl_event done = NULL;
    ocldnn_rms_norm op = f.op;
    (void)state;
    check_events(f.queue, ROWS);
    check_events(f.queue, 0);
    op.input.shape[0] = op.output.shape[0] = 0;
    if (!f.unordered) {
        print_message("skipped in part: the device has no out-of-order queues\n");
        return;
    }
    check_events(f.unordered, ROWS);
    check_events(f.unordered, 0);
    expect(OCLDNN_SUCCESS, NULL, op, (ocldnn_exec){.queue = f.unordered, .event = &done});
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
}

static void altered_facts(void **state)
{
    ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    od_device facts = *od_context_facts(f.context);
    ocldnn_context *context;
    (void)state;
    facts.has_compiler = false;
    assert_int_equal(ocldnn_context_create_default(&options, &context), OCLDNN_SUCCESS);
    od_context_set_facts(context, &facts);
    assert_int_equal(ocldnn_rms_norm_prepare(context, &f.op), OCLDNN_UNSUPPORTED);
    assert_non_null(strstr(ocldnn_last_error(), "no compiler"));
    facts.has_compiler = true;
    facts.max_group_size = 0;
    od_context_set_facts(context, &facts);
    assert_int_equal(ocldnn_rms_norm_prepare(context, &f.op), OCLDNN_UNSUPPORTED);
    assert_non_null(strstr(ocldnn_last_error(), "work-groups of"));
    ocldnn_context_destroy(context);
}

/* top_k's kernel for GPUs keeps 2 * 64 numbers of 8 bytes, and a flag, in local memory. */
static void local_memory_too_small(void **state)
{
    ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    od_device facts = *od_context_facts(f.context);
    ocldnn_context *context;
    ocldnn_top_k op = {.input = f.op.input, .indices = ocldnn_tensor_dense(NULL, OCLDNN_U32, 2, (int64_t[]){ROWS, 1})};
    (void)state;
    facts.family = OD_FAMILY_TILED;
    facts.local_memory = 1024;
    assert_int_equal(ocldnn_context_create_default(&options, &context), OCLDNN_SUCCESS);
    od_context_set_facts(context, &facts);
    assert_int_equal(ocldnn_top_k_prepare(context, &op), OCLDNN_UNSUPPORTED);
    assert_non_null(strstr(ocldnn_last_error(), "bytes of local memory, the device has 1024"));
    ocldnn_context_destroy(context);
}

static void destroy_while_running(void **state)
{
    ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE,
                                      .context = ocldnn_context_cl(f.context),
                                      .device = ocldnn_context_device(f.context)};
    ocldnn_context *context;
    cl_int code;
    cl_event gate = clCreateUserEvent(options.context, &code);
    (void)state;
    poison(f.output);
    assert_int_equal(ocldnn_context_create(&options, &context), OCLDNN_SUCCESS);
    assert_int_equal(
        ocldnn_rms_norm_run(context, &f.op, &(ocldnn_exec){.queue = f.queue, .wait_count = 1, .wait_list = &gate}),
        OCLDNN_SUCCESS);
    ocldnn_context_destroy(context);
    clSetUserEventStatus(gate, CL_COMPLETE);
    assert_int_equal(first_output(f.output), 0);
    clReleaseEvent(gate);
}

/* ---- threads ------------------------------------------------------------------------------------------------------
 */

static void *many_calls(void *argument)
{
    cl_context cl = ocldnn_context_cl(f.context);
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(cl, ocldnn_context_device(f.context), 0, &code);
    int number = (int)(intptr_t)argument;
    ocldnn_rms_norm op = f.op;
    float value = 0;
    op.output.buffer = clCreateBuffer(cl, CL_MEM_READ_WRITE, COUNT * sizeof(float), NULL, &code);
    op.gamma_offset = (float)number; /* gamma is absent, so this must not change anything */
    op.epsilon = number % 2 ? -1.0f : 1e-5f;
    for (int i = 0; i < 50; i++) {
        ocldnn_status status = ocldnn_rms_norm_run(f.context, &op, &(ocldnn_exec){.queue = queue});
        if (number % 2 ? status == OCLDNN_SUCCESS || !strstr(ocldnn_last_error(), "epsilon") : status != 0)
            return "a wrong status";
    }
    if (number % 2 == 0) {
        clEnqueueReadBuffer(queue, op.output.buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL);
        if (!(value > 0.99f && value < 1.01f))
            return "a wrong result";
    }
    clReleaseMemObject(op.output.buffer);
    clReleaseCommandQueue(queue);
    return NULL;
}

static void many_threads(void **state)
{
    pthread_t threads[8];
    (void)state;
    for (intptr_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_calls, (void *)i), 0);
    for (int i = 0; i < 8; i++) {
        void *complaint;
        pthread_join(threads[i], &complaint);
        if (complaint)
            fail_msg("thread %d: %s", i, (const char *)complaint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_calls),
        cmocka_unit_test(refuses_foreign_objects),
        cmocka_unit_test(refuses_a_queue_of_another_device),
        cmocka_unit_test(refuses_bad_buffers),
        cmocka_unit_test(refuses_images),
        cmocka_unit_test(callers_workspace),
        cmocka_unit_test(slices_of_one_buffer),
        cmocka_unit_test(sub_buffers),
        cmocka_unit_test(honours_events),
        cmocka_unit_test(altered_facts),
        cmocka_unit_test(local_memory_too_small),
        cmocka_unit_test(destroy_while_running),
        cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
