/* SPDX-License-Identifier: Apache-2.0
 *
 * The process's contexts, running, and what is expected of a refusal.
 */
#include "kit/internal.h"
#include "runtime/context.h"

#include <stdio.h>
#include <time.h>

kit_state kit;

int kit_rounds(int many)
{
    return kit.small ? (many + 7) / 8 : many;
}

ocldnn_context *kit_context_with(const od_device *facts)
{
    ocldnn_context_options options = {.context = kit.cl, .device = kit.device, .flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    ocldnn_context *context;
    kit_must(ocldnn_context_create(&options, &context), "ocldnn_context_create");
    od_context_set_facts(context, facts);
    return context;
}

void kit_as_each_gpu(void (*test)(void))
{
    static const struct {
        od_vendor vendor;
        const char *name;
        uint64_t local; /* bytes of local memory that its tiles may take */
    } gpus[] = {{OD_VENDOR_AMD, "gfx906", 32 << 10},  {OD_VENDOR_AMD, "gfx942", 64 << 10},
                {OD_VENDOR_AMD, "gfx1100", 64 << 10}, {OD_VENDOR_INTEL, "Arc", 64 << 10},
                {OD_VENDOR_NVIDIA, "A100", 48 << 10}, {OD_VENDOR_OTHER, "another", 32 << 10}};
    kit_state before = kit;
    for (size_t i = 0; kit.facts.family == OD_FAMILY_TILED && i < 2 * sizeof gpus / sizeof *gpus; i++) {
        if (kit.facts.local_memory < gpus[i / 2].local) {
            printf("left out: %s, whose tiles may take %llu bytes of local memory\n", gpus[i / 2].name,
                   (unsigned long long)gpus[i / 2].local);
            continue;
        }
        kit.facts.vendor = gpus[i / 2].vendor;
        kit.facts.compute_units = i % 2 ? 1u << 20 : 1;
        snprintf(kit.facts.name, sizeof kit.facts.name, "%s", gpus[i / 2].name);
        printf("as %s with %u compute units\n", kit.facts.name, kit.facts.compute_units);
        kit.context = kit_context_with(&kit.facts);
        test();
        kit_free_all();
        ocldnn_context_destroy(kit.context);
        kit = before;
    }
}

void kit_must(ocldnn_status status, const char *what)
{
    if (status != OCLDNN_SUCCESS)
        fail_msg("%s: %s: %s", what, ocldnn_status_name(status), ocldnn_last_error());
    assert_int_equal(clFinish(kit.queue), CL_SUCCESS);
}

void kit_expect(ocldnn_status status, ocldnn_status wanted, const char *part, const char *what)
{
    if (status != wanted)
        fail_msg("%s: %s \"%s\", must be %s with \"%s\"", what, ocldnn_status_name(status),
                 status ? ocldnn_last_error() : "", ocldnn_status_name(wanted), part);
    if (part && !strstr(ocldnn_last_error(), part))
        fail_msg("%s: the sentence is \"%s\", must have \"%s\"", what, ocldnn_last_error(), part);
}

/* ---- events -------------------------------------------------------------------------------------------------------
 */

static void run_behind_a_gate(kit_run_function run, const void *op, cl_command_queue queue, const char *what)
{
    cl_int code, progress = CL_COMPLETE;
    cl_event gate = clCreateUserEvent(kit.cl, &code), done = NULL;
    ocldnn_status status;
    assert_int_equal(code, CL_SUCCESS);
    status = run(kit.context, op, &(ocldnn_exec){.queue = queue, .wait_count = 1, .wait_list = &gate, .event = &done});
    if (status != OCLDNN_SUCCESS)
        clSetUserEventStatus(gate, CL_COMPLETE);
    kit_expect(status, OCLDNN_SUCCESS, NULL, what);
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress, &progress, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    if (progress == CL_COMPLETE)
        fail_msg("%s: its event was complete before its wait list", what);
}

void kit_check_events(kit_run_function run, const void *op, kit_tensor *output, const char *what)
{
    cl_command_queue queues[2] = {kit.queue, kit.unordered};
    double *first = kit_doubles(output->count);
    kit_must(run(kit.context, op, &(ocldnn_exec){.queue = kit.queue}), what);
    kit_read(output);
    memcpy(first, output->values, (size_t)output->count * sizeof *first);
    for (int i = 0; i < 2 && queues[i]; i++) {
        kit_poison(output);
        run_behind_a_gate(run, op, queues[i], what);
        kit_equal(output, first);
    }
}

/* ---- the program --------------------------------------------------------------------------------------------------
 */

static bool open_device(void)
{
    ocldnn_context *context;
    cl_int code;
    if (ocldnn_context_create_default(NULL, &context) != OCLDNN_SUCCESS) {
        fprintf(stderr, "no device: %s\n", ocldnn_last_error());
        return false;
    }
    kit.facts = *od_context_facts(context);
    kit.context = context;
    kit.cl = ocldnn_context_cl(context);
    kit.device = ocldnn_context_device(context);
    kit.queue = clCreateCommandQueue(kit.cl, kit.device, 0, &code);
    kit.unordered = clCreateCommandQueue(kit.cl, kit.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    return kit.queue != NULL;
}

static void choose_seed(void)
{
    const char *given = getenv("OCLDNN_TEST_SEED");
    kit_seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("seed: OCLDNN_TEST_SEED=%llu\n", (unsigned long long)kit_seed);
}

/* A run of the group: a kernel family, in it the matrix unit never or always. */
typedef struct pass {
    od_family family;
    od_amx amx;
} pass;

static const char *name_of(pass p)
{
    return p.family == OD_FAMILY_TILED ? "tiled family" : p.amx ? "vector family with AMX" : "vector family";
}

/* Why a pass is left out, or NULL. */
static const char *left_out(pass p, const od_device *facts)
{
    const char *only = getenv("OCLDNN_TEST_FAMILY");
    if (only && *only && strncmp(only, name_of(p), strlen(only)) != 0)
        return "OCLDNN_TEST_FAMILY asks for the other one";
    if (p.family == OD_FAMILY_VECTOR && (facts->quirks & OCLDNN_QUIRK_TILED_FAMILY))
        return facts->quirk_reasons;
    return p.amx && !facts->amx ? facts->amx_reason : NULL;
}

static int run_pass(pass p, bool first, const char *name, const struct CMUnitTest *tests, size_t count)
{
    kit_state before = kit;
    const char *reason = left_out(p, &kit.facts);
    char group[256];
    int failed;
    if (reason) {
        printf("skipped: %s, %s: %s\n", name, name_of(p), reason);
        return 0;
    }
    kit.facts.family = p.family;
    kit.facts.amx = p.amx;
    if (first) /* with its cache on disk */
        od_context_set_facts(kit.context, &kit.facts);
    else
        kit.context = kit_context_with(&kit.facts);
    snprintf(group, sizeof group, "%s, %s, on %s", name, name_of(p), kit.facts.name);
    printf("%s\n", group);
    fflush(stdout);
    failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
    kit_free_all();
    if (!first)
        ocldnn_context_destroy(kit.context);
    kit = before;
    return failed;
}

int kit_main(const char *name, bool products, const struct CMUnitTest *tests, size_t count)
{
    const char *small = getenv("OCLDNN_TEST_SMALL");
    int failed = 0;
    kit.small = small && *small && *small != '0';
    choose_seed();
    if (getenv("OCLDNN_TEST_FILTER"))
        cmocka_set_test_filter(getenv("OCLDNN_TEST_FILTER"));
    if (!open_device())
        return 1;
    failed += run_pass((pass){kit.facts.family, OD_AMX_NEVER}, true, name, tests, count);
    if (products)
        failed += run_pass((pass){OD_FAMILY_VECTOR, OD_AMX_ALWAYS}, false, name, tests, count);
    failed += run_pass((pass){(od_family)!kit.facts.family, OD_AMX_NEVER}, false, name, tests, count);
    clReleaseCommandQueue(kit.queue);
    if (kit.unordered)
        clReleaseCommandQueue(kit.unordered);
    ocldnn_context_destroy(kit.context);
    return failed;
}
