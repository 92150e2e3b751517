/* SPDX-License-Identifier: Apache-2.0
 *
 * ocldnn check: does this device, with this driver, compute what it should?
 */
#include "check.h"

#include "runtime/verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
    const char *device, *family;
    bool all;
} arguments;

static const struct argp_option options[] = {
    {"device", 'd', "PART", 0, "the device whose name or platform has this part", 0},
    {"family", 'k', "FAMILY", 0, "kernels of this family, vector or tiled, instead of the device's own", 0},
    {"all", 'a', NULL, 0, "also the strategies of CLBlast, which compiles its own kernels: 10 s and more", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *given = state->input;
    if (key == 'd')
        given->device = argument;
    else if (key == 'a')
        given->all = true;
    else if (key == 'k' && (strcmp(argument, "vector") == 0 || strcmp(argument, "tiled") == 0))
        given->family = argument;
    else if (key == 'k')
        argp_error(state, "the family is vector or tiled, not '%s'", argument);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp parser = {
    options,
    parse,
    NULL,
    "Runs every operator on a device and compares with known answers.\v"
    "A line for each operator, dtype and strategy: ok, FAILED with the worst place, or skipped with the reason. The "
    "cases are small, have odd sizes, and take seconds once compiled, and a minute or two before. A driver that "
    "miscompiles a "
    "kernel shows here; please report such a line together with the output of `ocldnn info`.\n\n"
    "Exit status: 0 when nothing failed, 1 otherwise.",
    NULL,
    NULL,
    NULL};

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

int check_number(int64_t i, int seed)
{
    uint64_t mixed = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u + (uint64_t)seed * 0xbf58476d1ce4e5b9u;
    return (int)((mixed >> 40) % 7) - 3;
}

void check_fill(double *values, int64_t count, int seed)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = check_number(i, seed);
}

static int64_t count_of(const ocldnn_tensor *tensor)
{
    int64_t count = 1;
    for (uint32_t axis = 0; axis < tensor->rank; axis++)
        count *= tensor->shape[axis];
    return count;
}

static void put(uint32_t dtype, void *data, size_t i, double value)
{
    if (dtype == OCLDNN_U8)
        ((uint8_t *)data)[i] = (uint8_t)value;
    else if (dtype == OCLDNN_U32 || dtype == OCLDNN_I32)
        ((uint32_t *)data)[i] = (uint32_t)value;
    else
        store_value(dtype, data, i, (float)value);
}

static double get(uint32_t dtype, const void *data, size_t i)
{
    if (dtype == OCLDNN_U32 || dtype == OCLDNN_I32)
        return ((const uint32_t *)data)[i];
    return (double)load_value(dtype, data, i);
}

static ocldnn_tensor make(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape, const double *values)
{
    ocldnn_tensor tensor = ocldnn_tensor_dense(NULL, (ocldnn_dtype)dtype, rank, shape);
    size_t count = (size_t)count_of(&tensor);
    size_t bytes = count * ocldnn_dtype_size((ocldnn_dtype)dtype);
    void *data = malloc(bytes ? bytes : 1);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    if (data) {
        for (size_t i = 0; i < count; i++)
            put(dtype, data, i, values ? values[i] : dtype <= OCLDNN_BF16 ? (double)NAN : 1e6);
        tensor.buffer = clCreateBuffer(c->on.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, &code);
    }
    free(data);
    if (code != CL_SUCCESS || c->buffer_count == CHECK_BUFFERS) {
        complain("no buffer of %zu bytes (OpenCL error %d)", bytes, code);
        exit(1);
    }
    c->buffers[c->buffer_count++] = tensor.buffer;
    return tensor;
}

ocldnn_tensor check_input(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape, const double *values)
{
    return make(c, dtype, rank, shape, values);
}

ocldnn_tensor check_output(check *c, uint32_t dtype, uint32_t rank, const int64_t *shape)
{
    return make(c, dtype, rank, shape, NULL);
}

void check_end(check *c)
{
    while (c->buffer_count > 0)
        clReleaseMemObject(c->buffers[--c->buffer_count]);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static void line(const check *c, const char *name, const char *strategy)
{
    printf("%-12s %-5s %-20s ", name, od_dtype_name(c->dtype), strategy);
}

/* The worst difference as a part of what is allowed, and where it is. */
static double worst_of(const ocldnn_tensor *output, const void *data, const double *wanted, size_t *place)
{
    static const double allowed[] = {[OCLDNN_F32] = 2e-6, [OCLDNN_F16] = 1e-3, [OCLDNN_BF16] = 8e-3};
    double worst = 0;
    for (size_t i = 0; i < (size_t)count_of(output); i++) {
        double size = fabs(wanted[i]) > 1 ? fabs(wanted[i]) : 1;
        double bound = output->dtype <= OCLDNN_BF16 ? allowed[output->dtype] * size : 1e-9;
        double part = fabs(get(output->dtype, data, i) - wanted[i]) / bound;
        if (!(part <= worst)) { /* also when it is NaN */
            worst = isnan(part) ? INFINITY : part;
            *place = i;
        }
    }
    return worst;
}

static void judge(check *c, const char *name, const char *strategy, const ocldnn_tensor *output, const double *wanted)
{
    size_t bytes = (size_t)count_of(output) * ocldnn_dtype_size((ocldnn_dtype)output->dtype);
    size_t place = 0;
    void *data = malloc(bytes);
    cl_int code = data ? clEnqueueReadBuffer(c->on.queue, output->buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL)
                       : CL_OUT_OF_HOST_MEMORY;
    double worst = code == CL_SUCCESS ? worst_of(output, data, wanted, &place) : INFINITY;
    line(c, name, strategy);
    if (worst <= 1) {
        c->passed++;
        printf("ok\n");
    } else {
        c->failed++;
        if (code != CL_SUCCESS)
            printf("FAILED: reading the result gives OpenCL error %d\n", code);
        else
            printf("FAILED: element %zu is %.7g, must be %.7g\n", place, get(output->dtype, data, place),
                   wanted[place]);
    }
    free(data);
}

void check_run(check *c, const char *name, const od_operator *kind, const void *op, const ocldnn_tensor *output,
               const double *wanted)
{
    ocldnn_exec exec = {.queue = c->on.queue};
    ocldnn_query query;
    ocldnn_status status = od_query(c->on.context, kind, op, &query);
    bool slow = status == OCLDNN_SUCCESS && query.step_count > 0 && strstr(query.strategy, "clblast") && !c->all;
    if (status == OCLDNN_SUCCESS && !slow)
        status = od_run(c->on.context, kind, op, &exec);
    if (status == OCLDNN_SUCCESS && !slow) {
        judge(c, name, query.strategy, output, wanted);
        return;
    }
    line(c, name, status == OCLDNN_UNSUPPORTED ? "-" : query.strategy);
    if (slow || status == OCLDNN_UNSUPPORTED) {
        c->skipped++;
        printf("skipped: %s\n", slow ? "only with --all" : ocldnn_last_error());
    } else {
        c->failed++;
        printf("FAILED: %s: %s\n", ocldnn_status_name(status), ocldnn_last_error());
    }
}

int command_check(int argc, char **argv)
{
    arguments given = {0};
    check c = {0};
    argp_parse(&parser, argc, argv, 0, NULL, &given);
    if (!open_device(given.device, given.family, &c.on))
        return 1;
    c.all = given.all;
    printf("%s, %s\n", od_context_facts(c.on.context)->name, od_context_facts(c.on.context)->platform);
    for (c.dtype = OCLDNN_F32; c.dtype <= OCLDNN_BF16; c.dtype++) {
        check_normalization(&c);
        check_products(&c);
        check_attention(&c);
        check_elementwise(&c);
        check_sequence(&c);
    }
    close_device(&c.on);
    printf("%u passed, %u failed, %u skipped\n", c.passed, c.failed, c.skipped);
    return c.failed ? 1 : 0;
}
