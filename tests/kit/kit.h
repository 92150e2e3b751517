/* SPDX-License-Identifier: Apache-2.0
 *
 * What every operator's test is made of.
 *
 * A test draws a shape, makes tensors, runs the operator, and compares with a reference that is plain C:
 *
 *     kit_tensor *x = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, 2, (int64_t[]){rows, width});
 *     kit_tensor *y = kit_output(dtype, KIT_STRIDED, 2, (int64_t[]){rows, width});
 *     ocldnn_l2_norm op = {.input = x->tensor, .output = y->tensor, .epsilon = 1e-6f};
 *     kit_run(l2_norm, &op);
 *     l2_norm_double(x->values, rows, width, 1e-6f, exact);      the truth
 *     l2_norm_float(x->values, rows, width, 1e-6f, naive);       what an honest float program reaches
 *     kit_compare(y, exact, naive, width);
 *     kit_free_all();
 *
 * x->values are doubles, already rounded to the dtype, in row-major order whatever the strides are. Every buffer has
 * guard zones and gaps between strided rows, and outputs are full of NaN first: kit_compare() fails if a byte outside
 * the tensor changed or an element was not written. The bound is that of numerics: max|out - exact| may be at most
 * twice max|naive - exact| plus one unit in the last place of the storage type, and the relative RMS error is bounded
 * too.
 *
 * The reference is one file, tests/reference/NAME.inc, written once over the type `real` with functions named
 * REFERENCE(NAME); reference/twice.h compiles it as double and as float. Inputs and outputs are double in both.
 *
 * The program runs its tests for each kernel family that kit_main() goes through: the device's own, then the other one
 * by altered device facts, unless a quirk of the driver rules the vector family out. OCLDNN_TEST_SEED sets the seed
 * (printed at the start), OCLDNN_TEST_SMALL=1 asks for few and small shapes (Oclgrind is a thousand times slower),
 * OCLDNN_TEST_FAMILY=vector|tiled for one family, OCLDNN_TEST_FILTER=named_* for some of the tests,
 * OCLDNN_DEVICE picks the device. OCLDNN_TEST_ACCURACY=FILE has every comparison's errors appended to a file
 * (accuracy.c).
 */
#ifndef OD_KIT_H
#define OD_KIT_H

#include "base/device.h"

#include <ocldnn/ocldnn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the process's context ----------------------------------------------------------------------------------------
 */

typedef struct kit_state {
    ocldnn_context *context; /* of the family under test */
    cl_context cl;
    cl_device_id device;
    cl_command_queue queue;     /* in-order */
    cl_command_queue unordered; /* out-of-order; NULL where the driver has none */
    od_device facts;            /* as the context sees them */
    bool small;                 /* few and small shapes are asked for */
} kit_state;
extern kit_state kit;

/* main() of a test program: runs the group once for each kernel family. Those of operators that plan products run it
 * also with all products on the matrix unit, where there is one. */
int kit_main(const char *name, bool products, const struct CMUnitTest *tests, size_t count);
#define KIT_MAIN(NAME, TESTS) kit_main(NAME, false, TESTS, sizeof(TESTS) / sizeof *(TESTS))
#define KIT_MAIN_OF_PRODUCTS(NAME, TESTS) kit_main(NAME, true, TESTS, sizeof(TESTS) / sizeof *(TESTS))

/* A context of its own on the same device, with facts altered by the caller; the caller destroys it. */
ocldnn_context *kit_context_with(const od_device *facts);

/* Runs `test` as each kind of GPU that the tiled kernels know, with so few and so many compute units that the largest
 * and the smallest tiles are chosen. Does nothing while the vector family is under test. */
void kit_as_each_gpu(void (*test)(void));

/* `many`, or few where small shapes are asked for. */
int kit_rounds(int many);

/* ---- chance --------------------------------------------------------------------------------------------------------
 */

uint64_t kit_random(void);
int64_t kit_between(int64_t low, int64_t high); /* both included */
double kit_uniform(double low, double high);
uint32_t kit_float_dtype(void); /* F32, F16 or BF16 */
/* Shapes that every operator over rows is tried with: drawn ones, of any leading axes, also of length 0, and rows of 1
 * to 300; and the widths and numbers of rows that the specification names. There are enough elements, if any, that the
 * worst error of the plain float program, by which kit_compare() measures, is no matter of luck. */
typedef void kit_rows_case(uint32_t rank, const int64_t *shape);
void kit_drawn_rows(int rounds, uint32_t most_axes, kit_rows_case *one);
void kit_specified_rows(kit_rows_case *one);

/* ---- tensors -------------------------------------------------------------------------------------------------------
 */

typedef enum kit_layout {
    KIT_DENSE,   /* dense, at a random offset */
    KIT_STRIDED, /* the last axis contiguous, others padded by chance */
    KIT_ANY      /* any order of axes, padded by chance */
} kit_layout;

typedef enum kit_fill {
    KIT_NORMAL,   /* about -3 .. 3 */
    KIT_INTEGERS, /* -4 .. 4: products and sums are exact in every dtype */
    KIT_BITS,     /* 0 or 1 */
    KIT_ZEROS
} kit_fill;

typedef struct kit_tensor {
    ocldnn_tensor tensor; /* what goes into the operator's struct */
    double *values;       /* [count], row-major */
    int64_t count;
    size_t bytes; /* of the buffer */
    unsigned char *image;
    struct kit_tensor *next;
} kit_tensor;

kit_tensor *kit_input(uint32_t dtype, kit_layout layout, kit_fill fill, uint32_t rank, const int64_t *shape);
kit_tensor *kit_output(uint32_t dtype, kit_layout layout, uint32_t rank, const int64_t *shape);
/* A tensor with these values (rounded to the dtype). */
kit_tensor *kit_values(uint32_t dtype, kit_layout layout, uint32_t rank, const int64_t *shape, const double *values);
/* After values were changed: rounds them and writes them to the buffer. */
void kit_write(kit_tensor *tensor);
/* Reads values back; fails if a byte outside the tensor changed. */
void kit_read(kit_tensor *tensor);
/* Frees all tensors and scratch made so far; also called after each test. */
void kit_free_all(void);
/* An array of doubles that kit_free_all() frees. */
double *kit_doubles(int64_t count);

double kit_round(uint32_t dtype, double value); /* to the storage type, to nearest even */

/* ---- running ------------------------------------------------------------------------------------------------------
 */

/* Runs an operator on the in-order queue and waits; fails the test if it is refused. */
#define kit_run(NAME, OP)                                                                                              \
    do {                                                                                                               \
        const ocldnn_##NAME *kit_op_ = (OP);                                                                           \
        if (kit_noting()) /* what the next comparisons are of */                                                       \
            kit_note_run(#NAME, ocldnn_##NAME##_query(kit.context, kit_op_, kit_noting()));                            \
        kit_must(ocldnn_##NAME##_run(kit.context, kit_op_, &(ocldnn_exec){.queue = kit.queue}), #NAME);                \
    } while (0)
ocldnn_query *kit_noting(void); /* NULL unless accuracy is noted: accuracy.c */
void kit_note_run(const char *name, ocldnn_status status);
void kit_must(ocldnn_status status, const char *what);

/* Expects a status and a part of its sentence, from run, prepare, workspace and query alike. */
#define kit_refuses(NAME, OP, STATUS, PART)                                                                            \
    do {                                                                                                               \
        size_t kit_bytes_;                                                                                             \
        static ocldnn_query kit_query_;                                                                                \
        kit_expect(ocldnn_##NAME##_run(kit.context, (OP), &(ocldnn_exec){.queue = kit.queue}), STATUS, PART,           \
                   #NAME "_run");                                                                                      \
        kit_expect(ocldnn_##NAME##_prepare(kit.context, (OP)), STATUS, PART, #NAME "_prepare");                        \
        kit_expect(ocldnn_##NAME##_workspace(kit.context, (OP), &kit_bytes_), STATUS, PART, #NAME "_workspace");       \
        kit_expect(ocldnn_##NAME##_query(kit.context, (OP), &kit_query_), STATUS, PART, #NAME "_query");               \
    } while (0)
/* The same for what only _run can see (buffers). */
#define kit_refuses_run(NAME, OP, STATUS, PART)                                                                        \
    kit_expect(ocldnn_##NAME##_run(kit.context, (OP), &(ocldnn_exec){.queue = kit.queue}), STATUS, PART, #NAME "_run")
void kit_expect(ocldnn_status status, ocldnn_status wanted, const char *part, const char *what);

/* Runs behind a user event on both kinds of queue: the event must wait for the list, and the result (the bits of the
 * output, left in values) must be that of a plain run. */
#define kit_honours_events(NAME, OP, OUTPUT)                                                                           \
    kit_check_events((kit_run_function)ocldnn_##NAME##_run, (OP), (OUTPUT), #NAME)
typedef ocldnn_status (*kit_run_function)(ocldnn_context *, const void *, const ocldnn_exec *);
void kit_check_events(kit_run_function run, const void *op, kit_tensor *output, const char *what);

/* ---- comparing ----------------------------------------------------------------------------------------------------
 */

/* Reads the output and applies the bound; `terms` is the length of the longest reduction. naive NULL: one unit in the
 * last place of exact is the bound. */
void kit_compare(kit_tensor *output, const double *exact, const double *naive, int64_t terms);
/* Reads the output and demands equality (exact rounded to the dtype; NaN equals NaN). */
void kit_equal(kit_tensor *output, const double *exact);

#endif
