/* SPDX-License-Identifier: Apache-2.0
 *
 * What surrounds the operators while one call below it fails (failing.h): contexts, programs in the cache, export and
 * import, calls with nothing to do, parts of buffers, and what a failure in the middle must leave behind. rms_norm and
 * attention stand for all operators.
 */
#include "../runtime/disk_kit.h"
#include "failing.h"
#include "runtime/context.h"

enum { ROWS = 4, WIDTH = 64, COUNT = ROWS * WIDTH };

typedef struct fixture {
    ocldnn_context *context; /* what a round makes, or a whole test */
    cl_context cl;
    cl_device_id device;
    cl_command_queue queue, other; /* other: out of order where the driver has such */
    bool unordered;
    cl_mem input, output;
    ocldnn_rms_norm op;
    ocldnn_context_options options;
    cl_event done, gate;
    unsigned char *blob;
    size_t bytes, room;
} fixture;

static fixture f;

static int set_up(void **state)
{
    static const float ones[COUNT] = {1};
    const int64_t shape[] = {ROWS, WIDTH};
    ocldnn_context *context;
    cl_int code;
    if (setup(state) != 0)
        return -1;
    f = (fixture){.options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE}};
    if (ocldnn_context_create_default(&f.options, &context) != OCLDNN_SUCCESS) {
        print_message("%s\n", ocldnn_last_error());
        return -1;
    }
    f.options.context = f.cl = ocldnn_context_cl(context);
    f.options.device = f.device = ocldnn_context_device(context);
    f.queue = clCreateCommandQueue(f.cl, f.device, 0, &code);
    f.other = clCreateCommandQueue(f.cl, f.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    f.unordered = f.other != NULL;
    if (!f.other)
        f.other = clCreateCommandQueue(f.cl, f.device, 0, &code);
    f.input =
        clCreateBuffer(f.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof ones, (void *)(uintptr_t)ones, &code);
    f.output =
        clCreateBuffer(f.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof ones, (void *)(uintptr_t)ones, &code);
    f.op = (ocldnn_rms_norm){.input = ocldnn_tensor_dense(f.input, OCLDNN_F32, 2, shape),
                             .output = ocldnn_tensor_dense(f.output, OCLDNN_F32, 2, shape),
                             .epsilon = 1e-5f};
    clRetainContext(f.cl);
    ocldnn_context_destroy(context);
    failing_must_count();
    return 0;
}

static int tear_down(void **state)
{
    clReleaseMemObject(f.input);
    clReleaseMemObject(f.output);
    clReleaseCommandQueue(f.queue);
    clReleaseCommandQueue(f.other);
    clReleaseContext(f.cl);
    return teardown(state);
}

static ocldnn_context *make(void)
{
    ocldnn_context *made;
    assert_int_equal(ocldnn_context_create(&f.options, &made), OCLDNN_SUCCESS);
    return made;
}

/* The same, with workspace that is kept from call to call, whatever the driver. */
static ocldnn_context *make_keeping(void)
{
    ocldnn_context *made = make();
    od_device facts = *od_context_facts(made);
    facts.quirks &= ~(uint32_t)OCLDNN_QUIRK_EARLY_FINISH;
    od_context_set_facts(made, &facts);
    return made;
}

/* Row 0 is 1, 0, 0, ...: its root mean square is 1/8. */
static void must_run(ocldnn_context *context)
{
    float value = 0;
    const float nine = 9;
    assert_int_equal(clEnqueueWriteBuffer(f.queue, f.output, CL_TRUE, 0, sizeof nine, &nine, 0, NULL, NULL),
                     CL_SUCCESS);
    if (ocldnn_rms_norm_run(context, &f.op, &(ocldnn_exec){.queue = f.queue}) != OCLDNN_SUCCESS)
        fail_msg("%s", ocldnn_last_error());
    assert_int_equal(clFinish(f.queue), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(f.queue, f.output, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_true(value > 7.9f && value < 8.1f);
}

/* ---- contexts --------------------------------------------------------------------------------------------------- */

static ocldnn_status create(void *user)
{
    (void)user;
    return ocldnn_context_create(&f.options, &f.context);
}

static ocldnn_status create_default(void *user)
{
    const ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    (void)user;
    return ocldnn_context_create_default(&options, &f.context);
}

/* Facts that a failure has spoilt would show here: a context without a compiler, say. */
static void after_create(void *user, ocldnn_status status)
{
    char made[4096], sound[4096];
    ocldnn_context *good = make();
    (void)user;
    if (status != OCLDNN_SUCCESS) {
        assert_null(f.context);
        assert_int_equal(create(NULL), OCLDNN_SUCCESS);
    }
    ocldnn_context_describe(good, sound, sizeof sound);
    ocldnn_context_describe(f.context, made, sizeof made);
    if (ocldnn_context_device(f.context) == f.device)
        assert_string_equal(made, sound);
    ocldnn_context_destroy(good);
    ocldnn_context_destroy(f.context);
}

static bool has_another_device(void)
{
    cl_platform_id platform = NULL;
    cl_uint count = 0;
    clGetDeviceInfo(f.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    return count > 1;
}

#define OF_ANOTHER (has_another_device() ? " clGetDeviceInfo clGetPlatformInfo " : NULL)

static void contexts(void **state)
{
    char name[256];
    (void)state;
    fail_each(&(failing){.name = "context_create", .call = create, .after = after_create});
    /* A device that does not answer is not picked where there is another. */
    fail_each(&(failing){
        .name = "context_create_default", .call = create_default, .after = after_create, .dispensable = OF_ANOTHER});
    assert_int_equal(clGetDeviceInfo(f.device, CL_DEVICE_NAME, sizeof name, name, NULL), CL_SUCCESS);
    setenv("OCLDNN_DEVICE", name, 1);
    fail_each(&(failing){.name = "context_create_default, by name",
                         .call = create_default,
                         .after = after_create,
                         .dispensable = OF_ANOTHER});
    unsetenv("OCLDNN_DEVICE");
    f.options.flags = 0;
    f.options.cache_folder = folder; /* without memory for it there is no cache, which is no error */
    fail_each(&(failing){
        .name = "context_create, with a folder", .call = create, .after = after_create, .dispensable = " malloc "});
}

/* ---- the cache -------------------------------------------------------------------------------------------------- */

static void with_context(void *user)
{
    (void)user;
    f.context = make();
}

static ocldnn_status run(void *user)
{
    (void)user;
    return ocldnn_rms_norm_run(f.context, &f.op, &(ocldnn_exec){.queue = f.queue});
}

static ocldnn_status prepare(void *user)
{
    (void)user;
    return ocldnn_rms_norm_prepare(f.context, &f.op);
}

static void run_and_destroy(void *user, ocldnn_status status)
{
    (void)user;
    if (status != OCLDNN_BUILD_FAILED) /* which is remembered */
        must_run(f.context);
    ocldnn_context_destroy(f.context);
}

static void with_used_context(void *user)
{
    with_context(user);
    must_run(f.context);
}

static ocldnn_status destroy(void *user)
{
    (void)user;
    ocldnn_context_destroy(f.context);
    return OCLDNN_SUCCESS;
}

#define OF_THE_CACHE " clCreateProgramWithBinary clBuildProgram clCreateKernel clGetProgramInfo malloc calloc realloc "

/* A binary that cannot be had, or that the driver does not take, is built from source. */
static void programs_from_the_cache(void **state)
{
    ocldnn_stats stats;
    (void)state;
    f.options.flags = 0;
    f.options.cache_folder = folder;
    with_used_context(NULL);
    ocldnn_context_destroy(f.context);
    fail_each(&(failing){.name = "run from a folder",
                         .before = with_context,
                         .call = run,
                         .after = run_and_destroy,
                         .dispensable = OF_THE_CACHE});
    fail_each(&(failing){.name = "prepare from a folder",
                         .before = with_context,
                         .call = prepare,
                         .after = run_and_destroy,
                         .dispensable = OF_THE_CACHE});
    with_used_context(NULL);
    assert_int_equal(ocldnn_context_stats(f.context, &stats), OCLDNN_SUCCESS);
    assert_int_equal(stats.programs_loaded, !(od_context_facts(f.context)->quirks & OCLDNN_QUIRK_NO_BINARIES));
    ocldnn_context_destroy(f.context);
}

static size_t no_load(void *user, const char *key, void *data, size_t capacity)
{
    (void)user;
    (void)key;
    (void)data;
    (void)capacity;
    return 0;
}

static void no_store(void *user, const char *key, const void *data, size_t bytes)
{
    (void)user;
    (void)key;
    (void)data;
    (void)bytes;
}

/* Storing binaries, at once or (PoCL) in the end. */
static void programs_into_the_cache(void **state)
{
    const ocldnn_cache_callbacks nowhere = {NULL, no_load, no_store};
    (void)state;
    f.options.flags = 0;
    f.options.cache_callbacks = &nowhere;
    fail_each(&(failing){.name = "prepare, then store",
                         .before = with_context,
                         .call = prepare,
                         .after = run_and_destroy,
                         .dispensable = " clGetProgramInfo malloc "});
    fail_each(&(failing){.name = "context_destroy",
                         .before = with_used_context,
                         .call = destroy,
                         .dispensable = " clGetProgramInfo malloc "});
}

static ocldnn_status export_size(void *user)
{
    (void)user;
    return ocldnn_cache_export(f.context, NULL, &f.bytes);
}

static ocldnn_status export_all(void *user)
{
    (void)user;
    f.bytes = f.room;
    return ocldnn_cache_export(f.context, f.blob, &f.bytes);
}

static ocldnn_status import(void *user)
{
    (void)user;
    return ocldnn_cache_import(f.context, f.blob, f.bytes, NULL);
}

static void export_and_import(void **state)
{
    (void)state;
    with_used_context(NULL);
    fail_each(&(failing){.name = "cache_export, the size", .call = export_size});
    f.room = f.bytes + 65536; /* a binary may grow */
    f.blob = malloc(f.room);
    fail_each(&(failing){.name = "cache_export", .call = export_all});
    ocldnn_context_destroy(f.context);
    fail_each(&(failing){.name = "cache_import", .before = with_context, .call = import, .after = run_and_destroy});
    free(f.blob);
}

/* ---- odd calls -------------------------------------------------------------------------------------------------- */

static ocldnn_status run_on_other(void *user)
{
    const ocldnn_exec *exec = user;
    return ocldnn_rms_norm_run(f.context, &f.op, exec);
}

static void after_other(void *user, ocldnn_status status)
{
    if (status != OCLDNN_SUCCESS) {
        assert_null(f.done);
        assert_int_equal(run_on_other(user), OCLDNN_SUCCESS);
    }
    assert_int_equal(clWaitForEvents(1, &f.done), CL_SUCCESS);
    clReleaseEvent(f.done);
    f.done = NULL;
}

static void nothing_to_do(void **state)
{
    cl_int code;
    cl_event gate = clCreateUserEvent(f.cl, &code);
    ocldnn_exec exec = {.queue = f.other, .event = &f.done};
    (void)state;
    clSetUserEventStatus(gate, CL_COMPLETE);
    f.context = make();
    f.op.input.shape[0] = f.op.output.shape[0] = 0;
    fail_each(&(failing){.name = "empty", .call = run_on_other, .after = after_other, .user = &exec});
    exec.wait_count = 1;
    exec.wait_list = &gate;
    fail_each(&(failing){.name = "empty, behind an event", .call = run_on_other, .after = after_other, .user = &exec});
    clReleaseEvent(gate);
    ocldnn_context_destroy(f.context);
}

static void parts_of_buffers(void **state)
{
    cl_int code;
    const cl_buffer_region all = {0, COUNT * sizeof(float)};
    cl_mem part = clCreateSubBuffer(f.input, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &all, &code);
    ocldnn_exec exec = {.queue = f.other, .event = &f.done};
    (void)state;
    f.context = make();
    f.op.input.buffer = part;
    fail_each(&(failing){.name = "sub-buffer", .call = run_on_other, .after = after_other, .user = &exec});
    ocldnn_context_destroy(f.context);
    clReleaseMemObject(part);
}

/* ---- workspace -------------------------------------------------------------------------------------------------- */

/* Who is refused a buffer must not give it back: by then it may be somebody else's. */
static void a_buffer_refused_is_nobodys(void **state)
{
    od_scratch *scratch;
    cl_event wait;
    bool flushed = false; /* it did change hands */
    (void)state;
    f.options.workspace_limit = 1000; /* for one buffer, which changes hands */
    f.context = make_keeping();
    for (long number = 1;; number++) {
        ocldnn_status status;
        layer_failure failed;
        assert_int_equal(od_workspace_take(f.context, f.queue, 1000, &scratch, &wait), OCLDNN_SUCCESS);
        if (wait)
            clReleaseEvent(wait);
        od_workspace_give(f.context, scratch, NULL);
        layer_arm(number, 0);
        status = od_workspace_take(f.context, f.other, 1000, &scratch, &wait);
        failed = layer_disarm();
        if (!failed.call) {
            assert_true(flushed);
            break;
        }
        flushed |= strcmp(failed.call, "clFlush") == 0;
        assert_int_equal(status, OCLDNN_OUT_OF_MEMORY);
        assert_null(scratch);
        assert_null(wait);
    }
    clReleaseEvent(wait);
    od_workspace_give(f.context, scratch, NULL);
    ocldnn_context_destroy(f.context);
}

static ocldnn_attention six_launches(void)
{
    const ocldnn_tensor x = ocldnn_tensor_dense(f.input, OCLDNN_F32, 4, (int64_t[]){1, 1, ROWS, WIDTH});
    ocldnn_attention op = {.query = x, .key = x, .value = x, .output = x, .strategy = OCLDNN_ATTENTION_FALLBACK};
    op.output.buffer = f.output;
    return op;
}

/* Whether the next call on this queue would have to wait for the workspace. */
static bool next_waits(cl_command_queue queue)
{
    od_scratch *scratch;
    cl_event wait;
    assert_int_equal(od_workspace_take(f.context, queue, 1, &scratch, &wait), OCLDNN_SUCCESS);
    if (wait)
        clReleaseEvent(wait);
    od_workspace_give(f.context, scratch, NULL);
    return wait != NULL;
}

/* Of six launches the n-th fails, behind a gate: the earlier ones will still write to the workspace, so that whoever
 * gets it next has to wait for them. */
static void launches_that_go_on_keep_the_workspace(void **state)
{
    const ocldnn_attention op = six_launches();
    cl_int code;
    int held = 0;
    (void)state;
    if (!f.unordered)
        skip(); /* in order, the queue itself makes them wait */
    f.context = make_keeping();
    assert_int_equal(ocldnn_attention_prepare(f.context, &op), OCLDNN_SUCCESS);
    for (long number = 1;; number++) {
        cl_event gate = clCreateUserEvent(f.cl, &code);
        layer_failure failed;
        layer_arm(number, 0);
        ocldnn_attention_run(f.context, &op, &(ocldnn_exec){.queue = f.other, .wait_count = 1, .wait_list = &gate});
        failed = layer_disarm();
        if (failed.call && strcmp(failed.call, "clEnqueueNDRangeKernel") == 0) {
            assert_int_equal(next_waits(f.other), held > 0); /* the first launch failed: nothing goes on */
            held++;
        }
        clSetUserEventStatus(gate, CL_COMPLETE);
        assert_int_equal(clFinish(f.other), CL_SUCCESS);
        clReleaseEvent(gate);
        if (!failed.call)
            break;
    }
    assert_true(held > 1);
    ocldnn_context_destroy(f.context);
}

/* One queue has used the workspace, a call on the other one fails: the next call there must still wait for the first
 * queue's commands, since the failed one may have put nothing on its queue that does. */
static void who_fails_hands_on_what_he_waits_for(void **state)
{
    const ocldnn_attention op = six_launches();
    const cl_command_queue queues[] = {f.queue, f.other, f.queue};
    size_t bytes;
    (void)state;
    f.context = make();
    assert_int_equal(ocldnn_attention_workspace(f.context, &op, &bytes), OCLDNN_SUCCESS);
    ocldnn_context_destroy(f.context);
    f.options.workspace_limit = bytes;
    f.context = make_keeping();
    for (int turn = 0; turn < 2; turn++) {
        layer_failure failed = {"", 0, 0};
        for (long number = 1; failed.call; number++) {
            assert_int_equal(ocldnn_attention_run(f.context, &op, &(ocldnn_exec){.queue = queues[turn]}),
                             OCLDNN_SUCCESS);
            layer_arm(number, 0);
            ocldnn_attention_run(f.context, &op, &(ocldnn_exec){.queue = queues[turn + 1]});
            failed = layer_disarm();
            /* A buffer that nobody could be made to wait for is given up, and a new one needs no waiting. */
            if (failed.call && strcmp(failed.call, "clRetainEvent") != 0 && !next_waits(queues[turn + 1]))
                fail_msg("call %ld, %s, fails, and nobody waits for the other queue", number, failed.call);
        }
    }
    assert_int_equal(clFinish(f.queue), CL_SUCCESS);
    assert_int_equal(clFinish(f.other), CL_SUCCESS);
    ocldnn_context_destroy(f.context);
}

int main(void)
{
#define WITH_FIXTURE(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(contexts),
        WITH_FIXTURE(programs_from_the_cache),
        WITH_FIXTURE(programs_into_the_cache),
        WITH_FIXTURE(export_and_import),
        WITH_FIXTURE(nothing_to_do),
        WITH_FIXTURE(parts_of_buffers),
        WITH_FIXTURE(a_buffer_refused_is_nobodys),
        WITH_FIXTURE(launches_that_go_on_keep_the_workspace),
        WITH_FIXTURE(who_fails_hands_on_what_he_waits_for),
    };
    failing_open();
    return cmocka_run_group_tests_name("failing/contexts", tests, NULL, NULL);
}
