/* SPDX-License-Identifier: Apache-2.0
 *
 * ocldnn bench: how fast the operators are, and how fast they could be.
 */
#include "bench.h"

#include "runtime/verbs.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct arguments {
    const char *device, *family, *filter, *json;
    bool quick, peers;
} arguments;

static const struct argp_option options[] = {
    {"device", 'd', "PART", 0, "the device whose name or platform has this part", 0},
    {"family", 'k', "FAMILY", 0, "kernels of this family, vector or tiled, instead of the device's own", 0},
    {"filter", 'f', "GLOB", 0, "only rows like this: a name (gemm*), or name/dtype/shape (*/F32/*)", 0},
    {"quick", 'q', NULL, 0, "fewer runs: 0.3 s a row instead of 1.5 s", 0},
    {"peers", 'p', NULL, 0, "OpenBLAS beside the F32 products, on the same tensors, in turns with ours", 0},
    {"json", 'j', "FILE", 0, "also write the rows to FILE", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *given = state->input;
    switch (key) {
    case 'd':
        given->device = argument;
        return 0;
    case 'k':
        if (strcmp(argument, "vector") != 0 && strcmp(argument, "tiled") != 0)
            argp_error(state, "the family is vector or tiled, not '%s'", argument);
        given->family = argument;
        return 0;
    case 'f':
        given->filter = argument;
        return 0;
    case 'q':
        given->quick = true;
        return 0;
    case 'p':
        given->peers = true;
        return 0;
    case 'j':
        given->json = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    options,
    parse,
    NULL,
    "Measures a device's limits, then the operators, as parts of these limits.\v"
    "First by kernels of its own: the rate of F32 multiply-adds, reading and copying memory, what a launch costs. Then "
    "each operator of a fixed list of shapes, in F32, F16 and BF16. Time is the median of many runs, of which a few "
    "are put on the queue at once; tensors and programs are there before.\n\n"
    "of limit   the time that the device's limit allows for the row's work (multiply-adds, or bytes that must be read "
    "and written) by the time taken. The limit is measured again, in turns with the operator and with the same amount "
    "of work: a machine whose speed wanders does not change the ratio. Which limit binds stands beside: fma, read or "
    "copy.\n"
    "fed        multiply-adds with operands from the first cache, in the tile of a matrix product, as a part of those "
    "from registers: the most that a product could reach at the moment. Well below 100 % on an idle machine it tells "
    "of a neighbour on the same core.\n"
    "host us    what a call costs the host beyond the bare clSetKernelArg and clEnqueueNDRangeKernel of the same "
    "launches; a median of single calls.\n"
    "OpenBLAS   its time by ours: above 1, ours is faster.\n\n"
    "The JSON file is an object with device, limits and rows; a row has name, dtype, shape, strategy, seconds, gflops, "
    "gbytes_per_second, percent_of_limit, limit, host_microseconds, and peers, a map of name to ratio. A row that "
    "cannot run on the device has `refused`, a sentence, instead.\n\n"
    "Exit status: 0, or 1 when nothing could be measured.",
    NULL,
    NULL,
    NULL};

static bool wanted(const bench_case *c, const char *filter)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s/%s/%s", c->name, od_dtype_name(c->dtype), c->shape);
    return !filter || fnmatch(filter, c->name, 0) == 0 || fnmatch(filter, whole, 0) == 0;
}

/* The bound that takes longest at the device's limits, and the amount of work that it bounds. */
static bench_bound binding(const bench *b, const bench_case *c, double *amount)
{
    double bytes = c->bytes_read + c->bytes_written;
    bool mostly_reads = c->bytes_written < bytes / 4;
    double streaming = bytes / (mostly_reads ? b->limits.read : b->limits.copy);
    if (c->flops / b->limits.flops >= streaming) {
        *amount = c->flops;
        return BOUND_FLOPS;
    }
    *amount = bytes;
    return mostly_reads ? BOUND_READ : BOUND_COPY;
}

static bool run_case(bench *b, void *state)
{
    const bench_case *c = state;
    const ocldnn_exec exec = {.queue = b->on.queue};
    return od_run(b->on.context, c->kind, &c->op, &exec) == OCLDNN_SUCCESS;
}

static bool measure(bench *b, bench_case *c, bench_row *row)
{
    static const char *const bounds[] = {"fma", "fed", "read", "copy"};
    openblas_state *openblas = bench_openblas_open(b, c);
    contender list[BENCH_CONTENDERS] = {{.name = "ours", .go = run_case, .state = c, .scale = 1}};
    probe limit;
    double amount;
    bench_bound bound = binding(b, c, &amount);
    int rounds;
    bench_probe_set(b, &limit, bound, amount);
    list[1] = (contender){.name = "limit", .go = bench_probe_go, .state = &limit, .scale = limit.scale};
    list[2] = (contender){.name = "OpenBLAS", .go = bench_openblas_go, .state = openblas, .scale = 1, .rest = 0.05};
    rounds = bench_interleave(b, list, openblas ? 3 : 2, b->quick ? 0.3 : 1.5);
    bench_openblas_close(openblas);
    if (rounds == 0)
        return false;
    row->seconds = bench_median(list[0].seconds, rounds);
    row->gflops = c->flops / row->seconds * 1e-9;
    row->gbytes = (c->bytes_read + c->bytes_written) / row->seconds * 1e-9;
    row->percent = 100 * bench_ratio(&list[1], &list[0], rounds);
    row->bound = bounds[bound];
    row->openblas = openblas ? bench_ratio(&list[2], &list[0], rounds) : NAN;
    row->host_microseconds = bench_host_cost(b, c, row->seconds);
    return true;
}

/* Rows that the device cannot run are told with their reason; true when one was measured. */
static bool one_row(bench *b, int index, bench_report *report)
{
    bench_row row = {0};
    ocldnn_query query;
    bench_case c;
    bool good = bench_case_make(b, index, &c);
    if (good && od_query(b->on.context, c.kind, &c.op, &query) == OCLDNN_SUCCESS &&
        od_prepare(b->on.context, c.kind, &c.op) == OCLDNN_SUCCESS && measure(b, &c, &row)) {
        snprintf(row.strategy, sizeof row.strategy, "%s", query.strategy);
        bench_report_row(report, &c, &row);
    } else if (good) {
        bench_report_refused(report, &c, ocldnn_last_error());
        good = false;
    }
    bench_case_free(&c);
    return good;
}

static int run_all(bench *b, const arguments *given)
{
    bench_report *report = bench_report_open(b);
    int measured = 0;
    if (!report)
        return complain("no memory");
    for (int i = 0; i < bench_case_count(); i++) {
        bench_case c;
        bench_case_name(i, &c);
        if (wanted(&c, given->filter))
            measured += one_row(b, i, report);
    }
    if (!bench_report_close(report, given->json))
        return 1;
    return measured ? 0 : complain("nothing was measured");
}

int command_bench(int argc, char **argv)
{
    arguments given = {0};
    bench b = {0};
    int status = 1;
    argp_parse(&parser, argc, argv, 0, NULL, &given);
    if (!open_device(given.device, given.family, &b.on))
        return 1;
    b.facts = od_context_facts(b.on.context);
    b.quick = given.quick;
    b.peers = given.peers;
    if (bench_limits_open(&b))
        status = run_all(&b, &given);
    bench_limits_close(&b);
    close_device(&b.on);
    return status;
}
