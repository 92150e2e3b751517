/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of programs. Everything in it is guarded by one lock, which is never held while a driver compiles.
 */
#include "runtime/context.h"

#include <ocldnn/context.h>
#include <stdlib.h>
#include <string.h>

void od_programs_init(od_programs *programs)
{
    memset(programs, 0, sizeof *programs);
    pthread_mutex_init(&programs->lock, NULL);
    pthread_cond_init(&programs->changed, NULL);
}

static void free_pool(od_kernel_pool *pool)
{
    while (pool->idle) {
        od_kernel *kernel = pool->idle;
        pool->idle = kernel->next;
        clReleaseKernel(kernel->cl);
        free(kernel);
    }
    free(pool);
}

static void free_program(od_program *program)
{
    while (program->kernels) {
        od_kernel_pool *pool = program->kernels;
        program->kernels = pool->next;
        free_pool(pool);
    }
    if (program->cl)
        clReleaseProgram(program->cl);
    free(program->refusal);
    free(program);
}

void od_programs_free(od_programs *programs)
{
    for (int bucket = 0; bucket < OD_PROGRAM_BUCKETS; bucket++) {
        while (programs->buckets[bucket]) {
            od_program *program = programs->buckets[bucket];
            programs->buckets[bucket] = program->next;
            free_program(program);
        }
    }
    pthread_cond_destroy(&programs->changed);
    pthread_mutex_destroy(&programs->lock);
}

/* Of the source and the values only: two spellings of a name at different addresses must not make two programs. */
static uint64_t hash_step(const od_step *step)
{
    uint64_t hash = (uint64_t)(uintptr_t)step->source + step->define_count;
    for (uint32_t i = 0; i < step->define_count; i++)
        hash = (hash ^ (uint32_t)step->defines[i].value) * 0x9e3779b97f4a7c15u + (hash >> 29);
    return hash ^ (hash >> 32);
}

static bool matches(const od_program *program, const od_step *step, uint64_t hash)
{
    return program->hash == hash && program->source == step->source &&
           od_same_defines(program->defines, program->define_count, step->defines, step->define_count);
}

/* The step's entry, new if there is none; NULL without memory. Call with the lock held. */
static od_program *find(od_programs *programs, const od_step *step)
{
    uint64_t hash = hash_step(step);
    od_program **bucket = &programs->buckets[hash % OD_PROGRAM_BUCKETS];
    od_program *program;
    for (program = *bucket; program; program = program->next)
        if (matches(program, step, hash))
            return program;
    program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->hash = hash;
    program->source = step->source;
    program->define_count = step->define_count;
    memcpy(program->defines, step->defines, step->define_count * sizeof *step->defines);
    program->next = *bucket;
    *bucket = program;
    return program;
}

static od_kernel_pool *find_pool(od_program *program, const char *name)
{
    od_kernel_pool *pool;
    for (pool = program->kernels; pool; pool = pool->next)
        if (pool->name == name || strcmp(pool->name, name) == 0)
            return pool;
    return NULL;
}

/* Checks what the device allows for this kernel; some drivers abort the process instead of refusing the launch. */
static ocldnn_status check_limits(const od_device *facts, const od_kernel_pool *pool, const od_step *step)
{
    size_t items = step->local[0] * step->local[1] * step->local[2];
    if (pool->local_memory > facts->local_memory)
        return od_fail(OCLDNN_UNSUPPORTED, "%s: needs %llu bytes of local memory, the device has %llu", step->kernel,
                       (unsigned long long)pool->local_memory, (unsigned long long)facts->local_memory);
    if (items > pool->max_group || items > facts->max_group_size)
        return od_fail(OCLDNN_UNSUPPORTED, "%s: needs work-groups of %zu, the device allows %zu", step->kernel, items,
                       pool->max_group < facts->max_group_size ? pool->max_group : (size_t)facts->max_group_size);
    return OCLDNN_SUCCESS;
}

/* A program's pool for kernels of this name, of which cl is one. Call with the lock held. */
static ocldnn_status new_pool(const struct ocldnn_context *context, od_program *program, const char *name, cl_kernel cl,
                              od_kernel_pool **made)
{
    od_kernel_pool *pool = calloc(1, sizeof *pool);
    cl_int code;
    if (!pool)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "%s: no host memory for a kernel", name);
    pool->program = program;
    pool->name = name;
    pool->max_group = context->facts.max_group_size;
    code = clGetKernelWorkGroupInfo(cl, context->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof pool->local_memory,
                                    &pool->local_memory, NULL);
    if (context->facts.quirks & OCLDNN_QUIRK_KERNEL_LIMITS)
        pool->local_memory /= 2;
    else if (code == CL_SUCCESS)
        code = clGetKernelWorkGroupInfo(cl, context->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof pool->max_group,
                                        &pool->max_group, NULL);
    if (code != CL_SUCCESS) { /* without its limits a launch could end the process: check_limits() */
        free(pool);
        return od_cl(code, "clGetKernelWorkGroupInfo");
    }
    pool->next = program->kernels;
    program->kernels = pool;
    *made = pool;
    return OCLDNN_SUCCESS;
}

/* Puts a new cl_kernel into its pool as taken. Releases cl on failure. Call with the lock held. */
static ocldnn_status adopt(struct ocldnn_context *context, od_program *program, const char *name, cl_kernel cl,
                           od_kernel **kernel)
{
    od_kernel_pool *pool = find_pool(program, name);
    od_kernel *made = malloc(sizeof *made);
    ocldnn_status status = OCLDNN_SUCCESS;
    if (!made)
        status = od_fail(OCLDNN_OUT_OF_MEMORY, "%s: no host memory for a kernel", name);
    else if (!pool)
        status = new_pool(context, program, name, cl, &pool);
    if (status != OCLDNN_SUCCESS) {
        free(made);
        clReleaseKernel(cl);
        return status;
    }
    made->cl = cl;
    made->pool = pool;
    *kernel = made;
    return OCLDNN_SUCCESS;
}

/* Builds a program that this thread has set to BUILDING, without the lock; leaves with the lock held. */
static ocldnn_status build_now(struct ocldnn_context *context, od_program *program, const od_step *step,
                               od_kernel **kernel)
{
    od_programs *programs = &context->programs;
    od_built built = {0};
    ocldnn_status status = od_build(context, step, &built);
    pthread_mutex_lock(&programs->lock);
    if (status == OCLDNN_SUCCESS) {
        program->cl = built.program;
        program->binary_due = built.binary_due;
        program->build_nanoseconds = built.build_nanoseconds;
        program->state = OD_PROGRAM_READY;
        programs->loaded += built.from_binary;
        programs->built += !built.from_binary;
        *(built.from_binary ? &programs->load_nanoseconds : &programs->build_nanoseconds) += built.nanoseconds;
        programs->saved_nanoseconds += built.from_binary ? built.build_nanoseconds : 0;
        status = adopt(context, program, step->kernel, built.kernel, kernel);
    } else if (status == OCLDNN_BUILD_FAILED) {
        const char *sentence = ocldnn_last_error();
        program->refusal = malloc(strlen(sentence) + 1);
        if (program->refusal)
            strcpy(program->refusal, sentence);
        program->state = program->refusal ? OD_PROGRAM_REFUSED : OD_PROGRAM_NEW;
    } else {
        program->state = OD_PROGRAM_NEW;
    }
    pthread_cond_broadcast(&programs->changed);
    return status;
}

/* Call with the lock held, which it keeps in the end. */
static ocldnn_status take_locked(struct ocldnn_context *context, const od_step *step, od_kernel **kernel)
{
    od_programs *programs = &context->programs;
    od_program *program = find(programs, step);
    od_kernel_pool *pool;
    cl_kernel cl;
    cl_int code;
    if (!program)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "%s: no host memory for a program", step->kernel);
    while (program->state == OD_PROGRAM_BUILDING)
        pthread_cond_wait(&programs->changed, &programs->lock);
    if (program->state == OD_PROGRAM_REFUSED)
        return od_fail(OCLDNN_BUILD_FAILED, "%s", program->refusal);
    if (program->state == OD_PROGRAM_NEW) {
        program->state = OD_PROGRAM_BUILDING;
        pthread_mutex_unlock(&programs->lock);
        return build_now(context, program, step, kernel);
    }
    pool = find_pool(program, step->kernel);
    if (pool && pool->idle) {
        *kernel = pool->idle;
        pool->idle = pool->idle->next;
        return OCLDNN_SUCCESS;
    }
    cl = clCreateKernel(program->cl, step->kernel, &code);
    OD_TRY(od_cl(code, "clCreateKernel"));
    return adopt(context, program, step->kernel, cl, kernel);
}

ocldnn_status od_kernel_take(struct ocldnn_context *context, const od_step *step, od_kernel **kernel)
{
    ocldnn_status status;
    pthread_mutex_lock(&context->programs.lock);
    status = take_locked(context, step, kernel);
    pthread_mutex_unlock(&context->programs.lock);
    if (status != OCLDNN_SUCCESS)
        return status;
    status = check_limits(&context->facts, (*kernel)->pool, step);
    if (status != OCLDNN_SUCCESS)
        od_kernel_give(context, *kernel);
    return status;
}

void od_kernel_give(struct ocldnn_context *context, od_kernel *kernel)
{
    pthread_mutex_lock(&context->programs.lock);
    kernel->next = kernel->pool->idle;
    kernel->pool->idle = kernel;
    pthread_mutex_unlock(&context->programs.lock);
}

/* ---- preparing a whole plan ---------------------------------------------------------------------------------------
 */

typedef struct prepare_job {
    struct ocldnn_context *context;
    const od_plan *plan;
    pthread_mutex_t lock;
    uint32_t next;
    ocldnn_status status; /* of the first step that failed */
    char sentence[512];
} prepare_job;

static void *prepare_worker(void *argument)
{
    prepare_job *job = argument;
    for (;;) {
        const od_step *step = NULL;
        od_kernel *kernel;
        ocldnn_status status;
        pthread_mutex_lock(&job->lock);
        if (job->status == OCLDNN_SUCCESS && job->next < job->plan->step_count)
            step = &job->plan->steps[job->next++];
        pthread_mutex_unlock(&job->lock);
        if (!step)
            return NULL;
        if (step->kind != OD_STEP_KERNEL)
            continue;
        status = od_kernel_take(job->context, step, &kernel);
        if (status == OCLDNN_SUCCESS) {
            od_kernel_give(job->context, kernel);
            continue;
        }
        pthread_mutex_lock(&job->lock);
        if (job->status == OCLDNN_SUCCESS) {
            job->status = status;
            strncpy(job->sentence, ocldnn_last_error(), sizeof job->sentence - 1);
        }
        pthread_mutex_unlock(&job->lock);
    }
}

ocldnn_status od_programs_prepare(struct ocldnn_context *context, const od_plan *plan)
{
    enum { MOST = 16 };
    prepare_job job = {.context = context, .plan = plan};
    pthread_t threads[MOST];
    uint32_t started = 0;
    uint32_t wanted = context->build_threads < plan->step_count ? context->build_threads : plan->step_count;
    pthread_mutex_init(&job.lock, NULL);
    /* This thread is one of the workers; if a thread cannot be started, the others do its share. */
    while (started + 1 < wanted && started < MOST && pthread_create(&threads[started], NULL, prepare_worker, &job) == 0)
        started++;
    prepare_worker(&job);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&job.lock);
    return job.status == OCLDNN_SUCCESS ? OCLDNN_SUCCESS : od_fail(job.status, "%s", job.sentence);
}
