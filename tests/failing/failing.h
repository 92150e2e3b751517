/* SPDX-License-Identifier: Apache-2.0
 *
 * A call is made again and again, each time with another one of the OpenCL calls and allocations below it failing, each
 * time with another status that is plausible for that one, until none is left to fail. Each time:
 *
 *     it answers with a status and a sentence of its own (OCLDNN_OUT_OF_MEMORY where memory ran out); SUCCESS counts as
 *     a status ignored, unless the failed call is one that the library may do without
 *     after after() the process holds as many objects and blocks of memory as before before()
 *     it does not hang
 */
#ifndef OD_TESTS_FAILING_H
#define OD_TESTS_FAILING_H

#include "layer/layer.h"

#include <ocldnn/ocldnn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct failing {
    const char *name;
    void (*before)(void *user); /* may be NULL */
    ocldnn_status (*call)(void *user);
    /* Whether all is well after a call that failed, or did not: calls again. Releases what before() made. */
    void (*after)(void *user, ocldnn_status status); /* may be NULL */
    const char *dispensable; /* names of calls, in blanks: " clGetProgramInfo malloc " ; NULL: none */
    const char *each_status; /* likewise; other calls fail with one status only, where a round takes long. NULL: all */
    void *user;
} failing;

/* Returns how many calls were made to fail. */
long fail_each(const failing *f);

/* Has the loader take the layer; before the process's first OpenCL call. */
void failing_open(void);

/* The process holds an OpenCL object: was it counted? */
void failing_must_count(void);

#endif
