/* SPDX-License-Identifier: Apache-2.0
 *
 * How far the bench has come, for somebody who waits at a terminal.
 */
#include "bench.h"

#include <stdio.h>
#include <unistd.h>

static bool shown;

void bench_progress_show(int done, int count, double started, const bench_case *c)
{
    double passed = bench_now() - started;
    bench_progress_clear();
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "%d of %d: %s %s %s", done + 1, count, c->name, od_dtype_name(c->dtype), c->shape);
    if (done > 0) { /* by the mean of the rows so far: the lists begin with their slowest */
        int left = (int)(passed / done * (count - done));
        fprintf(stderr, ", %d:%02d passed, about %d:%02d left", (int)passed / 60, (int)passed % 60, left / 60,
                left % 60);
    }
    fflush(stderr);
    shown = true;
}

void bench_progress_clear(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
