/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMBED_COMPLAIN_H
#define EMBED_COMPLAIN_H

#include <ocldnn/ocldnn.h>
#include <stdbool.h>

/* Says on stderr, in a sentence, what went wrong; always false, so that a function can end with it. */
__attribute__((format(printf, 1, 2))) bool complain(const char *format, ...);

/* true when an oclDNN call succeeded; else complains with the library's own sentence. */
bool went_well(ocldnn_status status, const char *what);

/* The same for a bare OpenCL call. */
bool cl_went_well(cl_int status, const char *what);

#endif
