/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the `ocldnn` command share.
 */
#ifndef OD_COMMAND_H
#define OD_COMMAND_H

#include "runtime/context.h"

#include <argp.h>
#include <ocldnn/ocldnn.h>

/* Each takes the arguments from its own name on, and returns the exit status: 0 good, 1 a check failed or an action
 * could not be done, 64 (EX_USAGE) from argp. */
int command_info(int argc, char **argv);
int command_check(int argc, char **argv);
int command_cache(int argc, char **argv);
int command_bench(int argc, char **argv);

/* Says on stderr what went wrong, after the command's name; returns 1. */
int complain(const char *format, ...) OD_PRINTF(1, 2);

/* A context on the device whose name or platform has this part (NULL: OCLDNN_DEVICE, else the best one), with an
 * in-order queue. family: NULL, or "vector" or "tiled" for those kernels, whatever suits the device. False after
 * complaining. */
typedef struct opened {
    ocldnn_context *context;
    cl_context cl;
    cl_device_id device;
    cl_command_queue queue;
} opened;
bool open_device(const char *part, const char *family, opened *result);
void close_device(opened *result);

/* Exchange with float: a value as it is stored in a dtype (F32, F16, BF16), and back. Rounds to nearest even. */
void store_value(uint32_t dtype, void *data, size_t index, float value);
float load_value(uint32_t dtype, const void *data, size_t index);

#endif
