/* SPDX-License-Identifier: Apache-2.0
 *
 * The roofline as SVG: operations per byte across, operations a second upward, both in powers of ten; the device's
 * limits are the roofs. Each point has its row's number beside it, where there is room.
 */
#include "bench_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Units of the picture; it is as wide as a phone, so that text keeps its size there. */
enum { WIDTH = 380, HEIGHT = 340, LEFT = 40, RIGHT = 8, TOP = 18, BOTTOM = 34, TEXT_HEIGHT = 10, MOST = 256 };

typedef struct box {
    double x, y, width, height;
} box;

typedef struct point {
    double x, y;
    int number;
    const cJSON *row;
    box label;
} point;

typedef struct plot {
    double low_x, high_x, low_y, high_y; /* logarithms */
    double flops, read, copy;            /* G a second */
    point points[MOST];
    int count;
} plot;

static double place_x(const plot *p, double logarithm)
{
    return LEFT + (logarithm - p->low_x) / (p->high_x - p->low_x) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const plot *p, double logarithm)
{
    return HEIGHT - BOTTOM - (logarithm - p->low_y) / (p->high_y - p->low_y) * (HEIGHT - TOP - BOTTOM);
}

/* Logarithms of a row's place; false for one that is not measured or only moves bytes. */
static bool locate(const cJSON *row, double *x, double *y)
{
    double intensity = bench_number(row, "operations_per_byte"), rate = bench_number(row, "gbytes_per_second");
    if (!(intensity > 1e-6 && intensity < 1e9 && rate > 1e-6 && rate < 1e9) || !bench_measured(row))
        return false;
    *x = log10(intensity);
    *y = log10(intensity * rate);
    return true;
}

/* The same axes for all dtypes, so that the pictures can be compared. */
static void set_axes(plot *p, const cJSON *rows)
{
    const cJSON *row;
    double x, y;
    p->low_x = p->low_y = INFINITY;
    p->high_x = p->high_y = -INFINITY;
    cJSON_ArrayForEach(row, rows)
    {
        if (!locate(row, &x, &y))
            continue;
        p->low_x = fmin(p->low_x, x);
        p->high_x = fmax(p->high_x, x);
        p->low_y = fmin(p->low_y, y);
        p->high_y = fmax(p->high_y, y);
    }
    if (p->flops > 1e-6 && p->flops < 1e9)
        p->high_y = fmax(p->high_y, log10(p->flops));
    p->low_x -= 0.25;
    p->high_x += 0.25;
    p->low_y -= 0.3;
    p->high_y += 0.15;
}

static void set_points(plot *p, const cJSON *rows, const char *dtype)
{
    const cJSON *row;
    double x, y;
    cJSON_ArrayForEach(row, rows)
    {
        if (p->count == MOST || strcmp(bench_text(row, "dtype"), dtype) != 0 || !locate(row, &x, &y))
            continue;
        p->points[p->count++] =
            (point){.x = place_x(p, x), .y = place_y(p, y), .number = bench_page_number(rows, row), .row = row};
    }
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static double shared(box a, box b)
{
    double width = fmin(a.x + a.width, b.x + b.width) - fmax(a.x, b.x);
    double height = fmin(a.y + a.height, b.y + b.height) - fmax(a.y, b.y);
    return width > 0 && height > 0 ? width * height : 0;
}

/* How much of a label at this place would lie over points, over labels before it, and outside. */
static double crowding(const plot *p, int label, box at)
{
    const box inside = {LEFT, TOP - 14, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM + 14};
    double sum = 4 * (at.width * at.height - shared(at, inside));
    for (int i = 0; i < p->count; i++) {
        const box dot = {p->points[i].x - 4, p->points[i].y - 4, 8, 8};
        sum += shared(at, dot);
        if (i < label)
            sum += 2 * shared(at, p->points[i].label);
    }
    return sum;
}

/* Round the point, further and further out, until there is room; else where it is least crowded. */
static void place_label(plot *p, int label)
{
    enum { DIRECTIONS = 16 };
    point *point = &p->points[label];
    double width = point->number > 99 ? 21 : point->number > 9 ? 15 : 9, least = INFINITY;
    for (double radius = 10; radius < 90 && least > 0; radius += 6) {
        for (int i = 0; i < DIRECTIONS && least > 0; i++) {
            double angle = 2 * acos(-1) * i / DIRECTIONS, crowd;
            box at = {point->x + (radius + width / 3) * cos(angle) - width / 2,
                      point->y - radius * sin(angle) - TEXT_HEIGHT / 2.0, width, TEXT_HEIGHT};
            crowd = crowding(p, label, at) + (radius > 80 ? 1e-9 : 0);
            if (crowd < least) {
                least = crowd;
                point->label = at;
            }
        }
    }
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void draw_ticks(FILE *out, const plot *p)
{
    for (int power = (int)ceil(p->low_x); power <= (int)floor(p->high_x); power++) {
        double x = place_x(p, power);
        fprintf(out,
                "<path class=\"net\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 13, pow(10, power));
    }
    for (int power = (int)ceil(p->low_y); power <= (int)floor(p->high_y); power++) {
        double y = place_y(p, power);
        fprintf(out, "<path class=\"net\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 5, y + 4, pow(10, power));
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">operations per byte</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5);
    fprintf(out, "<text x=\"4\" y=\"11\">G operations/s</text>\n");
}

/* A slope of so many bytes a second, up to the flat roof or the edge. */
static void draw_slope(FILE *out, const plot *p, double bytes, const char *kind)
{
    double rate, end, start, top = p->flops > 0 ? fmin(log10(p->flops), p->high_y) : p->high_y;
    if (!(bytes > 1e-6 && bytes < 1e9))
        return;
    rate = log10(bytes);
    start = fmax(p->low_x, p->low_y - rate);
    end = fmin(p->high_x, top - rate);
    if (end > start)
        fprintf(out, "<path class=\"roof %s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", kind, place_x(p, start),
                place_y(p, start + rate), place_x(p, end), place_y(p, end + rate));
}

static void draw_roofs(FILE *out, const plot *p)
{
    double fastest = fmax(p->read, p->copy), y, x;
    draw_slope(out, p, p->read, "read");
    draw_slope(out, p, p->copy, "copy");
    if (!(p->flops > 1e-6 && p->flops < 1e9))
        return;
    y = place_y(p, log10(p->flops));
    x = fastest > 1e-6 && fastest < 1e9 ? fmax(log10(p->flops / fastest), p->low_x) : p->low_x;
    if (x < p->high_x)
        fprintf(out, "<path class=\"roof\" d=\"M%.1f %.1fH%d\"/>\n", place_x(p, x), y, WIDTH - RIGHT);
}

/* A line from a point to its label, where the label is far or could be taken for another point's. */
static void draw_lead(FILE *out, const plot *p, const point *at)
{
    double x = at->label.x + at->label.width / 2, y = at->label.y + at->label.height / 2;
    double own = hypot(x - at->x, y - at->y), nearest = INFINITY;
    for (int i = 0; i < p->count; i++)
        if (&p->points[i] != at)
            nearest = fmin(nearest, hypot(x - p->points[i].x, y - p->points[i].y));
    if (own > 18 || nearest < own + 3)
        fprintf(out, "<path class=\"lead\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", at->x, at->y, x, y);
}

static void draw_points(FILE *out, const plot *p)
{
    for (int i = 0; i < p->count; i++)
        draw_lead(out, p, &p->points[i]);
    for (int i = 0; i < p->count; i++) {
        const point *at = &p->points[i];
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%d ", at->x, at->y, at->number);
        bench_page_text(out, bench_text(at->row, "name"));
        fputc(' ', out);
        bench_page_text(out, bench_text(at->row, "shape"));
        fprintf(out, "</title></circle><text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n",
                at->label.x + at->label.width / 2, at->label.y + TEXT_HEIGHT - 1, at->number);
    }
}

void bench_page_roofline(FILE *out, const cJSON *root, const char *dtype)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows");
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(root, "limits");
    plot *p = calloc(1, sizeof *p);
    if (!p)
        return;
    p->flops = bench_number(limits, "fma_gflops");
    p->read = bench_number(limits, "read_gbytes_per_second");
    p->copy = bench_number(limits, "copy_gbytes_per_second");
    set_axes(p, rows);
    set_points(p, rows, dtype);
    for (int i = 0; i < p->count; i++)
        place_label(p, i);
    if (p->count > 0) {
        fprintf(out, "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                WIDTH, HEIGHT);
        bench_page_text(out, dtype);
        fprintf(out, ": operations a second over operations per byte</title>\n");
        draw_ticks(out, p);
        draw_roofs(out, p);
        draw_points(out, p);
        fprintf(out, "</svg><figcaption><b>");
        bench_page_text(out, dtype);
        fprintf(out, "</b></figcaption></figure>\n");
    }
    free(p);
}
