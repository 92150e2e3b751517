/* SPDX-License-Identifier: Apache-2.0 */
#include "surroundings.h"
#include "../runtime/disk_kit.h"

fixture f;

int fixture_set_up(void **state)
{
    static const float ones[COUNT] = {1};
    const int64_t shape[] = {ROWS, WIDTH};
    ocldnn_context *context;
    cl_int code;
    if (setup(state) != 0)
        return -1;
    f = (fixture){.options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE}, .folder = folder};
    if (ocldnn_context_create_default(&f.options, &context) != OCLDNN_SUCCESS) {
        print_message("%s\n", ocldnn_last_error());
        return -1;
    }
    f.options.context = f.cl = ocldnn_context_cl(context);
    f.options.device = f.device = ocldnn_context_device(context);
    f.queue = clCreateCommandQueue(f.cl, f.device, 0, &code);
    f.other = clCreateCommandQueue(f.cl, f.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    f.unordered = f.other != NULL;
    if (!f.other)
        f.other = clCreateCommandQueue(f.cl, f.device, 0, &code);
    f.input =
        clCreateBuffer(f.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof ones, (void *)(uintptr_t)ones, &code);
    f.output =
        clCreateBuffer(f.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof ones, (void *)(uintptr_t)ones, &code);
    f.op = (ocldnn_rms_norm){.input = ocldnn_tensor_dense(f.input, OCLDNN_F32, 2, shape),
                             .output = ocldnn_tensor_dense(f.output, OCLDNN_F32, 2, shape),
                             .epsilon = 1e-5f};
    clRetainContext(f.cl);
    ocldnn_context_destroy(context);
    failing_must_count();
    return 0;
}

int fixture_tear_down(void **state)
{
    clReleaseMemObject(f.input);
    clReleaseMemObject(f.output);
    clReleaseCommandQueue(f.queue);
    clReleaseCommandQueue(f.other);
    clReleaseContext(f.cl);
    return teardown(state);
}

ocldnn_context *fixture_context(void)
{
    ocldnn_context *made;
    assert_int_equal(ocldnn_context_create(&f.options, &made), OCLDNN_SUCCESS);
    return made;
}
