/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of `ocldnn bench --html`: one file with everything in it, drawn here and not by a script, so that it reads
 * anywhere. It is XML as well as HTML: what a test can parse, every browser can.
 */
#include "bench_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The length of the UTF-8 character here; 0 if it is none, or one that XML does not have. */
static size_t character(const unsigned char *s)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 4;
    uint32_t code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    if (s[0] >= 0xf5 || (s[0] >= 0x80 && s[0] < 0xc2))
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff)))
        return 0;
    if (code < 0x20 || code == 0x7f || (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff)
        return 0;
    return length;
}

void bench_page_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t length = character(s);
        if (length == 0)
            fputc('?', out);
        else if (strchr("<>&\"'", *s))
            fprintf(out, "&#%d;", *s);
        else
            fwrite(s, 1, length, out);
        s += length ? length : 1;
    }
}

static bool same_number(const cJSON *a, const cJSON *b)
{
    return strcmp(bench_text(a, "name"), bench_text(b, "name")) == 0 &&
           strcmp(bench_text(a, "shape"), bench_text(b, "shape")) == 0 &&
           strcmp(bench_text(a, "strategy"), bench_text(b, "strategy")) == 0;
}

/* The first measured row that has this one's number. */
static const cJSON *first_of(const cJSON *rows, const cJSON *row)
{
    const cJSON *other;
    cJSON_ArrayForEach(other, rows)
    {
        if (bench_measured(other) && same_number(other, row))
            return other;
    }
    return NULL;
}

int bench_page_number(const cJSON *rows, const cJSON *row)
{
    const cJSON *other, *first = first_of(rows, row);
    int number = 0;
    if (!bench_measured(row) || !first)
        return 0;
    cJSON_ArrayForEach(other, rows)
    {
        number += bench_measured(other) && first_of(rows, other) == other;
        if (other == first)
            break;
    }
    return number;
}

static void element(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "<%s>", tag);
    bench_page_text(out, text);
    fprintf(out, "</%s>", tag);
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void write_fact(FILE *out, const char *name, const cJSON *object, const char *member, const char *unit)
{
    double value = bench_number(object, member);
    char text[64];
    snprintf(text, sizeof text, "%.4g%s", value, unit);
    if (!*bench_text(object, member) && isnan(value))
        return;
    element(out, "dt", name);
    element(out, "dd", isnan(value) ? bench_text(object, member) : text);
    fputc('\n', out);
}

static void write_machine(FILE *out, const cJSON *root)
{
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(root, "device");
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(root, "machine");
    element(out, "h1", *bench_text(device, "name") ? bench_text(device, "name") : "a device without a name");
    fprintf(out, "\n<p class=\"soft\">oclDNN ");
    bench_page_text(out, bench_text(root, "version"));
    fprintf(out, ": how fast its operators are, and how fast they could be</p>\n<dl class=\"facts\">\n");
    write_fact(out, "platform", device, "platform", "");
    write_fact(out, "driver", device, "driver", "");
    write_fact(out, "vendor", device, "vendor", "");
    write_fact(out, "compute units", device, "compute_units", "");
    write_fact(out, "memory", device, "memory_gbytes", " GB");
    write_fact(out, "kernels", device, "family", "");
    write_fact(out, "host", machine, "processor", "");
    write_fact(out, "host's threads", machine, "processors", "");
    write_fact(out, "system", machine, "system", "");
    write_fact(out, "load before", machine, "load_before", "");
    write_fact(out, "measured", machine, "time", "");
    fprintf(out, "</dl>\n");
}

static void write_limits(FILE *out, const cJSON *root)
{
    static const struct {
        const char *name, *member, *unit;
    } all[] = {
        {"F32 multiply-add", "fma_gflops", "GFLOP/s"},
        {"of it fed from cache", "fed_percent_of_fma", "%"},
        {"BF16 on matrix units", "matrix_bf16_gflops", "GFLOP/s"},
        {"F16 made F32", "f16_to_f32_gvalues_per_second", "G/s"},
        {"read", "read_gbytes_per_second", "GB/s"},
        {"write", "write_gbytes_per_second", "GB/s"},
        {"copy", "copy_gbytes_per_second", "GB/s"},
        {"a launch", "launch_microseconds", "&#181;s"},
        {"launch and wait", "launch_and_wait_microseconds", "&#181;s"},
    };
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(root, "limits");
    fprintf(out, "<h2>The device&#39;s limits</h2>\n<div class=\"grid limits\">\n");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double value = bench_number(limits, all[i].member);
        if (!isnan(value))
            fprintf(out, "<div><b>%.*g %s</b><span class=\"soft\">%s</span></div>\n", value < 1000 ? 3 : 5, value,
                    all[i].unit, all[i].name);
    }
    fprintf(out, "</div>\n");
}

static void write_rooflines(FILE *out, const cJSON *root)
{
    static const char *const dtypes[] = {"F32", "F16", "BF16"};
    fprintf(out,
            "<h2>Rooflines</h2>\n<p class=\"soft\">Across: arithmetic for each byte that must move. Upward: "
            "arithmetic a second. Flat: multiply-add rate. Slopes: reading (solid) and copying (dashed) memory. "
            "Products on matrix units may lie above. Numbers are those of the bars below. Rows that only move bytes "
            "have no place here.</p>\n"
            "<div class=\"grid plots\">\n");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        bench_page_roofline(out, root, dtypes[i]);
    fprintf(out, "</div>\n");
}

/* ---- bars -------------------------------------------------------------------------------------------------------- */

static void write_title(FILE *out, int number, const cJSON *row)
{
    fprintf(out, "<h3><b class=\"n\">%d</b> ", number);
    bench_page_text(out, bench_text(row, "name"));
    fprintf(out, " <span>");
    bench_page_text(out, bench_text(row, "shape"));
    fprintf(out, ", ");
    bench_page_text(out, bench_text(row, "strategy"));
    fprintf(out, "</span></h3>\n");
}

/* The track goes to 125 %: operators may pass a probe that was disturbed, or that a cache serves worse. */
static void write_bar(FILE *out, const cJSON *row)
{
    double percent = bench_number(row, "percent_of_limit");
    double width = percent > 0 ? fmin(percent, 125) / 1.25 : 0;
    fprintf(out, "<div class=\"bar\">");
    element(out, "span", bench_text(row, "dtype"));
    fprintf(out, "<span class=\"track\"><i style=\"width:%.1f%%\"></i><u style=\"left:80%%\"></u></span><span>", width);
    if (isnan(percent))
        fprintf(out, "?");
    else
        fprintf(out, "%.0f %% of ", percent);
    bench_page_text(out, bench_text(row, "limit"));
    fprintf(out, "</span></div>\n");
}

static void write_bars(FILE *out, const cJSON *rows)
{
    const cJSON *row, *other;
    fprintf(out, "<h2>Parts of the limit</h2>\n<p class=\"soft\">The time that the binding limit allows, by the time "
                 "taken; the line is 100 %%. The limit is measured in turns with each row.</p>\n"
                 "<div class=\"grid bars\">\n");
    cJSON_ArrayForEach(row, rows)
    {
        if (!bench_measured(row) || first_of(rows, row) != row)
            continue;
        fprintf(out, "<section>");
        write_title(out, bench_page_number(rows, row), row);
        cJSON_ArrayForEach(other, rows)
        {
            if (bench_measured(other) && same_number(other, row))
                write_bar(out, other);
        }
        fprintf(out, "</section>\n");
    }
    fprintf(out, "</div>\n");
}

/* ---- peers ------------------------------------------------------------------------------------------------------- */

static double on_track(double ratio)
{
    double part = 50 + 25 * log2(ratio); /* from a quarter to four times */
    return part < 0 || isnan(part) ? 0 : part > 100 ? 100 : part;
}

static void write_peer(FILE *out, const cJSON *peer, const cJSON *quartiles)
{
    double low = NAN, high = NAN, ratio = peer->valuedouble;
    int digits = ratio < 10 ? 2 : 0;
    const cJSON *ends = cJSON_GetObjectItemCaseSensitive(quartiles, peer->string);
    if (cJSON_IsNumber(cJSON_GetArrayItem(ends, 0)) && cJSON_IsNumber(cJSON_GetArrayItem(ends, 1))) {
        low = cJSON_GetArrayItem(ends, 0)->valuedouble;
        high = cJSON_GetArrayItem(ends, 1)->valuedouble;
    }
    fprintf(out, "<div class=\"bar peer\">");
    element(out, "span", peer->string);
    fprintf(out, "<span class=\"track\"><u style=\"left:50%%\"></u>");
    if (low <= high)
        fprintf(out, "<i style=\"left:%.1f%%;right:%.1f%%\"></i>", on_track(low), 100 - on_track(high));
    fprintf(out, "<b style=\"left:%.1f%%\"></b></span><span>%.*f", on_track(ratio), digits, ratio);
    if (low <= high)
        fprintf(out, " (%.*f&#8211;%.*f)", digits, low, digits, high);
    fprintf(out, "</span></div>\n");
}

static void write_row_peers(FILE *out, const cJSON *rows, const cJSON *row)
{
    const cJSON *peers = cJSON_GetObjectItemCaseSensitive(row, "peers"), *peer;
    if (!bench_measured(row) || !cJSON_IsObject(peers) || !peers->child)
        return;
    fprintf(out, "<section><h3><b class=\"n\">%d</b> ", bench_page_number(rows, row));
    bench_page_text(out, bench_text(row, "name"));
    fprintf(out, " <span>");
    bench_page_text(out, bench_text(row, "dtype"));
    fprintf(out, " ");
    bench_page_text(out, bench_text(row, "shape"));
    fprintf(out, "</span></h3>\n");
    cJSON_ArrayForEach(peer, peers)
    {
        if (cJSON_IsNumber(peer) && peer->string && peer->valuedouble > 0)
            write_peer(out, peer, cJSON_GetObjectItemCaseSensitive(row, "peers_quartiles"));
    }
    fprintf(out, "</section>\n");
}

static bool any_peers(const cJSON *rows)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        const cJSON *peers = cJSON_GetObjectItemCaseSensitive(row, "peers");
        if (cJSON_IsObject(peers) && peers->child)
            return true;
    }
    return false;
}

static void write_peers(FILE *out, const cJSON *rows)
{
    const cJSON *row;
    if (!any_peers(rows))
        return;
    fprintf(out,
            "<h2>Beside other libraries</h2>\n<p class=\"soft\">Their time by ours, in turns on the same values: "
            "right of the line (1) ours is faster; the track goes from a quarter to four times, a bar is the middle "
            "half of the turns.</p>\n<div class=\"grid bars peers\">\n");
    cJSON_ArrayForEach(row, rows)
    {
        write_row_peers(out, rows, row);
    }
    fprintf(out, "</div>\n");
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void write_page(FILE *out, const bench_report *report)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(report->root, "rows");
    fprintf(out,
            "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
            "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<title>oclDNN bench: ");
    bench_page_text(out, bench_text(cJSON_GetObjectItemCaseSensitive(report->root, "device"), "name"));
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", bench_page_style);
    write_machine(out, report->root);
    write_limits(out, report->root);
    write_rooflines(out, report->root);
    write_bars(out, rows);
    write_peers(out, rows);
    bench_page_changes(out, report);
    bench_page_table(out, rows);
    fprintf(out, "</body>\n</html>\n");
}

bool bench_report_html(const bench_report *report, const char *path)
{
    FILE *out = fopen(path, "w");
    bool good = out != NULL;
    if (out) {
        write_page(out, report);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
    }
    if (!good)
        complain("%s: %s", path, strerror(errno));
    return good;
}
