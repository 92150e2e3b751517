/* SPDX-License-Identifier: Apache-2.0
 *
 * A call on an out-of-order queue, where nothing happens in the order in which it was enqueued, but as events say: an
 * upload of query, key and value, attention that waits for all three, and a download that waits for attention. An
 * operator's wait list and event mean what they mean for clEnqueueNDRangeKernel, however many launches it is made of.
 */
#include <ocldnn/ocldnn.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEADS = 4, STEPS = 64, WIDTH = 32, COUNT = HEADS * STEPS * WIDTH };

static float query[COUNT], key[COUNT], value[COUNT], result[COUNT];

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, ocldnn_last_error());
    exit(1);
}

static cl_mem upload(cl_context cl, cl_command_queue queue, const float *data, cl_event *done)
{
    cl_int code;
    cl_mem memory = clCreateBuffer(cl, CL_MEM_READ_WRITE, COUNT * sizeof(float), NULL, &code);
    need(code == CL_SUCCESS, "clCreateBuffer");
    code = clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, COUNT * sizeof(float), data, 0, NULL, done);
    need(code == CL_SUCCESS, "clEnqueueWriteBuffer");
    return memory;
}

/* Causal: the first step sees itself alone, so its result is its own value. */
static int is_right(void)
{
    for (int head = 0; head < HEADS; head++)
        for (int i = 0; i < WIDTH; i++)
            if (result[head * STEPS * WIDTH + i] != value[head * STEPS * WIDTH + i])
                return 0;
    return 1;
}

int main(void)
{
    const int64_t shape[] = {1, HEADS, STEPS, WIDTH};
    ocldnn_attention op = {.causal = OCLDNN_CAUSAL_BOTTOM_RIGHT};
    cl_event uploaded[3], attended, downloaded;
    ocldnn_context *context;
    cl_command_queue queue;
    cl_mem memory[4];
    cl_context cl;
    cl_int code;
    if (ocldnn_context_create_default(NULL, &context) != OCLDNN_SUCCESS) {
        printf("%s\n", ocldnn_last_error());
        return 77; /* for the tests: nothing to run on */
    }
    cl = ocldnn_context_cl(context);
    queue = clCreateCommandQueue(cl, ocldnn_context_device(context), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code != CL_SUCCESS) {
        printf("this device has no out-of-order queue\n");
        ocldnn_context_destroy(context);
        return 77;
    }
    for (int i = 0; i < COUNT; i++) {
        query[i] = (float)(i % 13) / 13.0f;
        key[i] = (float)(i % 7) / 7.0f;
        value[i] = (float)(i % 101) - 50.0f;
    }

    memory[0] = upload(cl, queue, query, &uploaded[0]);
    memory[1] = upload(cl, queue, key, &uploaded[1]);
    memory[2] = upload(cl, queue, value, &uploaded[2]);
    memory[3] = clCreateBuffer(cl, CL_MEM_READ_WRITE, COUNT * sizeof(float), NULL, &code);
    need(code == CL_SUCCESS, "clCreateBuffer");
    op.query = ocldnn_tensor_dense(memory[0], OCLDNN_F32, 4, shape);
    op.key = ocldnn_tensor_dense(memory[1], OCLDNN_F32, 4, shape);
    op.value = ocldnn_tensor_dense(memory[2], OCLDNN_F32, 4, shape);
    op.output = ocldnn_tensor_dense(memory[3], OCLDNN_F32, 4, shape);

    ocldnn_exec exec = {.queue = queue, .wait_count = 3, .wait_list = uploaded, .event = &attended};
    need(ocldnn_attention_run(context, &op, &exec) == OCLDNN_SUCCESS, "attention");
    code = clEnqueueReadBuffer(queue, memory[3], CL_FALSE, 0, sizeof result, result, 1, &attended, &downloaded);
    need(code == CL_SUCCESS, "clEnqueueReadBuffer");
    clWaitForEvents(1, &downloaded);
    printf("attention over %d heads and %d steps: %s\n", HEADS, STEPS, is_right() ? "right" : "WRONG");

    for (int i = 0; i < 3; i++)
        clReleaseEvent(uploaded[i]);
    clReleaseEvent(attended);
    clReleaseEvent(downloaded);
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(memory[i]);
    clReleaseCommandQueue(queue);
    ocldnn_context_destroy(context);
    return is_right() ? 0 : 1;
}
