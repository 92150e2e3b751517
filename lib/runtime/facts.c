/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device reports.
 */
#include "runtime/context.h"

#include <ctype.h>
#include <ocldnn/ocldnn.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Copies text without the blanks at its end, cut to capacity. */
static void keep(const char *text, char *kept, size_t capacity)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= capacity)
        length = capacity - 1;
    memcpy(kept, text, length);
    kept[length] = '\0';
}

/* A device that is asked one thing after the other. What it doesn't answer would be a wrong fact for the context's
 * whole life, so the first failure is kept. */
typedef struct asked {
    cl_device_id device;
    cl_int code;
} asked;

static void ask(asked *a, cl_device_info what, size_t room, void *value, size_t *bytes)
{
    cl_int code = clGetDeviceInfo(a->device, what, room, value, bytes);
    if (a->code == CL_SUCCESS)
        a->code = code;
}

static void text_of(asked *a, cl_device_info what, char *text, size_t capacity)
{
    char whole[4096] = "";
    ask(a, what, sizeof whole - 1, whole, NULL);
    keep(whole, text, capacity);
}

static void platform_version(asked *a, cl_platform_id platform, char *text, size_t capacity)
{
    char whole[4096] = "";
    cl_int code = clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof whole - 1, whole, NULL);
    if (a->code == CL_SUCCESS)
        a->code = code;
    keep(whole, text, capacity);
}

static uint64_t number_of(asked *a, cl_device_info what)
{
    union {
        cl_uint small;
        cl_ulong large;
    } value = {.large = 0};
    size_t bytes = 0;
    ask(a, what, sizeof value, &value, &bytes);
    return bytes == sizeof value.small ? value.small : value.large;
}

static bool has_extension(asked *a, const char *name)
{
    char extensions[16384] = "";
    size_t length = strlen(name);
    ask(a, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    for (const char *at = extensions; (at = strstr(at, name)) != NULL; at += length)
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static od_vendor vendor_of(const char *name)
{
    static const struct {
        const char *part;
        od_vendor vendor;
    } known[] = {
        {"Advanced Micro Devices", OD_VENDOR_AMD}, {"AuthenticAMD", OD_VENDOR_AMD}, {"AMD", OD_VENDOR_AMD},
        {"GenuineIntel", OD_VENDOR_INTEL},         {"Intel", OD_VENDOR_INTEL},      {"NVIDIA", OD_VENDOR_NVIDIA},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(name, known[i].part))
            return known[i].vendor;
    return OD_VENDOR_OTHER;
}

/* A packed weight is bound to what chose its layout: the device, its family and this version of the library. */
static uint64_t pack_tag(const od_device *facts)
{
    char all[640];
    int length = snprintf(all, sizeof all, "%s|%s|%s|%s|%d|%s", facts->name, facts->vendor_name, facts->driver,
                          facts->platform, (int)facts->family, ocldnn_version());
    return XXH3_64bits(all, (size_t)length);
}

ocldnn_status od_device_facts(cl_device_id device, const ocldnn_quirk *extra, uint32_t extra_count, od_device *facts)
{
    cl_device_type type = 0;
    cl_platform_id platform = NULL;
    size_t group = 0;
    asked a = {.device = device};
    memset(facts, 0, sizeof *facts);
    ask(&a, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    ask(&a, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    OD_TRY(od_cl(a.code, "clGetDeviceInfo"));
    text_of(&a, CL_DEVICE_NAME, facts->name, sizeof facts->name);
    text_of(&a, CL_DEVICE_VENDOR, facts->vendor_name, sizeof facts->vendor_name);
    text_of(&a, CL_DRIVER_VERSION, facts->driver, sizeof facts->driver);
    platform_version(&a, platform, facts->platform, sizeof facts->platform);
    facts->vendor = vendor_of(facts->vendor_name);
    facts->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    facts->family = facts->is_cpu ? OD_FAMILY_VECTOR : OD_FAMILY_TILED;
    facts->has_compiler = number_of(&a, CL_DEVICE_COMPILER_AVAILABLE) != 0;
    facts->out_of_order = (number_of(&a, CL_DEVICE_QUEUE_PROPERTIES) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    facts->fp16 = has_extension(&a, "cl_khr_fp16");
    facts->compute_units = (uint32_t)number_of(&a, CL_DEVICE_MAX_COMPUTE_UNITS);
    facts->vector_floats = (uint32_t)number_of(&a, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    ask(&a, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    facts->max_group_size = group < UINT32_MAX ? (uint32_t)group : UINT32_MAX;
    facts->local_memory = number_of(&a, CL_DEVICE_LOCAL_MEM_SIZE);
    facts->global_memory = number_of(&a, CL_DEVICE_GLOBAL_MEM_SIZE);
    facts->max_allocation = number_of(&a, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    OD_TRY(od_cl(a.code, "asking the device"));
    facts->clblast = od_clblast_built();
    if (!facts->clblast)
        snprintf(facts->clblast_reason, sizeof facts->clblast_reason, "this library was built without CLBlast");
    od_quirks_apply(facts, extra, extra_count);
    facts->pack_tag = pack_tag(facts);
    return OCLDNN_SUCCESS;
}
