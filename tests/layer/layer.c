/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters, the failure that is armed, and the end of the process. calls.c has the calls.
 */
#include "layer.h"

#include <dlfcn.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long counts[LAYER_KINDS];

static atomic_long countdown; /* calls until one fails; 0 and below: none does */
static int armed_which;
static layer_failure failure;

void layer_count(enum layer_kind kind, long more)
{
    atomic_fetch_add(&counts[kind], more);
}

void layer_left(long left[LAYER_KINDS])
{
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        left[kind] = atomic_load(&counts[kind]);
}

const char *layer_difference(const long before[LAYER_KINDS], char text[256])
{
    static const char *const names[] = {"context", "queue", "memory object",  "program",
                                        "kernel",  "event", "block of memory"};
    size_t length = 0;
    text[0] = '\0';
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        long more = atomic_load(&counts[kind]) - before[kind];
        if (more != 0)
            length +=
                (size_t)snprintf(text + length, 256 - length, "%s%ld x %s", length ? ", " : "", more, names[kind]);
    }
    return text;
}

void layer_arm(long number, int which)
{
    failure = (layer_failure){0};
    armed_which = which;
    atomic_store(&countdown, number);
}

layer_failure layer_disarm(void)
{
    atomic_store(&countdown, 0);
    return failure;
}

long layer_pause(void)
{
    return atomic_exchange(&countdown, 0);
}

void layer_resume(long calls_left)
{
    atomic_store(&countdown, calls_left);
}

bool layer_fails(const char *call, const int *codes, int count, int *code)
{
    if (atomic_load(&countdown) <= 0 || atomic_fetch_sub(&countdown, 1) != 1)
        return false;
    *code = codes[armed_which < count ? armed_which : count - 1];
    failure = (layer_failure){call, *code, count};
    return true;
}

/* CLBlast keeps its programs to the very end, unless it is told. */
static void clear_clblast(void)
{
    int (*clear)(void);
    *(void **)&clear = dlsym(RTLD_DEFAULT, "CLBlastClearCache");
    if (clear)
        clear();
}

static void judge(void)
{
    static const long none[LAYER_KINDS];
    char text[256];
    clear_clblast();
    if (!*layer_difference(none, text))
        return;
    fflush(NULL);
    fprintf(stderr, "layer: left at the end of the process (below 0: released too often): %s\n", text);
    _exit(LAYER_EXIT);
}

/* Handlers run in the opposite order: this one, of the first OpenCL call, before what was loaded earlier is taken down.
 */
bool layer_judge_at_exit(void)
{
    return atexit(judge) == 0;
}
