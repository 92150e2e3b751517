/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest use of oclDNN: one operator on the best device there is. Build it with
 *     cc rms_norm.c $(pkg-config --cflags --libs ocldnn OpenCL)
 */
#include <ocldnn/ocldnn.h>
#include <stdio.h>

int main(void)
{
    float x[2][4] = {{1, 2, 3, 4}, {-4, 0, 4, 8}}, y[2][4];
    const int64_t shape[] = {2, 4};
    ocldnn_context *context;
    if (ocldnn_context_create_default(NULL, &context) != OCLDNN_SUCCESS) {
        printf("%s\n", ocldnn_last_error());
        return 77; /* for the tests: there is no device here */
    }
    /* Plain OpenCL: the application owns its queue and its buffers. */
    cl_context cl = ocldnn_context_cl(context);
    cl_command_queue queue = clCreateCommandQueue(cl, ocldnn_context_device(context), 0, NULL);
    cl_mem in = clCreateBuffer(cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    cl_mem out = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof y, NULL, NULL);

    ocldnn_rms_norm op = {.input = ocldnn_tensor_dense(in, OCLDNN_F32, 2, shape),
                          .output = ocldnn_tensor_dense(out, OCLDNN_F32, 2, shape),
                          .epsilon = 1e-6f};
    if (ocldnn_rms_norm_run(context, &op, &(ocldnn_exec){.queue = queue}) != OCLDNN_SUCCESS)
        printf("%s\n", ocldnn_last_error());

    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    for (int row = 0; row < 2; row++)
        printf("%8.4f %8.4f %8.4f %8.4f\n", y[row][0], y[row][1], y[row][2], y[row][3]);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    ocldnn_context_destroy(context);
    return y[0][0] > 0.365f && y[0][0] < 0.366f ? 0 : 1;
}
