/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs that a context has used, as one bundle (entry.h).
 */
#include "runtime/context.h"
#include "runtime/entry.h"

#include <stdlib.h>
#include <string.h>

/* All programs that are ready. They live as long as the context, so the lock need not be held while a driver is asked
 * for their binaries. NULL for none, or without memory (*status). */
static od_program **ready_programs(ocldnn_context *context, uint32_t *count, ocldnn_status *status)
{
    od_programs *programs = &context->programs;
    od_program **list = NULL, *program;
    uint32_t found = 0;
    *status = OCLDNN_SUCCESS;
    pthread_mutex_lock(&programs->lock);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1 && found > 0 && !(list = malloc(found * sizeof *list)))
            *status = od_fail(OCLDNN_OUT_OF_MEMORY, "cache_export: no host memory for a list of %u programs", found);
        if (pass == 1 && !list)
            break;
        found = 0;
        for (int bucket = 0; bucket < OD_PROGRAM_BUCKETS; bucket++) {
            for (program = programs->buckets[bucket]; program; program = program->next) {
                if (program->state != OD_PROGRAM_READY)
                    continue;
                if (list)
                    list[found] = program;
                found++;
            }
        }
    }
    pthread_mutex_unlock(&programs->lock);
    *count = list ? found : 0;
    return list;
}

static ocldnn_status no_binary(cl_int code, const od_program *program)
{
    return od_fail(od_cl_status(code, OCLDNN_DEVICE_ERROR),
                   "cache_export: the driver gives no binary of %s (OpenCL error %d)", program->source->path, code);
}

static ocldnn_status binary_size(const od_program *program, size_t *bytes)
{
    cl_int code;
    *bytes = 0;
    code = clGetProgramInfo(program->cl, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL);
    return code == CL_SUCCESS && *bytes > 0 ? OCLDNN_SUCCESS : no_binary(code, program);
}

static void describe(const ocldnn_context *context, const od_program *program, char key[33], od_meta *meta)
{
    od_step step = {.source = program->source, .define_count = program->define_count};
    char options[1024];
    memcpy(step.defines, program->defines, program->define_count * sizeof *program->defines);
    od_step_options(&step, options, sizeof options);
    od_program_key(&context->facts, program->source, options, key);
    od_meta_set(meta, program->source->path, options, context->facts.name, program->build_nanoseconds);
}

/* Appends a program's entry at data + *used. */
static ocldnn_status write_entry(const ocldnn_context *context, const od_program *program, unsigned char *data,
                                 size_t room, size_t *used)
{
    size_t bytes;
    unsigned char *binary;
    od_meta meta;
    char key[33];
    cl_int code;
    OD_TRY(binary_size(program, &bytes));
    if (od_entry_size(bytes) > room - *used)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache_export: %zu bytes are too little room", room);
    binary = malloc(bytes);
    if (!binary)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "cache_export: no host memory for a binary of %zu bytes", bytes);
    code = clGetProgramInfo(program->cl, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    if (code != CL_SUCCESS) {
        free(binary);
        return no_binary(code, program);
    }
    describe(context, program, key, &meta);
    od_entry_encode(key, &meta, binary, bytes, data + *used);
    *used += od_entry_size(bytes);
    free(binary);
    return OCLDNN_SUCCESS;
}

static ocldnn_status write_bundle(const ocldnn_context *context, od_program *const *list, uint32_t count,
                                  unsigned char *data, size_t *bytes)
{
    size_t used = OD_BUNDLE_HEADER;
    if (data && *bytes < used)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache_export: %zu bytes are too little room", *bytes);
    for (uint32_t i = 0; i < count; i++) {
        size_t binary = 0;
        if (data)
            OD_TRY(write_entry(context, list[i], data, *bytes, &used));
        else
            OD_TRY(binary_size(list[i], &binary));
        used += data ? 0 : od_entry_size(binary);
    }
    if (data)
        od_bundle_begin(count, data);
    *bytes = used;
    return OCLDNN_SUCCESS;
}

ocldnn_status ocldnn_cache_export(ocldnn_context *context, void *data, size_t *bytes)
{
    od_program **list;
    uint32_t count;
    ocldnn_status status;
    if (!context || !bytes)
        return od_fail(OCLDNN_INVALID_ARGUMENT,
                       "cache_export: the context and the place for the size must not be NULL");
    list = ready_programs(context, &count, &status);
    if (context->facts.quirks & OCLDNN_QUIRK_NO_BINARIES)
        count = 0; /* nobody should load them again */
    if (status == OCLDNN_SUCCESS)
        status = write_bundle(context, list, count, data, bytes);
    free(list);
    return status;
}
