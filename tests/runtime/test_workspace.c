/* SPDX-License-Identifier: Apache-2.0
 *
 * The workspace pool by itself: reuse, order between queues, the limit.
 */
#include "runtime/context.h"

#include <ocldnn/ocldnn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LIMIT = 1 << 20 };

static ocldnn_context *context;
static od_device reported; /* the device's facts */
static cl_command_queue first, second;

static int set_up(void **state)
{
    ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE, .workspace_limit = LIMIT};
    cl_int code;
    (void)state;
    if (ocldnn_context_create_default(&options, &context) != OCLDNN_SUCCESS)
        return -1;
    reported = *od_context_facts(context);
    first = clCreateCommandQueue(ocldnn_context_cl(context), ocldnn_context_device(context), 0, &code);
    second = clCreateCommandQueue(ocldnn_context_cl(context), ocldnn_context_device(context), 0, &code);
    return 0;
}

/* Whatever the driver: buffers are kept from call to call, or not. */
static int keep(void **state)
{
    od_device facts = reported;
    (void)state;
    facts.quirks &= ~(uint32_t)OCLDNN_QUIRK_EARLY_FINISH;
    od_context_set_facts(context, &facts);
    return 0;
}

static int keep_nothing(void **state)
{
    od_device facts = reported;
    (void)state;
    facts.quirks |= OCLDNN_QUIRK_EARLY_FINISH;
    od_context_set_facts(context, &facts);
    return 0;
}

static int as_reported(void **state)
{
    (void)state;
    od_context_set_facts(context, &reported);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    clReleaseCommandQueue(first);
    clReleaseCommandQueue(second);
    ocldnn_context_destroy(context);
    return 0;
}

static uint64_t held(void)
{
    ocldnn_stats stats;
    assert_int_equal(ocldnn_context_stats(context, &stats), OCLDNN_SUCCESS);
    return stats.workspace_bytes;
}

static od_scratch *take(cl_command_queue queue, uint64_t bytes, bool waits)
{
    od_scratch *scratch;
    cl_event wait;
    assert_int_equal(od_workspace_take(context, queue, bytes, &scratch, &wait), OCLDNN_SUCCESS);
    assert_int_equal(wait != NULL, waits);
    if (wait)
        clReleaseEvent(wait);
    return scratch;
}

static void one_queue_uses_one_buffer(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        od_workspace_give(context, take(first, 1000, false), NULL);
    assert_int_equal(held(), 1000);
    od_workspace_give(context, take(first, 4000, false), NULL); /* grows, the outgrown one goes */
    assert_int_equal(held(), 4000);
    od_workspace_give(context, take(first, 10, false), NULL);
    assert_int_equal(held(), 4000);
}

static void queues_share_under_the_limit(void **state)
{
    (void)state;
    od_workspace_give(context, take(first, LIMIT / 2 + 1, false), NULL);
    od_workspace_give(context, take(second, LIMIT / 4, false), NULL);
    assert_true(held() <= LIMIT);
    od_workspace_give(context, take(second, LIMIT / 2 + 1, true), NULL); /* the other queue's idle one, handed on */
    assert_true(held() <= LIMIT);
}

/* Under the limit a second queue gets the first one's buffer, behind an event of a marker there. */
static void queues_hand_a_buffer_on(void **state)
{
    od_scratch *scratch = take(first, LIMIT, false);
    (void)state;
    od_workspace_give(context, scratch, NULL);
    assert_ptr_equal(take(second, LIMIT, true), scratch);
    od_workspace_give(context, scratch, NULL);
    assert_ptr_equal(take(first, LIMIT / 2, true), scratch);
    od_workspace_give(context, scratch, NULL);
    assert_ptr_equal(take(first, LIMIT, false), scratch);
    od_workspace_give(context, scratch, NULL);
}

static void refuses_what_passes_the_limit(void **state)
{
    od_scratch *scratch;
    cl_event wait;
    (void)state;
    assert_int_equal(od_workspace_take(context, first, LIMIT + 1, &scratch, &wait), OCLDNN_WORKSPACE_TOO_SMALL);
    assert_non_null(strstr(ocldnn_last_error(), "needs 1048577 bytes of workspace, the context's limit is 1048576"));
}

static void *give_later(void *scratch)
{
    struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    od_workspace_give(context, scratch, NULL);
    return NULL;
}

/* All memory is in use by another thread: this one waits for it, then uses the same buffer behind an event. */
static void waits_for_a_busy_buffer(void **state)
{
    pthread_t thread;
    od_scratch *busy = take(first, LIMIT, false), *mine;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, give_later, busy), 0);
    mine = take(first, LIMIT, false);
    pthread_join(thread, NULL);
    assert_ptr_equal(mine, busy);
    od_workspace_give(context, mine, NULL);
    assert_int_equal(held(), LIMIT);
}

static void a_buffer_serves_one_call(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        od_scratch *scratch = take(i % 2 ? second : first, LIMIT, false);
        assert_int_equal(held(), LIMIT);
        od_workspace_give(context, scratch, NULL);
        assert_int_equal(held(), 0);
    }
}

static void *open_later(void *gate)
{
    struct timespec moment = {0, 50000000};
    nanosleep(&moment, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    return NULL;
}

/* Nothing the pool does to a queue lets its owner's clFinish return before its commands have run. */
static void finish_waits(void **state)
{
    pthread_t thread;
    cl_int code, reached;
    cl_event passed, gate = clCreateUserEvent(ocldnn_context_cl(context), &code);
    (void)state;
    assert_int_equal(code, CL_SUCCESS);
    od_workspace_give(context, take(first, LIMIT, false), NULL);
    assert_int_equal(clEnqueueMarkerWithWaitList(first, 1, &gate, &passed), CL_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, open_later, gate), 0);
    od_workspace_give(context, take(second, LIMIT, !(reported.quirks & OCLDNN_QUIRK_EARLY_FINISH)), NULL);
    assert_int_equal(clFinish(first), CL_SUCCESS);
    assert_int_equal(clGetEventInfo(passed, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof reached, &reached, NULL), 0);
    pthread_join(thread, NULL);
    clReleaseEvent(passed);
    clReleaseEvent(gate);
    assert_int_equal(reached, CL_COMPLETE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_queue_uses_one_buffer, keep),
        cmocka_unit_test_setup(queues_share_under_the_limit, keep),
        cmocka_unit_test_setup(queues_hand_a_buffer_on, keep),
        cmocka_unit_test_setup(refuses_what_passes_the_limit, keep),
        cmocka_unit_test_setup(waits_for_a_busy_buffer, keep),
        cmocka_unit_test_setup(a_buffer_serves_one_call, keep_nothing),
        cmocka_unit_test_setup(finish_waits, as_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
