/* SPDX-License-Identifier: Apache-2.0
 *
 * From a step to a cl_program: its key, the cached binary, or the device's compiler.
 */
#include "runtime/context.h"
#include "runtime/cache.h"

#include <ocldnn/ocldnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { OPTIONS_BYTES = 1024 };

void od_program_key(const od_device *facts, const od_source *source, const char *options, char key[33])
{
    const char *parts[] = {options, facts->name, facts->vendor_name, facts->driver, facts->platform, ocldnn_version()};
    XXH3_state_t state;
    XXH128_hash_t hash;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, source->text, source->length + 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        XXH3_128bits_update(&state, parts[i], strlen(parts[i]) + 1);
    hash = XXH3_128bits_digest(&state);
    snprintf(key, 33, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

static ocldnn_status build_failed(const ocldnn_context *context, cl_program program, const od_step *step, cl_int code)
{
    char options[OPTIONS_BYTES];
    size_t length = 0;
    char *log;
    ocldnn_status status;
    od_step_options(step, options, sizeof options);
    clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
    log = calloc(1, length + 1);
    if (log && length)
        clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
    status = od_fail(od_cl_status(code, OCLDNN_BUILD_FAILED),
                     "%s (%s): the device's compiler failed with OpenCL error %d: %.400s", step->source->path, options,
                     code, log ? log : "");
    od_log(context, 0, "%s (%s): OpenCL error %d: %s", step->source->path, options, code, log ? log : "");
    free(log);
    return status;
}

static ocldnn_status from_source(struct ocldnn_context *context, const od_step *step, const char *options,
                                 od_built *built)
{
    cl_int code;
    cl_program program;
    if (!context->facts.has_compiler)
        return od_fail(OCLDNN_UNSUPPORTED, "%s: the device has no compiler, and the cache has no binary for it",
                       step->source->path);
    program =
        clCreateProgramWithSource(context->cl, 1, (const char *[]){step->source->text}, &step->source->length, &code);
    OD_TRY(od_cl(code, "clCreateProgramWithSource"));
    code = clBuildProgram(program, 1, &context->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        ocldnn_status status = build_failed(context, program, step, code);
        clReleaseProgram(program);
        return status;
    }
    built->kernel = clCreateKernel(program, step->kernel, &code);
    if (code != CL_SUCCESS) {
        clReleaseProgram(program);
        return od_cl(code, "clCreateKernel");
    }
    built->program = program;
    return OCLDNN_SUCCESS;
}

/* Whether the driver takes the cached binary; if not, the caller builds from source. */
static bool from_binary(struct ocldnn_context *context, const od_step *step, const char *options,
                        const od_cached *cached, od_built *built)
{
    const unsigned char *bytes = cached->binary;
    cl_int code, verdict = CL_SUCCESS;
    cl_program program =
        clCreateProgramWithBinary(context->cl, 1, &context->device, &cached->binary_bytes, &bytes, &verdict, &code);
    if (code == CL_SUCCESS && verdict == CL_SUCCESS &&
        clBuildProgram(program, 1, &context->device, options, NULL, NULL) == CL_SUCCESS) {
        built->kernel = clCreateKernel(program, step->kernel, &code);
        if (code == CL_SUCCESS) {
            built->program = program;
            return true;
        }
    }
    if (program)
        clReleaseProgram(program);
    od_log(context, 1, "%s: the driver refused its cached binary, building from source", step->source->path);
    return false;
}

/* The binary is taken after the first clCreateKernel: some drivers compile only then. */
static void keep_binary(struct ocldnn_context *context, const char *key, const od_meta *meta, cl_program program)
{
    size_t bytes = 0;
    unsigned char *binary;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0 ||
        !(binary = malloc(bytes)))
        return;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        od_cache_store(context, key, meta, binary, bytes);
    free(binary);
}

ocldnn_status od_build(struct ocldnn_context *context, const od_step *step, od_built *built)
{
    uint64_t start = od_nanoseconds();
    bool binaries = od_cache_used(context) && !(context->facts.quirks & OCLDNN_QUIRK_NO_BINARIES);
    char options[OPTIONS_BYTES], key[33];
    od_cached cached;
    od_meta meta;
    od_step_options(step, options, sizeof options);
    od_program_key(&context->facts, step->source, options, key);
    od_meta_set(&meta, step->source->path, options, context->facts.name, 0);
    if (binaries && od_cache_load(context, key, &meta, &cached)) {
        built->from_binary = from_binary(context, step, options, &cached, built);
        built->build_nanoseconds = cached.build_nanoseconds;
        od_cached_free(&cached);
    }
    if (!built->from_binary) {
        OD_TRY(from_source(context, step, options, built));
        meta.build_nanoseconds = built->build_nanoseconds = od_nanoseconds() - start;
        built->binary_due = binaries && (context->facts.quirks & OCLDNN_QUIRK_LATE_BINARIES);
        if (binaries && !built->binary_due)
            keep_binary(context, key, &meta, built->program);
    }
    built->nanoseconds = od_nanoseconds() - start;
    od_log(context, 2, "%s (%s): %s in %.1f ms", step->source->path, options, built->from_binary ? "loaded" : "built",
           (double)built->nanoseconds * 1e-6);
    return OCLDNN_SUCCESS;
}

static void keep_due_binary(struct ocldnn_context *context, const od_program *program)
{
    od_step step = {.source = program->source, .define_count = program->define_count};
    char options[OPTIONS_BYTES], key[33];
    od_meta meta;
    memcpy(step.defines, program->defines, program->define_count * sizeof *program->defines);
    od_step_options(&step, options, sizeof options);
    od_program_key(&context->facts, program->source, options, key);
    od_meta_set(&meta, program->source->path, options, context->facts.name, program->build_nanoseconds);
    keep_binary(context, key, &meta, program->cl);
}

void od_keep_due_binaries(struct ocldnn_context *context)
{
    for (int bucket = 0; bucket < OD_PROGRAM_BUCKETS; bucket++)
        for (const od_program *program = context->programs.buckets[bucket]; program; program = program->next)
            if (program->state == OD_PROGRAM_READY && program->binary_due)
                keep_due_binary(context, program);
}
