/* SPDX-License-Identifier: Apache-2.0
 *
 * ocldnn: looks at devices, checks the library on them, keeps the program cache, measures.
 */
#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} commands[] = {
    {"info", command_info, "the devices of this machine, and what the library makes of them"},
    {"check", command_check, "known answers of every operator on a device"},
    {"bench", command_bench, "a device's limits, then the operators' speed"},
    {"cache", command_cache, "the programs kept on disk: list, clear, export, import"},
};

int complain(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("ocldnn: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return 1;
}

static void usage(FILE *out)
{
    fputs("Usage: ocldnn COMMAND [OPTION...]\n"
          "\n"
          "oclDNN's tool: neural-network operators over OpenCL, seen from the command line.\n"
          "\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].about);
    fputs("\n"
          "  ocldnn COMMAND --help     what a command does, and its options\n"
          "  ocldnn --version          the library's version\n"
          "\n"
          "Environment:\n"
          "  OCLDNN_DEVICE   part of the name of the device or platform to use; --device says more\n"
          "  XDG_CACHE_HOME  programs are kept in $XDG_CACHE_HOME/ocldnn, else in ~/.cache/ocldnn\n"
          "\n"
          "Exit status: 0 when all is well, 1 when something failed, 64 for a wrong command line.\n",
          out);
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* `ocldnn bench ...` as a program named "ocldnn bench", so that argp's texts say how it was called. */
static int run(const struct command *command, int argc, char **argv)
{
    static char name[64];
    snprintf(name, sizeof name, "ocldnn %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

static int obey(int argc, char **argv)
{
    const struct command *command;
    if (argc < 2) {
        usage(stderr);
        return 64;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("ocldnn %s\n", ocldnn_version());
        return 0;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (strcmp(argv[1], "help") == 0 && argc == 2)) {
        usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "help") == 0 && (command = find(argv[2])) != NULL)
        return run(command, 2, (char *[]){argv[2], (char[]){"--help"}, NULL});
    command = find(argv[1]);
    if (command)
        return run(command, argc - 1, argv + 1);
    complain("there is no command '%s'; see ocldnn --help", argv[1]);
    return 64;
}

int main(int argc, char **argv)
{
    int status = obey(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "ocldnn: not all could be written to standard output\n");
    return status ? status : 1;
}
