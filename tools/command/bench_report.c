/* SPDX-License-Identifier: Apache-2.0
 *
 * The table on the screen, and the JSON file.
 */
#include "bench.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_report {
    cJSON *root, *rows;
};

static void add_number(cJSON *object, const char *name, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

static void add_device(cJSON *root, const bench *b)
{
    cJSON *device = cJSON_AddObjectToObject(root, "device");
    cJSON_AddStringToObject(device, "name", b->facts->name);
    cJSON_AddStringToObject(device, "vendor", b->facts->vendor_name);
    cJSON_AddStringToObject(device, "driver", b->facts->driver);
    cJSON_AddStringToObject(device, "platform", b->facts->platform);
    cJSON_AddStringToObject(device, "family", b->facts->family == OD_FAMILY_VECTOR ? "vector" : "tiled");
    cJSON_AddNumberToObject(device, "compute_units", b->facts->compute_units);
}

static void add_limits(cJSON *root, const bench_limits *limits)
{
    cJSON *object = cJSON_AddObjectToObject(root, "limits");
    add_number(object, "fma_gflops", limits->flops * 1e-9);
    if (limits->fed > 0)
        add_number(object, "fed_percent_of_fma", limits->fed * 100);
    add_number(object, "read_gbytes_per_second", limits->read * 1e-9);
    add_number(object, "copy_gbytes_per_second", limits->copy * 1e-9);
    add_number(object, "launch_microseconds", limits->launch * 1e6);
    add_number(object, "launch_and_wait_microseconds", limits->latency * 1e6);
}

bench_report *bench_report_open(const bench *b)
{
    bench_report *report = malloc(sizeof *report);
    if (!report)
        return NULL;
    report->root = cJSON_CreateObject();
    cJSON_AddStringToObject(report->root, "version", ocldnn_version());
    add_device(report->root, b);
    add_limits(report->root, &b->limits);
    report->rows = cJSON_AddArrayToObject(report->root, "rows");
    printf("%s\n%s\n", b->facts->name, b->facts->platform);
    printf("limits: FMA %.1f GFLOP/s", b->limits.flops * 1e-9);
    if (b->limits.fed > 0)
        printf(" (%.0f %% of it fed from the first cache)", b->limits.fed * 100);
    printf(", read %.1f GB/s, copy %.1f GB/s, a launch %.2f us, launched and waited for %.1f "
           "us\n\n",
           b->limits.read * 1e-9, b->limits.copy * 1e-9, b->limits.launch * 1e6, b->limits.latency * 1e6);
    printf("%-17s %-5s %-15s %-20s %10s %8s %7s %12s %8s%s\n", "name", "dtype", "shape", "strategy", "time ms",
           "GFLOP/s", "GB/s", "of limit", "host us", b->peers ? "  OpenBLAS" : "");
    fflush(stdout);
    return report;
}

static cJSON *add_row(bench_report *report, const bench_case *c)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(report->rows, object);
    cJSON_AddStringToObject(object, "name", c->name);
    cJSON_AddStringToObject(object, "dtype", od_dtype_name(c->dtype));
    cJSON_AddStringToObject(object, "shape", c->shape);
    return object;
}

void bench_report_row(bench_report *report, const bench_case *c, const bench_row *row)
{
    cJSON *object = add_row(report, c);
    cJSON_AddStringToObject(object, "strategy", row->strategy);
    add_number(object, "seconds", row->seconds);
    add_number(object, "gflops", row->gflops);
    add_number(object, "gbytes_per_second", row->gbytes);
    add_number(object, "percent_of_limit", row->percent);
    cJSON_AddStringToObject(object, "limit", row->bound);
    add_number(object, "host_microseconds", row->host_microseconds);
    if (!isnan(row->openblas))
        add_number(cJSON_AddObjectToObject(object, "peers"), "OpenBLAS", row->openblas);
    printf("%-17s %-5s %-15s %-20.20s %10.3f ", c->name, od_dtype_name(c->dtype), c->shape, row->strategy,
           row->seconds * 1e3);
    if (row->gflops > 0)
        printf("%8.1f", row->gflops);
    else
        printf("%8s", "-");
    printf(" %7.1f %5.1f%% %5s ", row->gbytes, row->percent, row->bound);
    if (isnan(row->host_microseconds))
        printf("%8s", "-");
    else
        printf("%8.2f", row->host_microseconds);
    if (!isnan(row->openblas))
        printf("     %.2fx", row->openblas);
    putchar('\n');
    fflush(stdout);
}

void bench_report_refused(bench_report *report, const bench_case *c, const char *reason)
{
    cJSON_AddStringToObject(add_row(report, c), "refused", reason);
    printf("%-17s %-5s %-15s %s\n", c->name, od_dtype_name(c->dtype), c->shape, reason);
    fflush(stdout);
}

bool bench_report_close(bench_report *report, const char *path)
{
    char *text = path ? cJSON_Print(report->root) : NULL;
    bool good = !path;
    if (text) {
        FILE *file = fopen(path, "w");
        good = file && fputs(text, file) >= 0 && fputc('\n', file) >= 0;
        good = file && fclose(file) == 0 && good;
    }
    if (!good)
        complain("%s: %s", path, text ? strerror(errno) : "no memory");
    free(text);
    cJSON_Delete(report->root);
    free(report);
    return good;
}
