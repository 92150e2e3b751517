/* SPDX-License-Identifier: Apache-2.0
 *
 * linear_pack: a weight into the form that the device's own kernels read.
 */
#include "gemm/gemm.h"
#include "ops/packed.h"
#include "runtime/context.h"
#include "runtime/verbs.h"

enum { PACKED_ALIGNMENT = 64 };

typedef struct problem {
    od_gemm_pack pack;
    ocldnn_packed_weight packed;
} problem;
_Static_assert(sizeof(problem) <= OD_PROBLEM_BYTES, "a problem must fit");

/* ---- packed weights ---------------------------------------------------------------------------------------------- */

static const od_gemm_family *family_of_format(uint32_t format)
{
    const od_gemm_family *families[] = {&od_gemm_vector, &od_gemm_tiled};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if ((uint32_t)families[i]->format == format)
            return families[i];
    return NULL;
}

/* Elements; never 0, because no bytes means absent. */
static int64_t elements(const od_gemm_family *family, int64_t n, int64_t k)
{
    int64_t count = family->packed_elements(n, k);
    return count > 0 ? count : PACKED_ALIGNMENT;
}

ocldnn_status od_packed_tensor(od_plan *plan, const ocldnn_packed_weight *packed, od_access access, od_view *view)
{
    const od_gemm_family *family = family_of_format(packed->format);
    uint64_t size = ocldnn_dtype_size((ocldnn_dtype)packed->dtype);
    ocldnn_tensor tensor = {.buffer = packed->buffer, .dtype = packed->dtype, .rank = 1};
    if (!family)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "packed: format %u is unknown", packed->format);
    if (packed->n < 0 || packed->k < 0 || packed->n > INT32_MAX || packed->k > INT32_MAX)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "packed: n is %lld and k is %lld, must be 0 to 2147483647",
                       (long long)packed->n, (long long)packed->k);
    if (size == 0)
        return od_fail(OCLDNN_INVALID_DTYPE, "packed: dtype %u is unknown", packed->dtype);
    if (packed->offset % PACKED_ALIGNMENT != 0)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "packed: offset is %llu, must be a multiple of %d",
                       (unsigned long long)packed->offset, PACKED_ALIGNMENT);
    tensor.offset = packed->offset / size;
    tensor.shape[0] = elements(family, packed->n, packed->k);
    if (packed->bytes != (uint64_t)tensor.shape[0] * size)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "packed: bytes is %llu, must be %llu",
                       (unsigned long long)packed->bytes, (unsigned long long)tensor.shape[0] * size);
    return od_plan_tensor(plan, "packed", &tensor, access, OD_FLOATS, 1, 1, view);
}

bool od_packed_suits(const od_device *device, const ocldnn_packed_weight *packed, char reason[OD_REASON_BYTES])
{
    if (packed->made_for != device->pack_tag || packed->format != (uint32_t)od_gemm_family_of(device)->format)
        return od_cannot(reason, "packed was made for another device, driver or version of the library; pack again");
    return true;
}

/* ---- the weight -------------------------------------------------------------------------------------------------- */

static void take_sizes(const od_view *weight, uint32_t layout, od_gemm_pack *pack)
{
    pack->transpose_b = layout == OCLDNN_WEIGHT_NK;
    pack->n = weight->shape[pack->transpose_b ? 0 : 1];
    pack->k = weight->shape[pack->transpose_b ? 1 : 0];
    pack->ldb = weight->strides[0];
}

ocldnn_status ocldnn_linear_pack_layout(ocldnn_context *context, const ocldnn_tensor *weight, uint32_t layout,
                                        ocldnn_packed_weight *packed)
{
    const od_gemm_family *family;
    od_gemm_pack pack;
    od_view view;
    if (!context)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "the context is NULL");
    if (!weight || !packed)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "%s is NULL", weight ? "packed" : "weight");
    if (weight->dtype == OCLDNN_ABSENT)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "weight: the tensor is missing (its dtype is 0)");
    OD_TRY(od_view_from_tensor("weight", weight, OD_READ, OD_FLOATS, 2, 2, &view));
    OD_TRY(od_check_last_contiguous(&view));
    OD_TRY(od_check_enum("layout", layout, 2));
    take_sizes(&view, layout, &pack);
    family = od_gemm_family_of(&context->facts);
    *packed = (ocldnn_packed_weight){.bytes = (uint64_t)elements(family, pack.n, pack.k) *
                                              ocldnn_dtype_size((ocldnn_dtype)view.dtype),
                                     .made_for = context->facts.pack_tag,
                                     .format = (uint32_t)family->format,
                                     .dtype = view.dtype,
                                     .n = pack.n,
                                     .k = pack.k};
    return OCLDNN_SUCCESS;
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

static ocldnn_status check(const void *opaque, od_plan *plan, void *memory)
{
    const ocldnn_linear_pack *op = opaque;
    problem *p = memory;
    OD_TRY(od_plan_tensor(plan, "weight", &op->weight, OD_READ, OD_FLOATS, 2, 2, &p->pack.b));
    OD_TRY(od_check_last_contiguous(&p->pack.b));
    OD_TRY(od_check_enum("layout", op->layout, 2));
    take_sizes(&p->pack.b, op->layout, &p->pack);
    if (op->packed.bytes == 0)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "packed: is missing (its bytes are 0)");
    if (op->packed.n != p->pack.n || op->packed.k != p->pack.k)
        return od_fail(OCLDNN_INVALID_SHAPE, "packed: n is %lld and k is %lld, weight has %lld and %lld",
                       (long long)op->packed.n, (long long)op->packed.k, (long long)p->pack.n, (long long)p->pack.k);
    OD_TRY(od_packed_tensor(plan, &op->packed, OD_WRITE, &p->pack.packed));
    OD_TRY(od_check_same_dtype(&p->pack.packed, &p->pack.b));
    p->packed = op->packed;
    plan->empty = p->pack.b.count == 0;
    return OCLDNN_SUCCESS;
}

static bool can(const od_device *device, const void *memory, char reason[OD_REASON_BYTES])
{
    const problem *p = memory;
    return od_packed_suits(device, &p->packed, reason);
}

static ocldnn_status plan_pack(const od_device *device, const void *memory, od_plan *plan)
{
    const problem *p = memory;
    return od_gemm_family_of(device)->plan_pack(device, &p->pack, plan);
}

static const od_strategy strategies[] = {{"native", 0, can, plan_pack}};

const od_operator od_operator_linear_pack = {"linear_pack", check, strategies, 1, 0};
OD_DEFINE_VERBS(linear_pack)
