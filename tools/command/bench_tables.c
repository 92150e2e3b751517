/* SPDX-License-Identifier: Apache-2.0
 *
 * The page's tables: what has changed, and every number.
 */
#include "bench_report.h"

#include <math.h>

static void text_cell(FILE *out, const char *text)
{
    fprintf(out, "<td class=\"t\">");
    bench_page_text(out, text);
    fprintf(out, "</td>");
}

static void number_cell(FILE *out, double value, int digits)
{
    if (isnan(value))
        fprintf(out, "<td>&#8211;</td>");
    else
        fprintf(out, "<td>%.*f</td>", digits, value);
}

static void key_cells(FILE *out, const cJSON *row)
{
    text_cell(out, bench_text(row, "name"));
    text_cell(out, bench_text(row, "dtype"));
    text_cell(out, bench_text(row, "shape"));
    text_cell(out, bench_text(row, "strategy"));
}

static double of(const cJSON *row, const char *name)
{
    return row ? bench_number(row, name) : NAN;
}

/* The verdict first: a phone shows no more of a row without being pushed. */
static void write_change(FILE *out, const bench_change *change)
{
    const char *verdict = bench_verdict_names[change->verdict];
    fprintf(out, "<tr>");
    number_cell(out, change->ratio, 2);
    fprintf(out, "<td class=\"t %s\">%s</td>", verdict, verdict);
    key_cells(out, change->newer ? change->newer : change->older);
    number_cell(out, of(change->older, "seconds") * 1e3, 3);
    number_cell(out, of(change->newer, "seconds") * 1e3, 3);
    number_cell(out, of(change->older, "percent_of_limit"), 1);
    number_cell(out, of(change->newer, "percent_of_limit"), 1);
    fprintf(out, "</tr>\n");
}

void bench_page_changes(FILE *out, const bench_report *report)
{
    if (!report->older)
        return;
    fprintf(out, "<h2>What has changed</h2>\n<p class=\"soft\">Since version ");
    bench_page_text(out, bench_text(report->older->root, "version"));
    fprintf(out, " on ");
    bench_page_text(out, bench_text(cJSON_GetObjectItemCaseSensitive(report->older->root, "device"), "name"));
    fprintf(out, ", ");
    bench_page_text(out, bench_text(cJSON_GetObjectItemCaseSensitive(report->older->root, "machine"), "time"));
    fprintf(out,
            ". A row is faster or slower when both its time and its part of the limit have left their spread; with "
            "the machine, when only the time has.</p>\n<div class=\"wide\"><table>\n<tr><th>old/new</th><th "
            "class=\"t\"></th><th class=\"t\">name</th>"
            "<th class=\"t\">dtype</th><th class=\"t\">shape</th><th class=\"t\">strategy</th><th>old ms</th>"
            "<th>new ms</th><th>old %%</th><th>new %%</th></tr>\n");
    for (int i = 0; i < report->change_count; i++)
        write_change(out, &report->changes[i]);
    fprintf(out, "</table></div>\n");
}

static void write_row(FILE *out, const cJSON *rows, const cJSON *row)
{
    double gflops = bench_number(row, "gflops");
    fprintf(out, "<tr><td>");
    if (bench_measured(row))
        fprintf(out, "%d", bench_page_number(rows, row));
    fprintf(out, "</td>");
    key_cells(out, row);
    if (bench_measured(row)) {
        bench_spread seconds = bench_spread_of(row, "seconds", "seconds_quartiles");
        number_cell(out, seconds.middle * 1e3, 3);
        number_cell(out, 50 * (seconds.high - seconds.low) / seconds.middle, 0);
        number_cell(out, gflops > 0 ? gflops : NAN, 1);
        number_cell(out, bench_number(row, "gbytes_per_second"), 1);
        number_cell(out, bench_number(row, "percent_of_limit"), 1);
        text_cell(out, bench_text(row, "limit"));
        number_cell(out, bench_number(row, "host_microseconds"), 2);
    } else {
        fprintf(out, "<td class=\"t\" colspan=\"7\">");
        bench_page_text(out, bench_text(row, "refused"));
        fprintf(out, "</td>");
    }
    fprintf(out, "</tr>\n");
}

void bench_page_table(FILE *out, const cJSON *rows)
{
    const cJSON *row;
    fprintf(out, "<h2>Every row</h2>\n<div class=\"wide\"><table>\n<tr><th></th><th class=\"t\">name</th>"
                 "<th class=\"t\">dtype</th><th class=\"t\">shape</th><th class=\"t\">strategy</th><th>time ms</th>"
                 "<th>&#177; %%</th><th>GFLOP/s</th><th>GB/s</th><th>%% of limit</th><th class=\"t\">limit</th>"
                 "<th>host &#181;s</th></tr>\n");
    cJSON_ArrayForEach(row, rows)
    {
        write_row(out, rows, row);
    }
    fprintf(out,
            "</table></div>\n<p class=\"soft\">&#177;: half the distance of the quartiles. host: what a call costs "
            "the host beyond the bare launches.</p>\n");
}
