/* SPDX-License-Identifier: Apache-2.0
 *
 * Probes of what the device can do at best, by kernels of our own that suit the kind of device.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* CPU: one work-item per group with wide vectors; a group of the streams takes one contiguous block. GPU: groups of 256
 * items, neighbours read neighbouring vectors. The sum of the reading probe is never the one it is compared with. On
 * PoCL the streams ask ahead, as the library's kernels do (cl/common/ask.cl): without it a copy reaches two thirds of
 * what it can. */
static const char source[] =
    "#define JOIN_(A, B) A##B\n"
    "#define JOIN(A, B) JOIN_(A, B)\n"
    "#define REAL JOIN(float, WIDTH)\n"
    "#define ALL(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)\n"
    "#define START(I) REAL x##I = (REAL)((float)get_global_id(0) + I);\n"
    "#define STEP(I) x##I = fma(x##I, factor, term);\n"
    "#define SUM(I) sum += x##I;\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void fma_rate(__global float *out, int rounds, float a, float b)\n"
    "{\n"
    "    REAL factor = (REAL)(a), term = (REAL)(b), sum = (REAL)(0.0f);\n"
    "    ALL(START)\n"
    "    for (int i = 0; i < rounds; i++) { ALL(STEP) }\n"
    "    ALL(SUM)\n"
    "    if (sum.s0 + sum.s1 + sum.s2 + sum.s3 == 1.2345f) out[0] = sum.s0;\n"
    "}\n"
    "#if GROUP == 1\n"
    "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
    "void fed_rate(__global float *out, int rounds, float a, float b)\n"
    "{\n"
    "    REAL sum[FED_ROWS][2], columns[FED_DEPTH][2], total = (REAL)(0.0f);\n"
    "    float rows[FED_ROWS][FED_DEPTH];\n"
    "    for (int k = 0; k < FED_DEPTH; k++) {\n"
    "        columns[k][0] = columns[k][1] = (REAL)(a + k);\n"
    "        for (int r = 0; r < FED_ROWS; r++) rows[r][k] = b + r;\n"
    "    }\n"
    "    __attribute__((opencl_unroll_hint)) for (int r = 0; r < FED_ROWS; r++) sum[r][0] = sum[r][1] = total;\n"
    "    for (int i = 0; i < rounds; i++) {\n"
    "        for (int first = 0; first < FED_DEPTH; first += 4) {\n"
    "            __attribute__((opencl_unroll_hint)) for (int k = first; k < first + 4; k++) {\n"
    "                REAL x = columns[k][0], y = columns[k][1];\n"
    "                __attribute__((opencl_unroll_hint)) for (int r = 0; r < FED_ROWS; r++) {\n"
    "                    sum[r][0] = fma((REAL)(rows[r][k]), x, sum[r][0]);\n"
    "                    sum[r][1] = fma((REAL)(rows[r][k]), y, sum[r][1]);\n"
    "                }\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    __attribute__((opencl_unroll_hint)) for (int r = 0; r < FED_ROWS; r++) total += sum[r][0] + sum[r][1];\n"
    "    if (total.s0 + total.s1 + total.s2 + total.s3 == 1.2345f) out[0] = total.s0;\n"
    "}\n"
    "#endif\n"
    "#ifdef POCL_DEVICE_ADDRESS_BITS\n"
    "#define ASK(P) __builtin_prefetch((const void *)((size_t)(P) + 8192), 0, 2)\n"
    "#define ASK_TO_WRITE(P) __builtin_prefetch((const void *)((size_t)(P) + 2048), 1, 3)\n"
    "#else\n"
    "#define ASK(P)\n"
    "#define ASK_TO_WRITE(P)\n"
    "#endif\n"
    "#define PLACE(I) (base + (size_t)(I) * GROUP)\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void read_rate(__global const REAL *in, __global float *out)\n"
    "{\n"
    "    size_t base = (size_t)get_group_id(0) * GROUP * LENGTH + get_local_id(0);\n"
    "    REAL s0 = (REAL)(0.0f), s1 = s0, s2 = s0, s3 = s0;\n"
    "    for (int i = 0; i < LENGTH; i += 4) {\n"
    "        ASK(in + PLACE(i)); ASK(in + PLACE(i + 1)); ASK(in + PLACE(i + 2)); ASK(in + PLACE(i + 3));\n"
    "        s0 += in[PLACE(i)]; s1 += in[PLACE(i + 1)]; s2 += in[PLACE(i + 2)]; s3 += in[PLACE(i + 3)];\n"
    "    }\n"
    "    s0 += s1 + s2 + s3;\n"
    "    if (s0.s0 + s0.s1 + s0.s2 + s0.s3 == 1.2345f) out[0] = s0.s0;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void copy_rate(__global const REAL *in, __global REAL *out)\n"
    "{\n"
    "    size_t base = (size_t)get_group_id(0) * GROUP * LENGTH + get_local_id(0);\n"
    "    for (int i = 0; i < LENGTH; i++) {\n"
    "        ASK(in + PLACE(i)); ASK_TO_WRITE(out + PLACE(i));\n"
    "        out[PLACE(i)] = in[PLACE(i)];\n"
    "    }\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void write_rate(__global const REAL *in, __global REAL *out)\n"
    "{\n"
    "    size_t base = (size_t)get_group_id(0) * GROUP * LENGTH + get_local_id(0);\n"
    "    REAL value = (REAL)((float)get_group_id(0));\n"
    "    for (int i = 0; i < LENGTH; i++)\n"
    "        out[PLACE(i)] = value;\n"
    "}\n"
    "#define HALVES(I) vload_half8((i + (I)) * GROUP + get_local_id(0) + (r & 7), in)\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void half_rate(__global const half *in, __global float *out, int rounds)\n"
    "{\n"
    "    float8 s0 = (float8)(0.0f), s1 = s0, s2 = s0, s3 = s0;\n"
    "    for (int r = 0; r < rounds; r++)\n"
    "        for (int i = 0; i < HALF_DEPTH; i += 4) {\n"
    "            s0 += HALVES(0); s1 += HALVES(1); s2 += HALVES(2); s3 += HALVES(3);\n"
    "        }\n"
    "    s0 += s1 + s2 + s3;\n"
    "    if (s0.s0 + s0.s1 + s0.s2 + s0.s3 + s0.s4 + s0.s5 + s0.s6 + s0.s7 == 1.2345f) out[0] = s0.s0;\n"
    "}\n"
    "__kernel void nothing(__global float *out) { }\n";

enum { ACCUMULATORS = 16, CPU_WIDTH = 16, GPU_WIDTH = 4, GPU_GROUP = 256, CPU_LENGTH = 1024, GPU_LENGTH = 16 };

/* The tile of the probe that is fed from the first cache, as a matrix product's is: 12 x 32 sums, 5 KiB of operands. */
enum { FED_ROWS = 12, FED_DEPTH = 32 };

/* Halves by eight that an item of the conversion's probe reads over and over: 512 bytes on a CPU, 16 KiB a group on a
 * GPU. The place moves a little with each round, so that no compiler takes the loads out of the loop. */
enum { HALF_CPU_DEPTH = 32, HALF_GPU_DEPTH = 4, HALF_LANES = 8 };

/* By the device itself, also where the command line asks for the other family's operators; but not where the driver's
 * compiler is known to choke on wide vectors. */
static bool is_vector(const bench *b)
{
    return (b->facts->is_cpu && !strstr(b->facts->name, "llvmpipe")) || b->facts->family == OD_FAMILY_VECTOR;
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
    return bound == BOUND_FLOPS || bound == BOUND_FED || bound == BOUND_HALF;
}

static int half_depth(const bench *b)
{
    return is_vector(b) ? HALF_CPU_DEPTH : HALF_GPU_DEPTH;
}

/* Flops, or values converted, of one round of the probe's loop in all items. */
static double work_a_round(const bench *b, bench_bound bound)
{
    double all = (double)(items(b) * fma_groups(b));
    int steps = bound == BOUND_FED ? FED_ROWS * 2 * FED_DEPTH : ACCUMULATORS;
    if (bound == BOUND_HALF)
        return all * half_depth(b) * HALF_LANES;
    return 2.0 * steps * (is_vector(b) ? CPU_WIDTH : GPU_WIDTH) * all;
}

static double group_bytes(const bench *b)
{
    return is_vector(b) ? 4.0 * CPU_WIDTH * CPU_LENGTH : 4.0 * GPU_WIDTH * GPU_GROUP * GPU_LENGTH;
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
    static const char *const names[BENCH_BOUNDS] = {"fma_rate",  "fed_rate",   "read_rate",
                                                    "copy_rate", "write_rate", "half_rate"};
    for (int bound = 0; bound < BENCH_BOUNDS; bound++) {
        if (bound == BOUND_FED && !is_vector(b))
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
    const char *text = source;
    char options[160], log[4096] = "";
    cl_int code;
    snprintf(options, sizeof options,
             "-cl-std=CL1.2 -D GROUP=%d -D WIDTH=%d -D LENGTH=%d -D FED_ROWS=%d -D FED_DEPTH=%d -D HALF_DEPTH=%d",
             is_vector(b) ? 1 : GPU_GROUP, is_vector(b) ? CPU_WIDTH : GPU_WIDTH, is_vector(b) ? CPU_LENGTH : GPU_LENGTH,
             FED_ROWS, FED_DEPTH, half_depth(b));
    b->program = clCreateProgramWithSource(b->on.cl, 1, &text, NULL, &code);
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
        if (p->bound == BOUND_HALF)
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
