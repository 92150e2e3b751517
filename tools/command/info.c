/* SPDX-License-Identifier: Apache-2.0
 *
 * ocldnn info: platforms, devices, and what the library makes of each device.
 */
#include "command.h"

#include "runtime/disk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static const struct argp_option options[] = {
    {"device", 'd', "PART", 0, "only devices whose name or platform has this part", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const char **part = state->input;
    if (key == 'd')
        *part = argument;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp parser = {
    options,
    parse,
    NULL,
    "Shows every OpenCL device of this machine, and what oclDNN makes of it.\v"
    "For each device: what the driver reports, which family of kernels suits it (vector: one work-item per group with "
    "wide vectors, for CPUs; tiled: groups that share local memory, for GPUs), whether CLBlast can be used, and the "
    "quirks of the driver that are worked around, with their reasons. A platform without devices is named and passed "
    "over. Compiles nothing.\n\n"
    "Exit status: 0 when a device was found, 1 when there is none.",
    NULL,
    NULL,
    NULL};

static void show_text(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *colon = memchr(text, ':', length);
        size_t name = colon ? (size_t)(colon - text) : length;
        printf("    %-22.*s %.*s\n", (int)name, text, (int)(length - name - (colon != NULL)), colon ? colon + 1 : "");
        text += length + (text[length] == '\n');
    }
}

static bool show_device(cl_device_id device)
{
    ocldnn_context_options how = {.device = device, .flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    ocldnn_context *context = NULL;
    char text[4096];
    cl_int code;
    how.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        printf("    cannot be used: clCreateContext gives OpenCL error %d\n", code);
        return false;
    }
    if (ocldnn_context_create(&how, &context) == OCLDNN_SUCCESS) {
        ocldnn_context_describe(context, text, sizeof text);
        show_text(text);
    } else {
        printf("    cannot be used: %s\n", ocldnn_last_error());
    }
    clReleaseContext(how.context);
    ocldnn_context_destroy(context);
    return context != NULL;
}

static bool has_part(const char *name, const char *other, const char *part)
{
    return !part || strcasestr(name, part) || strcasestr(other, part);
}

static int show_platform(cl_platform_id platform, const char *part)
{
    cl_device_id devices[MOST];
    char name[256] = "", version[256] = "";
    cl_uint count = 0;
    int usable = 0;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, devices, &count) != CL_SUCCESS)
        count = 0;
    if (!part || count > 0)
        printf("%s (%s)%s\n", name, version, count ? "" : ": no devices");
    for (cl_uint i = 0; i < count && i < MOST; i++) {
        char device[256] = "";
        clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof device - 1, device, NULL);
        if (has_part(device, name, part)) {
            printf("  device %u\n", i);
            usable += show_device(devices[i]);
        }
    }
    return usable;
}

int command_info(int argc, char **argv)
{
    cl_platform_id platforms[MOST];
    const char *part = getenv("OCLDNN_DEVICE");
    char folder[PATH_MAX];
    cl_uint count = 0;
    int usable = 0;
    argp_parse(&parser, argc, argv, 0, NULL, &part);
    printf("oclDNN %s\n", ocldnn_version());
    printf("program cache: %s\n\n",
           od_disk_folder(NULL, folder, sizeof folder) ? folder : "none (neither XDG_CACHE_HOME nor HOME is set)");
    if (clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < MOST; i++)
        usable += show_platform(platforms[i], part);
    return usable ? 0
                  : complain("no OpenCL device that can be used%s%s", part ? " is named like " : "", part ? part : "");
}
