/* SPDX-License-Identifier: Apache-2.0
 *
 * A stranger's C program: one rms_norm on whatever device there is.
 */
#include <ocldnn/ocldnn.h>
#include <math.h>
#include <stdio.h>

static int check(int ok, const char *what)
{
    if (!ok)
        fprintf(stderr, "consumer: %s: %s\n", what, ocldnn_last_error());
    return ok;
}

int main(void)
{
    static const float row[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    float result[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    ocldnn_context *context = NULL;
    ocldnn_rms_norm op = {0};
    ocldnn_exec exec = {0};
    cl_int error = CL_SUCCESS;
    cl_mem input, output;
    int ok;

    if (!check(ocldnn_context_create_default(NULL, &context) == OCLDNN_SUCCESS, "context"))
        return 1;
    exec.queue = clCreateCommandQueue(ocldnn_context_cl(context), ocldnn_context_device(context), 0, &error);
    input = clCreateBuffer(ocldnn_context_cl(context), CL_MEM_READ_WRITE, sizeof row, NULL, &error);
    output = clCreateBuffer(ocldnn_context_cl(context), CL_MEM_READ_WRITE, sizeof row, NULL, &error);
    clEnqueueWriteBuffer(exec.queue, input, CL_TRUE, 0, sizeof row, row, 0, NULL, NULL);

    op.input = ocldnn_tensor_dense(input, OCLDNN_F32, 2, (const int64_t[]){1, 4});
    op.output = ocldnn_tensor_dense(output, OCLDNN_F32, 2, (const int64_t[]){1, 4});
    op.epsilon = 1e-6f;
    ok = check(ocldnn_rms_norm_run(context, &op, &exec) == OCLDNN_SUCCESS, "rms_norm");
    clEnqueueReadBuffer(exec.queue, output, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL);
    ok = ok && check(fabsf(result[3] - 4.0f / sqrtf(7.5f)) < 1e-5f, "result");

    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseCommandQueue(exec.queue);
    ocldnn_context_destroy(context);
    if (ok)
        printf("oclDNN %s says %g %g %g %g\n", ocldnn_version(), (double)result[0], (double)result[1],
               (double)result[2], (double)result[3]);
    return ok ? 0 : 1;
}
