/* SPDX-License-Identifier: Apache-2.0
 *
 * ocldnn cache: the folder of compiled programs.
 */
#include "command.h"

#include "runtime/disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct arguments {
    const char *action, *file, *folder;
} arguments;

static const struct argp_option options[] = {
    {"folder", 'f', "FOLDER", 0, "this cache folder instead of the default one", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    arguments *given = state->input;
    bool with_file;
    switch (key) {
    case 'f':
        given->folder = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0)
            given->action = argument;
        else if (state->arg_num == 1)
            given->file = argument;
        else
            argp_usage(state);
        return 0;
    case ARGP_KEY_END:
        with_file = given->action && (strcmp(given->action, "export") == 0 || strcmp(given->action, "import") == 0);
        if (!given->action || with_file != (given->file != NULL))
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    options,
    parse,
    "list\nclear\nexport FILE\nimport FILE",
    "Shows and moves the compiled programs that oclDNN keeps on disk.\v"
    "list    each program: kernel file, size, what building it took, when it was used last, device, options\n"
    "clear   removes all programs; other files in the folder are left alone\n"
    "export  writes all programs into one FILE, in the format of ocldnn_cache_export()\n"
    "import  takes the programs of such a FILE; a damaged one is refused as a whole\n\n"
    "The folder is $XDG_CACHE_HOME/ocldnn, else ~/.cache/ocldnn. It is trusted only if it belongs to the user, is not "
    "a "
    "symbolic link, and nobody else may write to it. Programs of another device, driver or library version do no harm: "
    "they are never loaded. Import only what you would also run: a compiled program is code.",
    NULL,
    NULL,
    NULL};

/* ---- list -------------------------------------------------------------------------------------------------------- */

typedef struct totals {
    unsigned count;
    uint64_t bytes, nanoseconds;
} totals;

static int list_one(void *user, const ocldnn_cache_entry *entry)
{
    totals *all = user;
    time_t seconds = (time_t)entry->last_used;
    struct tm local;
    char when[32] = "?";
    const char *defines = strstr(entry->options, " -D ");
    if (localtime_r(&seconds, &local))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    printf("%.8s  %-28s %7.1f KiB %8.1f ms  %s  %s  %s\n", entry->key, entry->source, (double)entry->bytes / 1024.0,
           (double)entry->build_nanoseconds * 1e-6, when, entry->device, defines ? defines + 1 : "");
    all->count++;
    all->bytes += entry->bytes;
    all->nanoseconds += entry->build_nanoseconds;
    return 0;
}

static int list(const char *folder)
{
    totals all = {0};
    if (ocldnn_cache_visit(folder, list_one, &all) != OCLDNN_SUCCESS)
        return complain("%s", ocldnn_last_error());
    printf("%u programs, %.1f MiB; building them took %.2f s\n", all.count, (double)all.bytes / 1048576.0,
           (double)all.nanoseconds * 1e-9);
    return 0;
}

static int clear(const char *folder)
{
    uint32_t removed;
    if (ocldnn_cache_clear(folder, &removed) != OCLDNN_SUCCESS)
        return complain("%s", ocldnn_last_error());
    printf("%u programs removed\n", removed);
    return 0;
}

/* ---- export and import ------------------------------------------------------------------------------------------- */

typedef struct bundle {
    unsigned char *data;
    size_t bytes;
    uint32_t count;
    bool full;
} bundle;

static int append(void *user, const ocldnn_cache_entry *about, const od_blob *blob)
{
    bundle *all = user;
    unsigned char *more = realloc(all->data, all->bytes + (size_t)about->bytes);
    if (!more) {
        all->full = true;
        return 1;
    }
    memcpy(more + all->bytes, blob->bytes, (size_t)about->bytes);
    all->data = more;
    all->bytes += (size_t)about->bytes;
    all->count++;
    return 0;
}

static int export(const char *folder, const char *path)
{
    bundle all = {.data = malloc(OD_BUNDLE_HEADER), .bytes = OD_BUNDLE_HEADER};
    od_disk *disk = NULL;
    FILE *file;
    bool good;
    if (od_disk_open_existing(folder, &disk) != OCLDNN_SUCCESS) {
        free(all.data);
        return complain("%s", ocldnn_last_error());
    }
    if (disk && all.data)
        od_disk_visit(disk, append, &all);
    od_disk_close(disk);
    if (!all.data || all.full) {
        free(all.data);
        return complain("no memory for %zu bytes", all.bytes);
    }
    od_bundle_begin(all.count, all.data);
    file = fopen(path, "wb");
    good = file && fwrite(all.data, 1, all.bytes, file) == all.bytes;
    good = file && fclose(file) == 0 && good;
    free(all.data);
    if (!good)
        return complain("%s: %s", path, strerror(errno));
    printf("%u programs, %.1f KiB in %s\n", all.count, (double)all.bytes / 1024.0, path);
    return 0;
}

static unsigned char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    long length;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        *bytes = (size_t)length;
        data = malloc(*bytes + 1);
        if (data && fread(data, 1, *bytes, file) != *bytes) {
            free(data);
            data = NULL;
        }
    }
    fclose(file);
    return data;
}

static int import(const char *folder, const char *path)
{
    size_t bytes = 0, position = 0, before = 0;
    unsigned char *data = read_file(path, &bytes);
    uint32_t count = 0;
    od_disk *disk = NULL;
    od_entry entry;
    if (!data)
        return complain("%s: %s", path, strerror(errno));
    if (!od_bundle_check(data, bytes, &count)) {
        free(data);
        return complain("%s: not an exported cache, or damaged; nothing was imported", path);
    }
    if (od_disk_open(folder, 0, &disk) != OCLDNN_SUCCESS) {
        free(data);
        return complain("%s", ocldnn_last_error());
    }
    for (before = OD_BUNDLE_HEADER; od_bundle_next(data, bytes, &position, &entry); before = position)
        od_disk_store_encoded(disk, entry.key, data + before, position - before);
    od_disk_close(disk);
    free(data);
    printf("%u programs imported\n", count);
    return 0;
}

int command_cache(int argc, char **argv)
{
    arguments given = {0};
    argp_parse(&parser, argc, argv, 0, NULL, &given);
    if (strcmp(given.action, "list") == 0)
        return list(given.folder);
    if (strcmp(given.action, "clear") == 0)
        return clear(given.folder);
    if (strcmp(given.action, "export") == 0)
        return export(given.folder, given.file);
    if (strcmp(given.action, "import") == 0)
        return import(given.folder, given.file);
    complain("cache has no action '%s'; see ocldnn cache --help", given.action);
    return 64;
}
