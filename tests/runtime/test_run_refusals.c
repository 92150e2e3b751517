/* SPDX-License-Identifier: Apache-2.0
 *
 * What every operator's _run refuses: calls, objects and buffers. rms_norm stands for all.
 */
#include "run_kit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_calls),
        cmocka_unit_test(refuses_foreign_objects),
        cmocka_unit_test(refuses_a_queue_of_another_device),
        cmocka_unit_test(refuses_bad_buffers),
        cmocka_unit_test(refuses_images),
        cmocka_unit_test(callers_workspace),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
