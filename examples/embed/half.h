/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage formats of floating-point numbers, converted on the host.
 */
#ifndef EMBED_HALF_H
#define EMBED_HALF_H

#include <ocldnn/ocldnn.h>

/* Reads count numbers of any floating-point dtype. */
void floats_read(const void *from, ocldnn_dtype dtype, size_t count, float *to);

/* Writes them, rounded to nearest even. */
void floats_write(const float *from, size_t count, void *to, ocldnn_dtype dtype);

#endif
