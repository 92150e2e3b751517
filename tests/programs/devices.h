/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices that planners can be asked about where there are none: a CPU, each GPU that the offline compilers know, with
 * what OpenCL reports of it, and a CPU whose matrix unit takes every product that it can.
 */
#ifndef OD_TESTS_DEVICES_H
#define OD_TESTS_DEVICES_H

#include "base/device.h"

enum { INVENTED_DEVICES = 16 };

typedef struct invented_device {
    const char *gpu; /* what the offline compilers call it; "-" for CPUs */
    od_device facts;
} invented_device;

extern const invented_device invented_devices[INVENTED_DEVICES];

#endif
