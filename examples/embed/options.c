/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "embed (oclDNN example)";

static const char help[] =
    "Searches text by meaning: cuts the FILEs into sentences, embeds them with a BERT model (all-MiniLM-L6-v2) on an "
    "OpenCL device, and shows those nearest to QUERY.\v"
    "FILE \"-\" is standard input. tools/demo brings the weights. The environment variable OCLDNN_DEVICE, a part of a "
    "device's or platform's name, picks the device.";

static const struct argp_option list[] = {
    {"model", 'm', "FOLDER", 0, "holds model.safetensors, config.json and vocab.txt", 0},
    {"dtype", 'd', "TYPE", 0, "f32 (default), f16 or bf16: how weights and activations are stored", 0},
    {"top", 'n', "COUNT", 0, "how many matches to show (5)", 0},
    {"batch", 'b', "TOKENS", 0, "the most tokens in a batch, padding included (4096)", 0},
    {"verbose", 'v', NULL, 0, "also show builds and which kernels run", 0},
    {"verify", 'V', "FILE", 0, "compare with known token ids and embeddings instead of searching", 1},
    {"profile", 'p', NULL, 0, "show where the time of a batch goes instead of searching", 1},
    {"worker", 'w', NULL, 0,
     "read lines of SENTENCES LENGTH from standard input and answer each with the seconds such a batch took", 1},
    {0}};

static unsigned read_number(struct argp_state *state, const char *text, unsigned low, unsigned high)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end != '\0' || number < (long)low || number > (long)high)
        argp_error(state, "%s is not a number from %u to %u", text, low, high);
    return (unsigned)number;
}

static ocldnn_dtype read_dtype(struct argp_state *state, const char *text)
{
    if (strcmp(text, "f32") != 0 && strcmp(text, "f16") != 0 && strcmp(text, "bf16") != 0)
        argp_error(state, "%s is none of f32, f16, bf16", text);
    return strcmp(text, "f32") == 0 ? OCLDNN_F32 : strcmp(text, "f16") == 0 ? OCLDNN_F16 : OCLDNN_BF16;
}

static error_t read_one(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'm':
        options->model = text;
        return 0;
    case 'd':
        options->dtype = read_dtype(state, text);
        return 0;
    case 'n':
        options->top = read_number(state, text, 1, 1000);
        return 0;
    case 'b':
        options->batch = read_number(state, text, LONGEST_TEXT, 1 << 18);
        return 0;
    case 'v':
        options->verbose = true;
        return 0;
    case 'V':
        options->verify = text;
        return 0;
    case 'p':
        options->profile = true;
        return 0;
    case 'w':
        options->worker = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->query = state->argv[state->next];
        options->files = state->argv + state->next + 1;
        options->file_count = (unsigned)(state->argc - state->next - 1);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* $XDG_CACHE_HOME/ocldnn-models/all-MiniLM-L6-v2, where tools/demo puts the weights. */
static const char *default_folder(void)
{
    static char folder[4096];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (cache != NULL && cache[0] == '/')
        snprintf(folder, sizeof folder, "%s/ocldnn-models/all-MiniLM-L6-v2", cache);
    else
        snprintf(folder, sizeof folder, "%s/.cache/ocldnn-models/all-MiniLM-L6-v2", home != NULL ? home : "");
    return folder;
}

void options_read(struct options *options, int argc, char **argv)
{
    static const struct argp argp = {list, read_one, "QUERY FILE...", help, NULL, NULL, NULL};

    *options = (struct options){.model = default_folder(), .top = 5, .batch = 4096, .dtype = OCLDNN_F32};
    argp_parse(&argp, argc, argv, 0, NULL, options);
    if (options->verify == NULL && !options->worker && !options->profile && options->file_count == 0) {
        argp_help(&argp, stderr, ARGP_HELP_STD_USAGE, argv[0]);
        exit(64); /* EX_USAGE, as for argp's own errors */
    }
}

bool options_have_weights(const struct options *options)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/model.safetensors", options->model);
    file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}
