/* SPDX-License-Identifier: Apache-2.0
 *
 * An operator as the library sees it: a check, and a table of strategies in the order in which AUTO tries them.
 */
#ifndef OD_BASE_OPERATOR_H
#define OD_BASE_OPERATOR_H

#include "base/plan.h"

enum { OD_PROBLEM_BYTES = 6144, OD_REASON_BYTES = 160 };

typedef struct od_strategy {
    const char *name; /* as _query shows it */
    uint32_t value;   /* its public number; several entries may share one (variants of a strategy) */
    /* Whether it can run on the device; if not, writes why. NULL: always. */
    bool (*can)(const od_device *device, const void *problem, char reason[OD_REASON_BYTES]);
    /* Writes the launches. */
    ocldnn_status (*plan)(const od_device *device, const void *problem, od_plan *plan);
} od_strategy;

typedef struct od_operator {
    const char *name;
    /* Checks the public struct, records its tensors in the plan (od_plan_tensor), sets plan->empty and plan->requested,
     * and writes what the strategies need into problem (at most OD_PROBLEM_BYTES). */
    ocldnn_status (*check)(const void *op, od_plan *plan, void *problem);
    const od_strategy *strategies;
    uint32_t strategy_count;
    uint32_t highest_strategy; /* the highest public number that plan->requested may have; 0 if there is no choice */
} od_operator;

/* The pure function behind the four verbs: checks op, chooses, plans. query may be NULL; else its strategies are
 * filled. plan must have been initialised; the caller frees it also after a failure. */
ocldnn_status od_plan_operator(const od_operator *kind, const od_device *device, const void *op, od_plan *plan,
                               ocldnn_query *query);

/* For a `can`: writes the reason and returns false. */
bool od_cannot(char reason[OD_REASON_BYTES], const char *format, ...) OD_PRINTF(2, 3);

#endif
