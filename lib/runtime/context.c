/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/context.h"
#include "runtime/cache.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void od_log(const ocldnn_context *context, int level, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    if (!context->log)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, message);
}

ocldnn_status od_cl_status(cl_int code, ocldnn_status otherwise)
{
    if (code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES)
        return OCLDNN_OUT_OF_MEMORY;
    return otherwise;
}

ocldnn_status od_cl(cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return OCLDNN_SUCCESS;
    if (od_cl_status(code, OCLDNN_DEVICE_ERROR) == OCLDNN_OUT_OF_MEMORY)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "%s ran out of memory (OpenCL error %d)", call, code);
    return od_fail(OCLDNN_DEVICE_ERROR, "%s failed with OpenCL error %d", call, code);
}

uint64_t od_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const od_device *od_context_facts(const ocldnn_context *context)
{
    return &context->facts;
}

void od_context_set_facts(ocldnn_context *context, const od_device *facts)
{
    context->facts = *facts;
}

static ocldnn_status check_quirks(const ocldnn_context_options *options)
{
    const uint32_t families = OCLDNN_QUIRK_VECTOR_FAMILY | OCLDNN_QUIRK_TILED_FAMILY;
    if (options->quirk_count > 0 && !options->quirks)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "quirk_count is %u, but quirks is NULL", options->quirk_count);
    for (uint32_t i = 0; i < options->quirk_count; i++) {
        uint32_t flags = options->quirks[i].flags;
        if (flags & ~(2u * OCLDNN_QUIRK_EARLY_FINISH - 1))
            return od_fail(OCLDNN_INVALID_ARGUMENT, "quirks[%u]: flags are 0x%x, some are unknown", i, flags);
        if ((flags & families) == families)
            return od_fail(OCLDNN_INVALID_ARGUMENT, "quirks[%u]: a device is of one kernel family, not of both", i);
    }
    return OCLDNN_SUCCESS;
}

static ocldnn_status check_options(const ocldnn_context_options *options)
{
    cl_device_id devices[64];
    size_t bytes = 0;
    if (!options || !options->context || !options->device)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "the options, their context and their device must not be NULL");
    if (options->flags & ~(uint32_t)(OCLDNN_CONTEXT_NO_DISK_CACHE | OCLDNN_CONTEXT_NO_AMX))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "flags is %u, a bit of it is unknown", options->flags);
    if (options->cache_callbacks && (!options->cache_callbacks->load || !options->cache_callbacks->store))
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache_callbacks: load and store must not be NULL");
    OD_TRY(check_quirks(options));
    OD_TRY(od_cl(clGetContextInfo(options->context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes),
                 "clGetContextInfo"));
    for (size_t i = 0; i < bytes / sizeof *devices; i++)
        if (devices[i] == options->device)
            return OCLDNN_SUCCESS;
    return od_fail(OCLDNN_INVALID_ARGUMENT, "the device is not one of the context's %zu devices",
                   bytes / sizeof *devices);
}

static uint64_t default_workspace_limit(const od_device *facts)
{
    uint64_t quarter = facts->global_memory / 4;
    return quarter < (1u << 30) ? quarter : 1u << 30;
}

/* Several at once pays on GPU drivers; some compilers hold a lock. */
static uint32_t default_build_threads(const od_device *facts)
{
    return facts->quirks & OCLDNN_QUIRK_SERIAL_BUILDS ? 1 : 4;
}

ocldnn_status ocldnn_context_create(const ocldnn_context_options *options, ocldnn_context **context)
{
    ocldnn_context *made;
    ocldnn_status status;
    if (!context)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "the place for the context is NULL");
    *context = NULL;
    OD_TRY(check_options(options));
    made = calloc(1, sizeof *made);
    if (!made)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "no host memory for a context");
    status = od_device_facts(options->device, options->quirks, options->quirk_count, &made->facts);
    if (status == OCLDNN_SUCCESS)
        status = od_cl(clRetainContext(options->context), "clRetainContext");
    if (status != OCLDNN_SUCCESS) {
        free(made);
        return status;
    }
    made->cl = options->context;
    made->device = options->device;
    od_amx_ask(&made->facts, options->flags & OCLDNN_CONTEXT_NO_AMX);
    made->log = options->log;
    made->log_user = options->log_user;
    made->build_threads = options->build_threads ? options->build_threads : default_build_threads(&made->facts);
    od_programs_init(&made->programs);
    od_workspace_init(&made->workspace,
                      options->workspace_limit ? options->workspace_limit : default_workspace_limit(&made->facts));
    od_cache_open(made, options);
    *context = made;
    return OCLDNN_SUCCESS;
}

void ocldnn_context_destroy(ocldnn_context *context)
{
    if (!context)
        return;
    od_keep_due_binaries(context);
    od_workspace_free(&context->workspace);
    od_programs_free(&context->programs);
    od_cache_close(context);
    clReleaseContext(context->cl);
    free(context);
}

cl_context ocldnn_context_cl(const ocldnn_context *context)
{
    return context ? context->cl : NULL;
}

cl_device_id ocldnn_context_device(const ocldnn_context *context)
{
    return context ? context->device : NULL;
}

size_t ocldnn_context_describe(const ocldnn_context *context, char *text, size_t capacity)
{
    const od_device *facts;
    int length;
    if (!context)
        return 0;
    facts = &context->facts;
    length =
        snprintf(text, text ? capacity : 0,
                 "device: %s\nvendor: %s\ndriver: %s\nplatform: %s\ntype: %s\nkernel family: %s\n"
                 "compute units: %u\nlargest work-group: %u\nlocal memory: %llu KiB\nglobal memory: %llu MiB\n"
                 "compiler: %s\nout-of-order queues: %s\nfp16 arithmetic: %s\nAMX: %s\nCLBlast: %s\nquirks: %s\n"
                 "build threads: %u\nworkspace limit: %llu MiB\n",
                 facts->name, facts->vendor_name, facts->driver, facts->platform, facts->is_cpu ? "CPU" : "GPU",
                 facts->family == OD_FAMILY_VECTOR ? "vector" : "tiled", facts->compute_units, facts->max_group_size,
                 (unsigned long long)(facts->local_memory >> 10), (unsigned long long)(facts->global_memory >> 20),
                 facts->has_compiler ? "yes" : "no", facts->out_of_order ? "yes" : "no", facts->fp16 ? "yes" : "no",
                 facts->amx ? "yes" : facts->amx_reason, facts->clblast ? "yes" : facts->clblast_reason,
                 facts->quirk_reasons[0] ? facts->quirk_reasons : "none", context->build_threads,
                 (unsigned long long)(context->workspace.limit >> 20));
    return length < 0 ? 0 : (size_t)length;
}

ocldnn_status ocldnn_context_stats(const ocldnn_context *context, ocldnn_stats *stats)
{
    ocldnn_context *shared = (ocldnn_context *)(uintptr_t)context; /* its locks are not part of what is const */
    if (!context || !stats)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "the context and the place for the statistics must not be NULL");
    pthread_mutex_lock(&shared->programs.lock);
    stats->programs_built = shared->programs.built;
    stats->programs_loaded = shared->programs.loaded;
    stats->build_nanoseconds = shared->programs.build_nanoseconds;
    stats->load_nanoseconds = shared->programs.load_nanoseconds;
    stats->saved_nanoseconds = shared->programs.saved_nanoseconds;
    pthread_mutex_unlock(&shared->programs.lock);
    pthread_mutex_lock(&shared->workspace.lock);
    stats->workspace_bytes = shared->workspace.bytes;
    pthread_mutex_unlock(&shared->workspace.lock);
    return OCLDNN_SUCCESS;
}
