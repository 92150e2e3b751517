/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs built so far, by source and -D list, and their kernels.
 */
#ifndef OD_RUNTIME_PROGRAM_H
#define OD_RUNTIME_PROGRAM_H

#include "base/plan.h"

#include <pthread.h>

enum { OD_PROGRAM_BUCKETS = 256 };

/* One cl_kernel. A kernel's arguments belong to the object, so each call takes one for itself and gives it back after
 * its launch: sharing one between threads mixes up arguments. */
typedef struct od_kernel {
    struct od_kernel *next;
    struct od_kernel_pool *pool;
    cl_kernel cl;
} od_kernel;

typedef struct od_kernel_pool {
    struct od_kernel_pool *next;
    struct od_program *program;
    const char *name;
    od_kernel *idle;
    size_t max_group;
    cl_ulong local_memory;
} od_kernel_pool;

typedef enum od_program_state {
    OD_PROGRAM_NEW = 0, /* nobody builds it; the next who needs it does */
    OD_PROGRAM_BUILDING = 1,
    OD_PROGRAM_READY = 2,
    OD_PROGRAM_REFUSED = 3 /* the compiler said no; remembered with its sentence */
} od_program_state;

typedef struct od_program {
    struct od_program *next;
    uint64_t hash;
    const od_source *source;
    uint32_t define_count;
    od_define_pair defines[OD_STEP_DEFINES];
    od_program_state state;
    char *refusal;
    cl_program cl;
    bool binary_due;            /* built from source, and its binary is still to be cached */
    uint64_t build_nanoseconds; /* what building from source took, now or when the binary was made */
    od_kernel_pool *kernels;
} od_program;

typedef struct od_programs {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a program left BUILDING */
    od_program *buckets[OD_PROGRAM_BUCKETS];
    uint64_t built, loaded, build_nanoseconds, load_nanoseconds, saved_nanoseconds;
} od_programs;

void od_programs_init(od_programs *programs);
void od_programs_free(od_programs *programs);

/* A kernel for one step, built if need be. od_kernel_give() puts it back. */
ocldnn_status od_kernel_take(struct ocldnn_context *context, const od_step *step, od_kernel **kernel);
void od_kernel_give(struct ocldnn_context *context, od_kernel *kernel);

/* Builds every program of a plan, several at once where that helps. */
ocldnn_status od_programs_prepare(struct ocldnn_context *context, const od_plan *plan);

/* build.c: the cl_program of a step, from a cached binary or from source, with its first kernel. */
typedef struct od_built {
    cl_program program;
    cl_kernel kernel;
    bool from_binary;
    bool binary_due;
    uint64_t nanoseconds;       /* this took */
    uint64_t build_nanoseconds; /* building from source took, now or then */
} od_built;
ocldnn_status od_build(struct ocldnn_context *context, const od_step *step, od_built *built);

/* Caches the binaries that are due (OCLDNN_QUIRK_LATE_BINARIES). No other thread may use the context. */
void od_keep_due_binaries(struct ocldnn_context *context);

/* 32 hexadecimal digits of everything a binary depends on. options as od_step_options() writes them. */
void od_program_key(const od_device *facts, const od_source *source, const char *options, char key[33]);

#endif
