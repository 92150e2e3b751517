/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/linear.inc"
#include "reference/twice.h"

enum { SIZES = 12 };
static const int64_t sizes[SIZES] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 65, 130};

typedef struct kind {
    uint32_t dtype, strategy, layout, activation;
    uint32_t bias; /* its dtype, 0 = none */
    float alpha;
    bool residual, in_place, packed;
    kit_fill fill;
} kind;

static double default_alpha(const kind *c)
{
    return c->alpha != 0 ? (double)c->alpha : c->activation == OCLDNN_LEAKY_RELU ? (double)0.01f : 1;
}

/* Packs a weight into a buffer of its own; the caller releases it. */
static ocldnn_packed_weight pack(const kit_tensor *weight, uint32_t layout)
{
    ocldnn_linear_pack op = {.weight = weight->tensor, .layout = layout};
    cl_int code;
    kit_must(ocldnn_linear_pack_layout(kit.context, &weight->tensor, layout, &op.packed), "linear_pack_layout");
    op.packed.offset = 128;
    op.packed.buffer = clCreateBuffer(kit.cl, 0, (size_t)(op.packed.offset + op.packed.bytes), NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    kit_run(linear_pack, &op);
    return op.packed;
}

static void fill_op(ocldnn_linear *op, const kind *c, const kit_tensor *x, const kit_tensor *w)
{
    op->input = x->tensor;
    op->layout = c->layout;
    op->activation = c->activation;
    op->alpha = c->alpha;
    op->strategy = c->strategy;
    if (c->packed)
        op->packed = pack(w, c->layout);
    else
        op->weight = w->tensor;
}

static void one_shape(const kind *c, int64_t m, int64_t n, int64_t k)
{
    kit_tensor *x = kit_input(c->dtype, KIT_STRIDED, c->fill, 2, (int64_t[]){m, k});
    int64_t shape[2] = {c->layout ? k : n, c->layout ? n : k};
    kit_tensor *w = kit_input(c->dtype, KIT_STRIDED, c->fill, 2, shape);
    kit_tensor *bias = c->bias ? kit_input(c->bias, KIT_DENSE, c->fill, 1, (int64_t[]){n}) : NULL;
    kit_tensor *r = c->residual ? kit_input(c->dtype, KIT_STRIDED, c->fill, 2, (int64_t[]){m, n}) : NULL;
    kit_tensor *y = kit_output(c->dtype, KIT_STRIDED, 2, (int64_t[]){m, n});
    double *exact = kit_doubles(m * n), *naive = kit_doubles(m * n);
    linear_problem_double p = {.a = x->values,
                               .b = w->values,
                               .m = m,
                               .n = n,
                               .k = k,
                               .transpose_b = c->layout == 0,
                               .alpha = 1,
                               .activation = c->activation,
                               .parameter = default_alpha(c)};
    linear_problem_float q;
    ocldnn_linear op = {0};
    fill_op(&op, c, x, w);
    if (bias) {
        op.bias = bias->tensor;
        p.bias = bias->values;
    }
    if (r && c->in_place) {
        double *values = kit_doubles(m * n);
        memcpy(values, r->values, (size_t)(m * n) * sizeof *values);
        y = r;
        p.residual = values;
        op.residual = r->tensor;
    } else if (r) {
        op.residual = r->tensor;
        p.residual = r->values;
    }
    op.output = y->tensor;
    memcpy(&q, &p, sizeof q);
    linear_double(&p, exact);
    linear_float(&q, naive);
    kit_run(linear, &op);
    if (c->fill == KIT_INTEGERS)
        kit_equal(y, exact);
    else
        kit_compare(y, exact, naive, k);
    if (c->packed)
        clReleaseMemObject(op.packed.buffer);
    kit_free_all();
}

/* The choices below are few on purpose: each is a program to build. */
static kind any_kind(kit_fill fill)
{
    static const kind integers[] = {{0}, {.activation = OCLDNN_RELU, .bias = OCLDNN_F32, .residual = true}};
    static const kind normal[] = {
        {.activation = OCLDNN_GELU, .bias = OCLDNN_F32},
        {.activation = OCLDNN_GELU_TANH, .residual = true},
        {.activation = OCLDNN_SILU, .alpha = 1.702f},
        {.activation = OCLDNN_SIGMOID, .bias = OCLDNN_F16},
        {.activation = OCLDNN_TANH, .bias = OCLDNN_BF16},
        {.activation = OCLDNN_HARDSWISH, .bias = OCLDNN_F32, .residual = true},
        {.activation = OCLDNN_LEAKY_RELU, .bias = OCLDNN_F32},
        {.activation = OCLDNN_SOFTPLUS},
    };
    static const uint32_t types[] = {OCLDNN_F32, OCLDNN_F16, OCLDNN_F32, OCLDNN_F16, OCLDNN_BF16, OCLDNN_BF16};
    int i = (int)kit_between(0, fill == KIT_INTEGERS ? 1 : 7);
    kind c = fill == KIT_INTEGERS ? integers[i] : normal[i];
    c.dtype = fill == KIT_INTEGERS ? kit_float_dtype() : types[i % 6];
    c.fill = fill;
    c.layout = (uint32_t)kit_between(0, 1);
    c.packed = kit_between(0, 2) == 0;
    c.in_place = c.residual && kit_between(0, 1);
    return c;
}

static void matches_reference(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(24); i++) {
        kind c = any_kind(KIT_NORMAL);
        int64_t limit = kit.small ? 20 : i % 5 == 0 ? 300 : i % 2 ? 16 : 70;
        /* Enough values to know a float program's error by. */
        one_shape(&c, kit_between(1, limit), kit_between(48, 48 + limit), kit_between(0, limit));
    }
    if (!kit.small)
        one_shape(&(kind){.dtype = OCLDNN_F32, .bias = OCLDNN_F32, .activation = OCLDNN_GELU, .packed = true}, 500, 384,
                  384);
}

/* Each dtype meets one form of the weight in one run of the program, another in the next. */
static void tails(void **state)
{
    int64_t turn = kit_between(0, 2);
    (void)state;
    for (int i = 0; i < SIZES * SIZES && i < kit_rounds(144); i++) {
        int64_t k = sizes[kit_between(0, SIZES - 1)], form = (i + turn) % 3;
        kind c = {.dtype = 1 + (uint32_t)i % 3, .fill = KIT_INTEGERS, .packed = form == 2, .layout = form & 1};
        one_shape(&c, sizes[i / SIZES], sizes[i % SIZES], kit.small && k > 20 ? 5 : k);
    }
    for (int64_t m = 1; m <= 8 && !kit.small; m++) { /* few rows, long and wide, in every form of the weight */
        for (uint32_t form = 0; form < 3; form++) {
            kind c = {.dtype = 1 + (uint32_t)(turn + form) % 3,
                      .fill = KIT_INTEGERS,
                      .packed = form == 2,
                      .layout = form & 1};
            one_shape(&c, m, 1100, 513);
            one_shape(&c, m, 45, 4096);
        }
    }
}

/* Input [3, 4, K] whose leading axes do not join, weights shared or one a batch. */
static void one_tile_each(void)
{
    for (uint32_t layout = 0; layout < 2; layout++)
        one_shape(&(kind){.dtype = OCLDNN_F32, .fill = KIT_INTEGERS, .layout = layout, .bias = OCLDNN_F32},
                  kit.small ? 33 : 135, kit.small ? 35 : 141, kit.small ? 37 : 75);
}

static void tiles_of_each_gpu(void **state)
{
    (void)state;
    kit_as_each_gpu(one_tile_each);
}

static void batches(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(20); i++) {
        kind c = any_kind(KIT_INTEGERS);
        int64_t m = kit_between(1, 20), n = kit_between(1, 40), k = kit_between(1, 40), heads = i % 3 == 0 ? 3 : 1;
        int64_t shape[3] = {heads, c.layout ? k : n, c.layout ? n : k};
        uint32_t lacks = i % 3 == 1;
        kit_tensor *x = kit_input(c.dtype, KIT_STRIDED, c.fill, 3, (int64_t[]){3, m, k});
        kit_tensor *w = kit_input(c.dtype, KIT_STRIDED, c.fill, 3 - lacks, shape + lacks);
        kit_tensor *y = kit_output(c.dtype, KIT_STRIDED, 3, (int64_t[]){3, m, n});
        double *exact = kit_doubles(y->count);
        ocldnn_linear op = {0};
        c.packed = false;
        fill_op(&op, &c, x, w);
        op.output = y->tensor;
        for (int64_t b = 0; b < 3; b++)
            linear_double(&(linear_problem_double){.a = x->values + b * m * k,
                                                   .b = w->values + (heads == 3 ? b * n * k : 0),
                                                   .m = m,
                                                   .n = n,
                                                   .k = k,
                                                   .transpose_b = c.layout == 0,
                                                   .alpha = 1,
                                                   .activation = c.activation,
                                                   .parameter = default_alpha(&c)},
                          exact + b * m * n);
        kit_run(linear, &op);
        kit_equal(y, exact);
        kit_free_all();
    }
}

static void named_cases(void **state)
{
    kind c = {
        .dtype = OCLDNN_F32, .bias = OCLDNN_F32, .residual = true, .activation = OCLDNN_RELU, .fill = KIT_INTEGERS};
    (void)state;
    one_shape(&c, 5, 40, 0); /* K = 0: act(bias) + residual */
    one_shape(&c, 20, 40, 0);
    one_shape(&c, 0, 40, 3);
    one_shape(&c, 4, 0, 3);
    c.packed = true;
    one_shape(&c, 5, 40, 0);
    one_shape(&c, 4, 0, 3);
    /* One row: rank 1. NaN and infinity go where they belong. */
    double xs[] = {1, INFINITY}, ws[] = {1, 0, NAN, 1, 2, 1}, want[] = {NAN, NAN, INFINITY};
    kit_tensor *x = kit_values(OCLDNN_BF16, KIT_DENSE, 1, (int64_t[]){2}, xs);
    kit_tensor *w = kit_values(OCLDNN_BF16, KIT_DENSE, 2, (int64_t[]){3, 2}, ws);
    kit_tensor *y = kit_output(OCLDNN_BF16, KIT_DENSE, 1, (int64_t[]){3});
    ocldnn_linear op = {.input = x->tensor, .weight = w->tensor, .output = y->tensor};
    kit_run(linear, &op);
    kit_equal(y, want);
    kit_free_all();
}

static void clblast(void **state)
{
    kind c = {.dtype = OCLDNN_F32, .strategy = OCLDNN_GEMM_CLBLAST, .fill = KIT_INTEGERS};
    (void)state;
    if (!kit.facts.clblast || kit.small)
        return;
    one_shape(&c, 33, 70, 20);
    c.fill = KIT_NORMAL;
    one_shape(&c, 33, 70, 200);
    c.fill = KIT_INTEGERS;
    c.bias = OCLDNN_F32;
    c.residual = c.in_place = true;
    c.activation = OCLDNN_RELU;
    one_shape(&c, 9, 21, 20);
}

static void says_what_is_wrong(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){3, 4});
    kit_tensor *w = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){5, 4});
    kit_tensor *bias = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 1, (int64_t[]){5});
    kit_tensor *r = kit_input(OCLDNN_F16, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){3, 5});
    kit_tensor *y = kit_output(OCLDNN_F16, KIT_DENSE, 2, (int64_t[]){3, 5});
    const ocldnn_linear good = {
        .input = x->tensor, .weight = w->tensor, .bias = bias->tensor, .residual = r->tensor, .output = y->tensor};
    ocldnn_linear op = good;
    (void)state;
    op.input.dtype = OCLDNN_ABSENT;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "input: the tensor is missing");
    op = good;
    op.weight.dtype = OCLDNN_ABSENT;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "weight: the tensor is missing");
    op = good;
    op.weight.dtype = OCLDNN_F32;
    kit_refuses(linear, &op, OCLDNN_INVALID_DTYPE, "weight: dtype is F32, must be F16");
    op = good;
    op.weight.shape[1] = 3;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "input: axis 1 is 4, weight has 3");
    op = good;
    op.layout = 2;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "layout is 2, must be 0 to 1");
    op = good;
    op.weight.rank = 3;
    op.weight.shape[0] = 1, op.weight.shape[1] = 5, op.weight.shape[2] = 4;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "weight: rank is 3, must be 2");
    op = good;
    op.bias.dtype = OCLDNN_BF16;
    kit_refuses(linear, &op, OCLDNN_INVALID_DTYPE, "bias: dtype is BF16, must be F32, F16");
    op = good;
    op.bias.shape[0] = 4;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "bias: axis 0 is 4, must be 5 (the weight's n)");
    op = good;
    op.residual.shape[0] = 2;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "residual: axis 0 is 2, output has 3");
    op = good;
    op.output.shape[1] = 4;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "output: axis 1 is 4, must be 5 (the weight's n)");
    op = good;
    op.output.shape[0] = 2;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "output: axis 0 is 2, input has 3");
    op = good;
    op.input.strides[0] = 10, op.input.strides[1] = 2;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "input: axis 1 has stride 2");
    op = good;
    op.activation = 10;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "activation is 10, must be 0 to 9");
    op = good;
    op.alpha = INFINITY;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "alpha is inf");
    op = good;
    op.strategy = 3;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "strategy is 3, must be 0 to 2");
    op = good;
    op.strategy = OCLDNN_GEMM_CLBLAST;
    if (kit.facts.clblast)
        kit_refuses(linear, &op, OCLDNN_UNSUPPORTED, "CLBlast sums F16 in F16");
    op = good;
    op.output.buffer = x->tensor.buffer;
    op.output.offset = x->tensor.offset;
    kit_refuses_run(linear, &op, OCLDNN_INVALID_BUFFER, "overlap input");
    kit_free_all();
}

static void refuses_packed(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){3, 4});
    kit_tensor *w = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){5, 4});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){3, 5});
    ocldnn_linear good = {.input = x->tensor, .packed = pack(w, 0), .output = y->tensor}, op = good;
    ocldnn_linear_pack again = {.weight = w->tensor, .packed = good.packed};
    (void)state;
    op.packed.made_for++;
    kit_refuses(linear, &op, OCLDNN_UNSUPPORTED, "packed was made for another device");
    op = good;
    op.packed.format = 77;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "packed: format 77 is unknown");
    op = good;
    op.packed.offset = 4;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "packed: offset is 4, must be a multiple of 64");
    op = good;
    op.packed.bytes += 4;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "packed: bytes is");
    op = good;
    op.packed.dtype = OCLDNN_F16;
    op.packed.bytes /= 2;
    kit_refuses(linear, &op, OCLDNN_INVALID_DTYPE, "packed: dtype is F16, input has F32");
    op = good;
    op.input.shape[1] = 3;
    kit_refuses(linear, &op, OCLDNN_INVALID_SHAPE, "input: axis 1 is 3, packed has k 4");
    op = good;
    op.weight = w->tensor;
    kit_refuses(linear, &op, OCLDNN_INVALID_ARGUMENT, "weight: must be absent where packed is given");
    op = good;
    op.packed.offset += 64;
    kit_refuses_run(linear, &op, OCLDNN_INVALID_BUFFER, "packed");
    op = good;
    op.strategy = OCLDNN_GEMM_CLBLAST;
    if (kit.facts.clblast)
        kit_refuses(linear, &op, OCLDNN_UNSUPPORTED, "CLBlast does not read packed weights");
    again.packed.n = 6;
    kit_refuses(linear_pack, &again, OCLDNN_INVALID_SHAPE, "packed: n is 6 and k is 4, weight has 5 and 4");
    again.packed = good.packed;
    again.packed.made_for++;
    kit_refuses(linear_pack, &again, OCLDNN_UNSUPPORTED, "packed was made for another device");
    again.packed = good.packed;
    again.packed.bytes = 0;
    kit_refuses(linear_pack, &again, OCLDNN_INVALID_ARGUMENT, "packed: is missing");
    again.packed = good.packed;
    again.weight.buffer = good.packed.buffer; /* packed into itself */
    again.weight.offset = good.packed.offset / 4;
    kit_expect(ocldnn_linear_pack_run(kit.context, &again, &(ocldnn_exec){.queue = kit.queue}), OCLDNN_INVALID_BUFFER,
               "packed", "linear_pack_run");
    kit_expect(ocldnn_linear_pack_layout(kit.context, NULL, 0, &op.packed), OCLDNN_INVALID_ARGUMENT, "weight is NULL",
               "linear_pack_layout");
    kit_expect(ocldnn_linear_pack_layout(kit.context, &w->tensor, 2, &op.packed), OCLDNN_INVALID_ARGUMENT,
               "layout is 2", "linear_pack_layout");
    clReleaseMemObject(good.packed.buffer);
    kit_free_all();
}

static void honours_events(void **state)
{
    kit_tensor *x = kit_input(OCLDNN_F32, KIT_DENSE, KIT_INTEGERS, 2, (int64_t[]){3, 30});
    kit_tensor *w = kit_input(OCLDNN_F32, KIT_DENSE, KIT_INTEGERS, 2, (int64_t[]){40, 30});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){3, 40});
    ocldnn_linear op = {.input = x->tensor, .weight = w->tensor, .output = y->tensor};
    (void)state;
    kit_honours_events(linear, &op, y);
    kit_free_all();
}

/* The packed form as bytes, in which it lies where its alignment lets it. */
static void packing_honours_events(void **state)
{
    kit_tensor *w = kit_input(OCLDNN_F32, KIT_DENSE, KIT_INTEGERS, 2, (int64_t[]){40, 30}), *room;
    ocldnn_linear_pack op = {.weight = w->tensor};
    (void)state;
    kit_must(ocldnn_linear_pack_layout(kit.context, &w->tensor, 0, &op.packed), "linear_pack_layout");
    room = kit_output(OCLDNN_U8, KIT_DENSE, 1, (int64_t[]){(int64_t)op.packed.bytes + 63});
    op.packed.buffer = room->tensor.buffer;
    op.packed.offset = (room->tensor.offset + 63) / 64 * 64;
    kit_honours_events(linear_pack, &op, room);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference), cmocka_unit_test(tails),          cmocka_unit_test(batches),
        cmocka_unit_test(named_cases),       cmocka_unit_test(clblast),        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(refuses_packed),    cmocka_unit_test(honours_events), cmocka_unit_test(packing_honours_events),
        cmocka_unit_test(tiles_of_each_gpu),
    };
    return KIT_MAIN_OF_PRODUCTS("linear", tests);
}
