/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking turns with a clock, and the host's cost of a call.
 */
#include "bench.h"

#include "runtime/verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A sample holds so many runs that the wait at its end (some 50 us) does not count. */
static const double sample_seconds = 0.008;

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const double *values, int count)
{
    double sorted[4096];
    if (count <= 0 || count > (int)(sizeof sorted / sizeof *sorted))
        return NAN;
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* The value below which this part of the sorted values lies, between two of them in proportion. */
static double quantile(const double *sorted, int count, double part)
{
    double place = part * (count - 1);
    int below = (int)place;
    double above = below + 1 < count ? sorted[below + 1] : sorted[below];
    return sorted[below] + (place - below) * (above - sorted[below]);
}

bench_spread bench_quartiles(const double *values, int count)
{
    double sorted[BENCH_ROUNDS];
    if (count <= 0 || count > BENCH_ROUNDS)
        return (bench_spread){NAN, NAN, NAN};
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return (bench_spread){quantile(sorted, count, 0.25), quantile(sorted, count, 0.5), quantile(sorted, count, 0.75)};
}

bench_spread bench_ratio(const contender *a, const contender *b)
{
    double ratios[BENCH_ROUNDS];
    int rounds = a->rounds < b->rounds ? a->rounds : b->rounds;
    for (int i = 0; i < rounds; i++)
        ratios[i] = a->seconds[i] / b->seconds[i];
    return bench_quartiles(ratios, rounds);
}

/* Seconds a run, as the mean of `repeats` in a stream; negative if it failed. */
static double sample(bench *b, const contender *c, int repeats)
{
    double start = bench_now();
    for (int i = 0; i < repeats; i++)
        if (!c->go(b, c->state))
            return -1;
    if (clFinish(b->on.queue) != CL_SUCCESS)
        return -1;
    return (bench_now() - start) / repeats;
}

static void pause_for(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};
    if (seconds > 0)
        nanosleep(&time, NULL);
}

/* Seconds of one run, warm; negative if it failed. */
static double warm_up(bench *b, contender *c)
{
    double once = sample(b, c, 1); /* compiles, touches pages */
    double again = once < 0 ? -1 : sample(b, c, 1);
    if (again >= 0 && again < 0.001)
        again = sample(b, c, 8);
    pause_for(c->rest);
    return again;
}

int bench_interleave(bench *b, contender *list, int count, double budget)
{
    enum { FEW = 3 };
    int repeats[BENCH_CONTENDERS], rounds;
    double turn = 0;
    for (int i = 0; i < count; i++) {
        double once = warm_up(b, &list[i]);
        if (once < 0)
            return 0;
        repeats[i] = once >= sample_seconds ? 1 : (int)(sample_seconds / once) + 1;
        if (repeats[i] > 2000)
            repeats[i] = 2000;
        list[i].rounds = list[i].may_lag && once > budget ? FEW : BENCH_ROUNDS;
        if (list[i].rounds == BENCH_ROUNDS)
            turn += once * repeats[i] + list[i].rest;
    }
    rounds = (int)(budget / turn);
    rounds = rounds < 5 ? 5 : rounds > BENCH_ROUNDS - 1 ? BENCH_ROUNDS - 1 : rounds | 1;
    for (int i = 0; i < count; i++)
        list[i].rounds = list[i].rounds < rounds ? list[i].rounds : rounds;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            double seconds = round < list[i].rounds ? sample(b, &list[i], repeats[i]) : 0;
            if (seconds < 0)
                return 0;
            list[i].seconds[round] = seconds * list[i].scale;
            pause_for(round < list[i].rounds ? list[i].rest : 0);
        }
    }
    return rounds;
}

/* ---- host cost --------------------------------------------------------------------------------------------------- */

enum { MOST_KERNELS = 64, CALLS = 50, TURNS = 15 };

typedef struct launches {
    const od_plan *plan;
    od_kernel *kernels[MOST_KERNELS];
    cl_mem workspace;
} launches;

/* The least that any library could do for these launches. */
static bool launch_bare(bench *b, const launches *all)
{
    for (uint32_t i = 0; i < all->plan->step_count; i++) {
        const od_step *step = &all->plan->steps[i];
        size_t global[3];
        for (uint32_t j = 0; j < step->arg_count; j++) {
            const od_arg *arg = &step->args[j];
            const void *value = arg->kind == OD_ARG_WORKSPACE ? (const void *)&all->workspace : &arg->value;
            clSetKernelArg(all->kernels[i]->cl, j, arg->size, value);
        }
        for (int axis = 0; axis < 3; axis++)
            global[axis] = step->groups[axis] * step->local[axis];
        if (clEnqueueNDRangeKernel(b->on.queue, all->kernels[i]->cl, 3, NULL, global, step->local, 0, NULL, NULL) !=
            CL_SUCCESS)
            return false;
    }
    return true;
}

/* Times single calls while the queue waits at a gate, so that no kernel takes the processor away from the host. */
static int time_calls(bench *b, const bench_case *c, const launches *bare, size_t workspace_bytes, int calls,
                      double seconds[2][CALLS])
{
    const ocldnn_exec exec = {.queue = b->on.queue, .workspace = bare->workspace, .workspace_bytes = workspace_bytes};
    cl_event gate[2];
    bool good = true;
    int timed = 0;
    cl_int code;
    for (int way = 0; way < 2 && good; way++) {
        gate[way] = clCreateUserEvent(b->on.cl, &code);
        clEnqueueBarrierWithWaitList(b->on.queue, 1, &gate[way], NULL);
        for (int i = 0; i < calls && good; i++) {
            double start = bench_now();
            good = way ? launch_bare(b, bare) : od_run(b->on.context, c->kind, &c->op, &exec) == OCLDNN_SUCCESS;
            seconds[way][i] = bench_now() - start;
            timed += good;
        }
        clSetUserEventStatus(gate[way], CL_COMPLETE);
        clFinish(b->on.queue);
        clReleaseEvent(gate[way]);
    }
    return timed == 2 * calls ? calls : 0;
}

static double host_cost(bench *b, const bench_case *c, const launches *bare, double seconds)
{
    double turn[2][CALLS], all[2][TURNS * CALLS];
    int calls = (int)(0.05 / seconds), turns = b->quick ? TURNS / 3 : TURNS, total = 0;
    calls = calls < 3 ? 3 : calls > CALLS ? CALLS : calls;
    while (turns > 2 && turns * calls * 2 * seconds > (b->quick ? 0.5 : 3)) /* the calls are run, too */
        turns--;
    for (int i = 0; i < turns; i++) {
        int timed = time_calls(b, c, bare, bare->plan->workspace_bytes, calls, turn);
        if (!timed)
            return NAN;
        for (int j = 1; j < timed; j++) { /* the first call of a turn finds cold caches */
            all[0][total] = turn[0][j];
            all[1][total++] = turn[1][j];
        }
    }
    return 1e6 * (bench_median(all[0], total) - bench_median(all[1], total));
}

double bench_host_cost(bench *b, const bench_case *c, double seconds)
{
    launches bare = {0};
    double cost = NAN;
    uint32_t taken = 0;
    bool good = true;
    cl_int code = CL_SUCCESS;
    od_plan plan;
    if (seconds > (b->quick ? 0.25 : 1)) /* the host's part does not grow with the work; smaller rows have it */
        return NAN;
    od_plan_init(&plan);
    bare.plan = &plan;
    good = od_plan_operator(c->kind, b->facts, &c->op, &plan, NULL) == OCLDNN_SUCCESS && plan.step_count > 0 &&
           plan.step_count <= MOST_KERNELS;
    for (uint32_t i = 0; good && i < plan.step_count; i++) {
        good = plan.steps[i].kind == OD_STEP_KERNEL &&
               od_kernel_take(b->on.context, &plan.steps[i], &bare.kernels[i]) == OCLDNN_SUCCESS;
        taken += good;
    }
    if (good && plan.workspace_bytes)
        bare.workspace = clCreateBuffer(b->on.cl, CL_MEM_READ_WRITE, plan.workspace_bytes, NULL, &code);
    if (good && code == CL_SUCCESS)
        cost = host_cost(b, c, &bare, seconds);
    if (bare.workspace)
        clReleaseMemObject(bare.workspace);
    while (taken > 0)
        od_kernel_give(b->on.context, bare.kernels[--taken]);
    od_plan_free(&plan);
    return cost;
}
