/* SPDX-License-Identifier: Apache-2.0
 *
 * Every operator and verb while one call below it fails (failing.h). The problems and their answers are those of
 * `ocldnn check`: this file stands in for that command's check_run().
 */
#include "check.h"
#include "failing.h"
#include "ops/operators.h"
#include "runtime/verbs.h"

#include <stdio.h>
#include <string.h>

/* How a call is made. A step from one to the next makes the workspace change hands between queues. */
typedef enum way { PLAIN, ON_ANOTHER_QUEUE, UNORDERED, OWN_WORKSPACE, WAYS } way;
static const char *const way_names[] = {"", ", on another queue", ", out of order", ", own workspace"};

static check the;
static cl_command_queue queues[WAYS]; /* NULL: the device has no such queue */
static bool small;

typedef struct subject {
    ocldnn_context *context;
    const od_operator *kind;
    const void *op;
    const ocldnn_tensor *output; /* NULL: nobody knows the answer */
    const double *wanted;
    way way;
    cl_mem workspace;
    size_t workspace_bytes;
    cl_event gate, done; /* a complete event, and the call's */
} subject;

/* Its pool has room for one call's workspace, which queues have to hand on to each other. */
static ocldnn_context *new_context(const subject *s)
{
    const ocldnn_context_options options = {.context = the.on.cl,
                                            .device = the.on.device,
                                            .flags = OCLDNN_CONTEXT_NO_DISK_CACHE,
                                            .workspace_limit = s->workspace_bytes};
    ocldnn_context *made;
    assert_int_equal(ocldnn_context_create(&options, &made), OCLDNN_SUCCESS);
    return made;
}

/* ---- one call --------------------------------------------------------------------------------------------------- */

static ocldnn_status run(void *user)
{
    subject *s = user;
    ocldnn_exec exec = {.queue = queues[s->way]};
    if (s->way == ON_ANOTHER_QUEUE || s->way == UNORDERED) {
        exec.wait_count = 1;
        exec.wait_list = &s->gate;
        exec.event = &s->done;
    }
    if (s->way == OWN_WORKSPACE) {
        exec.workspace = s->workspace;
        exec.workspace_bytes = s->workspace_bytes;
    }
    return od_run(s->context, s->kind, s->op, &exec);
}

static ocldnn_status prepare(void *user)
{
    const subject *s = user;
    return od_prepare(s->context, s->kind, s->op);
}

static ocldnn_status workspace(void *user)
{
    const subject *s = user;
    size_t bytes;
    return od_workspace(s->context, s->kind, s->op, &bytes);
}

static ocldnn_status query(void *user)
{
    const subject *s = user;
    ocldnn_query answer;
    return od_query(s->context, s->kind, s->op, &answer);
}

/* ---- around it -------------------------------------------------------------------------------------------------- */

/* All bits set: NaN, or an index that is none. */
static void poison(const subject *s)
{
    const cl_uint bits = UINT32_MAX;
    size_t bytes = 0;
    if (!s->output)
        return;
    clGetMemObjectInfo(s->output->buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    assert_int_equal(clEnqueueFillBuffer(the.on.queue, s->output->buffer, &bits, sizeof bits, 0,
                                         bytes / sizeof bits * sizeof bits, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(the.on.queue), CL_SUCCESS);
}

static void finish(subject *s)
{
    char text[128];
    assert_int_equal(clFinish(queues[s->way]), CL_SUCCESS);
    if (s->done)
        clReleaseEvent(s->done);
    s->done = NULL;
    if (s->output && *check_wrong(&the, s->output, s->wanted, text))
        fail_msg("%s%s: %s", s->kind->name, way_names[s->way], text);
}

static void must_run(subject *s)
{
    poison(s);
    if (run(s) != OCLDNN_SUCCESS)
        fail_msg("%s%s, though nothing fails any more: %s", s->kind->name, way_names[s->way], ocldnn_last_error());
    finish(s);
}

static void before_warm(void *user)
{
    subject *s = user;
    subject other = *s;
    other.way = s->way == PLAIN ? ON_ANOTHER_QUEUE : PLAIN;
    must_run(&other);
    poison(s);
}

/* The same call must do, and give the answer. */
static void after_warm(void *user, ocldnn_status status)
{
    subject *s = user;
    if (status == OCLDNN_SUCCESS)
        finish(s);
    assert_null(s->done);
    must_run(s);
}

static void before_cold(void *user)
{
    subject *s = user;
    s->context = new_context(s);
    poison(s);
}

/* A compiler's refusal is remembered: that context keeps to it, the next one (the next round's) does not. */
static void after_cold(void *user, ocldnn_status status)
{
    subject *s = user;
    if (status == OCLDNN_BUILD_FAILED)
        assert_int_equal(run(s), OCLDNN_BUILD_FAILED);
    else
        after_warm(user, status);
    ocldnn_context_destroy(s->context);
}

static void after_prepare(void *user, ocldnn_status status)
{
    subject *s = user;
    if (status == OCLDNN_BUILD_FAILED)
        assert_int_equal(run(s), OCLDNN_BUILD_FAILED);
    else
        must_run(s);
    ocldnn_context_destroy(s->context);
}

/* ---- every operator --------------------------------------------------------------------------------------------- */

static long failures;

static void fail_in(subject *s, const char *what, failing f)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s%s", s->kind->name, what, way_names[s->way]);
    f.name = name;
    f.user = s;
    failures += fail_each(&f);
}

/* In the runtime's eyes a case is its launches: of those that differ in numbers only, one does. */
static bool is_new(const char *operator, const ocldnn_query * query)
{
    static char seen[128][160];
    char name[160];
    int i;
    snprintf(name, sizeof name, "%s %s %u %.64s", operator, query->strategy, query->step_count, query->steps[0].kernel);
    for (i = 0; i < 128 && seen[i][0]; i++)
        if (strcmp(seen[i], name) == 0)
            return false;
    assert_true(i < 128);
    strcpy(seen[i], name);
    return true;
}

static bool is_first(const od_operator *kind)
{
    static const od_operator *seen[64];
    int i;
    for (i = 0; i < 64 && seen[i]; i++)
        if (seen[i] == kind)
            return false;
    assert_true(i < 64);
    seen[i] = kind;
    return true;
}

static void fail_warm(subject *s)
{
    s->context = new_context(s);
    for (s->way = PLAIN; s->way < WAYS; s->way++)
        if (queues[s->way] && (s->way != OWN_WORKSPACE || s->workspace_bytes > 0))
            fail_in(s, "_run",
                    (failing){
                        .before = before_warm,
                        .call = run,
                        .after = after_warm,
                        .dispensable = " clRetainEvent ", /* the pool gives up a buffer then */
                    });
    s->way = PLAIN;
    fail_in(s, "_workspace", (failing){.call = workspace});
    fail_in(s, "_query", (failing){.call = query});
    ocldnn_context_destroy(s->context);
}

static void fail_cold(subject *s)
{
    /* What else is called has failed in each way while warm. */
    static const char calls[] = " clCreateProgramWithSource clBuildProgram clCreateKernel clGetKernelWorkGroupInfo ";
    s->way = PLAIN;
    fail_in(s, "_run, cold", (failing){.before = before_cold, .call = run, .after = after_cold, .each_status = calls});
    fail_in(s, "_prepare, cold",
            (failing){.before = before_cold, .call = prepare, .after = after_prepare, .each_status = calls});
}

static void fail_operator(subject *s)
{
    ocldnn_query query;
    cl_int code;
    ocldnn_status status = od_query(the.on.context, s->kind, s->op, &query);
    if (status == OCLDNN_UNSUPPORTED || !is_new(s->kind->name, &query))
        return;
    s->gate = clCreateUserEvent(the.on.cl, &code);
    assert_int_equal(clSetUserEventStatus(s->gate, CL_COMPLETE), CL_SUCCESS);
    s->workspace_bytes = query.workspace_bytes;
    if (query.workspace_bytes > 0)
        s->workspace = clCreateBuffer(the.on.cl, CL_MEM_READ_WRITE, query.workspace_bytes, NULL, &code);
    printf("%s, %s, %u launches\n", s->kind->name, query.strategy, query.step_count);
    fflush(stdout);
    fail_warm(s);
    /* CLBlast compiles for seconds; where small problems are asked for, so does every compiler. The runtime builds for
     * one operator as it does for another. */
    if (is_first(s->kind) && (!small || s->kind == &od_operator_rms_norm || s->kind == &od_operator_linear))
        fail_cold(s);
    if (s->workspace)
        clReleaseMemObject(s->workspace);
    clReleaseEvent(s->gate);
}

void check_run(check *c, const char *name, const od_operator *kind, const void *op, const ocldnn_tensor *output,
               const double *wanted)
{
    subject s = {.kind = kind, .op = op, .output = output, .wanted = wanted};
    (void)c;
    (void)name;
    fail_operator(&s);
}

bool check_call(check *c, const char *name, const od_operator *kind, const void *op)
{
    subject s = {.kind = kind, .op = op};
    ocldnn_context *context = c->on.context;
    (void)name;
    fail_operator(&s);
    return od_run(context, kind, op, &(ocldnn_exec){.queue = c->on.queue}) == OCLDNN_SUCCESS;
}

int complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return 1;
}

#define CASES(FAMILY)                                                                                                  \
    static void FAMILY(void **state)                                                                                   \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        check_##FAMILY(&the);                                                                                          \
    }
CASES(normalization)
CASES(products)
CASES(attention)
CASES(elementwise)
CASES(sequence)

static void every_operator_was_there(void **state)
{
    (void)state;
#define LOOK(NAME) assert_false(is_first(&od_operator_##NAME));
    OD_OPERATORS(LOOK)
    printf("%ld calls failed\n", failures);
}

static int open_all(void **state)
{
    cl_int code;
    (void)state;
    if (!open_device(NULL, NULL, &the.on))
        return -1;
    failing_must_count();
    the.dtype = OCLDNN_F32;
    queues[PLAIN] = queues[OWN_WORKSPACE] = the.on.queue;
    queues[ON_ANOTHER_QUEUE] = clCreateCommandQueue(the.on.cl, the.on.device, 0, &code);
    queues[UNORDERED] = clCreateCommandQueue(the.on.cl, the.on.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    return queues[ON_ANOTHER_QUEUE] ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    clReleaseCommandQueue(queues[ON_ANOTHER_QUEUE]);
    if (queues[UNORDERED])
        clReleaseCommandQueue(queues[UNORDERED]);
    check_end(&the);
    close_device(&the.on);
    return 0;
}

int main(void)
{
    const char *asked = getenv("OCLDNN_TEST_SMALL");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalization), cmocka_unit_test(products), cmocka_unit_test(attention),
        cmocka_unit_test(elementwise),   cmocka_unit_test(sequence), cmocka_unit_test(every_operator_was_there),
    };
    small = asked && *asked && *asked != '0';
    failing_open();
    return cmocka_run_group_tests_name("failing/operators", tests, open_all, close_all);
}
