/* SPDX-License-Identifier: Apache-2.0
 *
 * A case file: one operator call with its inputs and the outputs that somebody published for it.
 *
 *     case NAME
 *     op NAME OPSET
 *     attr NAME KIND COUNT VALUES     KIND: i, f or s
 *     input N DTYPE RANK DIMS         then a line of values; "input N -" for an absent one
 *     output N DTYPE RANK DIMS
 *     end
 */
#ifndef VECTORS_CASE_H
#define VECTORS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_RANK = 8, MAX_TENSORS = 12, MAX_ATTRIBUTES = 16, MAX_NUMBERS = 16, NAME_BYTES = 96 };

typedef enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_F64, DTYPE_I64, DTYPE_U8, DTYPE_BOOL } dtype;

/* A dense tensor on the host. Numbers of any dtype are kept as doubles, which hold them exactly. */
typedef struct value {
    bool present;
    dtype type;
    uint32_t rank;
    int64_t shape[MAX_RANK];
    int64_t count;
    double *data;
} value;

typedef struct attribute {
    char name[NAME_BYTES];
    char text[NAME_BYTES]; /* of kind s */
    int count;
    double numbers[MAX_NUMBERS];
} attribute;

typedef struct test_case {
    char name[NAME_BYTES];
    char op[NAME_BYTES];
    int opset;
    attribute attributes[MAX_ATTRIBUTES];
    int attribute_count;
    value inputs[MAX_TENSORS];
    value outputs[MAX_TENSORS];
} test_case;

/* Reads a file; on failure says why in problem. */
bool case_read(const char *path, test_case *test, char *problem, size_t capacity);
void case_free(test_case *test);

double case_number(const test_case *test, const char *name, double otherwise);
const char *case_text(const test_case *test, const char *name, const char *otherwise);

#endif
