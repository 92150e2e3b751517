/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of contexts and of workspaces have around them: queues, buffers, and an operator, of which rms_norm
 * stands for all. WITH_FIXTURE(NAME) is a test of it.
 */
#ifndef OD_TESTS_SURROUNDINGS_H
#define OD_TESTS_SURROUNDINGS_H

#include "failing.h"

#include <stdbool.h>

enum { ROWS = 4, WIDTH = 64, COUNT = ROWS * WIDTH };

typedef struct fixture {
    ocldnn_context *context; /* what a round makes, or a whole test */
    cl_context cl;
    cl_device_id device;
    cl_command_queue queue, other; /* other: out of order where the driver has such */
    bool unordered;
    cl_mem input, output;
    ocldnn_rms_norm op;
    ocldnn_context_options options;
    cl_event done, gate;
    const char *folder; /* for a cache, empty */
    unsigned char *blob;
    size_t bytes, room;
} fixture;

extern fixture f;

int fixture_set_up(void **state);
int fixture_tear_down(void **state);

/* A context by f.options. */
ocldnn_context *fixture_context(void);

#define WITH_FIXTURE(NAME) cmocka_unit_test_setup_teardown(NAME, fixture_set_up, fixture_tear_down)

#endif
