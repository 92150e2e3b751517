/* SPDX-License-Identifier: Apache-2.0
 *
 * ocldnn bench: how fast the operators are, and how fast they could be.
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct arguments {
    const char *device, *family, *filter, *json, *html, *load, *compare;
    bool quick, peers, strategies;
    bench_set set;
} arguments;

static const struct argp_option options[] = {
    {"device", 'd', "PART", 0, "the device whose name or platform has this part", 0},
    {"family", 'k', "FAMILY", 0, "kernels of this family, vector or tiled, instead of the device's own", 0},
    {"set", 's', "SET", 0, "basic: every operator (the default); models: layers of real models; all: both", 0},
    {"filter", 'f', "GLOB", 0, "only rows like this: a name (gemm*), or name/dtype/shape (*/F32/*)", 0},
    {"strategies", 'a', NULL, 0, "a row also for each strategy that is not taken unasked (CLBlast's compiles long)", 0},
    {"quick", 'q', NULL, 0, "fewer runs: 0.3 s a row instead of 1.5 s", 0},
    {"peers", 'p', NULL, 0, "OpenBLAS, oneDNN and CLBlast beside what they have too, in turns with ours", 0},
    {"json", 'j', "FILE", 0, "also write the rows to FILE", 0},
    {"html", 'H', "FILE", 0, "also write a page to look at, in one file", 0},
    {"compare", 'c', "FILE", 0, "what has changed since FILE, an older --json", 0},
    {"load", 'l', "FILE", 0, "take the rows from FILE, an older --json, instead of measuring", 0},
    {0},
};

static void parse_set(arguments *given, const char *name, struct argp_state *state)
{
    if (strcmp(name, "basic") == 0)
        given->set = BENCH_BASIC;
    else if (strcmp(name, "models") == 0)
        given->set = BENCH_MODELS;
    else if (strcmp(name, "all") == 0)
        given->set = BENCH_ALL;
    else
        argp_error(state, "the set is basic, models or all, not '%s'", name);
}

/* Where an option's FILE or PART goes; NULL for one that takes none. */
static const char **text_of(arguments *given, int key)
{
    switch (key) {
    case 'd':
        return &given->device;
    case 'k':
        return &given->family;
    case 'f':
        return &given->filter;
    case 'j':
        return &given->json;
    case 'H':
        return &given->html;
    case 'c':
        return &given->compare;
    case 'l':
        return &given->load;
    default:
        return NULL;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *given = state->input;
    const char **text = text_of(given, key);
    if (key == 'k' && strcmp(argument, "vector") != 0 && strcmp(argument, "tiled") != 0)
        argp_error(state, "the family is vector or tiled, not '%s'", argument);
    if (text)
        *text = argument;
    else if (key == 's')
        parse_set(given, argument, state);
    else if (key == 'a')
        given->strategies = true;
    else if (key == 'q')
        given->quick = true;
    else if (key == 'p')
        given->peers = true;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp parser = {
    options,
    parse,
    NULL,
    "Measures a device's limits, then the operators, as parts of these limits.\v"
    "First by kernels of its own: the rate of F32 multiply-adds and of making F32 of F16, reading, writing and copying "
    "memory, what a launch costs. Then the rows of a set: `basic` has each operator at sizes that fill a device, in "
    "F32, "
    "F16 and BF16; `models` has layers of MiniLM and BERT-base (F32, F16), of Llama-3-8B and Qwen3-30B-A3B (BF16; "
    "prefill of 512 tokens, decode of one), with packed weights. Time is the median of many runs, of which a few are "
    "put on the queue at once; tensors and programs are there before.\n\n"
    "of limit   the time that the device's limit allows for the row's work (multiply-adds, or bytes that must be read "
    "and written) by the time taken. The limit is measured again, in turns with the operator and with the same amount "
    "of work: a machine whose speed wanders does not change the ratio. Which limit binds stands beside: fma, read or "
    "copy. Products on matrix units may pass that of multiply-adds.\n"
    "fed        multiply-adds with operands from the first cache, in the tile of a matrix product, as a part of those "
    "from registers: the most that a product could reach at the moment. Well below 100 % on an idle machine it tells "
    "of a neighbour on the same core.\n"
    "host us    what a call costs the host beyond the bare clSetKernelArg and clEnqueueNDRangeKernel of the same "
    "launches; a median of single calls. Not measured for rows that run long.\n"
    "peers      a library's time by ours, with the quartiles over the turns: above 1, ours is faster. They work on the "
    "same values, read a product's weight as the model stores it (also where ours is packed), and write to memory that "
    "is there before. The whole of their answer is compared with ours; one that differs is told and gets no ratio. "
    "OpenBLAS and CLBlast do F32 products; oneDNN products, layer_norm, softmax, log_softmax, gelu, add, "
    "rms_norm where it is new enough, in the types that it has for the processor and wherever it has more than "
    "reference code. It has no attention: `oneDNN (3 primitives)` is a product, softmax in place and a product, scale "
    "and causal mask (zeros and -inf) in the first; it computes what a causal mask then hides. What the machine lacks "
    "is named.\n\n"
    "--compare puts two runs side by side; rows are the same by name, dtype, shape and strategy. `faster` and `slower` "
    "are changes beyond the spread: the quartiles of the times are apart, and those of the part of the limit too. "
    "Where "
    "only the times are apart the machine has changed (`with the machine`). Files without quartiles count with 5 %. "
    "`ocldnn bench --load NEW --compare OLD` measures nothing.\n\n"
    "The page of --html needs nothing beside it: limits, rooflines, parts of the limits, peers, changes, the table.\n\n"
    "The JSON file is an object with device, machine, limits and rows; a row has name, dtype, shape, strategy, "
    "seconds, "
    "gflops, gbytes_per_second, operations_per_byte, percent_of_limit, limit, host_microseconds, and peers, a map of "
    "name to ratio; seconds_quartiles, percent_quartiles and peers_quartiles are pairs, low and high. A row that "
    "cannot "
    "run on the device has `refused`, a sentence, instead.\n\n"
    "Exit status: 0, or 1 when nothing could be measured, or a file not be read or written.",
    NULL,
    NULL,
    NULL};

static bool wanted(int index, const arguments *given, bench_case *c)
{
    bench_case_name(index, c);
    return (c->set & given->set) && bench_wanted(c->name, od_dtype_name(c->dtype), c->shape, given->filter);
}

static int measure_all(bench *b, const arguments *given, bench_report *report)
{
    double started = bench_now();
    int measured = 0, count = 0, done = 0;
    bench_case c;
    for (int i = 0; i < bench_case_count(); i++)
        count += wanted(i, given, &c);
    for (int i = 0; i < bench_case_count(); i++) {
        if (!wanted(i, given, &c))
            continue;
        bench_progress_show(done++, count, started, &c);
        measured += bench_row_measure(b, i, report);
        bench_progress_clear();
    }
    return measured;
}

static bench_report *measured_report(const arguments *given)
{
    bench b = {.quick = given->quick, .peers = given->peers, .strategies = given->strategies};
    bench_report *report = NULL;
    if (!open_device(given->device, given->family, &b.on))
        return NULL;
    b.facts = od_context_facts(b.on.context);
    if (bench_limits_open(&b) && !(report = bench_report_open(&b)))
        complain("no memory");
    if (report && measure_all(&b, given, report) == 0) {
        complain("nothing was measured%s", given->set == BENCH_ALL ? "" : " (--set all has further rows)");
        bench_report_close(report);
        report = NULL;
    }
    bench_limits_close(&b);
    close_device(&b.on);
    return report;
}

/* Whether it could be written to; what it holds stays. NULL: nobody asks for it. */
static bool is_writable(const char *path)
{
    FILE *file = path ? fopen(path, "a") : NULL;
    if (path && !file)
        return complain("%s: %s", path, strerror(errno)) == 0;
    return !file || fclose(file) == 0;
}

/* The older file is read and the new ones are tried first, so that a wrong name costs no minutes. */
int command_bench(int argc, char **argv)
{
    arguments given = {.set = BENCH_BASIC};
    bench_report *report = NULL, *older = NULL;
    bool good;
    argp_parse(&parser, argc, argv, 0, NULL, &given);
    if (given.compare && !(older = bench_report_load(given.compare, given.filter)))
        return 1;
    if (!is_writable(given.json) || !is_writable(given.html)) {
        bench_report_close(older);
        return 1;
    }
    report = given.load ? bench_report_load(given.load, given.filter) : measured_report(&given);
    good = report != NULL;
    if (good && given.load)
        bench_report_print(report);
    if (good && given.json)
        good = bench_report_json(report, given.json);
    if (report && older) {
        good = bench_report_compare(report, older, given.compare) && good;
        older = NULL;
    }
    if (report && given.html)
        good = bench_report_html(report, given.html) && good;
    bench_report_close(older);
    bench_report_close(report);
    return good ? 0 : 1;
}
