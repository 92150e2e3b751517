/* SPDX-License-Identifier: Apache-2.0
 *
 * activation, binary and gated: one kernel, one way of broadcasting.
 */
#include "base/activation.h"
#include "kit/kit.h"

#define REFERENCE_FILE "reference/elementwise.inc"
#include "reference/twice.h"

/* ---- broadcasting -------------------------------------------------------------------------------------------------
 */

typedef struct shape {
    uint32_t rank;
    int64_t lengths[OCLDNN_MAX_RANK];
} shape;

static shape draw_shape(void)
{
    shape s = {.rank = (uint32_t)kit_between(0, kit_between(0, 4) ? 4 : OCLDNN_MAX_RANK)};
    int64_t room = kit.small ? 200 : 4000;
    for (uint32_t i = s.rank; i-- > 0;) {
        s.lengths[i] = kit_between(kit_between(0, 40) ? 1 : 0, kit_between(0, 2) ? 5 : 70);
        if (s.lengths[i] > room)
            s.lengths[i] = room;
        room /= s.lengths[i] ? s.lengths[i] : 1;
    }
    return s;
}

/* The shape of an input that broadcasts to s: leading axes may be missing, others may be 1. Axes in `keep` stay. */
static shape draw_narrower(const shape *s, uint32_t keep)
{
    uint32_t dropped = 0;
    shape n = {0};
    while (dropped < s->rank && !(keep >> dropped & 1) && kit_between(0, 3) == 0)
        dropped++;
    for (uint32_t i = dropped; i < s->rank; i++)
        n.lengths[n.rank++] = keep >> i & 1 || kit_between(0, 3) ? s->lengths[i] : 1;
    return n;
}

/* The axes of s that n does not have in full, as bits. */
static uint32_t repeated(const shape *s, const shape *n)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < s->rank; i++) {
        uint32_t missing = s->rank - n->rank;
        if (i < missing || n->lengths[i - missing] != s->lengths[i])
            bits |= 1u << i;
    }
    return bits;
}

/* The values of an input of shape n, spread over shape s. */
static double *spread(const kit_tensor *tensor, const shape *n, const shape *s, int64_t count)
{
    double *wide = kit_doubles(count);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, place = 0, step = 1;
        for (uint32_t from_end = 0; from_end < n->rank; from_end++) {
            int64_t length = n->lengths[n->rank - 1 - from_end], at = rest % s->lengths[s->rank - 1 - from_end];
            rest /= s->lengths[s->rank - 1 - from_end];
            place += length == 1 ? 0 : at * step;
            step *= length;
        }
        wide[i] = tensor->values[place];
    }
    return wide;
}

/* Says in the struct, by a stride of 0, what an axis of length 1 would say. Not where all strides would be 0 (dense).
 */
static void widen_by_strides(ocldnn_tensor *tensor, const shape *s)
{
    uint32_t missing = s->rank - tensor->rank;
    bool all_zero = true;
    for (uint32_t i = 0; i < tensor->rank; i++)
        all_zero = all_zero && tensor->shape[i] == 1;
    for (uint32_t i = 0; i < tensor->rank && !all_zero; i++) {
        if (tensor->shape[i] == 1 && s->lengths[i + missing] > 1) {
            tensor->shape[i] = s->lengths[i + missing];
            tensor->strides[i] = 0;
        }
    }
}

static kit_layout draw_layout(void)
{
    return (kit_layout)kit_between(KIT_DENSE, KIT_ANY);
}

static kit_tensor *draw_input(uint32_t dtype, const shape *n, double scale)
{
    kit_tensor *made = kit_input(dtype, draw_layout(), KIT_NORMAL, n->rank, n->lengths);
    for (int64_t i = 0; i < made->count; i++)
        made->values[i] *= scale;
    kit_write(made);
    return made;
}

/* ---- random cases -------------------------------------------------------------------------------------------------
 */

static void one_activation(uint32_t dtype, uint32_t kind, double scale, float alpha)
{
    /* How far a plain float program is off is only known from many values. */
    int64_t count = kit.small ? 300 : 20000;
    kit_tensor *x = draw_input(dtype, &(shape){1, {count}}, scale);
    kit_tensor *y = kit_output(dtype, KIT_DENSE, 1, &count);
    double *exact = kit_doubles(count), *naive = kit_doubles(count);
    ocldnn_activation op = {.input = x->tensor, .output = y->tensor, .kind = kind, .alpha = alpha};
    activation_double(kind, (double)od_activation_alpha(kind, alpha), x->values, count, exact);
    activation_float(kind, (double)od_activation_alpha(kind, alpha), x->values, count, naive);
    kit_run(activation, &op);
    kit_compare(y, exact, naive, 1);
    kit_free_all();
}

static void every_activation(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < OD_ACTIVATIONS; kind++) {
        one_activation(OCLDNN_F32, kind, 1, 0.0f);
        one_activation(OCLDNN_F32, kind, 6, 1.702f);
    }
    for (uint32_t kind = OCLDNN_GELU; kind <= OCLDNN_SILU; kind += 2) {
        one_activation(OCLDNN_F16, kind, 2, 0.0f);
        one_activation(OCLDNN_BF16, kind, 2, 0.0f);
    }
}

/* Whether the output goes where input `a` lies. */
static kit_tensor *draw_output(uint32_t dtype, kit_tensor *a, const shape *s)
{
    bool same = a->tensor.rank == s->rank;
    for (uint32_t i = 0; i < s->rank && same; i++)
        same = a->tensor.shape[i] == s->lengths[i];
    return same && kit_between(0, 2) == 0 ? a : kit_output(dtype, draw_layout(), s->rank, s->lengths);
}

/* Two inputs of which neither, one or both repeat, on different axes; small integers, so that all must be equal. */
typedef struct pair {
    shape s;
    kit_tensor *a, *b, *y;
    double *wide_a, *wide_b, *exact;
} pair;

static pair draw_pair(uint32_t dtype)
{
    pair p = {.s = draw_shape()};
    shape n = draw_narrower(&p.s, 0), m = draw_narrower(&p.s, repeated(&p.s, &n));
    int64_t count = 1;
    for (uint32_t i = 0; i < p.s.rank; i++)
        count *= p.s.lengths[i];
    if (kit_between(0, 1)) {
        shape kept = n;
        n = m;
        m = kept;
    }
    p.a = kit_input(dtype, draw_layout(), KIT_INTEGERS, n.rank, n.lengths);
    p.b = kit_input(dtype, draw_layout(), KIT_INTEGERS, m.rank, m.lengths);
    p.wide_a = spread(p.a, &n, &p.s, count);
    p.wide_b = spread(p.b, &m, &p.s, count);
    p.y = draw_output(dtype, p.a, &p.s);
    if (kit_between(0, 1) && p.y != p.a)
        widen_by_strides(&p.a->tensor, &p.s);
    if (kit_between(0, 1))
        widen_by_strides(&p.b->tensor, &p.s);
    p.exact = kit_doubles(count);
    return p;
}

/* One dtype a run: each combination of switches is a program of its own. */
static void any_layout(void **state)
{
    uint32_t dtype = kit_float_dtype();
    (void)state;
    for (int i = 0; i < kit_rounds(150); i++) {
        pair p = draw_pair(dtype);
        bool sum = i % 2;
        for (int64_t j = 0; j < p.y->count; j++)
            p.exact[j] = sum ? p.wide_a[j] + p.wide_b[j] : fmax(p.wide_a[j], 0) * p.wide_b[j];
        if (sum)
            kit_run(binary, (&(ocldnn_binary){p.a->tensor, p.b->tensor, p.y->tensor, OCLDNN_ADD}));
        else
            kit_run(gated, (&(ocldnn_gated){p.a->tensor, p.b->tensor, p.y->tensor, OCLDNN_RELU, 0}));
        kit_equal(p.y, p.exact);
        kit_free_all();
    }
}

/* Values that are rounded: one rounding for sums and products, the activation's error for gated products. */
static void rounds_once(void **state)
{
    shape s = {2, {7, kit.small ? 151 : 1001}};
    (void)state;
    for (uint32_t dtype = OCLDNN_F32; dtype <= OCLDNN_BF16; dtype++) {
        kit_tensor *a = draw_input(dtype, &s, 3), *b = draw_input(dtype, &s, 3);
        kit_tensor *y = kit_output(dtype, KIT_DENSE, 2, s.lengths);
        double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count);
        for (uint32_t kind = OCLDNN_ADD; kind <= OCLDNN_MUL; kind++) {
            binary_double(kind, a->values, b->values, y->count, exact);
            binary_float(kind, a->values, b->values, y->count, naive);
            kit_run(binary, (&(ocldnn_binary){a->tensor, b->tensor, y->tensor, kind}));
            kit_equal(y, naive);
            kit_compare(y, exact, NULL, 1);
        }
        for (uint32_t kind = OCLDNN_GELU; kind <= OCLDNN_SILU; kind++) {
            gated_double(kind, 1, a->values, b->values, y->count, exact);
            gated_float(kind, 1, a->values, b->values, y->count, naive);
            kit_run(gated, (&(ocldnn_gated){a->tensor, b->tensor, y->tensor, kind, 0}));
            kit_compare(y, exact, naive, 1);
        }
        kit_free_all();
    }
}

/* ---- named cases --------------------------------------------------------------------------------------------------
 */

/* Long rows, so that many groups take part; sums of integers must be equal. */
static void many_groups(void **state)
{
    int64_t lengths[] = {kit.small ? 3 : 37, kit.small ? 70 : 5003};
    (void)state;
    for (uint32_t dtype = OCLDNN_F32; dtype <= OCLDNN_BF16; dtype++) {
        for (int layout = KIT_DENSE; layout <= KIT_ANY; layout++) {
            kit_tensor *a = kit_input(dtype, (kit_layout)layout, KIT_INTEGERS, 2, lengths);
            kit_tensor *b = kit_input(dtype, KIT_DENSE, KIT_INTEGERS, 1, lengths + 1);
            kit_tensor *y = kit_output(dtype, KIT_DENSE, 2, lengths);
            ocldnn_binary op = {.a = a->tensor, .b = b->tensor, .output = y->tensor};
            double *exact = kit_doubles(y->count);
            for (int64_t i = 0; i < y->count; i++)
                exact[i] = a->values[i] + b->values[i % lengths[1]];
            kit_run(binary, &op);
            kit_equal(y, exact);
            kit_free_all();
        }
    }
}

static void all_eight_axes(void **state)
{
    int64_t lengths[] = {2, 3, 2, 3, 2, 3, 2, 3};
    kit_tensor *a = kit_input(OCLDNN_F32, KIT_DENSE, KIT_INTEGERS, 8, lengths);
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 8, lengths);
    ocldnn_activation op = {.input = a->tensor, .output = y->tensor};
    double *exact = kit_doubles(y->count);
    int64_t stride = 2;
    (void)state;
    /* Axes from first to last instead of last to first, so that none can be joined. */
    for (uint32_t axis = 0; axis < 8; axis++) {
        op.input.strides[axis] = axis == 0 ? 1 : stride;
        stride *= axis == 0 ? 1 : lengths[axis];
    }
    for (int64_t i = 0; i < y->count; i++) {
        int64_t rest = i, place = 0;
        for (uint32_t axis = 8; axis-- > 0;) {
            place += rest % lengths[axis] * op.input.strides[axis];
            rest /= lengths[axis];
        }
        exact[i] = a->values[place];
    }
    kit_run(activation, &op);
    kit_equal(y, exact);
    kit_free_all();
}

static void special_values(void **state)
{
    double x[] = {NAN, INFINITY, -INFINITY, 0.0, -1e30, 1e30, -50, 50};
    static const double want[OD_ACTIVATIONS][8] = {
        [OCLDNN_IDENTITY] = {NAN, INFINITY, -INFINITY, 0, -1e30, 1e30, -50, 50},
        [OCLDNN_RELU] = {NAN, INFINITY, 0, 0, 0, 1e30, 0, 50},
        [OCLDNN_GELU] = {NAN, INFINITY, NAN, 0, 0, 1e30, 0, 50},
        [OCLDNN_SIGMOID] = {NAN, 1, 0, 0.5, 0, 1, 1.92874984796392e-22, 1},
        [OCLDNN_TANH] = {NAN, 1, -1, 0, -1, 1, -1, 1},
        [OCLDNN_LEAKY_RELU] = {NAN, INFINITY, -INFINITY, 0, -1e30 * 0.01, 1e30, -0.5, 50},
        [OCLDNN_SOFTPLUS] = {NAN, INFINITY, 0, 0.693147180559945, 0, 1e30, 1.92874984796392e-22, 50},
    };
    static const uint32_t kinds[] = {OCLDNN_IDENTITY, OCLDNN_RELU,       OCLDNN_GELU,    OCLDNN_SIGMOID,
                                     OCLDNN_TANH,     OCLDNN_LEAKY_RELU, OCLDNN_SOFTPLUS};
    double wide[19];
    (void)state;
    for (int i = 0; i < 19; i++)
        wide[i] = x[i % 8];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        kit_tensor *in = kit_values(OCLDNN_F32, KIT_DENSE, 1, (int64_t[]){19}, wide);
        kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 1, (int64_t[]){19});
        ocldnn_activation op = {.input = in->tensor, .output = y->tensor, .kind = kinds[k]};
        kit_run(activation, &op);
        kit_read(y);
        for (int i = 0; i < 19; i++) {
            double wanted = want[kinds[k]][i % 8], found = y->values[i];
            if (isnan(wanted) || isinf(wanted) ? !(found == wanted || (isnan(found) && isnan(wanted)))
                                               : !(fabs(found - wanted) <= 1e-6 * fabs(wanted)))
                fail_msg("kind %u of %g is %g, must be %g", kinds[k], wide[i], found, wanted);
        }
        kit_free_all();
    }
}

/* Two halves of one buffer, as a fused gate and up projection leaves them, the output over the gate. */
static void halves_of_one_buffer(void **state)
{
    int64_t whole[] = {5, 2 * 23};
    kit_tensor *both = kit_input(OCLDNN_F16, KIT_DENSE, KIT_INTEGERS, 2, whole);
    ocldnn_tensor half = both->tensor;
    ocldnn_gated op = {.kind = OCLDNN_RELU};
    double exact[5 * 46];
    (void)state;
    half.shape[1] = 23;
    op.gate = op.up = op.output = half;
    op.up.offset += 23;
    memcpy(exact, both->values, sizeof exact);
    for (int row = 0; row < 5; row++)
        for (int i = 0; i < 23; i++)
            exact[row * 46 + i] = fmax(exact[row * 46 + i], 0) * exact[row * 46 + 23 + i];
    kit_run(gated, &op);
    kit_equal(both, exact);
    kit_free_all();
}

/* ---- refusals and events ------------------------------------------------------------------------------------------
 */

static void says_what_is_wrong(void **state)
{
    kit_tensor *a = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){3, 4});
    kit_tensor *b = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 1, (int64_t[]){4});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){3, 4});
    const ocldnn_binary good = {.a = a->tensor, .b = b->tensor, .output = y->tensor};
    ocldnn_binary op = good;
    ocldnn_activation act = {.input = a->tensor, .output = y->tensor};
    (void)state;
    op.b.dtype = 0;
    kit_refuses(binary, &op, OCLDNN_INVALID_ARGUMENT, "b: the tensor is missing");
    op = good;
    op.b.dtype = OCLDNN_F16;
    kit_refuses(binary, &op, OCLDNN_INVALID_DTYPE, "b: dtype is F16, must be F32");
    op = good;
    op.a.dtype = OCLDNN_U32;
    kit_refuses(binary, &op, OCLDNN_INVALID_DTYPE, "a: dtype is U32, must be F32, F16, BF16");
    op = good;
    op.b.shape[0] = 3;
    kit_refuses(binary, &op, OCLDNN_INVALID_SHAPE, "b: axis 0 is 3, must be 1 or 4 (axis 1 of output)");
    op = good;
    op.output.rank = 1;
    kit_refuses(binary, &op, OCLDNN_INVALID_SHAPE, "a: rank is 2, more than 1 of output");
    op = good;
    op.output.rank = 3;
    op.output.shape[2] = 4;
    op.output.shape[1] = 3;
    op.output.shape[0] = 1;
    op.output.strides[0] = op.output.strides[1] = op.output.strides[2] = 0;
    kit_refuses(binary, &op, OCLDNN_INVALID_SHAPE, "output: rank is 3, the inputs' broadcast shape has 2");
    op = good;
    op.a.shape[0] = 1;
    kit_refuses(binary, &op, OCLDNN_INVALID_SHAPE, "output: axis 0 is 3, the inputs' broadcast shape has 1");
    op = good;
    op.kind = 2;
    kit_refuses(binary, &op, OCLDNN_INVALID_ARGUMENT, "kind is 2, must be 0 to 1");
    op = good;
    op.output.strides[0] = 0;
    op.output.strides[1] = 1;
    kit_refuses(binary, &op, OCLDNN_INVALID_SHAPE, "output: axis 0 has stride 0, inside the 1 elements");
    op = good;
    op.output = op.a;
    op.output.shape[0] = op.a.shape[0] = 2;
    op.output.offset += 4;
    kit_refuses_run(binary, &op, OCLDNN_INVALID_BUFFER, "overlap a");
    op = good;
    op.output.offset += 1000;
    kit_refuses_run(binary, &op, OCLDNN_INVALID_BUFFER, "output: ends at byte");
    act.kind = OD_ACTIVATIONS;
    kit_refuses(activation, &act, OCLDNN_INVALID_ARGUMENT, "kind is 10, must be 0 to 9");
    act.kind = 0;
    act.alpha = NAN;
    kit_refuses(activation, &act, OCLDNN_INVALID_ARGUMENT, "alpha is nan, must be finite");
    act.alpha = 0;
    act.input.dtype = 77;
    kit_refuses(activation, &act, OCLDNN_INVALID_DTYPE, "input: dtype 77 is unknown");
    kit_refuses(gated, (&(ocldnn_gated){.gate = a->tensor, .up = b->tensor, .output = y->tensor, .kind = 10}),
                OCLDNN_INVALID_ARGUMENT, "kind is 10");
    kit_refuses(gated, (&(ocldnn_gated){.gate = a->tensor, .output = y->tensor}), OCLDNN_INVALID_ARGUMENT,
                "up: the tensor is missing");
    kit_free_all();
}

static void honours_events(void **state)
{
    kit_tensor *a = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){30, 40});
    kit_tensor *b = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 1, (int64_t[]){40});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 2, (int64_t[]){30, 40});
    (void)state;
    kit_honours_events(activation, (&(ocldnn_activation){.input = a->tensor, .output = y->tensor, .kind = 2}), y);
    kit_honours_events(binary, (&(ocldnn_binary){.a = a->tensor, .b = b->tensor, .output = y->tensor}), y);
    kit_honours_events(gated, (&(ocldnn_gated){.gate = a->tensor, .up = b->tensor, .output = y->tensor}), y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_activation),     cmocka_unit_test(any_layout),         cmocka_unit_test(rounds_once),
        cmocka_unit_test(many_groups),          cmocka_unit_test(all_eight_axes),     cmocka_unit_test(special_values),
        cmocka_unit_test(halves_of_one_buffer), cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("elementwise", tests);
}
