/* SPDX-License-Identifier: Apache-2.0
 *
 * What every operator shares: status codes, tensors, how a call is put on a queue, and the four verbs.
 *
 * Thread-safety: everything here is plain data; functions may be called from any thread.
 */
#ifndef OCLDNN_BASE_H
#define OCLDNN_BASE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#include <stddef.h>
#include <stdint.h>

#define OCLDNN_VERSION_MAJOR 0
#define OCLDNN_VERSION_MINOR 1
#define OCLDNN_VERSION_PATCH 0

#if defined(_WIN32) && !defined(OCLDNN_STATIC)
#ifdef OCLDNN_BUILDING
#define OCLDNN_API __declspec(dllexport)
#else
#define OCLDNN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define OCLDNN_API __attribute__((visibility("default")))
#else
#define OCLDNN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ------------------------------------------------------------------------------------------------------ */

/* Every function that can go wrong returns one of these. The sentence behind it is ocldnn_last_error(). After a status
 * other than SUCCESS from an argument check nothing has been enqueued. */
typedef enum ocldnn_status {
    OCLDNN_SUCCESS = 0,
    OCLDNN_INVALID_ARGUMENT = 1, /* NULL where something is needed, an unknown enum value, epsilon <= 0, ... */
    OCLDNN_INVALID_DTYPE = 2,    /* a tensor's dtype is unknown or not what the operator takes there */
    OCLDNN_INVALID_SHAPE = 3,    /* rank, shape or strides do not fit the operator or the other tensors */
    OCLDNN_INVALID_BUFFER = 4,   /* a tensor ends past its buffer, lies in another context, or overlaps another one */
    OCLDNN_INVALID_QUEUE = 5,    /* no queue, or a queue of another context or device */
    OCLDNN_UNSUPPORTED = 6,      /* a legal request that this library or this device cannot do; the message says why */
    OCLDNN_WORKSPACE_TOO_SMALL = 7, /* the caller's workspace, or the limit of the context's pool, is too small */
    OCLDNN_OUT_OF_MEMORY = 8,       /* host or device memory ran out */
    OCLDNN_BUILD_FAILED = 9,        /* the device's compiler refused a kernel; the message has the start of its log */
    OCLDNN_DEVICE_ERROR = 10        /* an OpenCL call failed; the message names the call and the OpenCL error code */
} ocldnn_status;

/* The name of a status, such as "INVALID_SHAPE"; "?" for an unknown number. Never NULL. */
OCLDNN_API const char *ocldnn_status_name(ocldnn_status status);

/* One sentence about the last call of this thread that did not return OCLDNN_SUCCESS: which tensor, which axis, which
 * numbers. Stays valid until this thread's next failing call; never NULL ("" when nothing has failed yet). */
OCLDNN_API const char *ocldnn_last_error(void);

/* The library's version as "major.minor.patch". */
OCLDNN_API const char *ocldnn_version(void);

/* ---- tensors ------------------------------------------------------------------------------------------------------
 */

typedef enum ocldnn_dtype {
    OCLDNN_ABSENT = 0, /* the tensor is not there */
    OCLDNN_F32 = 1,    /* IEEE binary32 */
    OCLDNN_F16 = 2,    /* IEEE binary16; needs no cl_khr_fp16 on the device */
    OCLDNN_BF16 = 3,   /* the upper half of a binary32 */
    OCLDNN_U8 = 4,     /* masks (nonzero = takes part) and raw bytes */
    OCLDNN_U32 = 5,    /* ids and indices */
    OCLDNN_I32 = 6     /* ids */
} ocldnn_dtype;

/* Bytes of one element, 0 for an unknown dtype. */
OCLDNN_API size_t ocldnn_dtype_size(ocldnn_dtype dtype);

#define OCLDNN_MAX_RANK 8

/* A view of a buffer. Nothing is owned: the application keeps the cl_mem alive until the call's commands have finished.
 *
 * shape and strides are in elements, in the order of the axes; only the first `rank` entries are looked at.
 * Strides all zero mean dense (row-major). Otherwise a stride of 0 on an axis longer than 1 broadcasts an input along
 * that axis. Negative strides are refused. An output's axes must nest: each stride is larger than the span of all axes
 * of smaller strides. Operators that join leading axes (all but the elementwise ones) join those that lie alike in all
 * their tensors; more than four that are left are OCLDNN_UNSUPPORTED. Where an operator broadcasts ("broadcastable
 * to"), an axis of length 1 does the same as a stride of 0. A tensor may lie anywhere in its buffer, also in a
 * sub-buffer; it may span at most 2^31 - 1 elements from its first to its last (larger ones get OCLDNN_UNSUPPORTED),
 * its offset may be any 64-bit number. All zero means absent. */
typedef struct ocldnn_tensor {
    cl_mem buffer;
    uint64_t offset; /* of the first element, in elements */
    uint32_t dtype;  /* ocldnn_dtype */
    uint32_t rank;   /* 0 (one element) .. OCLDNN_MAX_RANK */
    int64_t shape[OCLDNN_MAX_RANK];
    int64_t strides[OCLDNN_MAX_RANK];
} ocldnn_tensor;

/* A dense tensor at the start of a buffer, for the usual case: ocldnn_tensor_dense(mem, OCLDNN_F32, 2, (int64_t[]){4,
 * 8}). */
static inline ocldnn_tensor ocldnn_tensor_dense(cl_mem buffer, ocldnn_dtype dtype, uint32_t rank, const int64_t *shape)
{
    ocldnn_tensor tensor;
    uint32_t axis;
    tensor.buffer = buffer;
    tensor.offset = 0;
    tensor.dtype = (uint32_t)dtype;
    tensor.rank = rank;
    for (axis = 0; axis < OCLDNN_MAX_RANK; axis++) {
        tensor.shape[axis] = axis < rank ? shape[axis] : 0;
        tensor.strides[axis] = 0;
    }
    return tensor;
}

/* ---- putting a call on a queue ------------------------------------------------------------------------------------
 */

/* Has clEnqueueNDRangeKernel's meaning for every operator, also for one of several launches and for empty problems.
 * The queue may be in-order or out-of-order and must belong to the context's cl_context and device.
 * workspace: see ocldnn_NAME_workspace(). NULL: the context's pool is used. A caller's workspace must not be used by
 * anything else until the call's commands have finished. */
typedef struct ocldnn_exec {
    cl_command_queue queue;
    cl_uint wait_count;
    const cl_event *wait_list;
    cl_event *event;        /* NULL, or receives an event that the caller releases */
    cl_mem workspace;       /* NULL, or a buffer of at least workspace_bytes */
    size_t workspace_bytes; /* how much of it may be used, from its start */
} ocldnn_exec;

/* ---- asking what would run ----------------------------------------------------------------------------------------
 */

#define OCLDNN_QUERY_STEPS 16
#define OCLDNN_QUERY_STRATEGIES 8

typedef struct ocldnn_query_step {
    char kernel[48];   /* kernel name; "fill", "copy" or "clblast" for steps that are not kernels of ours */
    char source[48];   /* its file below cl/ */
    char options[320]; /* build options */
    size_t global_size[3];
    size_t local_size[3];
} ocldnn_query_step;

typedef struct ocldnn_query_strategy {
    char name[32];
    char refusal[160]; /* why it cannot run here; "" if it can */
} ocldnn_query_strategy;

typedef struct ocldnn_query {
    char strategy[32]; /* the one that would run; "" for an empty problem */
    size_t workspace_bytes;
    uint32_t step_count; /* launches, at most OCLDNN_QUERY_STEPS are described */
    uint32_t strategy_count;
    ocldnn_query_step steps[OCLDNN_QUERY_STEPS];
    ocldnn_query_strategy strategies[OCLDNN_QUERY_STRATEGIES];
} ocldnn_query;

/* ---- the four verbs -----------------------------------------------------------------------------------------------
 */

typedef struct ocldnn_context ocldnn_context;

/* Every operator NAME is one struct ocldnn_NAME (tensors, then options; all zero = absent or default) and these four
 * functions. All may be called from any thread at any time; the struct is not kept after the call.
 *
 * ocldnn_NAME_run        checks everything, then enqueues. Blocks only while a kernel is compiled for the first time.
 *                        A problem of no elements enqueues no kernel, succeeds, and its event still waits for the list.
 * ocldnn_NAME_prepare    builds (or loads from the cache) every program the call needs. Buffers may be NULL.
 * ocldnn_NAME_workspace  bytes of scratch memory the call needs, 0 for none. Buffers may be NULL.
 * ocldnn_NAME_query      the strategy, its launches, and why each other strategy would not run. Buffers may be NULL.
 */
#define OCLDNN_DECLARE_VERBS(NAME)                                                                                     \
    OCLDNN_API ocldnn_status ocldnn_##NAME##_run(ocldnn_context *context, const ocldnn_##NAME *op,                     \
                                                 const ocldnn_exec *exec);                                             \
    OCLDNN_API ocldnn_status ocldnn_##NAME##_prepare(ocldnn_context *context, const ocldnn_##NAME *op);                \
    OCLDNN_API ocldnn_status ocldnn_##NAME##_workspace(ocldnn_context *context, const ocldnn_##NAME *op,               \
                                                       size_t *bytes);                                                 \
    OCLDNN_API ocldnn_status ocldnn_##NAME##_query(ocldnn_context *context, const ocldnn_##NAME *op,                   \
                                                   ocldnn_query *query)

#ifdef __cplusplus
}
#endif

#endif
