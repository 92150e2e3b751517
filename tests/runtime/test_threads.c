/* SPDX-License-Identifier: Apache-2.0
 *
 * One context, sixteen threads, different operators at once, every result compared with the reference: with an empty
 * cache folder (all threads ask for the same programs, which nobody has built), with everything in memory, and with a
 * new context that loads from the folder. Eight threads have a queue each, four share one, and four share an
 * out-of-order queue, where there are such. The thread sanitizer's build runs this one too.
 */
#include "disk_kit.h"
#include "kit/internal.h"
#include "runtime/context.h"

#include <stddef.h>

#define REFERENCE_FILE "reference/rms_norm.inc"
#include "reference/twice.h"
#define REFERENCE_FILE "reference/softmax.inc"
#include "reference/twice.h"
#define REFERENCE_FILE "reference/linear.inc"
#include "reference/twice.h"
#define REFERENCE_FILE "reference/attention.inc"
#include "reference/twice.h"
#define REFERENCE_FILE "reference/mean_pool.inc"
#include "reference/twice.h"

enum { THREADS = 16, JOBS = 8, ROUNDS = 3 };

/* A call that every thread makes, each into an output of its own. */
typedef struct job {
    const char *name;
    kit_run_function run;
    union {
        ocldnn_rms_norm rms_norm;
        ocldnn_softmax softmax;
        ocldnn_linear linear;
        ocldnn_matmul matmul;
        ocldnn_attention attention;
        ocldnn_mean_pool mean_pool;
    } op;
    size_t output_at; /* of the output in op */
    uint32_t dtype, rank;
    int64_t shape[4], terms;
    double *exact, *naive;
} job;

static job jobs[JOBS];
static int job_count;

/* The next job, its references still empty. */
static job *add(const char *name, kit_run_function run, size_t output_at, uint32_t dtype, uint32_t rank,
                const int64_t *shape, int64_t terms)
{
    job *made = &jobs[job_count++];
    int64_t count = 1;
    *made = (job){.name = name, .run = run, .output_at = output_at, .dtype = dtype, .rank = rank, .terms = terms};
    for (uint32_t i = 0; i < rank; i++)
        count *= made->shape[i] = shape[i];
    made->exact = kit_doubles(count);
    made->naive = kit_doubles(count);
    return made;
}
#define ADD(NAME, DTYPE, RANK, SHAPE, TERMS)                                                                           \
    add(#NAME, (kit_run_function)ocldnn_##NAME##_run, offsetof(ocldnn_##NAME, output), DTYPE, RANK, SHAPE, TERMS)

static void add_norms(void)
{
    const int64_t shape[] = {13, 200};
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_STRIDED, KIT_NORMAL, 2, shape);
    kit_tensor *gamma = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 1, shape + 1);
    kit_tensor *half = kit_input(OCLDNN_F16, KIT_STRIDED, KIT_NORMAL, 2, shape);
    job *j = ADD(rms_norm, OCLDNN_F32, 2, shape, shape[1]);
    j->op.rms_norm = (ocldnn_rms_norm){.input = x->tensor, .gamma = gamma->tensor, .epsilon = 1e-5f};
    rms_norm_double(x->values, gamma->values, shape[0], shape[1], (double)1e-5f, 0, j->exact, NULL);
    rms_norm_float(x->values, gamma->values, shape[0], shape[1], (double)1e-5f, 0, j->naive, NULL);
    j = ADD(softmax, OCLDNN_F16, 2, shape, shape[1]);
    j->op.softmax = (ocldnn_softmax){.input = half->tensor, .scale = 0.5f};
    softmax_double(half->values, NULL, shape[0], shape[1], 0.5, false, j->exact);
    softmax_float(half->values, NULL, shape[0], shape[1], 0.5, false, j->naive);
}

static void add_mean_pool(void)
{
    const int64_t shape[] = {3, 40}, input[] = {3, 30, 40};
    kit_tensor *x = kit_input(OCLDNN_BF16, KIT_STRIDED, KIT_NORMAL, 3, input);
    kit_tensor *mask = kit_input(OCLDNN_U8, KIT_DENSE, KIT_BITS, 2, input);
    job *j = ADD(mean_pool, OCLDNN_BF16, 2, shape, input[1]);
    j->op.mean_pool = (ocldnn_mean_pool){.input = x->tensor, .mask = mask->tensor};
    mean_pool_double(x->values, mask->values, input[0], input[1], input[2], j->exact);
    mean_pool_float(x->values, mask->values, input[0], input[1], input[2], j->naive);
}

/* linear and matmul, and linear over few rows, which has kernels of its own. */
static void add_product(uint32_t dtype, int64_t m, bool as_linear)
{
    const int64_t n = 50, k = 70, shape[] = {m, n}, left[] = {m, k}, right[] = {n, k};
    kit_tensor *a = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, 2, left);
    kit_tensor *b = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, 2, right);
    linear_problem_double p = {.a = a->values, .b = b->values, .m = m, .n = n, .k = k, .transpose_b = true, .alpha = 1};
    linear_problem_float q;
    job *j = as_linear ? ADD(linear, dtype, 2, shape, k) : ADD(matmul, dtype, 2, shape, k);
    if (as_linear)
        j->op.linear = (ocldnn_linear){.input = a->tensor, .weight = b->tensor};
    else
        j->op.matmul = (ocldnn_matmul){.a = a->tensor, .b = b->tensor, .transpose_b = 1};
    memcpy(&q, &p, sizeof q);
    linear_double(&p, j->exact);
    linear_float(&q, j->naive);
}

/* FALLBACK needs workspace, so threads contend for the pool. */
static void add_attention(uint32_t strategy)
{
    const int64_t query[] = {2, 4, 21, 32}, key[] = {2, 2, 33, 32};
    kit_tensor *q = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, query);
    kit_tensor *k = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, key);
    kit_tensor *v = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, key);
    const attention_case c = {.query = q->values,
                              .key = k->values,
                              .value = v->values,
                              .batch = 2,
                              .heads = 4,
                              .key_heads = 2,
                              .queries = 21,
                              .keys = 33,
                              .width = 32,
                              .value_width = 32,
                              .scale = 0.25};
    double *lse = kit_doubles(2 * 4 * 21);
    job *j = ADD(attention, OCLDNN_F32, 4, query, 33 + 32);
    j->op.attention = (ocldnn_attention){
        .query = q->tensor, .key = k->tensor, .value = v->tensor, .scale = 0.25f, .strategy = strategy};
    attention_double(&c, j->exact, lse);
    attention_float(&c, j->naive, lse);
}

static void make_jobs(void)
{
    job_count = 0;
    add_norms();
    add_mean_pool();
    add_product(OCLDNN_F32, 37, false);
    add_product(OCLDNN_BF16, 37, true);
    add_product(OCLDNN_F32, 3, true);
    add_attention(OCLDNN_ATTENTION_FLASH_UNIT);
    add_attention(OCLDNN_ATTENTION_FALLBACK);
    assert_int_equal(job_count, JOBS);
}

/* ---- the threads -------------------------------------------------------------------------------------------------
 */

typedef struct worker {
    int number, rounds;
    ocldnn_context *context;
    cl_command_queue queue;
    pthread_barrier_t *start;
    kit_tensor *outputs[JOBS];
    char complaint[600]; /* cmocka's asserts are for the main thread only */
} worker;

/* Its sentence must be this thread's, whatever the others are told at the same moment. */
static void be_refused(worker *w)
{
    ocldnn_rms_norm op = jobs[0].op.rms_norm;
    char wanted[64];
    ocldnn_status status;
    op.output = w->outputs[0]->tensor;
    op.epsilon = -1.0f - (float)w->number;
    snprintf(wanted, sizeof wanted, "epsilon is -%d", 1 + w->number);
    status = ocldnn_rms_norm_run(w->context, &op, &(ocldnn_exec){.queue = w->queue});
    if (status != OCLDNN_INVALID_ARGUMENT || !strstr(ocldnn_last_error(), wanted))
        snprintf(w->complaint, sizeof w->complaint, "%s: \"%s\", must have \"%s\"", ocldnn_status_name(status),
                 ocldnn_last_error(), wanted);
}

static void *work(void *argument)
{
    worker *w = argument;
    pthread_barrier_wait(w->start);
    for (int i = 0; i < w->rounds * JOBS && !w->complaint[0]; i++) {
        /* Pairs of threads begin with the same program, pairs of pairs with different ones. */
        const job *j = &jobs[(i + w->number / 2) % JOBS];
        job call = *j;
        ocldnn_stats stats;
        ocldnn_status status;
        memcpy((char *)&call.op + j->output_at, &w->outputs[j - jobs]->tensor, sizeof(ocldnn_tensor));
        status = j->run(w->context, &call.op, &(ocldnn_exec){.queue = w->queue});
        if (status != OCLDNN_SUCCESS)
            snprintf(w->complaint, sizeof w->complaint, "%s: %s", j->name, ocldnn_last_error());
        else if (i % 4 == 3)
            be_refused(w);
        if (i % 4 == 1)
            ocldnn_context_stats(w->context, &stats);
    }
    /* The main thread calls clFinish(), which would lend this one to the driver: on Intel's CPU runtime (2026.22) a
     * thread that waits for an out-of-order queue and one that waits for another queue wait for each other for ever. */
    return NULL;
}

static worker workers[THREADS];

static void make_workers(void)
{
    cl_int code;
    cl_command_queue shared = clCreateCommandQueue(kit.cl, kit.device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (int i = 0; i < THREADS; i++) {
        worker *w = &workers[i];
        *w = (worker){.number = i, .queue = i < 12 || !kit.unordered ? shared : kit.unordered};
        if (i < 8)
            w->queue = clCreateCommandQueue(kit.cl, kit.device, 0, &code);
        else
            clRetainCommandQueue(w->queue);
        assert_int_equal(code, CL_SUCCESS);
        for (int k = 0; k < JOBS; k++)
            w->outputs[k] = kit_output(jobs[k].dtype, KIT_DENSE, jobs[k].rank, jobs[k].shape);
    }
    clReleaseCommandQueue(shared);
}

static void run_all(ocldnn_context *context, int rounds)
{
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        for (int k = 0; k < JOBS; k++)
            kit_poison(workers[i].outputs[k]);
        workers[i].context = context;
        workers[i].rounds = rounds;
        workers[i].start = &start;
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(clFinish(workers[i].queue), CL_SUCCESS);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].complaint[0])
            fail_msg("thread %d: %s", i, workers[i].complaint);
        for (int k = 0; k < JOBS; k++)
            kit_compare(workers[i].outputs[k], jobs[k].exact, jobs[k].naive, jobs[k].terms);
    }
}

/* ---- the test ----------------------------------------------------------------------------------------------------
 */

static ocldnn_context *context_on_folder(void)
{
    const ocldnn_context_options options = {.context = kit.cl, .device = kit.device, .cache_folder = folder};
    ocldnn_context *context;
    kit_must(ocldnn_context_create(&options, &context), "ocldnn_context_create");
    od_context_set_facts(context, &kit.facts);
    return context;
}

static ocldnn_stats stats_of(ocldnn_context *context)
{
    ocldnn_stats stats;
    assert_int_equal(ocldnn_context_stats(context, &stats), OCLDNN_SUCCESS);
    return stats;
}

static void sixteen_threads(void **state)
{
    ocldnn_context *context;
    ocldnn_stats cold, warm;
    (void)state;
    make_jobs();
    make_workers();

    context = context_on_folder();
    run_all(context, 1); /* an empty folder */
    cold = stats_of(context);
    assert_int_equal(cold.programs_loaded, 0);
    run_all(context, ROUNDS); /* all in memory */
    warm = stats_of(context);
    assert_int_equal(warm.programs_built, cold.programs_built); /* none a second time */
    ocldnn_context_destroy(context);

    context = context_on_folder(); /* all in the folder */
    run_all(context, 1);
    warm = stats_of(context);
    assert_int_equal(warm.programs_built + warm.programs_loaded, cold.programs_built);
    if (!(kit.facts.quirks & OCLDNN_QUIRK_NO_BINARIES))
        assert_int_equal(warm.programs_built, 0);
    ocldnn_context_destroy(context);

    for (int i = 0; i < THREADS; i++)
        clReleaseCommandQueue(workers[i].queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sixteen_threads, setup, teardown),
    };
    return KIT_MAIN("threads", tests);
}
