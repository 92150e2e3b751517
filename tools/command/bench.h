/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of `ocldnn bench`. A row is an operator with tensors (bench_lists.c, bench_cases.c), measured in turns
 * (bench_rows.c, bench_measure.c) with a probe of the device's limit that does the same amount of work
 * (bench_limits.c), and with peers (bench_peers.c): on a machine whose speed wanders, only what ran in the same moments
 * can be compared. What comes out is JSON (bench_report.c), from which the tables, the comparison (bench_compare.c) and
 * the page (bench_page.c) are made, so that a file of an earlier run serves as well.
 */
#ifndef OD_COMMAND_BENCH_H
#define OD_COMMAND_BENCH_H

#include "ops/operators.h"
#include "command.h"

enum { BENCH_BUFFERS = 12, BENCH_ROUNDS = 64, BENCH_PEERS = 4, BENCH_CONTENDERS = 2 + BENCH_PEERS };

/* What the device's own probes are limited by. */
typedef enum bench_bound {
    BOUND_FLOPS,
    BOUND_FED,
    BOUND_READ,
    BOUND_COPY,
    BOUND_WRITE,
    BOUND_HALF,
    BOUND_MATRIX,
    BENCH_BOUNDS
} bench_bound;

typedef struct bench_limits {
    double flops;   /* F32 multiply-add, a second */
    double fed;     /* part of that which is left with operands from the first cache; 0 = not measured */
    double half;    /* F16 values made floats, a second */
    double matrix;  /* BF16 flops of the matrix units, a second; 0 where no kernel of ours uses them */
    double read;    /* bytes a second */
    double write;   /* bytes a second */
    double copy;    /* bytes read and written a second */
    double launch;  /* seconds from launch to launch in a stream of them */
    double latency; /* seconds of one launch that is waited for */
} bench_limits;

typedef struct bench {
    opened on;
    const od_device *facts;
    bool quick, peers, strategies;
    bench_limits limits;
    cl_program program; /* the probes' */
    cl_kernel probes[BENCH_BOUNDS], nothing;
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
    bool may_lag; /* if it is slow it takes part in the first few rounds only */
    int rounds;   /* in which it took part */
    double seconds[BENCH_ROUNDS];
} contender;

/* Lets the contenders run in turns for about `budget` seconds. Returns the number of rounds; 0 if one failed. */
int bench_interleave(bench *b, contender *list, int count, double budget);

/* The median, and the quartiles below and above it. NaN: not measured. */
typedef struct bench_spread {
    double low, middle, high;
} bench_spread;

double bench_median(const double *values, int count);
bench_spread bench_quartiles(const double *values, int count);
/* Over the rounds that both took part in: a's time by b's time. */
bench_spread bench_ratio(const contender *a, const contender *b);

/* Seconds on a clock that only goes forward. */
double bench_now(void);

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Work of one kind and amount (flops, values or bytes), as near as the probe's grain allows; scale corrects the rest.
 */
typedef struct probe {
    bench_bound bound;
    double scale;
    int rounds;    /* of the FMA probe's loop */
    size_t groups; /* of the streams' */
} probe;

enum { BENCH_PROBE_TEXTS = 2 };
extern const char *const bench_probes[BENCH_PROBE_TEXTS];

/* Builds the probes and measures all limits. */
bool bench_limits_open(bench *b);
void bench_limits_close(bench *b);
void bench_probe_set(const bench *b, probe *p, bench_bound bound, double amount);
bool bench_probe_go(bench *b, void *state);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef enum bench_set { BENCH_BASIC = 1, BENCH_MODELS = 2, BENCH_ALL = 3 } bench_set;

typedef struct bench_case {
    bench_set set;
    const char *name;
    uint32_t dtype;
    char shape[48];
    const od_operator *kind;
#define BENCH_MEMBER(NAME) ocldnn_##NAME NAME;
    union {
        OD_OPERATORS(BENCH_MEMBER)
    } op;
#undef BENCH_MEMBER
    uint32_t *choice;  /* the operator's strategy, in op; NULL if it has no choice */
    double flops;      /* of products */
    double operations; /* of any operator, nominally; 0 for one that only moves */
    double bytes_read, bytes_written;
    int64_t m, n, k;           /* of a plain matrix product, else 0 */
    ocldnn_tensor left, right; /* its factors, not packed */
    ocldnn_tensor result;      /* what peers are held against, dense; absent where none has the operator */
    int64_t reduction;         /* how many terms make one of its values */
    cl_mem buffers[BENCH_BUFFERS];
    int buffer_count;
} bench_case;

typedef struct bench_row {
    char strategy[32];
    double gflops, gbytes, intensity;
    bench_spread seconds, percent;
    const char *bound;
    double host_microseconds;        /* NaN: not measured */
    bench_spread peers[BENCH_PEERS]; /* their time by ours */
} bench_row;

/* How many rows the declared list has, and row `index` of it. make fills *c with tensors; false after complaining. */
int bench_case_count(void);
void bench_case_name(int index, bench_case *c);
bool bench_case_make(bench *b, int index, bench_case *c);
void bench_case_free(bench_case *c);

/* Whether the filter, a pattern of the shell, fits the name or name/dtype/shape. NULL: all are wanted. */
bool bench_wanted(const char *name, const char *dtype, const char *shape, const char *filter);

typedef struct bench_report bench_report;

/* Measures row `index`, and its further strategies if asked for, into the report. Returns how many were measured: what
 * the device cannot run is told with its reason. */
int bench_row_measure(bench *b, int index, bench_report *report);

/* Host time of a warm call beyond that of its bare launches, in microseconds; NaN where launches are not ours alone. */
double bench_host_cost(bench *b, const bench_case *c, double seconds);

/* ---- peers ------------------------------------------------------------------------------------------------------- */

/* A library that does the same work, looked for at run time. It is not unloaded: its threads live on. */
typedef struct bench_peer {
    const char *name, *package; /* package NULL: nothing is said where it is missing */
    double rest;                /* as a contender's */
    bool (*load)(bench *b);
    void *(*open)(bench *b, const bench_case *c); /* NULL: it cannot do this row */
    bool (*go)(bench *b, void *state);
    /* Its answer, dense, in the row's dtype. */
    bool (*answer)(bench *b, const void *state, void *data, size_t bytes);
    void (*close)(void *state);
} bench_peer;

extern const bench_peer bench_openblas, bench_onednn, bench_onednn_attention, bench_clblast;

/* The peer in this place, from 0 to BENCH_PEERS - 1, loaded at the first call; NULL when the machine has none. */
const bench_peer *bench_peer_at(bench *b, int place);
const char *bench_peer_name(int place);

/* Memory of zeros for a peer, on a whole line of the cache; NULL when there is none left. free() it. */
void *bench_aligned(size_t bytes);
/* A copy of a tensor, from its first element to its last, in such memory. */
void *bench_download(bench *b, const ocldnn_tensor *t);

/* ---- progress ---------------------------------------------------------------------------------------------------- */

/* One line on stderr, if that is a terminal: what is measured now, and about how long all will take. */
void bench_progress_show(int done, int count, double started, const bench_case *c);
void bench_progress_clear(void);

/* ---- report ------------------------------------------------------------------------------------------------------ */

/* An empty one about this device; prints its head. */
bench_report *bench_report_open(bench *b);
/* One from an earlier run's file, of the rows that the filter wants. NULL after complaining. */
bench_report *bench_report_load(const char *path, const char *filter);
void bench_report_print(const bench_report *report);
void bench_report_row(bench_report *report, const bench_case *c, const bench_row *row);
void bench_report_refused(bench_report *report, const bench_case *c, const char *reason);

/* Prints what has changed since the older one, which is from now on closed with the report. False after complaining. */
bool bench_report_compare(bench_report *report, bench_report *older, const char *path);
/* Each writes a file; false after complaining. */
bool bench_report_json(const bench_report *report, const char *path);
bool bench_report_html(const bench_report *report, const char *path);
void bench_report_close(bench_report *report);

#endif
