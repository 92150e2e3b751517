/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel file below cl/, embedded into the library. The build makes sources.h, which declares one od_source for each
 * file that holds kernels: cl/norm/rms_norm.cl is od_source_norm_rms_norm.
 */
#ifndef OD_BASE_SOURCE_H
#define OD_BASE_SOURCE_H

#include <stddef.h>

typedef struct od_source {
    const char *path; /* "norm/rms_norm.cl" */
    const char *text; /* with its includes */
    size_t length;
} od_source;

#endif
