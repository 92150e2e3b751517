/* SPDX-License-Identifier: Apache-2.0
 *
 * A case of the list in tests/programs as something to run: its operator's struct with buffers, the inputs shared, the
 * outputs and the workspace separate for each run that is in flight.
 */
#ifndef OD_TESTS_PROBLEM_H
#define OD_TESTS_PROBLEM_H

#include "base/operator.h"
#include "kit/internal.h"

enum { SLOTS = 16, OP_BYTES = 2048 };

/* A tensor, or a packed weight, of the operator's struct. */
typedef struct slot {
    size_t at; /* where its cl_mem lies in the struct */
    size_t bytes;
    uint32_t dtype;
    bool output;
} slot;

typedef struct problem {
    const od_operator *kind; /* NULL: there is none */
    const char *strategy;
    size_t op_bytes, output_bytes, workspace_bytes;
    int slot_count;
    slot slots[SLOTS];
    cl_mem inputs[SLOTS];
    unsigned char *expected; /* the outputs' bits, one after the other; set by the caller, freed with the problem */
    _Alignas(16) unsigned char op[OP_BYTES];
} problem;

typedef struct place {
    cl_mem outputs[SLOTS], workspace;
    _Alignas(16) unsigned char op[OP_BYTES];
} place;

/* A tensor for dense() of the case list: what make_problem() finds again. */
ocldnn_tensor problem_tensor(uint32_t dtype, uint32_t rank, const int64_t *shape);

/* Fails the test if it cannot. */
void make_problem(problem *p, const od_operator *kind, const void *op);
void free_problem(problem *p);

/* False if it cannot; may be called from any thread. */
bool make_place(place *w, const problem *p);
void free_place(place *w);

#endif
