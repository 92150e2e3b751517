/* SPDX-License-Identifier: Apache-2.0 */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

bool complain(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("embed: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return false;
}

bool went_well(ocldnn_status status, const char *what)
{
    if (status == OCLDNN_SUCCESS)
        return true;
    return complain("%s: %s: %s", what, ocldnn_status_name(status), ocldnn_last_error());
}

bool cl_went_well(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return true;
    return complain("%s: OpenCL error %d", what, (int)status);
}
