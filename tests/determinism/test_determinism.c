/* SPDX-License-Identifier: Apache-2.0
 *
 * The same bits every time: plans of every operator and strategy, from the case list in tests/programs, run again and
 * again on an in-order queue, on an out-of-order one with two runs in flight, and in two threads with queues of their
 * own, while another plan and idle arithmetic keep the device and the processor busy.
 *
 * Before each run its outputs, and the workspace where the run has one of its own, are full of ones, so that what is
 * read too early, or not written, shows. Every other run takes its workspace from the context's pool.
 *
 * One case of each kind (choice.h).
 */
#include "determinism/choice.h"
#include "determinism/problem.h"
#include "runtime/verbs.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

/* Of each plan on each kind of queue; fewer, but so many, of one that takes long: GPUs' kernels do on a CPU. */
enum { RUNS = 20, FEWEST_RUNS = 4, LONG_MILLISECONDS = 3 };

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef struct events {
    cl_uint count;
    cl_event list[SLOTS + 2];
} events;

static void release(events *some)
{
    for (cl_uint i = 0; i < some->count; i++)
        clReleaseEvent(some->list[i]);
    some->count = 0;
}

static bool fill(cl_command_queue queue, cl_mem buffer, size_t bytes, const events *before, events *after)
{
    static const unsigned char ones = 0xff;
    return clEnqueueFillBuffer(queue, buffer, &ones, 1, 0, bytes, before->count, before->count ? before->list : NULL,
                               &after->list[after->count++]) == CL_SUCCESS;
}

/* Enqueues one run after `before`, and its reads into bits; `before` becomes these. True unless something is refused:
 * also called from threads that must not call cmocka. */
static bool run_once(const problem *p, place *w, cl_command_queue queue, bool own_workspace, events *before,
                     unsigned char *bits)
{
    events filled = {0}, ran = {0};
    ocldnn_exec exec = {.queue = queue};
    bool good = true;
    for (int i = 0; i < p->slot_count; i++)
        if (p->slots[i].output)
            good = fill(queue, w->outputs[i], p->slots[i].bytes, before, &filled) && good;
    if (w->workspace && own_workspace) {
        good = fill(queue, w->workspace, p->workspace_bytes, before, &filled) && good;
        exec.workspace = w->workspace;
        exec.workspace_bytes = p->workspace_bytes;
    }
    exec.wait_count = filled.count;
    exec.wait_list = filled.list;
    exec.event = &ran.list[0];
    if (!good || od_run(kit.context, p->kind, w->op, &exec) != OCLDNN_SUCCESS)
        return false;
    ran.count = 1;
    release(before);
    for (int i = 0; i < p->slot_count; i++)
        if (p->slots[i].output) {
            good = clEnqueueReadBuffer(queue, w->outputs[i], CL_FALSE, 0, p->slots[i].bytes, bits, 1, ran.list,
                                       &before->list[before->count++]) == CL_SUCCESS &&
                   good;
            bits += p->slots[i].bytes;
        }
    release(&ran);
    release(&filled);
    return good;
}

/* Asks until the events are complete. A wait would lend this thread to the driver: on Intel's CPU runtime (2026.22) one
 * that waits for an out-of-order queue and one that waits for another queue then wait for each other for ever. */
static bool completed(cl_command_queue queue, const events *some)
{
    const struct timespec pause = {.tv_nsec = 50000};
    clFlush(queue);
    for (cl_uint i = 0; i < some->count; i++) {
        cl_int state = CL_QUEUED;
        while (clGetEventInfo(some->list[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) ==
                   CL_SUCCESS &&
               state > CL_COMPLETE)
            nanosleep(&pause, NULL);
        if (state != CL_COMPLETE)
            return false;
    }
    return some->count > 0;
}

/* So many runs on one queue, in one or two places at once; false if the bits are not those expected. */
static bool run_many(const problem *p, cl_command_queue queue, int places, int runs)
{
    unsigned char *bits = malloc((size_t)runs * p->output_bytes + 1);
    events last[2] = {{0}};
    place where[2];
    bool good = bits != NULL;
    for (int i = 0; i < places; i++)
        good = make_place(&where[i], p) && good;
    for (int i = 0; i < runs && good; i++)
        good = run_once(p, &where[i % places], queue, i / places % 2 == 0, &last[i % places],
                        bits + (size_t)i * p->output_bytes);
    if (!good)
        clFinish(queue); /* what is in flight reads into bits */
    for (int i = 0; i < places; i++)
        good = good && completed(queue, &last[i]);
    for (int i = 0; i < runs && good; i++)
        good = memcmp(bits + (size_t)i * p->output_bytes, p->expected, p->output_bytes) == 0;
    for (int i = 0; i < places; i++) {
        release(&last[i]);
        free_place(&where[i]);
    }
    free(bits);
    return good;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

typedef struct worker {
    const problem *p;
    cl_command_queue queue;
    int runs;
    bool good;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    w->good = run_many(w->p, w->queue, 1, w->runs);
    return NULL;
}

static bool two_threads(const problem *p, const cl_command_queue queues[2], int runs)
{
    worker workers[2] = {{.p = p, .queue = queues[0], .runs = runs}, {.p = p, .queue = queues[1], .runs = runs}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return workers[0].good && workers[1].good;
}

/* What goes on beside: a plan of before on a queue of its own, and a processor that is busy in bursts. */
static struct {
    pthread_mutex_t lock;
    problem p;
    cl_command_queue queue;
    atomic_bool stop, quiet;
    pthread_t threads[2];
} load = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *keep_device_busy(void *unused)
{
    while (!atomic_load(&load.stop)) {
        const struct timespec pause = {.tv_nsec = 200000};
        pthread_mutex_lock(&load.lock);
        if (load.p.kind && !atomic_load(&load.quiet))
            run_many(&load.p, load.queue, 1, 2);
        pthread_mutex_unlock(&load.lock);
        nanosleep(&pause, NULL);
    }
    return unused;
}

static void *keep_processor_busy(void *unused)
{
    volatile unsigned work_done = 0;
    while (!atomic_load(&load.stop)) {
        const struct timespec pause = {.tv_nsec = 300000};
        for (int i = 0; i < 300000 && !atomic_load(&load.quiet); i++)
            work_done = work_done * 5 + 1;
        nanosleep(&pause, NULL);
    }
    return unused;
}

static int begin_load(void **state)
{
    cl_int code;
    (void)state;
    load.queue = clCreateCommandQueue(kit.cl, kit.device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    atomic_store(&load.stop, false);
    assert_int_equal(pthread_create(&load.threads[0], NULL, keep_device_busy, NULL), 0);
    assert_int_equal(pthread_create(&load.threads[1], NULL, keep_processor_busy, NULL), 0);
    return 0;
}

/* Also after a failure, before the context goes. */
static int end_load(void **state)
{
    (void)state;
    atomic_store(&load.stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(load.threads[i], NULL);
    free_problem(&load.p);
    clReleaseCommandQueue(load.queue);
    return 0;
}

/* ---- the test ---------------------------------------------------------------------------------------------------- */

static cl_command_queue queues[2];

static void expect(bool good, const problem *p, const char *where)
{
    if (!good)
        fail_msg("%s (%s), case %d of the list: other bits %s, or a call refused", p->kind->name, p->strategy,
                 choice_number(), where);
}

/* The first run alone says what the bits are. */
static void run_alone(problem *p, unsigned char *bits)
{
    events none = {0};
    place alone;
    bool good = make_place(&alone, p) && run_once(p, &alone, kit.queue, true, &none, bits);
    expect(clFinish(kit.queue) == CL_SUCCESS && good, p, "in the first run");
    release(&none);
    free_place(&alone);
}

/* How often a plan is run: it depends on how long it takes once its programs are there. */
static int runs_of(problem *p)
{
    struct timespec begin, end;
    double milliseconds;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    run_alone(p, p->expected);
    clock_gettime(CLOCK_MONOTONIC, &end);
    milliseconds = (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-6;
    if (milliseconds <= LONG_MILLISECONDS)
        return RUNS;
    return milliseconds >= RUNS * LONG_MILLISECONDS / FEWEST_RUNS ? FEWEST_RUNS
                                                                  : (int)(RUNS * LONG_MILLISECONDS / milliseconds);
}

static void run_case(const od_operator *kind, const void *op)
{
    static problem p; /* becomes the load */
    unsigned char *first;
    int runs;
    atomic_store(&load.quiet, true); /* what is expected comes from a device that does nothing else */
    make_problem(&p, kind, op);
    p.expected = malloc(p.output_bytes + 1);
    first = malloc(p.output_bytes + 1);
    assert_non_null(p.expected);
    assert_non_null(first);
    run_alone(&p, first);
    runs = runs_of(&p);
    expect(memcmp(first, p.expected, p.output_bytes) == 0, &p, "in the second run");
    free(first);
    atomic_store(&load.quiet, false);
    expect(run_many(&p, kit.queue, 1, runs), &p, "on an in-order queue");
    if (kit.unordered)
        expect(run_many(&p, kit.unordered, 2, runs), &p, "on an out-of-order queue");
    expect(two_threads(&p, queues, runs), &p, "in two threads");
    pthread_mutex_lock(&load.lock);
    free_problem(&load.p);
    load.p = p;
    pthread_mutex_unlock(&load.lock);
}

static void same_bits_every_time(void **state)
{
    cl_int code;
    int plans;
    (void)state;
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(kit.cl, kit.device, 0, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    plans = choice_for_each(run_case);
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(queues[i]);
    print_message("%d plans, of %d cases\n", plans, choice_number());
    if (!kit.unordered)
        print_message("left out: out-of-order queues, which this driver has not\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_bits_every_time, begin_load, end_load),
    };
    return KIT_MAIN_OF_PRODUCTS("determinism", tests);
}
