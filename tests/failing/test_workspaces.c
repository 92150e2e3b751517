/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call that fails in the middle (failing.h) must leave behind: workspace whose commands still run is waited for,
 * and nobody gets what is somebody else's. attention stands for all operators of several launches.
 */
#include "runtime/context.h"
#include "surroundings.h"

#include <string.h>

/* The same, with workspace that is kept from call to call, whatever the driver. */
static ocldnn_context *make_keeping(void)
{
    ocldnn_context *made = fixture_context();
    od_device facts = *od_context_facts(made);
    facts.quirks &= ~(uint32_t)OCLDNN_QUIRK_EARLY_FINISH;
    od_context_set_facts(made, &facts);
    return made;
}

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
    f.context = fixture_context();
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
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(a_buffer_refused_is_nobodys),
        WITH_FIXTURE(launches_that_go_on_keep_the_workspace),
        WITH_FIXTURE(who_fails_hands_on_what_he_waits_for),
    };
    failing_open();
    return cmocka_run_group_tests_name("failing/workspaces", tests, NULL, NULL);
}
