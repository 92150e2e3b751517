/* SPDX-License-Identifier: Apache-2.0 */
#include "determinism/choice.h"
#include "determinism/problem.h"
#include "programs/programs.h"

#include <math.h>
#include <stdarg.h>

/* Cases of one operator, strategy, list of kernels and, but for small and long ones, storage type. */
typedef struct group {
    uint64_t hash;
    double least; /* the cost of the cheapest */
    int candidates, chosen;
} group;

enum { GROUPS = 512 };

/* What a case may cost, in multiplications or what grows as they do, if its group has one that costs no more. */
static const double affordable = 1 << 20;

static struct {
    enum { MEASURE, CHOOSE, RUN } pass;
    int number; /* of the case at hand */
    int count;
    group groups[GROUPS];
    void (*run)(const od_operator *kind, const void *op);
} cases;

const od_device *device_at_hand(void)
{
    return &kit.facts;
}

ocldnn_tensor dense(uint32_t dtype, uint32_t rank, ...)
{
    int64_t shape[OCLDNN_MAX_RANK];
    va_list sizes;
    va_start(sizes, rank);
    for (uint32_t axis = 0; axis < rank; axis++)
        shape[axis] = va_arg(sizes, int);
    va_end(sizes);
    return problem_tensor(dtype, rank, shape);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * 1099511628211u; /* FNV-1a */
    while (*text++);
    return hash;
}

static const char *kernel_of(const od_step *step)
{
    return step->kind == OD_STEP_KERNEL ? step->kernel : "clblast";
}

/* Whether one of the first `count` launches is of this kernel. */
static bool launches(const od_plan *plan, uint32_t count, const char *kernel)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(kernel_of(&plan->steps[i]), kernel) == 0)
            return true;
    return false;
}

static group *group_of(const od_operator *kind, const od_plan *plan)
{
    uint64_t hash = hash_text(hash_text(14695981039346656037u, kind->name), plan->strategy);
    for (uint32_t i = 0; i < plan->step_count; i++)
        if (!launches(plan, i, kernel_of(&plan->steps[i]))) /* large problems are cut up: still the same group */
            hash = hash_text(hash, kernel_of(&plan->steps[i]));
    hash += kit.small || plan->step_count > 2 ? 0 : plan->views[0].dtype; /* long ones: one for all types */
    for (int i = 0; i < cases.count; i++)
        if (cases.groups[i].hash == hash)
            return &cases.groups[i];
    assert_in_range(cases.count, 0, GROUPS - 1);
    cases.groups[cases.count] = (group){.hash = hash, .least = HUGE_VAL};
    return &cases.groups[cases.count++];
}

/* The root of the product of the three largest tensors: of a product of matrices M N K. */
static double cost_of(const od_plan *plan)
{
    double most[4] = {1, 1, 1};
    for (uint32_t i = 0; i < plan->view_count; i++) {
        int at = 3;
        most[3] = (double)plan->views[i].count;
        for (; at > 0 && most[at] > most[at - 1]; at--) {
            double kept = most[at];
            most[at] = most[at - 1];
            most[at - 1] = kept;
        }
    }
    return sqrt(most[0] * most[1] * most[2]);
}

void list(const od_operator *kind, const void *op)
{
    od_plan plan;
    od_plan_init(&plan);
    if (od_plan_operator(kind, &kit.facts, op, &plan, NULL) == OCLDNN_SUCCESS &&
        (!kit.facts.amx || launches(&plan, plan.step_count, "gemm_amx"))) { /* the rest is as without it */
        group *g = group_of(kind, &plan);
        double cost = cost_of(&plan);
        if (cases.pass == MEASURE)
            g->least = cost < g->least ? cost : g->least;
        else if (cases.pass == CHOOSE && (cost <= affordable || cost <= g->least) &&
                 kit_between(0, g->candidates++) == 0)
            g->chosen = cases.number; /* each candidate with the same chance */
        else if (cases.pass == RUN && g->chosen == cases.number)
            cases.run(kind, op);
        cases.number++;
    }
    od_plan_free(&plan);
}

int choice_for_each(void (*run)(const od_operator *kind, const void *op))
{
    memset(&cases, 0, sizeof cases);
    cases.run = run;
    for (cases.pass = MEASURE; cases.pass <= RUN; cases.pass++) {
        cases.number = 0;
        list_normalization();
        list_elementwise();
        list_sequence();
        list_linear();
        list_attention();
    }
    return cases.count;
}

int choice_number(void)
{
    return cases.number;
}
