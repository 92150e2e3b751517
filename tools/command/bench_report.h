/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tables, the comparison and the page read of a report. A report may come from a file that somebody else
 * wrote: nothing in it is taken for granted but what bench_json_read() has looked at.
 */
#ifndef OD_COMMAND_BENCH_REPORT_H
#define OD_COMMAND_BENCH_REPORT_H

#include "bench.h"

#include <cjson/cJSON.h>
#include <stdio.h>

typedef enum bench_verdict {
    VERDICT_SAME,   /* within the spread */
    VERDICT_FASTER, /* beyond it, in time and as a part of the limit */
    VERDICT_SLOWER,
    VERDICT_MACHINE, /* beyond it in time, but the limit has moved along */
    VERDICT_NEW,     /* only in the newer */
    VERDICT_GONE,    /* only in the older */
    VERDICTS
} bench_verdict;

typedef struct bench_change {
    const cJSON *older, *newer; /* rows; one is NULL for what is only in the other */
    double ratio;               /* the older time by the newer: above 1 it has become faster */
    bench_verdict verdict;
} bench_change;

struct bench_report {
    cJSON *root;
    bench_report *older; /* what it is compared with, else NULL */
    bench_change *changes;
    int change_count;
};

/* An object with an array `rows` of objects that have name, dtype and shape. NULL after complaining. */
cJSON *bench_json_read(const char *path);
bool bench_json_write(const cJSON *root, const char *path);

/* Adds a number, or null for what is not one. */
void bench_json_add(cJSON *object, const char *name, double value);
/* Adds NAME, the median, and [low, high] as QUARTILES. */
void bench_json_add_spread(cJSON *object, const char *name, const char *quartiles, bench_spread spread);

/* Members of an object: NaN or "" when there is no such number or text. */
double bench_number(const cJSON *object, const char *name);
const char *bench_text(const cJSON *object, const char *name);
/* The quartiles are NaN in a file that has none. */
bench_spread bench_spread_of(const cJSON *object, const char *name, const char *quartiles);

/* Whether name, dtype, shape and strategy are the same. */
bool bench_same_row(const cJSON *a, const cJSON *b);
/* Whether it was measured, not refused. */
bool bench_measured(const cJSON *row);

extern const char *const bench_verdict_names[VERDICTS];

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Writes text into HTML or XML; bytes that may not stand there become question marks. */
void bench_page_text(FILE *out, const char *text);

/* Rows of one name, shape and strategy in several dtypes have one number on the page. 0 for a row not measured. */
int bench_page_number(const cJSON *rows, const cJSON *row);

/* A picture of the rows of this dtype; nothing when there are none. */
void bench_page_roofline(FILE *out, const cJSON *root, const char *dtype);

void bench_page_changes(FILE *out, const bench_report *report);
void bench_page_table(FILE *out, const cJSON *rows);

extern const char bench_page_style[];

#endif
