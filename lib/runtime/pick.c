/* SPDX-License-Identifier: Apache-2.0
 *
 * A context on a device that the library picks.
 */
#include "runtime/context.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64 };

static bool holds_ignoring_case(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text || length == 0; text++) {
        size_t same = 0;
        while (same < length && text[same] && tolower((unsigned char)text[same]) == tolower((unsigned char)part[same]))
            same++;
        if (same == length)
            return true;
    }
    return false;
}

/* A device that can't be asked for its name is not the wanted one, and *code says why. */
static bool is_wanted(cl_platform_id platform, cl_device_id device, const char *wanted, cl_int *code)
{
    char name[256] = "";
    if (!wanted || !*wanted)
        return true;
    cl_int failed = clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    if (failed == CL_SUCCESS && holds_ignoring_case(name, wanted))
        return true;
    if (failed == CL_SUCCESS)
        failed = clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    if (failed != CL_SUCCESS) {
        *code = failed;
        return false;
    }
    return holds_ignoring_case(name, wanted);
}

/* GPUs before others, more compute units before fewer. 0: a device that doesn't even tell that. */
static uint64_t worth(cl_device_id device, cl_int *code)
{
    cl_device_type type = 0;
    cl_uint units = 0;
    cl_int failed = clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (failed == CL_SUCCESS)
        failed = clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    if (failed != CL_SUCCESS) {
        *code = failed;
        return 0;
    }
    return ((uint64_t)((type & CL_DEVICE_TYPE_GPU) != 0) << 32) + units + 1;
}

/* NULL for none; *code then has a failure that may be the reason, or SUCCESS. */
static cl_device_id pick(const char *wanted, cl_int *code)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_device_id devices[MOST_DEVICES], best = NULL;
    cl_uint platform_count = 0;
    uint64_t best_worth = 0;
    *code = clGetPlatformIDs(MOST_PLATFORMS, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < MOST_PLATFORMS; p++) {
        cl_uint count = 0;
        cl_int failed = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count);
        if (failed != CL_SUCCESS) {
            if (failed != CL_DEVICE_NOT_FOUND) /* such as rusticl's, when nothing enables one */
                *code = failed;
            continue;
        }
        for (cl_uint d = 0; d < count && d < MOST_DEVICES; d++) {
            uint64_t its = is_wanted(platforms[p], devices[d], wanted, code) ? worth(devices[d], code) : 0;
            if (its > best_worth) {
                best = devices[d];
                best_worth = its;
            }
        }
    }
    return best;
}

ocldnn_status ocldnn_context_create_default(const ocldnn_context_options *options, ocldnn_context **context)
{
    const char *wanted = getenv("OCLDNN_DEVICE");
    ocldnn_context_options own = {0};
    ocldnn_status status;
    cl_int code;
    if (!context)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "the place for the context is NULL");
    *context = NULL;
    if (options)
        own = *options;
    if (own.context || own.device)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "context and device must be NULL: this function picks them");
    own.device = pick(wanted, &code);
    if (!own.device)
        return wanted ? od_fail(od_cl_status(code, OCLDNN_UNSUPPORTED),
                                "no OpenCL device whose name or platform's name has '%s' (OCLDNN_DEVICE; error %d)",
                                wanted, code)
                      : od_fail(od_cl_status(code, OCLDNN_UNSUPPORTED), "no OpenCL device found (error %d)", code);
    own.context = clCreateContext(NULL, 1, &own.device, NULL, NULL, &code);
    OD_TRY(od_cl(code, "clCreateContext"));
    status = ocldnn_context_create(&own, context);
    clReleaseContext(own.context); /* the oclDNN context holds its own reference */
    return status;
}
