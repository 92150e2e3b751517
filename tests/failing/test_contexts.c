/* SPDX-License-Identifier: Apache-2.0
 *
 * What surrounds the operators while one call below it fails (failing.h): contexts, programs in the cache, export and
 * import, calls with nothing to do, and parts of buffers.
 */
#include "surroundings.h"
#include "runtime/context.h"

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
    ocldnn_context *good = fixture_context();
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
    f.options.cache_folder = f.folder; /* without memory for it there is no cache, which is no error */
    fail_each(&(failing){
        .name = "context_create, with a folder", .call = create, .after = after_create, .dispensable = " malloc "});
}

/* ---- the cache -------------------------------------------------------------------------------------------------- */

static void with_context(void *user)
{
    (void)user;
    f.context = fixture_context();
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
    f.options.cache_folder = f.folder;
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
    f.context = fixture_context();
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
    f.context = fixture_context();
    f.op.input.buffer = part;
    fail_each(&(failing){.name = "sub-buffer", .call = run_on_other, .after = after_other, .user = &exec});
    ocldnn_context_destroy(f.context);
    clReleaseMemObject(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(contexts),          WITH_FIXTURE(programs_from_the_cache), WITH_FIXTURE(programs_into_the_cache),
        WITH_FIXTURE(export_and_import), WITH_FIXTURE(nothing_to_do),           WITH_FIXTURE(parts_of_buffers),
    };
    failing_open();
    return cmocka_run_group_tests_name("failing/contexts", tests, NULL, NULL);
}
