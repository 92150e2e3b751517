/* SPDX-License-Identifier: Apache-2.0
 *
 * Two reports side by side.
 *
 * Times of two runs on a machine with neighbours differ by more than their quartiles tell, since the whole machine may
 * have been slower for one of them. The part of the limit, which was measured in turns with each row, does not have
 * this fault. So a row counts as changed only where both are beyond their spread, in the same direction.
 */
#include "bench_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_verdict_names[VERDICTS] = {"", "faster", "slower", "with the machine", "new", "gone"};

/* Files of before the spread was kept get this much of the value on either side. */
static const double assumed_spread = 0.05;

static bench_spread with_spread(bench_spread s)
{
    if (isnan(s.low) || isnan(s.high)) {
        s.low = s.middle * (1 - assumed_spread);
        s.high = s.middle * (1 + assumed_spread);
    }
    return s;
}

/* -1: a lies wholly below b, 1: wholly above, 0: they meet. */
static int apart(bench_spread a, bench_spread b)
{
    a = with_spread(a);
    b = with_spread(b);
    return a.high < b.low ? -1 : a.low > b.high ? 1 : 0;
}

static bench_verdict judge(const cJSON *older, const cJSON *newer)
{
    int time = apart(bench_spread_of(newer, "seconds", "seconds_quartiles"),
                     bench_spread_of(older, "seconds", "seconds_quartiles"));
    bench_spread was = bench_spread_of(older, "percent_of_limit", "percent_quartiles");
    bench_spread is = bench_spread_of(newer, "percent_of_limit", "percent_quartiles");
    if (time == 0)
        return VERDICT_SAME;
    if (!isnan(was.middle) && !isnan(is.middle) && apart(is, was) != -time)
        return VERDICT_MACHINE;
    return time < 0 ? VERDICT_FASTER : VERDICT_SLOWER;
}

static const cJSON *find(const cJSON *rows, const cJSON *like)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        if (bench_measured(row) && bench_same_row(row, like))
            return row;
    }
    return NULL;
}

/* In the newer one's order, then what is only in the older. */
static int pair(const cJSON *older, const cJSON *newer, bench_change *changes)
{
    const cJSON *row;
    int count = 0;
    cJSON_ArrayForEach(row, newer)
    {
        const cJSON *old = find(older, row);
        if (!bench_measured(row))
            continue;
        changes[count++] = (bench_change){
            .older = old,
            .newer = row,
            .ratio = old ? bench_number(old, "seconds") / bench_number(row, "seconds") : NAN,
            .verdict = old ? judge(old, row) : VERDICT_NEW,
        };
    }
    cJSON_ArrayForEach(row, older)
    {
        if (bench_measured(row) && !find(newer, row))
            changes[count++] = (bench_change){.older = row, .ratio = NAN, .verdict = VERDICT_GONE};
    }
    return count;
}

static void print_cell(const cJSON *row, const char *name, double scale, int width, int digits)
{
    double value = row ? bench_number(row, name) * scale : NAN;
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, digits, value);
}

static void print_change(const bench_change *change)
{
    const cJSON *row = change->newer ? change->newer : change->older;
    printf("%-17s %-5s %-18s %-19.19s", bench_text(row, "name"), bench_text(row, "dtype"), bench_text(row, "shape"),
           bench_text(row, "strategy"));
    print_cell(change->older, "seconds", 1e3, 10, 3);
    print_cell(change->newer, "seconds", 1e3, 10, 3);
    if (isnan(change->ratio))
        printf(" %8s", "-");
    else
        printf(" %7.2fx", change->ratio);
    print_cell(change->older, "percent_of_limit", 1, 7, 1);
    print_cell(change->newer, "percent_of_limit", 1, 7, 1);
    printf("  %s\n", bench_verdict_names[change->verdict]);
}

static void print_changes(const bench_report *report, const char *path)
{
    const char *older = bench_text(cJSON_GetObjectItemCaseSensitive(report->older->root, "device"), "name");
    const char *newer = bench_text(cJSON_GetObjectItemCaseSensitive(report->root, "device"), "name");
    int counts[VERDICTS] = {0};
    printf("\ncompared with %s", path);
    if (strcmp(older, newer) != 0)
        printf(", which is of another device (%s)", older);
    printf("\n%-17s %-5s %-18s %-19s %10s %10s %8s %7s %7s\n", "name", "dtype", "shape", "strategy", "old ms", "new ms",
           "old/new", "old %", "new %");
    for (int i = 0; i < report->change_count; i++) {
        print_change(&report->changes[i]);
        counts[report->changes[i].verdict]++;
    }
    printf("%d faster, %d slower, %d changed with the machine, %d within the spread; %d only here, %d only in %s\n",
           counts[VERDICT_FASTER], counts[VERDICT_SLOWER], counts[VERDICT_MACHINE], counts[VERDICT_SAME],
           counts[VERDICT_NEW], counts[VERDICT_GONE], path);
}

bool bench_report_compare(bench_report *report, bench_report *older, const char *path)
{
    const cJSON *before = cJSON_GetObjectItemCaseSensitive(older->root, "rows");
    const cJSON *now = cJSON_GetObjectItemCaseSensitive(report->root, "rows");
    size_t most = (size_t)cJSON_GetArraySize(before) + (size_t)cJSON_GetArraySize(now);
    report->older = older;
    report->changes = calloc(most + 1, sizeof *report->changes);
    if (!report->changes)
        return complain("no memory") == 0;
    report->change_count = pair(before, now, report->changes);
    print_changes(report, path);
    return true;
}
