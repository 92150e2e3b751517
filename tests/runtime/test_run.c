/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every operator's _run: queues, events, buffers, threads. rms_norm stands for all.
 */
#include "run_kit.h"

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
        cmocka_unit_test(slices_of_one_buffer),   cmocka_unit_test(sub_buffers),
        cmocka_unit_test(honours_events),         cmocka_unit_test(altered_facts),
        cmocka_unit_test(local_memory_too_small), cmocka_unit_test(destroy_while_running),
        cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
