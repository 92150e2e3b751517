/* SPDX-License-Identifier: Apache-2.0
 *
 * A report: JSON that is filled row by row, or comes from a file, and its table on the screen.
 */
#include "bench_report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void add_device(cJSON *root, const bench *b)
{
    cJSON *device = cJSON_AddObjectToObject(root, "device");
    cJSON_AddStringToObject(device, "name", b->facts->name);
    cJSON_AddStringToObject(device, "vendor", b->facts->vendor_name);
    cJSON_AddStringToObject(device, "driver", b->facts->driver);
    cJSON_AddStringToObject(device, "platform", b->facts->platform);
    cJSON_AddStringToObject(device, "family", b->facts->family == OD_FAMILY_VECTOR ? "vector" : "tiled");
    cJSON_AddNumberToObject(device, "compute_units", b->facts->compute_units);
    cJSON_AddNumberToObject(device, "memory_gbytes", (double)b->facts->global_memory * 1e-9);
}

/* The processor's name as Linux tells it. */
static void processor(char *name, size_t capacity)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(name, capacity, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, capacity, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

static void add_machine(cJSON *root)
{
    cJSON *machine = cJSON_AddObjectToObject(root, "machine");
    char text[256];
    double load = NAN;
    struct utsname system;
    time_t now = time(NULL);
    struct tm parts;
    processor(text, sizeof text);
    cJSON_AddStringToObject(machine, "processor", text);
    cJSON_AddNumberToObject(machine, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&system) == 0) {
        snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
        cJSON_AddStringToObject(machine, "system", text);
    }
    if (getloadavg(&load, 1) == 1) /* before we begin: others' */
        bench_json_add(machine, "load_before", load);
    if (gmtime_r(&now, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts) > 0)
        cJSON_AddStringToObject(machine, "time", text);
}

static void add_limits(cJSON *root, const bench_limits *limits)
{
    cJSON *object = cJSON_AddObjectToObject(root, "limits");
    bench_json_add(object, "fma_gflops", limits->flops * 1e-9);
    if (limits->fed > 0)
        bench_json_add(object, "fed_percent_of_fma", limits->fed * 100);
    bench_json_add(object, "f16_to_f32_gvalues_per_second", limits->half * 1e-9);
    if (limits->matrix > 0)
        bench_json_add(object, "matrix_bf16_gflops", limits->matrix * 1e-9);
    bench_json_add(object, "read_gbytes_per_second", limits->read * 1e-9);
    bench_json_add(object, "write_gbytes_per_second", limits->write * 1e-9);
    bench_json_add(object, "copy_gbytes_per_second", limits->copy * 1e-9);
    bench_json_add(object, "launch_microseconds", limits->launch * 1e6);
    bench_json_add(object, "launch_and_wait_microseconds", limits->latency * 1e6);
}

static void print_head(const cJSON *root)
{
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(root, "device");
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(root, "limits");
    double fed = bench_number(limits, "fed_percent_of_fma"),
           half = bench_number(limits, "f16_to_f32_gvalues_per_second"),
           matrix = bench_number(limits, "matrix_bf16_gflops");
    printf("%s\n%s\n", bench_text(device, "name"), bench_text(device, "platform"));
    printf("limits: FMA %.1f GFLOP/s", bench_number(limits, "fma_gflops"));
    if (fed > 0)
        printf(" (%.0f %% of it fed from the first cache)", fed);
    if (half > 0)
        printf(", F16 made F32 %.1f G/s", half);
    if (matrix > 0)
        printf(", BF16 on matrix units %.1f GFLOP/s", matrix);
    printf("\n        read %.1f GB/s, write %.1f GB/s, copy %.1f GB/s, a launch %.2f us, launched and waited for %.1f "
           "us\n\n",
           bench_number(limits, "read_gbytes_per_second"), bench_number(limits, "write_gbytes_per_second"),
           bench_number(limits, "copy_gbytes_per_second"), bench_number(limits, "launch_microseconds"),
           bench_number(limits, "launch_and_wait_microseconds"));
    printf("%-17s %-5s %-18s %-19s %10s %8s %7s %12s %8s\n", "name", "dtype", "shape", "strategy", "time ms", "GFLOP/s",
           "GB/s", "of limit", "host us");
    fflush(stdout);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A number in so many places, or a dash. */
static void print_number(double value, int width, int digits)
{
    if (isnan(value) || (value == 0 && digits == 1))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, digits, value);
}

static void print_peers(const cJSON *row)
{
    const cJSON *peers = cJSON_GetObjectItemCaseSensitive(row, "peers");
    const cJSON *quartiles = cJSON_GetObjectItemCaseSensitive(row, "peers_quartiles"), *peer;
    cJSON_ArrayForEach(peer, peers)
    {
        bench_spread ratio = {NAN, NAN, NAN};
        if (cJSON_IsNumber(peer) && peer->string) {
            const cJSON *ends = cJSON_GetObjectItemCaseSensitive(quartiles, peer->string);
            const cJSON *low = cJSON_GetArrayItem(ends, 0), *high = cJSON_GetArrayItem(ends, 1);
            ratio.middle = peer->valuedouble;
            printf("  %s %.2fx", peer->string, ratio.middle);
            if (cJSON_IsNumber(low) && cJSON_IsNumber(high))
                printf(" (%.2f-%.2f)", low->valuedouble, high->valuedouble);
        }
    }
}

static void print_row(const cJSON *row)
{
    printf("%-17s %-5s %-18s ", bench_text(row, "name"), bench_text(row, "dtype"), bench_text(row, "shape"));
    if (bench_measured(row)) {
        printf("%-19.19s", bench_text(row, "strategy"));
        print_number(bench_number(row, "seconds") * 1e3, 10, 3);
        print_number(bench_number(row, "gflops"), 8, 1);
        print_number(bench_number(row, "gbytes_per_second"), 7, 1);
        print_number(bench_number(row, "percent_of_limit"), 5, 1);
        printf("%% %5s", bench_text(row, "limit"));
        print_number(bench_number(row, "host_microseconds"), 8, 2);
        print_peers(row);
    } else {
        printf("%s", bench_text(row, "refused"));
    }
    putchar('\n');
    fflush(stdout);
}

static cJSON *add_row(bench_report *report, const bench_case *c)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(report->root, "rows"), row);
    cJSON_AddStringToObject(row, "name", c->name);
    cJSON_AddStringToObject(row, "dtype", od_dtype_name(c->dtype));
    cJSON_AddStringToObject(row, "shape", c->shape);
    return row;
}

static void add_peers(cJSON *row, const bench_row *measured)
{
    cJSON *peers = cJSON_AddObjectToObject(row, "peers"), *quartiles = cJSON_AddObjectToObject(row, "peers_quartiles");
    for (int i = 0; i < BENCH_PEERS; i++) {
        const double ends[] = {measured->peers[i].low, measured->peers[i].high};
        if (isnan(measured->peers[i].middle))
            continue;
        bench_json_add(peers, bench_peer_name(i), measured->peers[i].middle);
        cJSON_AddItemToObject(quartiles, bench_peer_name(i), cJSON_CreateDoubleArray(ends, 2));
    }
}

void bench_report_row(bench_report *report, const bench_case *c, const bench_row *measured)
{
    cJSON *row = add_row(report, c);
    cJSON_AddStringToObject(row, "strategy", measured->strategy);
    bench_json_add_spread(row, "seconds", "seconds_quartiles", measured->seconds);
    bench_json_add(row, "gflops", measured->gflops);
    bench_json_add(row, "gbytes_per_second", measured->gbytes);
    bench_json_add(row, "operations_per_byte", measured->intensity);
    bench_json_add_spread(
        row, "percent_of_limit", "percent_quartiles",
        (bench_spread){100 * measured->percent.low, 100 * measured->percent.middle, 100 * measured->percent.high});
    cJSON_AddStringToObject(row, "limit", measured->bound);
    bench_json_add(row, "host_microseconds", measured->host_microseconds);
    add_peers(row, measured);
    bench_progress_clear();
    print_row(row);
}

void bench_report_refused(bench_report *report, const bench_case *c, const char *reason)
{
    cJSON *row = add_row(report, c);
    cJSON_AddStringToObject(row, "refused", reason);
    bench_progress_clear();
    print_row(row);
}

/* ---- as a whole -------------------------------------------------------------------------------------------------- */

bench_report *bench_report_open(bench *b)
{
    bench_report *report = calloc(1, sizeof *report);
    if (!report)
        return NULL;
    report->root = cJSON_CreateObject();
    cJSON_AddStringToObject(report->root, "version", ocldnn_version());
    add_device(report->root, b);
    add_machine(report->root);
    add_limits(report->root, &b->limits);
    cJSON_AddArrayToObject(report->root, "rows");
    print_head(report->root);
    return report;
}

bool bench_wanted(const char *name, const char *dtype, const char *shape, const char *filter)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s/%s", name, dtype, shape);
    return !filter || fnmatch(filter, name, 0) == 0 || fnmatch(filter, whole, 0) == 0;
}

bench_report *bench_report_load(const char *path, const char *filter)
{
    bench_report *report = calloc(1, sizeof *report);
    cJSON *rows, *row, *next;
    if (!report || !(report->root = bench_json_read(path))) {
        free(report);
        return NULL;
    }
    rows = cJSON_GetObjectItemCaseSensitive(report->root, "rows");
    for (row = rows->child; row; row = next) {
        next = row->next;
        if (!bench_wanted(bench_text(row, "name"), bench_text(row, "dtype"), bench_text(row, "shape"), filter))
            cJSON_Delete(cJSON_DetachItemViaPointer(rows, row));
    }
    return report;
}

void bench_report_print(const bench_report *report)
{
    const cJSON *row;
    print_head(report->root);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(report->root, "rows"))
    {
        print_row(row);
    }
}

bool bench_report_json(const bench_report *report, const char *path)
{
    return bench_json_write(report->root, path);
}

void bench_report_close(bench_report *report)
{
    if (!report)
        return;
    free(report->changes);
    bench_report_close(report->older);
    cJSON_Delete(report->root);
    free(report);
}
