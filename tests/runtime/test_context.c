/* SPDX-License-Identifier: Apache-2.0
 *
 * What a context may be asked for.
 */
#include <ocldnn/ocldnn.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static ocldnn_context *context; /* a good one, whose OpenCL objects serve all */

static int set_up(void **state)
{
    (void)state;
    return ocldnn_context_create_default(NULL, &context) == OCLDNN_SUCCESS ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ocldnn_context_destroy(context);
    return 0;
}

static void refuse(const char *part, ocldnn_context_options options)
{
    ocldnn_context *made = context;
    ocldnn_status status = ocldnn_context_create(&options, &made);
    if (status != OCLDNN_INVALID_ARGUMENT || !strstr(ocldnn_last_error(), part) || made)
        fail_msg("%s \"%s\", wanted INVALID_ARGUMENT with \"%s\"", ocldnn_status_name(status), ocldnn_last_error(),
                 part);
}

static ocldnn_context_options good(void)
{
    return (ocldnn_context_options){
        .context = ocldnn_context_cl(context),
        .device = ocldnn_context_device(context),
        .flags = OCLDNN_CONTEXT_NO_DISK_CACHE,
    };
}

static void refuses_bad_options(void **state)
{
    ocldnn_cache_callbacks callbacks = {0};
    ocldnn_context_options options;
    (void)state;
    assert_int_equal(ocldnn_context_create(NULL, &(ocldnn_context *){NULL}), OCLDNN_INVALID_ARGUMENT);
    options = good();
    options.context = NULL;
    refuse("must not be NULL", options);
    options = good();
    options.device = NULL;
    refuse("must not be NULL", options);
    options = good();
    options.flags = 6;
    refuse("flags is 6", options);
    options = good();
    options.cache_callbacks = &callbacks;
    refuse("load and store must not be NULL", options);
}

static void refuses_bad_quirks(void **state)
{
    ocldnn_quirk quirks[] = {{.flags = OCLDNN_QUIRK_NO_CLBLAST}, {.flags = 0x8000}};
    ocldnn_context_options options = good();
    (void)state;
    options.quirk_count = 2;
    refuse("quirk_count is 2, but quirks is NULL", options);
    options.quirks = quirks;
    refuse("quirks[1]: flags are 0x8000", options);
    quirks[1].flags = OCLDNN_QUIRK_VECTOR_FAMILY | OCLDNN_QUIRK_TILED_FAMILY;
    refuse("quirks[1]: a device is of one kernel family", options);
}

/* By what describe() says of the unit. */
static void asks_for_amx_unless_forbidden(void **state)
{
    ocldnn_context_options options = good();
    char text[4096];
    const char *there = NULL;
    (void)state;
    for (int forbidden = 0; forbidden < 2; forbidden++) {
        ocldnn_context *made;
        options.flags = OCLDNN_CONTEXT_NO_DISK_CACHE | (forbidden ? OCLDNN_CONTEXT_NO_AMX : 0);
        assert_int_equal(ocldnn_context_create(&options, &made), OCLDNN_SUCCESS);
        ocldnn_context_describe(made, text, sizeof text);
        ocldnn_context_destroy(made);
        if (!forbidden)
            there = strstr(text, "\nAMX: yes\n");
        else if (there)
            assert_non_null(strstr(text, "\nAMX: the application forbids it\n"));
        else
            assert_null(strstr(text, "\nAMX: yes\n"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(refuses_bad_quirks),
        cmocka_unit_test(asks_for_amx_unless_forbidden),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
