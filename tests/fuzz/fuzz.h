/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators' structs from bytes. An input takes a case of the list in tests/programs, so that there is no second list
 * of operators, and changes it: a length wherever it occurs, or one field to what nobody should ask for. No bytes left
 * read as zeros, and mean the case as it is.
 *
 * The same targets stand behind two programs: libFuzzer's (tools/fuzz), and replay.c's, which runs the corpus and
 * inputs of its own everywhere the tests run.
 */
#ifndef OD_TESTS_FUZZ_H
#define OD_TESTS_FUZZ_H

#include "base/operator.h"

#include <ocldnn/ocldnn.h>

enum { FUZZ_OP_BYTES = 1536, FUZZ_LONGEST = 96 /* bytes of an input that count */, FUZZ_BUFFERS = 10 };

typedef struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
} fuzz_input;

/* The next bytes as a number, the first one lowest. */
uint64_t fuzz_take(fuzz_input *in, int bytes);

/* An operator's struct: tensors first, then options, none of which is as large as a tensor. */
typedef union fuzz_op {
    ocldnn_tensor tensors[FUZZ_OP_BYTES / sizeof(ocldnn_tensor)];
    uint32_t words[FUZZ_OP_BYTES / sizeof(uint32_t)];
    unsigned char bytes[FUZZ_OP_BYTES];
} fuzz_op;

typedef struct fuzz_problem {
    const od_operator *kind;
    size_t bytes;     /* of the struct */
    uint32_t tensors; /* that it begins with */
    fuzz_op op;
} fuzz_problem;

/* The case list as it is for a device; made once, and kept. */
typedef struct fuzz_cases fuzz_cases;
const fuzz_cases *fuzz_cases_for(const od_device *device);
/* Which case of which operator. */
void fuzz_pick(fuzz_input *in, const fuzz_cases *cases, fuzz_problem *p);

/* Makes every length a small one, equal ones equal. */
void fuzz_shrink(fuzz_input *in, fuzz_problem *p);
/* Changes the struct until the input ends. buffers: FUZZ_BUFFERS of them, or NULL where none are there. */
void fuzz_change(fuzz_input *in, fuzz_problem *p, const cl_mem *buffers);

/* A linear's or linear_pack's packed weight; NULL for other operators. */
ocldnn_packed_weight *fuzz_packed(fuzz_problem *p);

/* Prints the sentence, the problem and the input, and aborts. */
_Noreturn void fuzz_fault(const fuzz_problem *p, const char *format, ...) OD_PRINTF(2, 3);
/* SUCCESS, or one of these statuses (bits) with a sentence; else a fault. Returns whether it is SUCCESS. */
bool fuzz_judge(const fuzz_problem *p, const char *what, ocldnn_status status, uint32_t allowed);

/* A signal that means a crash names the input too. */
void fuzz_catch_signals(void);

/* libFuzzer's names. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target, in plans.c or runs.c; what it counted; and giving back what it holds, which is not for atexit(): by then
 * a driver's compiler has gone. */
int fuzz_one(const uint8_t *data, size_t size);
void fuzz_report(void);
void fuzz_close(void);

#endif
