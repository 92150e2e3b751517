/* SPDX-License-Identifier: Apache-2.0
 *
 * An OpenCL layer (cl_layer.h: the loader puts it between every caller and the driver when OPENCL_LAYERS names it) that
 * counts objects, and that lets one call fail when a test asks for it.
 *
 * Counting needs nothing of the program: tools/with-driver names the layer, and a process that ends with references
 * left over, or with more released than there were, says so on stderr and ends with LAYER_EXIT. That holds for the
 * library, the test itself, the examples and CLBlast alike.
 *
 * Failing: layer_arm(n, which) lets the n-th call from now on fail with the which-th of the statuses that are plausible
 * for it; a failing call does not reach the driver. A test links the layer for these functions, and has the loader
 * take the same file. All functions may be called from any thread; arming is for one thread at a time.
 */
#ifndef OD_TESTS_LAYER_H
#define OD_TESTS_LAYER_H

#include <stdbool.h>

enum layer_kind {
    LAYER_CONTEXT,
    LAYER_QUEUE,
    LAYER_MEMORY, /* buffers and images */
    LAYER_PROGRAM,
    LAYER_KERNEL,
    LAYER_EVENT,
    LAYER_BLOCK, /* of host memory, where a test wraps the allocator too */
    LAYER_KINDS
};

enum { LAYER_EXIT = 86 };

/* References held now, by kind. */
void layer_left(long left[LAYER_KINDS]);

/* "2 kernels, 1 event" for what is more (or, with a minus, less) than before; an empty text when nothing is. */
const char *layer_difference(const long before[LAYER_KINDS], char text[256]);

/* What became of an armed call. */
typedef struct layer_failure {
    const char *call; /* NULL: there was no such call */
    int code;         /* what it returned */
    int codes;        /* how many statuses are plausible for it */
} layer_failure;

void layer_arm(long number, int which);
layer_failure layer_disarm(void);

/* Between these no call counts towards the one that fails. */
long layer_pause(void);
void layer_resume(long calls_left);

/* For wrappers of the allocator: whether this call is the one that fails, and one block more or less. */
bool layer_fails(const char *call, const int *codes, int count, int *code);
void layer_count(enum layer_kind kind, long more);

/* For calls.c: the end of the process will be judged. */
bool layer_judge_at_exit(void);

#endif
