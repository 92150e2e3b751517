/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix product that linear, matmul and attention share:
 *
 *     C[b] = f(alpha * op(A[b]) op(B[b]) + bias) + residual[b]        A m x k, B k x n, C m x n
 *
 * A caller fills an od_gemm with views (tensors or temporaries of the plan) and calls od_gemm_plan(). Everything is F32
 * inside; A, B and C may each have their own dtype. The result is rounded once, when it is stored.
 *
 * Two families, each in a file of its own: vector.c for CPUs, tiled.c for GPUs; and CLBlast in clblast.c.
 */
#ifndef OD_GEMM_GEMM_H
#define OD_GEMM_GEMM_H

#include "base/operator.h"

/* The order of strides in od_gemm.batch. */
enum { OD_GEMM_A = 0, OD_GEMM_B = 1, OD_GEMM_C = 2, OD_GEMM_RESIDUAL = 3, OD_GEMM_OPERANDS = 4 };

/* How B lies in memory. Each family has a packed format of its own. */
typedef enum od_gemm_format {
    OD_GEMM_PLAIN = 0,  /* rows of stride ldb */
    OD_GEMM_PANELS = 1, /* vector family: [ceil(n / 32)][k][32] in B's dtype, columns past n are 0 */
    OD_GEMM_TILES = 2   /* tiled family's own */
} od_gemm_format;

/* Of the views only buffer, offset, dtype and temporary count: shapes and strides stand below. bias is [n], contiguous.
 * Optional views are absent by dtype 0; residual is read with C's dtype. */
typedef struct od_gemm {
    od_view a, b, c, bias, residual;
    int64_t m, n, k;
    bool transpose_a;           /* A is stored [k, m] */
    bool transpose_b;           /* B is stored [n, k], as weights are */
    int64_t lda, ldb, ldc, ldr; /* elements from a stored row to the next, of A, B, C and the residual */
    od_axes batch;              /* up to 4 axes; strides[OD_GEMM_A..OD_GEMM_RESIDUAL], 0 repeats an operand. One
                                   product: od_gemm_single() */
    od_gemm_format format;      /* of B; a packed B is shared by all batches */
    float alpha;                /* usually 1 */
    uint32_t activation;        /* ocldnn_activation_kind */
    float activation_alpha;     /* effective: od_activation_alpha() has been applied */
} od_gemm;

/* What packs B once for many products. */
typedef struct od_gemm_pack {
    od_view b;      /* plain: [n, k] if transpose_b, else [k, n] */
    od_view packed; /* rank 1, b's dtype */
    int64_t n, k, ldb;
    bool transpose_b;
} od_gemm_pack;

/* A family of kernels. `can` and `plan` have the form of od_strategy's, problem being an od_gemm. */
typedef struct od_gemm_family {
    const char *name;
    bool (*can)(const od_device *device, const void *problem, char reason[OD_REASON_BYTES]);
    ocldnn_status (*plan)(const od_device *device, const void *problem, od_plan *plan);
    od_gemm_format format; /* of its packed B */
    int64_t (*packed_elements)(int64_t n, int64_t k);
    ocldnn_status (*plan_pack)(const od_device *device, const void *problem, od_plan *plan); /* an od_gemm_pack */
} od_gemm_family;

extern const od_gemm_family od_gemm_vector;
extern const od_gemm_family od_gemm_tiled;

/* The family that suits the device. */
const od_gemm_family *od_gemm_family_of(const od_device *device);

/* A batch of one. */
void od_gemm_single(od_gemm *gemm);

/* Sets m, the batch and the strides of rows of A, C and the residual from views of one rank whose last two axes are a
 * matrix's; leading axes have C's lengths (broadcast the views first: od_view_broadcast()). Where B is shared by
 * all batches and A is not transposed, leading axes join the rows as far as the strides allow. */
ocldnn_status od_gemm_walk(od_gemm *gemm, const od_view *a, const od_view *b, const od_view *c,
                           const od_view *residual);

/* Whether all batches have the same B. */
bool od_gemm_shares_b(const od_gemm *gemm);

/* Writes the launches of the device's own family. m, n or the batch may be 0 (nothing is written), k too. */
ocldnn_status od_gemm_plan(const od_device *device, const od_gemm *gemm, od_plan *plan);

/* Begins a launch of a kernel of ours: the dtypes and the epilogue as options, and the arguments that all such kernels
 * begin with. ldb: elements from row to row of B as it lies. */
od_step *od_gemm_step(const od_gemm *g, od_plan *plan, const od_source *source, const char *kernel, int64_t ldb);

/* CLBlast, then an epilogue. */
bool od_gemm_clblast_can(const od_device *device, const void *problem, char reason[OD_REASON_BYTES]);
ocldnn_status od_gemm_clblast_plan(const od_device *device, const void *problem, od_plan *plan);

/* What linear and matmul offer: problem must begin with an od_gemm. */
enum { OD_GEMM_STRATEGIES = 2 };
extern const od_strategy od_gemm_strategies[OD_GEMM_STRATEGIES];

#endif
