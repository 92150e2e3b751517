/* SPDX-License-Identifier: Apache-2.0
 *
 * ocldnn check: does this device, with this driver, compute what it should?
 */
#include "check.h"

#include "runtime/verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
    const char *device, *family;
    bool all;
} arguments;

static const struct argp_option options[] = {
    {"device", 'd', "PART", 0, "the device whose name or platform has this part", 0},
    {"family", 'k', "FAMILY", 0, "kernels of this family, vector or tiled, instead of the device's own", 0},
    {"all", 'a', NULL, 0, "also the strategies of CLBlast, which compiles its own kernels: 10 s and more", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *given = state->input;
    if (key == 'd')
        given->device = argument;
    else if (key == 'a')
        given->all = true;
    else if (key == 'k' && (strcmp(argument, "vector") == 0 || strcmp(argument, "tiled") == 0))
        given->family = argument;
    else if (key == 'k')
        argp_error(state, "the family is vector or tiled, not '%s'", argument);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp parser = {
    options,
    parse,
    NULL,
    "Runs every operator on a device and compares with known answers.\v"
    "A line for each operator, dtype and strategy: ok, FAILED with the worst place, or skipped with the reason. The "
    "cases are small, have odd sizes, and take seconds once compiled, and a minute or two before. A driver that "
    "miscompiles a "
    "kernel shows here; please report such a line together with the output of `ocldnn info`.\n\n"
    "Exit status: 0 when nothing failed, 1 otherwise.",
    NULL,
    NULL,
    NULL};

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static void line(const check *c, const char *name, const char *strategy)
{
    printf("%-12s %-5s %-20s ", name, od_dtype_name(c->dtype), strategy);
}

/* Counts a verdict and ends its line; an empty sentence is a good one. */
static void judge(check *c, const char *wrong)
{
    *(*wrong ? &c->failed : &c->passed) += 1;
    printf("%s%s\n", *wrong ? "FAILED: " : "ok", wrong);
}

static void refused(check *c, ocldnn_status status)
{
    char text[600];
    snprintf(text, sizeof text, "%s: %s", ocldnn_status_name(status), ocldnn_last_error());
    if (status != OCLDNN_UNSUPPORTED) {
        judge(c, text);
        return;
    }
    c->skipped++;
    printf("skipped: %s\n", ocldnn_last_error());
}

bool check_call(check *c, const char *name, const od_operator *kind, const void *op)
{
    ocldnn_status status = od_run(c->on.context, kind, op, &(ocldnn_exec){.queue = c->on.queue});
    if (status == OCLDNN_SUCCESS)
        return true;
    line(c, name, "-");
    refused(c, status);
    return false;
}

void check_run(check *c, const char *name, const od_operator *kind, const void *op, const ocldnn_tensor *output,
               const double *wanted)
{
    ocldnn_exec exec = {.queue = c->on.queue};
    ocldnn_query query;
    ocldnn_status status = od_query(c->on.context, kind, op, &query);
    char text[128];
    bool slow = status == OCLDNN_SUCCESS && query.step_count > 0 && strstr(query.strategy, "clblast") && !c->all;
    if (status == OCLDNN_SUCCESS && !slow)
        status = od_run(c->on.context, kind, op, &exec);
    line(c, name, status == OCLDNN_UNSUPPORTED ? "-" : query.strategy);
    if (slow) {
        c->skipped++;
        printf("skipped: only with --all\n");
    } else if (status == OCLDNN_SUCCESS) {
        judge(c, check_wrong(c, output, wanted, text));
    } else {
        refused(c, status);
    }
}

int command_check(int argc, char **argv)
{
    arguments given = {0};
    check c = {0};
    argp_parse(&parser, argc, argv, 0, NULL, &given);
    if (!open_device(given.device, given.family, &c.on))
        return 1;
    c.all = given.all;
    printf("%s, %s\n", od_context_facts(c.on.context)->name, od_context_facts(c.on.context)->platform);
    for (c.dtype = OCLDNN_F32; c.dtype <= OCLDNN_BF16; c.dtype++) {
        check_normalization(&c);
        check_products(&c);
        check_attention(&c);
        check_elementwise(&c);
        check_sequence(&c);
    }
    close_device(&c.on);
    printf("%u passed, %u failed, %u skipped\n", c.passed, c.failed, c.skipped);
    return c.failed ? 1 : 0;
}
