/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs.c runs on: the device as each family sees it, buffers of one size, and what each byte of them is to a plan.
 */
#ifndef OD_TESTS_FUZZ_DEVICE_H
#define OD_TESTS_FUZZ_DEVICE_H

#include "fuzz.h"
#include "runtime/context.h"

enum { CAPACITY = 32 << 10, BEFORE = 64 /* elements, and bytes of a packed weight, that tensors leave free */ };

enum { ROLE_READ = 1, ROLE_WRITTEN = 2 };

typedef struct fuzz_device {
    ocldnn_context *contexts[2]; /* by od_family */
    cl_context cl;
    cl_command_queue queues[2]; /* in order; out of order, or again in order where the driver has none */
    cl_mem buffers[FUZZ_BUFFERS];
    unsigned char roles[FUZZ_BUFFERS][CAPACITY];
    unsigned char before[FUZZ_BUFFERS][CAPACITY], after[FUZZ_BUFFERS][CAPACITY];
} fuzz_device;

/* Made at the first call; NULL if it cannot be, with the sentence in ocldnn_last_error(). */
fuzz_device *fuzz_open(void);

/* Sets the roles; false if a tensor does not lie in these buffers, so that running the plan must be refused. */
bool fuzz_mark(fuzz_device *d, const od_plan *plan);

/* Fills `before`, and the buffers: what is read with numbers of its dtype, or any bits, that depend on seed; all else
 * with `rest`. */
bool fuzz_fill(fuzz_device *d, const od_plan *plan, uint32_t seed, bool any_bits, unsigned char rest);
/* The buffers into `after`. */
bool fuzz_read(fuzz_device *d);

/* Whether these launches are new programs, which take their time to compile, and are over what this process may. */
bool fuzz_too_new(const od_plan *plan, uint64_t most);

#endif
