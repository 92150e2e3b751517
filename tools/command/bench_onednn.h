/* SPDX-License-Identifier: Apache-2.0
 *
 * oneDNN behind one face. Versions 2 and 3 differ in their C interfaces, and a machine may have the library without its
 * headers: bench_onednn_library.c declares what is needed of both. A peer's work is a chain: tensors, and primitives
 * that run on them one after the other.
 */
#ifndef OD_COMMAND_BENCH_ONEDNN_H
#define OD_COMMAND_BENCH_ONEDNN_H

#include "bench.h"

enum { ONEDNN_STEPS = 3, ONEDNN_TENSORS = 8, ONEDNN_ARGUMENTS = 5 };

typedef enum onednn_kind {
    ONEDNN_MATMUL,
    ONEDNN_SOFTMAX,
    ONEDNN_LOG_SOFTMAX,
    ONEDNN_LAYER_NORM,
    ONEDNN_RMS_NORM,
    ONEDNN_GELU,
    ONEDNN_ADD
} onednn_kind;

/* Tensors are places in the chain, 0 is none. Of a norm, second is gamma and third beta; of a product they are the
 * right factor and what is added, after the product was multiplied by scale (0: as it is). */
typedef struct onednn_step {
    onednn_kind kind;
    int first, second, third, target;
    float epsilon, scale;
} onednn_step;

typedef struct onednn_argument {
    int which;
    void *memory;
} onednn_argument;

typedef struct onednn_chain {
    struct {
        int axes;
        void *data, *descriptor, *memory;
    } tensors[1 + ONEDNN_TENSORS];
    struct {
        void *primitive;
        int arguments;
        onednn_argument argument[ONEDNN_ARGUMENTS];
    } steps[ONEDNN_STEPS];
    int tensor_count, step_count, answer;
} onednn_chain;

/* ---- the library ------------------------------------------------------------------------------------------------- */

bool onednn_library_load(void);
/* Each false where the library has no such thing for this processor. */
bool onednn_describe(void **descriptor, int axes, const int64_t *sizes, const int64_t *strides, uint32_t dtype);
void onednn_forget(void *descriptor);
bool onednn_memory(void **memory, const void *descriptor, void *data);
/* Makes the primitive and lists its arguments. One that would run the library's reference code is not made. */
bool onednn_primitive(onednn_chain *chain, const onednn_step *step);
bool onednn_run(const onednn_chain *chain);
/* Primitives and memories; data and descriptors stay. */
void onednn_release(onednn_chain *chain);

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* A tensor of these sizes over data, which it takes, or over memory of its own. strides NULL: dense. Returns its place;
 * 0 where it cannot be had, which a later onednn_add() then refuses. */
int onednn_tensor(onednn_chain *chain, int axes, const int64_t *sizes, const int64_t *strides, uint32_t dtype,
                  void *data);
bool onednn_add(onednn_chain *chain, onednn_step step);

/* Fills an empty chain with what a user would build for the row's attention. */
bool onednn_attention(bench *b, const bench_case *c, onednn_chain *chain);

#endif
