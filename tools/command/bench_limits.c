/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes of what the device can do at best, by kernels of our own that suit the kind of device.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ACCUMULATORS = 12, GPU_GROUP = 256, CPU_LENGTH = 1024, GPU_LENGTH = 16 };

/* Of the probe that is fed from the first cache, as a matrix product is: two vectors of columns, at most 5 KiB. */
enum { FED_DEPTH = 32 };

/* Halves by eight that an item of the conversion's probe reads over and over: 512 bytes on a CPU, 16 KiB a group on a
 * GPU. The place moves a little with each round, so that no compiler takes the loads out of the loop. */
enum { HALF_CPU_DEPTH = 32, HALF_GPU_DEPTH = 4, HALF_LANES = 8 };

/* Four products of tiles of 16 x 32 and 32 x 16 BF16. */
enum { MATRIX_FLOPS = 4 * 2 * 16 * 16 * 32 };

/* By the device itself, also where the command line asks for the other family's operators; but not where the driver's
 * compiler is known to choke on wide vectors. */
static bool is_vector(const bench *b)
{
    return (b->facts->is_cpu && !strstr(b->facts->name, "llvmpipe")) || b->facts->family == OD_FAMILY_VECTOR;
}

/* Floats in a vector. */
static int width(const bench *b)
{
    return !is_vector(b) ? 4 : od_is_narrow(b->facts) ? 8 : 16;
}

/* Its tile's rows: their sums take 12 of 16 registers, or 24 of 32. */
static int fed_rows(const bench *b)
{
    return od_is_narrow(b->facts) ? 6 : 12;
}

static size_t items(const bench *b)
{
    return is_vector(b) ? 1 : GPU_GROUP;
}

/* Enough groups that each compute unit has several in turn; on a GPU also enough to hide latency. */
static size_t fma_groups(const bench *b)
{
    size_t units = b->facts->compute_units ? b->facts->compute_units : 1;
    return units * (is_vector(b) ? 8 : 32);
}

static bool computes(bench_bound bound)
{
    return bound == BOUND_FLOPS || bound == BOUND_FED || bound == BOUND_HALF || bound == BOUND_MATRIX;
}

static int half_depth(const bench *b)
{
    return is_vector(b) ? HALF_CPU_DEPTH : HALF_GPU_DEPTH;
}

/* Flops, or values converted, of one round of the probe's loop in all items. */
static double work_a_round(const bench *b, bench_bound bound)
{
    double all = (double)(items(b) * fma_groups(b));
    int steps = bound == BOUND_FED ? fed_rows(b) * 2 * FED_DEPTH : ACCUMULATORS;
    if (bound == BOUND_HALF)
        return all * half_depth(b) * HALF_LANES;
    if (bound == BOUND_MATRIX)
        return all * MATRIX_FLOPS;
    return 2.0 * steps * width(b) * all;
}

static bool is_there(const bench *b, bench_bound bound)
{
    return bound == BOUND_FED ? is_vector(b) : bound == BOUND_MATRIX ? b->facts->amx != OD_AMX_NEVER : true;
}

static double group_bytes(const bench *b)
{
    return 4.0 * width(b) * (is_vector(b) ? CPU_LENGTH : GPU_GROUP * GPU_LENGTH);
}

static cl_kernel kernel(const bench *b, const char *name)
{
    cl_int code;
    cl_kernel made = clCreateKernel(b->program, name, &code);
    if (code != CL_SUCCESS)
        complain("the probe %s: OpenCL error %d", name, code);
    return made;
}

static bool take_kernels(bench *b)
{
    static const char *const names[BENCH_BOUNDS] = {"fma_rate",   "fed_rate",  "read_rate",  "copy_rate",
                                                    "write_rate", "half_rate", "matrix_rate"};
    for (int bound = 0; bound < BENCH_BOUNDS; bound++) {
        if (!is_there(b, (bench_bound)bound))
            continue;
        b->probes[bound] = kernel(b, names[bound]);
        if (!b->probes[bound])
            return false;
    }
    b->nothing = kernel(b, "nothing");
    return b->nothing != NULL;
}

static bool build(bench *b)
{
    char options[160], log[4096] = "";
    cl_int code;
    snprintf(
        options, sizeof options,
        "-cl-std=CL1.2 -D GROUP=%d -D WIDTH=%d -D LENGTH=%d -D FED_ROWS=%d -D FED_DEPTH=%d -D HALF_DEPTH=%d -D AMX=%d",
        is_vector(b) ? 1 : GPU_GROUP, width(b), is_vector(b) ? CPU_LENGTH : GPU_LENGTH, fed_rows(b), FED_DEPTH,
        half_depth(b), is_there(b, BOUND_MATRIX));
    b->program = clCreateProgramWithSource(b->on.cl, BENCH_PROBE_TEXTS, (const char **)bench_probes, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(b->program, 1, &b->on.device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        clGetProgramBuildInfo(b->program, b->on.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        complain("the probes do not build: OpenCL error %d: %s", code, log);
        return false;
    }
    return take_kernels(b);
}

static bool allocate(bench *b)
{
    const cl_float one = 1.0f;
    cl_int first, second;
    b->source = clCreateBuffer(b->on.cl, CL_MEM_READ_WRITE, BENCH_STREAM_BYTES, NULL, &first);
    b->target = clCreateBuffer(b->on.cl, CL_MEM_READ_WRITE, BENCH_STREAM_BYTES, NULL, &second);
    if (first == CL_SUCCESS && second == CL_SUCCESS) { /* pages that exist, not the shared page of zeros */
        first = clEnqueueFillBuffer(b->on.queue, b->source, &one, sizeof one, 0, BENCH_STREAM_BYTES, 0, NULL, NULL);
        second = clEnqueueFillBuffer(b->on.queue, b->target, &one, sizeof one, 0, BENCH_STREAM_BYTES, 0, NULL, NULL);
    }
    if (first == CL_SUCCESS && second == CL_SUCCESS)
        return true;
    complain("no buffers of %d MiB for the probes", BENCH_STREAM_BYTES >> 20);
    return false;
}

void bench_probe_set(const bench *b, probe *p, bench_bound bound, double amount)
{
    double largest = (double)BENCH_STREAM_BYTES * (bound == BOUND_COPY ? 2 : 1);
    double grain = group_bytes(b) * (bound == BOUND_COPY ? 2 : 1);
    p->bound = bound;
    if (computes(bound)) {
        double rounds = amount / work_a_round(b, bound);
        p->rounds = rounds < 1 ? 1 : rounds > 1e6 ? 1000000 : (int)rounds;
        p->scale = amount / (p->rounds * work_a_round(b, bound));
        return;
    }
    p->groups = (size_t)((amount < largest ? amount : largest) / grain);
    if (p->groups == 0)
        p->groups = 1;
    p->scale = amount / ((double)p->groups * grain);
}

bool bench_probe_go(bench *b, void *state)
{
    const probe *p = state;
    const cl_float factor = 0.999f, term = 0.001f;
    cl_kernel kernel = b->probes[p->bound];
    size_t local = items(b);
    size_t global = local * (computes(p->bound) ? fma_groups(b) : p->groups);
    if (p->bound == BOUND_FLOPS || p->bound == BOUND_FED) {
        clSetKernelArg(kernel, 0, sizeof b->target, &b->target);
        clSetKernelArg(kernel, 1, sizeof p->rounds, &p->rounds);
        clSetKernelArg(kernel, 2, sizeof factor, &factor);
        clSetKernelArg(kernel, 3, sizeof term, &term);
    } else {
        clSetKernelArg(kernel, 0, sizeof b->source, &b->source);
        clSetKernelArg(kernel, 1, sizeof b->target, &b->target);
        if (computes(p->bound))
            clSetKernelArg(kernel, 2, sizeof p->rounds, &p->rounds);
    }
    return clEnqueueNDRangeKernel(b->on.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL) == CL_SUCCESS;
}

/* Work that keeps the device busy for some milliseconds: a launch's own cost must not count. From very little on: where
 * fma is a function of the driver's library (Mesa's llvmpipe) a thousand rounds are minutes. */
static double enough_work(bench *b, bench_bound bound)
{
    enum { TRIES = 3 }; /* the first launch of all may build the kernel, and any may be disturbed */
    double amount = 4 * work_a_round(b, bound);
    for (int doubling = 0; doubling < 28; doubling++, amount *= 2) {
        double least = INFINITY;
        probe p;
        bench_probe_set(b, &p, bound, amount);
        for (int i = 0; i < TRIES && least > 0.005; i++) {
            double start;
            clFinish(b->on.queue);
            start = bench_now();
            if (!bench_probe_go(b, &p) || clFinish(b->on.queue) != CL_SUCCESS)
                return amount;
            least = fmin(least, bench_now() - start);
        }
        if (least > 0.005)
            break;
    }
    return amount;
}

static double rate(bench *b, bench_bound bound, double amount)
{
    probe p;
    contender only = {.name = "limit", .go = bench_probe_go, .state = &p};
    int rounds;
    bench_probe_set(b, &p, bound, amount);
    only.scale = p.scale;
    rounds = bench_interleave(b, &only, 1, b->quick ? 0.2 : 0.6);
    return rounds ? amount / bench_median(only.seconds, rounds) : 0;
}

/* What part of the multiply-adds is left when their operands come from the first cache; in turns, so that it holds for
 * this moment. 0 where there is no such probe. */
static double fed_part(bench *b, double amount)
{
    probe bare, fed;
    contender both[] = {{.name = "limit", .go = bench_probe_go, .state = &bare},
                        {.name = "fed", .go = bench_probe_go, .state = &fed}};
    int rounds;
    if (!b->probes[BOUND_FED])
        return 0;
    bench_probe_set(b, &bare, BOUND_FLOPS, amount);
    bench_probe_set(b, &fed, BOUND_FED, amount);
    both[0].scale = bare.scale;
    both[1].scale = fed.scale;
    rounds = bench_interleave(b, both, 2, b->quick ? 0.4 : 1.2);
    return rounds ? bench_ratio(&both[0], &both[1]).middle : 0;
}

static bool launch_nothing(bench *b)
{
    size_t one = 1;
    clSetKernelArg(b->nothing, 0, sizeof b->target, &b->target);
    return clEnqueueNDRangeKernel(b->on.queue, b->nothing, 1, NULL, &one, &one, 0, NULL, NULL) == CL_SUCCESS;
}

static void measure_launches(bench *b)
{
    enum { STREAM = 500, SAMPLES = 21 };
    double stream[SAMPLES], single[SAMPLES], start;
    for (int i = 0; i < SAMPLES; i++) {
        clFinish(b->on.queue);
        start = bench_now();
        for (int j = 0; j < STREAM; j++)
            launch_nothing(b);
        clFinish(b->on.queue);
        stream[i] = (bench_now() - start) / STREAM;
        start = bench_now();
        launch_nothing(b);
        clFinish(b->on.queue);
        single[i] = bench_now() - start;
    }
    b->limits.launch = bench_median(stream, SAMPLES);
    b->limits.latency = bench_median(single, SAMPLES);
}

bool bench_limits_open(bench *b)
{
    if (!build(b) || !allocate(b))
        return false;
    /* 64 MiB: what the memory-bound rows of the list move. */
    b->limits.flops = rate(b, BOUND_FLOPS, enough_work(b, BOUND_FLOPS));
    b->limits.fed = fed_part(b, enough_work(b, BOUND_FLOPS));
    b->limits.half = rate(b, BOUND_HALF, enough_work(b, BOUND_HALF));
    if (b->probes[BOUND_MATRIX])
        b->limits.matrix = rate(b, BOUND_MATRIX, enough_work(b, BOUND_MATRIX));
    b->limits.read = rate(b, BOUND_READ, (double)(64 << 20));
    b->limits.write = rate(b, BOUND_WRITE, (double)(64 << 20));
    b->limits.copy = rate(b, BOUND_COPY, (double)(128 << 20));
    measure_launches(b);
    return b->limits.flops > 0 && b->limits.read > 0 && b->limits.copy > 0;
}

void bench_limits_close(bench *b)
{
    cl_mem buffers[] = {b->source, b->target};
    for (int i = 0; i < BENCH_BOUNDS; i++)
        if (b->probes[i])
            clReleaseKernel(b->probes[i]);
    if (b->nothing)
        clReleaseKernel(b->nothing);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (b->program)
        clReleaseProgram(b->program);
}
