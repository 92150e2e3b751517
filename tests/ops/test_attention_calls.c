/* SPDX-License-Identifier: Apache-2.0
 *
 * attention: bad calls and their sentences, the choice of a strategy, blocks of scores, events, empty problems.
 */
#include "attention_kit.h"
#include "ops/attention/attention.h"
#include "runtime/verbs.h"

#include <math.h>

extern const od_operator od_operator_attention;

static kit_tensor *tensor(int64_t heads, int64_t length, int64_t width)
{
    return kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, (int64_t[]){2, heads, length, width});
}

/* B 2, Hq 4, Hkv 2, Sq 3, Skv 5, D 8, Dv 6, with everything that is optional. */
static ocldnn_attention complete(void)
{
    return (ocldnn_attention){
        .query = tensor(4, 3, 8)->tensor,
        .key = tensor(2, 5, 8)->tensor,
        .value = tensor(2, 5, 6)->tensor,
        .mask = kit_input(OCLDNN_U8, KIT_DENSE, KIT_BITS, 4, (int64_t[]){2, 1, 1, 5})->tensor,
        .bias = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 4, (int64_t[]){1, 4, 3, 5})->tensor,
        .output = kit_output(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){2, 4, 3, 6})->tensor,
        .lse = kit_output(OCLDNN_F32, KIT_DENSE, 3, (int64_t[]){2, 4, 3})->tensor,
        .scale = 0.5f,
    };
}

#define REFUSED(CHANGE, STATUS, PART)                                                                                  \
    do {                                                                                                               \
        op = good;                                                                                                     \
        op.CHANGE;                                                                                                     \
        kit_refuses(attention, &op, STATUS, PART);                                                                     \
    } while (0)

static void says_which_tensor_is_wrong(void **state)
{
    const ocldnn_attention good = complete();
    ocldnn_attention op;
    (void)state;
    if (runs(&good))
        kit_run(attention, &good);
    REFUSED(query.dtype = 0, OCLDNN_INVALID_ARGUMENT, "query: the tensor is missing");
    REFUSED(key.dtype = 0, OCLDNN_INVALID_ARGUMENT, "key: the tensor is missing");
    REFUSED(value.dtype = 0, OCLDNN_INVALID_ARGUMENT, "value: the tensor is missing");
    REFUSED(output.dtype = 0, OCLDNN_INVALID_ARGUMENT, "output: the tensor is missing");
    REFUSED(query.rank = 3, OCLDNN_INVALID_SHAPE, "query: rank is 3, must be 4");
    REFUSED(lse.rank = 4, OCLDNN_INVALID_SHAPE, "lse: rank is 4, must be 3");
    REFUSED(key.dtype = OCLDNN_F16, OCLDNN_INVALID_DTYPE, "key: dtype is F16, must be F32");
    REFUSED(mask.dtype = OCLDNN_F32, OCLDNN_INVALID_DTYPE, "mask: dtype is F32, must be U8");
    REFUSED(bias.dtype = OCLDNN_BF16, OCLDNN_INVALID_DTYPE, "bias: dtype is BF16, must be F32");
    REFUSED(key.shape[0] = 1, OCLDNN_INVALID_SHAPE, "key: axis 0 is 1, query has 2");
    REFUSED(key.shape[3] = 7, OCLDNN_INVALID_SHAPE, "key: axis 3 is 7, query has 8");
    REFUSED(value.shape[2] = 4, OCLDNN_INVALID_SHAPE, "value: axis 2 is 4, key has 5");
    REFUSED(value.shape[1] = 1, OCLDNN_INVALID_SHAPE, "value: axis 1 is 1, key has 2");
    REFUSED(output.shape[3] = 5, OCLDNN_INVALID_SHAPE, "output: axis 3 is 5, value has 6");
    REFUSED(output.shape[2] = 2, OCLDNN_INVALID_SHAPE, "output: axis 2 is 2, query has 3");
    REFUSED(lse.shape[1] = 2, OCLDNN_INVALID_SHAPE, "lse: axis 1 is 2, query has 4");
    REFUSED(mask.shape[3] = 4, OCLDNN_INVALID_SHAPE, "mask: axis 3 is 4, must be 1 or 5");
    REFUSED(bias.shape[1] = 2, OCLDNN_INVALID_SHAPE, "bias: axis 1 is 2, must be 1 or 4");
    REFUSED(query.strides[3] = 2, OCLDNN_INVALID_SHAPE, "query: axis 3 has stride 2, the last axis must be contiguous");
    op = good;
    op.query.shape[3] = op.key.shape[3] = 1025;
    kit_refuses(attention, &op, OCLDNN_INVALID_SHAPE, "query: axis 3 is 1025, must be 1 to 1024");
    op = good;
    op.key.shape[1] = op.value.shape[1] = 3;
    kit_refuses(attention, &op, OCLDNN_INVALID_SHAPE, "key: axis 1 is 3, which does not divide axis 1 of query, 4");
    kit_free_all();
}

static void says_which_option_is_wrong(void **state)
{
    const ocldnn_attention good = complete();
    ocldnn_attention op;
    (void)state;
    REFUSED(scale = (float)NAN, OCLDNN_INVALID_ARGUMENT, "scale is");
    REFUSED(softcap = -1.0f, OCLDNN_INVALID_ARGUMENT, "softcap is -1, must be finite and > 0");
    REFUSED(causal = 3, OCLDNN_INVALID_ARGUMENT, "causal is 3, must be 0 to 2");
    REFUSED(strategy = 3, OCLDNN_INVALID_ARGUMENT, "strategy is 3, must be 0 to 2");
    if (!runs(&good))
        return;
    op = good;
    op.output = op.query;
    op.output.shape[3] = 6;
    kit_refuses_run(attention, &op, OCLDNN_INVALID_BUFFER, "overlap query");
    op = good;
    op.key.offset += 1000;
    kit_refuses_run(attention, &op, OCLDNN_INVALID_BUFFER, "key");
    kit_free_all();
}

static void empty_problems(void **state)
{
    ocldnn_attention op = complete();
    kit_tensor *output = kit_output(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){2, 4, 3, 6});
    kit_tensor *lse = kit_output(OCLDNN_F32, KIT_DENSE, 3, (int64_t[]){2, 4, 3});
    double zeros[2 * 4 * 3 * 6] = {0};
    (void)state;
    /* No key at all: rows of zeros. */
    op.key.shape[2] = op.value.shape[2] = op.mask.shape[3] = op.bias.shape[3] = 0;
    op.output = output->tensor;
    op.lse = lse->tensor;
    for (op.strategy = 0; op.strategy < 3; op.strategy++) {
        if (!runs(&op))
            continue;
        kit_run(attention, &op);
        kit_equal(output, zeros);
        kit_read(lse);
        for (int i = 0; i < 24; i++)
            assert_true(lse->values[i] == -(double)INFINITY);
    }
    op = complete();
    op.query.shape[2] = op.output.shape[2] = op.lse.shape[2] = op.bias.shape[2] = 0;
    kit_run(attention, &op);
    op = complete();
    op.query.shape[1] = op.output.shape[1] = op.lse.shape[1] = 0; /* no head, over two of keys */
    op.bias.shape[1] = 1;
    for (op.strategy = 0; op.strategy < 3; op.strategy++)
        if (runs(&op))
            kit_run(attention, &op);
    kit_free_all();
}

/* ---- plans, without a device ------------------------------------------------------------------------------------- */

static ocldnn_attention sized(int64_t batch, int64_t heads, int64_t length)
{
    const int64_t shape[4] = {batch, heads, length, 64};
    ocldnn_tensor t = ocldnn_tensor_dense(NULL, OCLDNN_F32, 4, shape);
    return (ocldnn_attention){.query = t, .key = t, .value = t, .output = t};
}

static void plan_for(od_family family, const ocldnn_attention *op, od_plan *plan)
{
    od_device facts = kit.facts;
    facts.family = family;
    od_plan_init(plan);
    kit_must(od_plan_operator(&od_operator_attention, &facts, op, plan, NULL), "plan");
}

static int64_t defined(const od_step *step, const char *name)
{
    for (uint32_t i = 0; i < step->define_count; i++)
        if (strcmp(step->defines[i].name, name) == 0)
            return step->defines[i].value;
    return -1;
}

static void plans(void **state)
{
    static od_plan plan;
    ocldnn_attention op = sized(2, 3, 100);
    (void)state;
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    assert_string_equal(plan.strategy, "flash_unit (vector)");
    assert_int_equal(plan.step_count, 1);
    assert_int_equal(plan.workspace_bytes, 0);
    assert_int_equal(plan.steps[0].groups[0], 2);
    assert_int_equal(plan.steps[0].groups[1], 3);
    assert_int_equal(plan.steps[0].groups[2], 2);
    assert_int_equal(defined(&plan.steps[0], "MASK"), OD_MASK_NONE);
    od_plan_free(&plan);
    /* The same mask for all queries is one of keys. */
    op = sized(2, 3, 100);
    op.mask = ocldnn_tensor_dense(NULL, OCLDNN_U8, 4, (int64_t[]){2, 3, 1, 100});
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    assert_int_equal(defined(&plan.steps[0], "MASK"), OD_MASK_KEYS);
    od_plan_free(&plan);
}

/* One query of 3 heads that share keys; a mask that differs between them is one of rows. */
static void plans_for_few_queries(void **state)
{
    static od_plan plan;
    ocldnn_attention op = sized(2, 3, 1);
    uint64_t one;
    (void)state;
    op.key = op.value = ocldnn_tensor_dense(NULL, OCLDNN_F32, 4, (int64_t[]){2, 1, 1, 64});
    op.mask = ocldnn_tensor_dense(NULL, OCLDNN_U8, 4, (int64_t[]){2, 1, 1, 1});
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    assert_string_equal(plan.strategy, "flash_unit (few)");
    assert_int_equal(plan.step_count, 1);
    assert_int_equal(plan.workspace_bytes, 0);
    assert_int_equal(plan.steps[0].groups[0] * plan.steps[0].groups[1] * plan.steps[0].groups[2], 2);
    assert_int_equal(defined(&plan.steps[0], "ROWS"), 4);
    assert_int_equal(defined(&plan.steps[0], "MASK"), OD_MASK_KEYS);
    od_plan_free(&plan);
    op.mask = ocldnn_tensor_dense(NULL, OCLDNN_U8, 4, (int64_t[]){2, 3, 1, 1});
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    assert_int_equal(defined(&plan.steps[0], "MASK"), OD_MASK_ROWS);
    od_plan_free(&plan);
    /* Many keys are cut in chunks, which depend on the keys alone. */
    op.mask.dtype = 0;
    op.key.shape[2] = op.value.shape[2] = 100000;
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    one = plan.steps[0].groups[0];
    assert_int_equal(plan.step_count, 2);
    assert_true(one >= kit.facts.compute_units);
    assert_true(plan.workspace_bytes > 0);
    od_plan_free(&plan);
    op.query.shape[0] = op.key.shape[0] = op.value.shape[0] = op.output.shape[0] = 50;
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    assert_int_equal(plan.steps[0].groups[0], one);
    od_plan_free(&plan);
}

/* However long the sequence, the scores take 8 MiB on a CPU; the products' own memory is shared by the blocks: up to
 * 64 MiB for each operand of the matrix unit. */
static void fallback_is_bounded(void **state)
{
    static od_plan plan;
    ocldnn_attention op = sized(1, 4, 8192);
    uint32_t softmaxes = 0;
    uint64_t rows = 0, small;
    (void)state;
    op.strategy = OCLDNN_ATTENTION_FALLBACK;
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    for (uint32_t i = 0; i < plan.step_count; i++)
        if (strcmp(plan.steps[i].kernel, "scores_softmax") == 0) {
            softmaxes++;
            rows += plan.steps[i].groups[0] * plan.steps[i].groups[1];
        }
    assert_int_equal(softmaxes, 4 * 32);
    assert_int_equal(rows, 4 * 8192);
    small = plan.workspace_bytes;
    od_plan_free(&plan);
    op = sized(3, 4, 8192);
    op.strategy = OCLDNN_ATTENTION_FALLBACK;
    plan_for(OD_FAMILY_VECTOR, &op, &plan);
    assert_int_equal(plan.workspace_bytes, small);
    assert_true(small < ((kit.facts.amx ? 16u + 128u : 16u) << 20));
    od_plan_free(&plan);
}

/* 4 heads of 262144 keys: in 32 MiB there is room for 32 queries, in 8 MiB for 8. */
static void fallback_has_few_blocks(void **state)
{
    static od_plan plan;
    ocldnn_attention op = sized(1, 4, 262144);
    (void)state;
    plan_for(kit.facts.family, &op, &plan); /* AUTO */
    assert_string_not_equal(plan.strategy, "fallback");
    od_plan_free(&plan);
    op.strategy = OCLDNN_ATTENTION_FALLBACK;
    kit_refuses(attention, &op, OCLDNN_UNSUPPORTED,
                kit.facts.family == OD_FAMILY_VECTOR ? "its scores would be computed in 131072 blocks, more than 16384"
                                                     : "its scores would be computed in 32768 blocks, more than 16384");
}

static void honours_events(void **state)
{
    (void)state;
    for (uint32_t strategy = 0; strategy < 3; strategy++) {
        ocldnn_attention op = complete();
        kit_tensor *output = kit_output(OCLDNN_F32, KIT_DENSE, 4, (int64_t[]){2, 4, 3, 6});
        op.output = output->tensor;
        op.strategy = strategy;
        if (runs(&op))
            kit_honours_events(attention, &op, output);
        kit_free_all();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_which_tensor_is_wrong),
        cmocka_unit_test(says_which_option_is_wrong),
        cmocka_unit_test(empty_problems),
        cmocka_unit_test(plans),
        cmocka_unit_test(plans_for_few_queries),
        cmocka_unit_test(fallback_is_bounded),
        cmocka_unit_test(fallback_has_few_blocks),
        cmocka_unit_test(honours_events),
    };
    return KIT_MAIN_OF_PRODUCTS("attention_calls", tests);
}
