/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT(X) TEXT_(X)
#define TEXT_(X) #X

static _Thread_local char last_error[768];

ocldnn_status od_fail(ocldnn_status status, const char *format, ...)
{
    char sentence[sizeof last_error];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    memcpy(last_error, sentence, strlen(sentence) + 1);
    return status;
}

const char *ocldnn_last_error(void)
{
    return last_error;
}

const char *ocldnn_status_name(ocldnn_status status)
{
    static const char *const names[] = {
        "SUCCESS",     "INVALID_ARGUMENT",    "INVALID_DTYPE", "INVALID_SHAPE", "INVALID_BUFFER", "INVALID_QUEUE",
        "UNSUPPORTED", "WORKSPACE_TOO_SMALL", "OUT_OF_MEMORY", "BUILD_FAILED",  "DEVICE_ERROR",
    };
    size_t number = (size_t)status;
    return number < sizeof names / sizeof *names ? names[number] : "?";
}

const char *ocldnn_version(void)
{
    return TEXT(OCLDNN_VERSION_MAJOR) "." TEXT(OCLDNN_VERSION_MINOR) "." TEXT(OCLDNN_VERSION_PATCH);
}

const char *od_dtype_name(uint32_t dtype)
{
    static const char *const names[] = {"absent", "F32", "F16", "BF16", "U8", "U32", "I32"};
    return dtype < sizeof names / sizeof *names ? names[dtype] : "?";
}

size_t ocldnn_dtype_size(ocldnn_dtype dtype)
{
    static const size_t sizes[] = {0, 4, 2, 2, 1, 4, 4};
    size_t number = (size_t)dtype;
    return number < sizeof sizes / sizeof *sizes ? sizes[number] : 0;
}
