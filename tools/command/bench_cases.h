/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the list of rows (bench_lists.c) and what makes them (bench_cases.c).
 */
#ifndef OD_COMMAND_BENCH_CASES_H
#define OD_COMMAND_BENCH_CASES_H

#include "bench.h"

/* Each fills kind, op, tensors and the counts of work from sizes whose order stands beside it. */
typedef void bench_maker(bench *b, bench_case *c, const int64_t *d);

bench_maker bench_make_linear, bench_make_packed; /* M, N, K */
bench_maker bench_make_pack;                      /* N, K */
bench_maker bench_make_matmul;                    /* batch, M, N, K */
bench_maker bench_make_attention,
    bench_make_fallback;                 /* batch, heads, heads of k and v, queries, keys, width, causal */
bench_maker bench_make_packed_attention; /* heads, tokens, width */
bench_maker bench_make_rms_norm, bench_make_layer_norm; /* rows, width; so have the next three lines */
bench_maker bench_make_l2_norm, bench_make_softmax, bench_make_log_softmax;
bench_maker bench_make_gelu, bench_make_add, bench_make_gated;
bench_maker bench_make_top_k;     /* rows, width, k */
bench_maker bench_make_embedding; /* batch, tokens, width, words */
bench_maker bench_make_rotary;    /* 1, heads, tokens, width */
bench_maker bench_make_mean_pool; /* batch, tokens, width */

#endif
