/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of `ocldnn bench`. A row is an operator with tensors (bench_cases.c), measured in turns with a probe of the
 * device's limit that does the same amount of work (bench_limits.c), and with peers (bench_peers.c): on a machine whose
 * speed wanders, only what ran in the same moments can be compared.
 */
#ifndef OD_COMMAND_BENCH_H
#define OD_COMMAND_BENCH_H

#include "base/operator.h"
#include "command.h"

enum { BENCH_BUFFERS = 12, BENCH_ROUNDS = 64, BENCH_CONTENDERS = 4 };

typedef struct bench_limits {
    double flops;   /* F32 multiply-add, a second */
    double fed;     /* part of that which is left with operands from the first cache; 0 = not measured */
    double read;    /* bytes a second */
    double copy;    /* bytes read and written a second */
    double launch;  /* seconds from launch to launch in a stream of them */
    double latency; /* seconds of one launch that is waited for */
} bench_limits;

typedef struct bench {
    opened on;
    const od_device *facts;
    bool quick, peers;
    bench_limits limits;
    cl_program program; /* the probes' */
    cl_kernel fma, fed, read, copy, nothing;
    cl_mem source, target; /* BENCH_STREAM_BYTES each */
} bench;

enum { BENCH_STREAM_BYTES = 128 << 20 };

/* ---- what competes ----------------------------------------------------------------------------------------------- */

/* go() does the work once, or enqueues it; returns false if it cannot. */
typedef struct contender {
    const char *name;
    bool (*go)(bench *b, void *state);
    void *state;
    double scale; /* its work may differ from the others': a sample's seconds are multiplied by this */
    double rest;  /* seconds of pause after a sample, for one whose threads go on spinning */
    double seconds[BENCH_ROUNDS];
} contender;

/* Lets the contenders run in turns for about `budget` seconds. Returns the number of rounds; 0 if one failed. */
int bench_interleave(bench *b, contender *list, int count, double budget);

double bench_median(const double *values, int count);
/* The median over the rounds of a's time by b's time. */
double bench_ratio(const contender *a, const contender *b, int rounds);

/* Seconds on a clock that only goes forward. */
double bench_now(void);

/* ---- limits ------------------------------------------------------------------------------------------------------ */

typedef enum bench_bound { BOUND_FLOPS, BOUND_FED, BOUND_READ, BOUND_COPY } bench_bound;

/* Work of one kind and amount (flops or bytes), as near as the probe's grain allows; scale corrects the rest. */
typedef struct probe {
    bench_bound bound;
    double scale;
    int rounds;    /* of the FMA probe's loop */
    size_t groups; /* of the streams' */
} probe;

/* Builds the probes and measures all limits. */
bool bench_limits_open(bench *b);
void bench_limits_close(bench *b);
void bench_probe_set(const bench *b, probe *p, bench_bound bound, double amount);
bool bench_probe_go(bench *b, void *state);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef struct bench_case {
    const char *name;
    uint32_t dtype;
    char shape[48];
    const od_operator *kind;
    union {
        ocldnn_activation activation;
        ocldnn_attention attention;
        ocldnn_binary binary;
        ocldnn_embedding embedding;
        ocldnn_gated gated;
        ocldnn_l2_norm l2_norm;
        ocldnn_layer_norm layer_norm;
        ocldnn_linear linear;
        ocldnn_linear_pack linear_pack;
        ocldnn_matmul matmul;
        ocldnn_mean_pool mean_pool;
        ocldnn_rms_norm rms_norm;
        ocldnn_rotary rotary;
        ocldnn_softmax softmax;
        ocldnn_top_k top_k;
    } op;
    double flops;
    double bytes_read, bytes_written;
    int64_t m, n, k; /* of a plain F32 matrix product that peers can do too, else 0 */
    ocldnn_tensor left, right;
    cl_mem buffers[BENCH_BUFFERS];
    int buffer_count;
} bench_case;

typedef struct bench_row {
    char strategy[32];
    double seconds, gflops, gbytes, percent;
    const char *bound;
    double host_microseconds; /* NaN: not measured */
    double openblas;          /* its time by ours; NaN: not measured */
} bench_row;

/* How many rows the declared list has, and row `index` of it. make fills *c with tensors; false after complaining. */
int bench_case_count(void);
void bench_case_name(int index, bench_case *c);
bool bench_case_make(bench *b, int index, bench_case *c);
void bench_case_free(bench_case *c);

/* Host time of a warm call beyond that of its bare launches, in microseconds; NaN where launches are not ours alone. */
double bench_host_cost(bench *b, const bench_case *c, double seconds);

/* ---- peers ------------------------------------------------------------------------------------------------------- */

typedef struct openblas_state openblas_state;
/* NULL when there is no OpenBLAS or the row has no plain product. */
openblas_state *bench_openblas_open(bench *b, const bench_case *c);
bool bench_openblas_go(bench *b, void *state);
void bench_openblas_close(openblas_state *state);

/* ---- report ------------------------------------------------------------------------------------------------------ */

typedef struct bench_report bench_report;
bench_report *bench_report_open(const bench *b);
void bench_report_row(bench_report *report, const bench_case *c, const bench_row *row);
void bench_report_refused(bench_report *report, const bench_case *c, const char *reason);
/* Writes the JSON file unless path is NULL; frees the report. */
bool bench_report_close(bench_report *report, const char *path);

#endif
