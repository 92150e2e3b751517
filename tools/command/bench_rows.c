/* SPDX-License-Identifier: Apache-2.0
 *
 * One row: the operator, its limit and its peers in turns, for each strategy.
 */
#include "bench.h"

#include "runtime/verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The peers that can do this row join the list. A peer's place is left in places[]. */
static int invite(bench *b, const bench_case *c, contender *list, int count, int places[BENCH_CONTENDERS])
{
    for (int place = 0; b->peers && c->result.rank > 0 && place < BENCH_PEERS; place++) {
        const bench_peer *peer = bench_peer_at(b, place);
        void *state = peer ? peer->open(b, c) : NULL;
        if (!state)
            continue;
        places[count] = place;
        list[count++] = (contender){
            .name = peer->name, .go = peer->go, .state = state, .scale = 1, .rest = peer->rest, .may_lag = true};
    }
    return count;
}

/* Whether a peer has computed what we have: a ratio to something else would be worth nothing. Each of the two may be
 * off by what docs/accuracy.md allows as a root mean square, so the difference by twice that; no single value by ten
 * times as much. */
static bool same(const bench_case *c, const bench_peer *peer, const void *ours, const void *theirs, size_t count)
{
    double each = c->dtype == OCLDNN_F16 ? 1e-3 : c->dtype == OCLDNN_BF16 ? 8e-3 : 1e-6 * sqrt((double)c->reduction);
    double squares = 0, apart = 0, size;
    for (size_t i = 0; i < count; i++) {
        double a = (double)load_value(c->dtype, ours, i), difference = (double)load_value(c->dtype, theirs, i) - a;
        squares += a * a;
        apart += difference * difference;
    }
    size = sqrt(squares / (double)count);
    if (!(sqrt(apart / (double)count) <= 2 * each * size))
        return complain("peers: %s is %.2g of the result's size away from ours at %s %s %s", peer->name,
                        sqrt(apart / squares), c->name, od_dtype_name(c->dtype), c->shape) == 0;
    for (size_t i = 0; i < count; i++) {
        double a = (double)load_value(c->dtype, ours, i), other = (double)load_value(c->dtype, theirs, i);
        if (fabs(a - other) > 20 * each * (fabs(a) + size))
            return complain("peers: %s has %g where we have %g at %s %s %s", peer->name, other, a, c->name,
                            od_dtype_name(c->dtype), c->shape) == 0;
    }
    return true;
}

static bool agrees(bench *b, const bench_case *c, const bench_peer *peer, const void *state)
{
    size_t count = 1, bytes;
    void *ours, *theirs;
    bool good;
    for (uint32_t axis = 0; axis < c->result.rank; axis++)
        count *= (size_t)c->result.shape[axis];
    bytes = count * ocldnn_dtype_size((ocldnn_dtype)c->dtype);
    ours = bench_download(b, &c->result);
    theirs = bench_aligned(bytes);
    good = ours && theirs && peer->answer(b, state, theirs, bytes) && same(c, peer, ours, theirs, count);
    free(ours);
    free(theirs);
    return good;
}

static bool measure(bench *b, bench_case *c, bench_row *row, bool with_peers)
{
    static const char *const bounds[BENCH_BOUNDS] = {
        [BOUND_FLOPS] = "fma", [BOUND_READ] = "read", [BOUND_COPY] = "copy"};
    contender list[BENCH_CONTENDERS] = {{.name = "ours", .go = run_case, .state = c, .scale = 1}};
    int places[BENCH_CONTENDERS], count = 2, rounds;
    probe limit;
    double amount;
    bench_bound bound = binding(b, c, &amount);
    bench_probe_set(b, &limit, bound, amount);
    list[1] = (contender){.name = "limit", .go = bench_probe_go, .state = &limit, .scale = limit.scale};
    if (with_peers)
        count = invite(b, c, list, count, places);
    rounds = bench_interleave(b, list, count, b->quick ? 0.3 : 1.5);
    for (int i = 2; i < count; i++) {
        const bench_peer *peer = bench_peer_at(b, places[i]);
        if (rounds > 0 && agrees(b, c, peer, list[i].state))
            row->peers[places[i]] = bench_ratio(&list[i], &list[0]);
        peer->close(list[i].state);
    }
    if (rounds == 0)
        return false;
    row->seconds = bench_quartiles(list[0].seconds, rounds);
    row->gflops = c->flops / row->seconds.middle * 1e-9;
    row->gbytes = (c->bytes_read + c->bytes_written) / row->seconds.middle * 1e-9;
    row->intensity = c->operations / (c->bytes_read + c->bytes_written);
    row->percent = bench_ratio(&list[1], &list[0]);
    row->bound = bounds[bound];
    row->host_microseconds = bench_host_cost(b, c, row->seconds.middle);
    return true;
}

static bool one_strategy(bench *b, bench_case *c, const char *strategy, bool with_peers, bench_report *report)
{
    const bench_spread none = {NAN, NAN, NAN};
    bench_row row = {0};
    for (int i = 0; i < BENCH_PEERS; i++)
        row.peers[i] = none;
    snprintf(row.strategy, sizeof row.strategy, "%s", strategy);
    if (od_prepare(b->on.context, c->kind, &c->op) == OCLDNN_SUCCESS && measure(b, c, &row, with_peers)) {
        bench_report_row(report, c, &row);
        return true;
    }
    bench_report_refused(report, c, ocldnn_last_error());
    return false;
}

/* The strategies that AUTO passed over and that can run here. What cannot is no fault: nobody asked for it by name. */
static int other_strategies(bench *b, bench_case *c, const char *chosen, bench_report *report)
{
    int measured = 0;
    for (uint32_t value = 1; c->choice && value <= c->kind->highest_strategy; value++) {
        ocldnn_query query;
        *c->choice = value;
        if (od_query(b->on.context, c->kind, &c->op, &query) == OCLDNN_SUCCESS && strcmp(query.strategy, chosen) != 0)
            measured += one_strategy(b, c, query.strategy, false, report);
    }
    return measured;
}

int bench_row_measure(bench *b, int index, bench_report *report)
{
    ocldnn_query query;
    bench_case c;
    int measured = 0;
    if (bench_case_make(b, index, &c)) {
        bool by_name = c.choice && *c.choice != 0;
        if (od_query(b->on.context, c.kind, &c.op, &query) != OCLDNN_SUCCESS)
            bench_report_refused(report, &c, ocldnn_last_error());
        else
            measured = one_strategy(b, &c, query.strategy, true, report);
        if (measured && b->strategies && !by_name)
            measured += other_strategies(b, &c, query.strategy, report);
    }
    bench_case_free(&c);
    return measured;
}
