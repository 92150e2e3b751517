/* SPDX-License-Identifier: Apache-2.0
 *
 * The case list of tests/programs, collected.
 */
#include "fuzz.h"
#include "ops/operators.h"
#include "programs/programs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 20, MOST_CASES = 4096 };

static const struct {
    const od_operator *kind;
    size_t bytes;
} kinds[] = {
#define KIND(NAME) {&od_operator_##NAME, sizeof(ocldnn_##NAME)},
    OD_OPERATORS(KIND)
#undef KIND
};
enum { KINDS = sizeof kinds / sizeof *kinds };

#define FITS(NAME) _Static_assert(sizeof(ocldnn_##NAME) <= FUZZ_OP_BYTES, "a problem must hold it");
OD_OPERATORS(FITS)
#undef FITS

struct fuzz_cases {
    const od_device *device;
    void *ops[KINDS][MOST_CASES];
    uint32_t count[KINDS];
};

static fuzz_cases *made[MOST_DEVICES], *growing;

const od_device *device_at_hand(void)
{
    return growing->device;
}

ocldnn_tensor dense(uint32_t dtype, uint32_t rank, ...)
{
    int64_t shape[OCLDNN_MAX_RANK];
    va_list sizes;
    va_start(sizes, rank);
    for (uint32_t axis = 0; axis < rank; axis++)
        shape[axis] = va_arg(sizes, int);
    va_end(sizes);
    return ocldnn_tensor_dense(NULL, (ocldnn_dtype)dtype, rank, shape);
}

static void *need(void *memory)
{
    if (!memory) {
        fputs("fuzz: no memory for the cases\n", stderr);
        abort();
    }
    return memory;
}

void list(const od_operator *kind, const void *op)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].kind == kind && growing->count[i] < MOST_CASES)
            growing->ops[i][growing->count[i]++] = memcpy(need(malloc(kinds[i].bytes)), op, kinds[i].bytes);
}

static void free_all(void)
{
    for (int d = 0; d < MOST_DEVICES && made[d]; d++) {
        for (size_t i = 0; i < KINDS; i++)
            for (uint32_t c = 0; c < made[d]->count[i]; c++)
                free(made[d]->ops[i][c]);
        free(made[d]);
    }
}

const fuzz_cases *fuzz_cases_for(const od_device *device)
{
    int at = 0;
    while (at < MOST_DEVICES && made[at] && made[at]->device != device)
        at++;
    if (at == MOST_DEVICES)
        abort();
    if (made[at])
        return made[at];
    if (at == 0)
        atexit(free_all);
    growing = made[at] = need(calloc(1, sizeof *growing));
    growing->device = device;
    list_normalization();
    list_elementwise();
    list_sequence();
    list_linear();
    list_attention();
    return growing;
}

void fuzz_pick(fuzz_input *in, const fuzz_cases *cases, fuzz_problem *p)
{
    size_t i = (size_t)fuzz_take(in, 1) % KINDS;
    uint64_t number = fuzz_take(in, 2);
    memset(p, 0, sizeof *p);
    if (cases->count[i] == 0) {
        fprintf(stderr, "fuzz: %s is not in the case list\n", kinds[i].kind->name);
        abort();
    }
    p->kind = kinds[i].kind;
    p->bytes = kinds[i].bytes;
    p->tensors = (uint32_t)(p->bytes / sizeof(ocldnn_tensor));
    memcpy(p->op.bytes, cases->ops[i][number % cases->count[i]], p->bytes);
}
