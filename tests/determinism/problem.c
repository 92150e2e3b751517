/* SPDX-License-Identifier: Apache-2.0 */
#include "determinism/problem.h"
#include "ops/operators.h"

#include <stddef.h>

enum { PATTERN = 65521 };

static const struct {
    const od_operator *kind;
    size_t bytes;
} kinds[] = {
#define KIND(NAME) {&od_operator_##NAME, sizeof(ocldnn_##NAME)},
    OD_OPERATORS(KIND)
#undef KIND
};

/* The case list's tensors have the first of these for a buffer; in a problem each has one of its own. */
static char mark[SLOTS];

ocldnn_tensor problem_tensor(uint32_t dtype, uint32_t rank, const int64_t *shape)
{
    return ocldnn_tensor_dense((cl_mem)(void *)mark, (ocldnn_dtype)dtype, rank, shape);
}

static void add_slot(problem *p, size_t at)
{
    cl_mem buffer = (cl_mem)(void *)&mark[p->slot_count];
    assert_in_range(p->slot_count, 0, SLOTS - 1);
    memcpy(p->op + at, &buffer, sizeof buffer);
    p->slots[p->slot_count++] = (slot){.at = at};
}

static void find_slots(problem *p)
{
    const cl_mem marked = (cl_mem)(void *)mark;
    size_t packed = p->kind == &od_operator_linear        ? offsetof(ocldnn_linear, packed)
                    : p->kind == &od_operator_linear_pack ? offsetof(ocldnn_linear_pack, packed)
                                                          : 0;
    ocldnn_packed_weight weight = {0};
    for (size_t at = 0; at + sizeof marked <= p->op_bytes; at += sizeof marked)
        if (memcmp(p->op + at, &marked, sizeof marked) == 0)
            add_slot(p, at);
    if (packed)
        memcpy(&weight, p->op + packed, sizeof weight);
    if (weight.bytes)
        add_slot(p, packed + offsetof(ocldnn_packed_weight, buffer));
}

/* What the plan knows of each slot's tensor. */
static void measure_slots(problem *p, const od_plan *plan)
{
    for (uint32_t i = 0; i < plan->view_count; i++) {
        const od_view *view = &plan->views[i];
        ptrdiff_t number = (const char *)view->buffer - mark;
        slot *s;
        if (!view->buffer || !od_present(view))
            continue;
        assert_in_range(number, 0, p->slot_count - 1);
        s = &p->slots[number];
        s->dtype = view->dtype;
        s->bytes = (size_t)view->extent * ocldnn_dtype_size((ocldnn_dtype)view->dtype);
        s->output = view->access == OD_WRITE;
        p->output_bytes += s->output ? s->bytes : 0;
    }
    p->workspace_bytes = (size_t)plan->workspace_bytes;
    p->strategy = plan->strategy;
}

/* The same few thousand numbers over and over; small ones where they count something. */
static cl_mem make_input(const slot *s)
{
    size_t size = ocldnn_dtype_size((ocldnn_dtype)s->dtype), count = s->bytes / size;
    unsigned char *bytes = malloc(s->bytes);
    cl_mem buffer;
    cl_int code;
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        if (i < PATTERN)
            kit_encode(s->dtype,
                       kit_round(s->dtype, s->dtype <= OCLDNN_BF16 ? kit_uniform(-2, 2) : (double)kit_between(0, 1)),
                       bytes + i * size);
        else
            memcpy(bytes + i * size, bytes + (i - PATTERN) * size, size);
    }
    buffer = clCreateBuffer(kit.cl, CL_MEM_COPY_HOST_PTR, s->bytes, bytes, &code);
    assert_int_equal(code, CL_SUCCESS);
    free(bytes);
    return buffer;
}

void make_problem(problem *p, const od_operator *kind, const void *op)
{
    od_plan plan;
    memset(p, 0, sizeof *p);
    p->kind = kind;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            p->op_bytes = kinds[i].bytes;
    assert_in_range(p->op_bytes, 1, OP_BYTES);
    memcpy(p->op, op, p->op_bytes);
    find_slots(p);
    od_plan_init(&plan);
    kit_must(od_plan_operator(kind, &kit.facts, p->op, &plan, NULL), kind->name);
    measure_slots(p, &plan);
    od_plan_free(&plan);
    for (int i = 0; i < p->slot_count; i++)
        p->inputs[i] = p->slots[i].output ? NULL : make_input(&p->slots[i]);
}

void free_problem(problem *p)
{
    for (int i = 0; i < p->slot_count; i++)
        if (p->inputs[i])
            clReleaseMemObject(p->inputs[i]);
    free(p->expected);
    memset(p, 0, sizeof *p);
}

bool make_place(place *w, const problem *p)
{
    cl_int code = CL_SUCCESS;
    memset(w, 0, sizeof *w);
    memcpy(w->op, p->op, p->op_bytes);
    for (int i = 0; i < p->slot_count && code == CL_SUCCESS; i++) {
        const slot *s = &p->slots[i];
        if (s->output)
            w->outputs[i] = clCreateBuffer(kit.cl, 0, s->bytes, NULL, &code);
        memcpy(w->op + s->at, s->output ? &w->outputs[i] : &p->inputs[i], sizeof(cl_mem));
    }
    if (p->workspace_bytes && code == CL_SUCCESS)
        w->workspace = clCreateBuffer(kit.cl, 0, p->workspace_bytes, NULL, &code);
    return code == CL_SUCCESS;
}

void free_place(place *w)
{
    for (int i = 0; i < SLOTS; i++)
        if (w->outputs[i])
            clReleaseMemObject(w->outputs[i]);
    if (w->workspace)
        clReleaseMemObject(w->workspace);
}
