/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of an input that shows a fault, and the entry that remembers it.
 */
#include "fuzz.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *now;
static size_t now_bytes;

static void print_input(void)
{
    fputs("  input ", stderr);
    for (size_t i = 0; i < now_bytes; i++)
        fprintf(stderr, "%02x", now[i]);
    fputc('\n', stderr);
}

static void print_tensor(uint32_t number, const ocldnn_tensor *t)
{
    fprintf(stderr, "    tensor %u: buffer %p, offset %llu, dtype %u, rank %u, shape", number, (void *)t->buffer,
            (unsigned long long)t->offset, t->dtype, t->rank);
    for (uint32_t axis = 0; axis < OCLDNN_MAX_RANK && axis < t->rank; axis++)
        fprintf(stderr, " %lld", (long long)t->shape[axis]);
    fputs(", strides", stderr);
    for (uint32_t axis = 0; axis < OCLDNN_MAX_RANK && axis < t->rank; axis++)
        fprintf(stderr, " %lld", (long long)t->strides[axis]);
    fputc('\n', stderr);
}

static void print_problem(const fuzz_problem *p)
{
    fprintf(stderr, "  %s\n", p->kind->name);
    for (uint32_t t = 0; t < p->tensors; t++)
        print_tensor(t, &p->op.tensors[t]);
    fputs("    options", stderr);
    for (size_t w = p->tensors * sizeof(ocldnn_tensor) / sizeof(uint32_t); w < p->bytes / sizeof(uint32_t); w++)
        fprintf(stderr, " %x", p->op.words[w]);
    fputc('\n', stderr);
}

void fuzz_fault(const fuzz_problem *p, const char *format, ...)
{
    va_list arguments;
    fputs("fuzz: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    print_problem(p);
    print_input();
    abort();
}

bool fuzz_judge(const fuzz_problem *p, const char *what, ocldnn_status status, uint32_t allowed)
{
    const char *sentence = ocldnn_last_error();
    if (status == OCLDNN_SUCCESS)
        return true;
    if ((uint32_t)status > 31 || (allowed >> status & 1) == 0)
        fuzz_fault(p, "%s: %s: %s", what, ocldnn_status_name(status), sentence);
    if (!*sentence || strstr(sentence, "(null)"))
        fuzz_fault(p, "%s: %s without a good sentence: '%s'", what, ocldnn_status_name(status), sentence);
    return false;
}

/* Only to say which input it was: the process ends. */
static _Noreturn void on_signal(int number)
{
    fprintf(stderr, "fuzz: signal %d\n", number);
    print_input();
    abort();
}

void fuzz_catch_signals(void)
{
    static const int numbers[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], on_signal);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return atexit(fuzz_report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    now = data;
    now_bytes = size < FUZZ_LONGEST ? size : FUZZ_LONGEST;
    return fuzz_one(data, now_bytes);
}
