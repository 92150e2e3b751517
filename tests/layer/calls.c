/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that create, retain and release, and those that the library makes, between the loader and the driver.
 *
 * A release is never made to fail: what it means for the object is not defined, so no caller could do right.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "layer.h"

#include <CL/cl_layer.h>
#include <string.h>

static struct _cl_icd_dispatch driver, layer;

#define PLAUSIBLE(...)                                                                                                 \
    static const int codes[] = {__VA_ARGS__};                                                                          \
    int code

#define FAILS(NAME) layer_fails(#NAME, codes, (int)(sizeof codes / sizeof *codes), &code)

/* A call that returns a status. */
#define STATUS(NAME, PARAMETERS, ARGUMENTS, ...)                                                                       \
    static cl_int CL_API_CALL my_##NAME PARAMETERS                                                                     \
    {                                                                                                                  \
        PLAUSIBLE(__VA_ARGS__);                                                                                        \
        return FAILS(NAME) ? code : driver.NAME ARGUMENTS;                                                             \
    }

/* A call that returns a new object, its status at `status`. */
#define CREATE(TYPE, KIND, NAME, PARAMETERS, ARGUMENTS, ...)                                                           \
    static TYPE CL_API_CALL my_##NAME PARAMETERS                                                                       \
    {                                                                                                                  \
        TYPE made;                                                                                                     \
        PLAUSIBLE(__VA_ARGS__);                                                                                        \
        if (FAILS(NAME)) {                                                                                             \
            if (status)                                                                                                \
                *status = code;                                                                                        \
            return NULL;                                                                                               \
        }                                                                                                              \
        made = driver.NAME ARGUMENTS;                                                                                  \
        if (made)                                                                                                      \
            layer_count(KIND, 1);                                                                                      \
        return made;                                                                                                   \
    }

/* A command, whose event is a new object where the caller wants one. */
#define ENQUEUE(NAME, PARAMETERS, ARGUMENTS, ...)                                                                      \
    static cl_int CL_API_CALL my_##NAME PARAMETERS                                                                     \
    {                                                                                                                  \
        PLAUSIBLE(__VA_ARGS__);                                                                                        \
        if (FAILS(NAME))                                                                                               \
            return code;                                                                                               \
        code = driver.NAME ARGUMENTS;                                                                                  \
        if (code == CL_SUCCESS && event)                                                                               \
            layer_count(LAYER_EVENT, 1);                                                                               \
        return code;                                                                                                   \
    }

/* Counted down first: after the release another thread may be given a new object at the same address. */
#define REFERENCES(TYPE, KIND, NAME)                                                                                   \
    static cl_int CL_API_CALL my_clRetain##NAME(TYPE object)                                                           \
    {                                                                                                                  \
        PLAUSIBLE(CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY);                                                         \
        if (FAILS(clRetain##NAME))                                                                                     \
            return code;                                                                                               \
        code = driver.clRetain##NAME(object);                                                                          \
        layer_count(KIND, code == CL_SUCCESS);                                                                         \
        return code;                                                                                                   \
    }                                                                                                                  \
    static cl_int CL_API_CALL my_clRelease##NAME(TYPE object)                                                          \
    {                                                                                                                  \
        cl_int code = driver.clRelease##NAME(object);                                                                  \
        layer_count(KIND, -(code == CL_SUCCESS));                                                                      \
        return code;                                                                                                   \
    }

#define MEMORY CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES
#define WAITS cl_uint count, const cl_event *list, cl_event *event
#define NOTIFY void(CL_CALLBACK * notify)(const char *, const void *, size_t, void *)

/* ---- what the library asks -------------------------------------------------------------------------------------- */

STATUS(clGetPlatformIDs, (cl_uint room, cl_platform_id *list, cl_uint *count), (room, list, count),
       CL_OUT_OF_HOST_MEMORY, -1001) /* no platform */
STATUS(clGetPlatformInfo, (cl_platform_id of, cl_platform_info what, size_t room, void *value, size_t *bytes),
       (of, what, room, value, bytes), CL_OUT_OF_HOST_MEMORY, CL_INVALID_PLATFORM)
STATUS(clGetDeviceIDs, (cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *list, cl_uint *count),
       (of, type, room, list, count), MEMORY, CL_DEVICE_NOT_FOUND)
STATUS(clGetDeviceInfo, (cl_device_id of, cl_device_info what, size_t room, void *value, size_t *bytes),
       (of, what, room, value, bytes), CL_OUT_OF_HOST_MEMORY, CL_INVALID_DEVICE)
STATUS(clGetContextInfo, (cl_context of, cl_context_info what, size_t room, void *value, size_t *bytes),
       (of, what, room, value, bytes), CL_OUT_OF_HOST_MEMORY, CL_INVALID_CONTEXT)
STATUS(clGetCommandQueueInfo,
       (cl_command_queue of, cl_command_queue_info what, size_t room, void *value, size_t *bytes),
       (of, what, room, value, bytes), CL_OUT_OF_HOST_MEMORY, CL_INVALID_COMMAND_QUEUE)
STATUS(clGetMemObjectInfo, (cl_mem of, cl_mem_info what, size_t room, void *value, size_t *bytes),
       (of, what, room, value, bytes), CL_OUT_OF_HOST_MEMORY, CL_INVALID_MEM_OBJECT)
STATUS(clGetProgramInfo, (cl_program of, cl_program_info what, size_t room, void *value, size_t *bytes),
       (of, what, room, value, bytes), MEMORY)
STATUS(clGetProgramBuildInfo,
       (cl_program of, cl_device_id on, cl_program_build_info what, size_t room, void *value, size_t *bytes),
       (of, on, what, room, value, bytes), MEMORY)
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel of, cl_device_id on, cl_kernel_work_group_info what, size_t room, void *value, size_t *bytes),
       (of, on, what, room, value, bytes), MEMORY)
STATUS(clGetEventInfo, (cl_event of, cl_event_info what, size_t room, void *value, size_t *bytes),
       (of, what, room, value, bytes), CL_OUT_OF_HOST_MEMORY, CL_INVALID_EVENT)
STATUS(clBuildProgram,
       (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user),
       (program, count, devices, options, notify, user), CL_BUILD_PROGRAM_FAILURE, MEMORY, CL_COMPILER_NOT_AVAILABLE)
STATUS(clSetKernelArg, (cl_kernel kernel, cl_uint number, size_t bytes, const void *value),
       (kernel, number, bytes, value), MEMORY, CL_INVALID_ARG_SIZE)
STATUS(clSetUserEventStatus, (cl_event event, cl_int state), (event, state), MEMORY)
STATUS(clFlush, (cl_command_queue queue), (queue), MEMORY)

/* ---- objects ---------------------------------------------------------------------------------------------------- */

CREATE(cl_context, LAYER_CONTEXT, clCreateContext,
       (const cl_context_properties *wanted, cl_uint count, const cl_device_id *devices, NOTIFY, void *user,
        cl_int *status),
       (wanted, count, devices, notify, user, status), MEMORY, CL_DEVICE_NOT_AVAILABLE)
CREATE(cl_context, LAYER_CONTEXT, clCreateContextFromType,
       (const cl_context_properties *wanted, cl_device_type type, NOTIFY, void *user, cl_int *status),
       (wanted, type, notify, user, status), MEMORY, CL_DEVICE_NOT_AVAILABLE)
CREATE(cl_command_queue, LAYER_QUEUE, clCreateCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue_properties wanted, cl_int *status),
       (context, device, wanted, status), MEMORY)
CREATE(cl_command_queue, LAYER_QUEUE, clCreateCommandQueueWithProperties,
       (cl_context context, cl_device_id device, const cl_queue_properties *wanted, cl_int *status),
       (context, device, wanted, status), MEMORY)
CREATE(cl_mem, LAYER_MEMORY, clCreateBuffer,
       (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *status),
       (context, flags, bytes, host, status), CL_MEM_OBJECT_ALLOCATION_FAILURE, MEMORY, CL_INVALID_BUFFER_SIZE)
CREATE(cl_mem, LAYER_MEMORY, clCreateSubBuffer,
       (cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *status),
       (parent, flags, type, region, status), CL_MEM_OBJECT_ALLOCATION_FAILURE, MEMORY)
CREATE(cl_mem, LAYER_MEMORY, clCreateImage,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *sizes, void *host,
        cl_int *status),
       (context, flags, format, sizes, host, status), CL_MEM_OBJECT_ALLOCATION_FAILURE, MEMORY)
CREATE(cl_program, LAYER_PROGRAM, clCreateProgramWithSource,
       (cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *status),
       (context, count, texts, lengths, status), MEMORY)
CREATE(cl_program, LAYER_PROGRAM, clCreateProgramWithBinary,
       (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
        const unsigned char **binaries, cl_int *verdicts, cl_int *status),
       (context, count, devices, lengths, binaries, verdicts, status), CL_INVALID_BINARY, MEMORY)
CREATE(cl_kernel, LAYER_KERNEL, clCreateKernel, (cl_program program, const char *name, cl_int *status),
       (program, name, status), MEMORY, CL_INVALID_KERNEL_DEFINITION)
CREATE(cl_event, LAYER_EVENT, clCreateUserEvent, (cl_context context, cl_int *status), (context, status), MEMORY)

REFERENCES(cl_context, LAYER_CONTEXT, Context)
REFERENCES(cl_command_queue, LAYER_QUEUE, CommandQueue)
REFERENCES(cl_mem, LAYER_MEMORY, MemObject)
REFERENCES(cl_program, LAYER_PROGRAM, Program)
REFERENCES(cl_kernel, LAYER_KERNEL, Kernel)
REFERENCES(cl_event, LAYER_EVENT, Event)

/* ---- commands --------------------------------------------------------------------------------------------------- */

ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *start, const size_t *global,
         const size_t *local, WAITS),
        (queue, kernel, axes, start, global, local, count, list, event), MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        CL_INVALID_WORK_GROUP_SIZE)
ENQUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue queue, WAITS), (queue, count, list, event), MEMORY)
ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue queue, WAITS), (queue, count, list, event), MEMORY)
ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t from, size_t bytes, void *to, WAITS),
        (queue, buffer, blocking, from, bytes, to, count, list, event), MEMORY)
ENQUEUE(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t to, size_t bytes, const void *from, WAITS),
        (queue, buffer, blocking, to, bytes, from, count, list, event), MEMORY)
ENQUEUE(clEnqueueCopyBuffer,
        (cl_command_queue queue, cl_mem source, cl_mem target, size_t from, size_t to, size_t bytes, WAITS),
        (queue, source, target, from, to, bytes, count, list, event), MEMORY)
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t size, size_t at, size_t bytes, WAITS),
        (queue, buffer, pattern, size, at, bytes, count, list, event), MEMORY)

/* ---- the layer as the loader sees it ---------------------------------------------------------------------------- */

#define PUT(NAME) layer.NAME = my_##NAME
#define PUT_REFERENCES(NAME)                                                                                           \
    do {                                                                                                               \
        PUT(clRetain##NAME);                                                                                           \
        PUT(clRelease##NAME);                                                                                          \
    } while (0)

static void put_calls(void)
{
    PUT(clGetPlatformIDs);
    PUT(clGetPlatformInfo);
    PUT(clGetDeviceIDs);
    PUT(clGetDeviceInfo);
    PUT(clGetContextInfo);
    PUT(clGetCommandQueueInfo);
    PUT(clGetMemObjectInfo);
    PUT(clGetProgramInfo);
    PUT(clGetProgramBuildInfo);
    PUT(clGetKernelWorkGroupInfo);
    PUT(clGetEventInfo);
    PUT(clBuildProgram);
    PUT(clSetKernelArg);
    PUT(clSetUserEventStatus);
    PUT(clFlush);
}

static void put_objects(void)
{
    PUT(clCreateContext);
    PUT(clCreateContextFromType);
    PUT(clCreateCommandQueue);
    PUT(clCreateCommandQueueWithProperties);
    PUT(clCreateBuffer);
    PUT(clCreateSubBuffer);
    PUT(clCreateImage);
    PUT(clCreateProgramWithSource);
    PUT(clCreateProgramWithBinary);
    PUT(clCreateKernel);
    PUT(clCreateUserEvent);
    PUT_REFERENCES(Context);
    PUT_REFERENCES(CommandQueue);
    PUT_REFERENCES(MemObject);
    PUT_REFERENCES(Program);
    PUT_REFERENCES(Kernel);
    PUT_REFERENCES(Event);
}

static void put_commands(void)
{
    PUT(clEnqueueNDRangeKernel);
    PUT(clEnqueueMarkerWithWaitList);
    PUT(clEnqueueBarrierWithWaitList);
    PUT(clEnqueueReadBuffer);
    PUT(clEnqueueWriteBuffer);
    PUT(clEnqueueCopyBuffer);
    PUT(clEnqueueFillBuffer);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *bytes)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "oclDNN's tests";
    const void *answer = what == CL_LAYER_API_VERSION ? (const void *)&version : name;
    size_t size = what == CL_LAYER_API_VERSION ? sizeof version : sizeof name;
    if ((what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME) || (value && room < size))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, answer, size);
    if (bytes)
        *bytes = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target, cl_uint *ours,
                                            const struct _cl_icd_dispatch **dispatch)
{
    const cl_uint known = sizeof driver / sizeof(void *);
    if (!target || !ours || !dispatch || !layer_judge_at_exit())
        return CL_INVALID_VALUE;
    memcpy(&driver, target, (entries < known ? entries : known) * sizeof(void *));
    layer = driver;
    put_calls();
    put_objects();
    put_commands();
    *ours = entries < known ? entries : known;
    *dispatch = &layer;
    return CL_SUCCESS;
}
