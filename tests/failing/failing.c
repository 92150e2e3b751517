/* SPDX-License-Identifier: Apache-2.0 */
#include "failing.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 120 }; /* seconds; a round takes milliseconds, a compiler under a sanitizer seconds */

static char now[256]; /* what is being tried */

/* Not by cmocka: the call that hangs may hold locks. */
static void hangs(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, now, strlen(now)) < 0 || write(STDERR_FILENO, ": hangs\n", 8) < 0)
        _exit(2);
    _exit(1);
}

void failing_open(void)
{
    Dl_info about;
    if (!dladdr(__extension__(void *) layer_arm, &about))
        abort();
    setenv("OPENCL_LAYERS", about.dli_fname, 1);
    signal(SIGALRM, hangs);
}

void failing_must_count(void)
{
    long left[LAYER_KINDS];
    layer_left(left);
    if (left[LAYER_CONTEXT] == 0)
        fail_msg("the OpenCL loader does not know layers (OPENCL_LAYERS)");
}

static bool stands_in(const char *list, const char *call)
{
    char name[64];
    snprintf(name, sizeof name, " %s ", call);
    return list && strstr(list, name);
}

static void judge(const failing *f, const layer_failure *failed, ocldnn_status status, const char *old)
{
    bool memory = failed->code == CL_OUT_OF_HOST_MEMORY || failed->code == CL_OUT_OF_RESOURCES ||
                  failed->code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (status == OCLDNN_SUCCESS) {
        if (failed->call && !stands_in(f->dispensable, failed->call))
            fail_msg("%s: succeeds nevertheless", now);
        return;
    }
    if (!failed->call)
        fail_msg("%s: %s: %s", now, ocldnn_status_name(status), ocldnn_last_error());
    if (!*ocldnn_last_error() || strcmp(ocldnn_last_error(), old) == 0)
        fail_msg("%s: %s without a sentence of its own", now, ocldnn_status_name(status));
    if (memory && status != OCLDNN_OUT_OF_MEMORY)
        fail_msg("%s: memory ran out, but it says %s: %s", now, ocldnn_status_name(status), ocldnn_last_error());
}

/* number 0: none fails, and what a warm call keeps is made. */
static layer_failure one_round(const failing *f, long number, int which)
{
    long held[LAYER_KINDS];
    char left[256], old[128];
    layer_failure failed;
    ocldnn_status status;
    layer_left(held);
    if (f->before)
        f->before(f->user);
    snprintf(now, sizeof now, "%s: call %ld, status %d", f->name, number, which);
    ocldnn_context_stats(NULL, NULL); /* leaves a sentence that is not this call's */
    snprintf(old, sizeof old, "%s", ocldnn_last_error());
    alarm(PATIENCE);
    layer_arm(number, which);
    status = f->call(f->user);
    failed = layer_disarm();
    alarm(0);
    if (failed.call)
        snprintf(now, sizeof now, "%s: call %ld is %s and gives %d", f->name, number, failed.call, failed.code);
    judge(f, &failed, status, old);
    alarm(PATIENCE);
    if (f->after)
        f->after(f->user, status);
    alarm(0);
    if (number > 0 && *layer_difference(held, left))
        fail_msg("%s: left behind: %s", now, left);
    return failed;
}

long fail_each(const failing *f)
{
    one_round(f, 0, 0);
    for (long number = 1;; number++) {
        layer_failure failed = one_round(f, number, 0);
        if (!failed.call)
            return number - 1;
        if (f->each_status && !stands_in(f->each_status, failed.call))
            continue;
        for (int which = 1; which < failed.codes; which++)
            one_round(f, number, which);
    }
}
