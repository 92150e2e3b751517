/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting fast: a model's programs are built ahead, with progress to show, and kept in one file that the application
 * may ship or store. Run it twice: the second time it loads the file and builds nothing.
 *
 *     prepare_cache [FILE]
 */
#include <ocldnn/ocldnn.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 128, HEADS = 12, HEAD = 32, HIDDEN = HEADS * HEAD };

static const char *path = "programs.ocldnn";

static void need(ocldnn_status status, const char *what)
{
    if (status == OCLDNN_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, ocldnn_status_name(status), ocldnn_last_error());
    exit(1);
}

static void load(ocldnn_context *context)
{
    static unsigned char data[64 << 20];
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(data, 1, sizeof data, file) : 0;
    uint32_t count = 0;
    if (file)
        fclose(file);
    /* A file of another device, driver or version does no harm; a damaged one is refused, and we build. */
    if (bytes > 0 && ocldnn_cache_import(context, data, bytes, &count) != OCLDNN_SUCCESS)
        printf("%s: %s\n", path, ocldnn_last_error());
    printf("%u programs from %s\n", count, path);
}

static void save(ocldnn_context *context)
{
    size_t bytes;
    void *data;
    FILE *file;
    need(ocldnn_cache_export(context, NULL, &bytes), "export");
    data = malloc(bytes);
    if (!data || ocldnn_cache_export(context, data, &bytes) != OCLDNN_SUCCESS || !(file = fopen(path, "wb"))) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(1);
    }
    fwrite(data, 1, bytes, file);
    fclose(file);
    free(data);
    printf("%.0f KiB to %s\n", (double)bytes / 1024, path);
}

/* What a transformer's layer calls, as shapes without buffers: the tensors of a prepare need no memory. */
static void prepare(ocldnn_context *context)
{
    const int64_t tokens[] = {STEPS, HIDDEN}, weight[] = {HIDDEN, HIDDEN}, heads[] = {1, HEADS, STEPS, HEAD};
    ocldnn_tensor hidden = ocldnn_tensor_dense(NULL, OCLDNN_F32, 2, tokens);
    ocldnn_tensor split = ocldnn_tensor_dense(NULL, OCLDNN_F32, 4, heads);
    ocldnn_rms_norm norm = {.input = hidden, .output = hidden, .epsilon = 1e-6f};
    ocldnn_linear linear = {
        .input = hidden, .weight = ocldnn_tensor_dense(NULL, OCLDNN_F32, 2, weight), .output = hidden};
    ocldnn_attention attention = {.query = split, .key = split, .value = split, .output = split};
    printf("\r[.  ] rms_norm  ");
    fflush(stdout);
    need(ocldnn_rms_norm_prepare(context, &norm), "rms_norm");
    printf("\r[.. ] linear    ");
    fflush(stdout);
    need(ocldnn_linear_prepare(context, &linear), "linear");
    printf("\r[...] attention ");
    fflush(stdout);
    need(ocldnn_attention_prepare(context, &attention), "attention");
    printf("\r[...] ready     \n");
}

int main(int argc, char **argv)
{
    /* Only the file counts here; an application may leave the folder cache on as well. */
    const ocldnn_context_options options = {.flags = OCLDNN_CONTEXT_NO_DISK_CACHE};
    ocldnn_context *context;
    ocldnn_stats stats;
    if (argc > 1)
        path = argv[1];
    if (ocldnn_context_create_default(&options, &context) != OCLDNN_SUCCESS) {
        printf("%s\n", ocldnn_last_error());
        return 77; /* for the tests: nothing to build for */
    }
    load(context);
    prepare(context);
    need(ocldnn_context_stats(context, &stats), "stats");
    printf("%llu programs built in %.0f ms, %llu loaded in %.0f ms, which saved %.0f ms of building\n",
           (unsigned long long)stats.programs_built, (double)stats.build_nanoseconds * 1e-6,
           (unsigned long long)stats.programs_loaded, (double)stats.load_nanoseconds * 1e-6,
           (double)stats.saved_nanoseconds * 1e-6);
    if (stats.programs_built > 0)
        save(context);
    ocldnn_context_destroy(context);
    return 0;
}
