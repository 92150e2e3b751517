/* SPDX-License-Identifier: Apache-2.0
 *
 * A target without libFuzzer: every input of a corpus, then inputs by chance, of which every other one is one of the
 * corpus with some bytes changed.
 *
 * A corpus is a text file, an input a line, in hexadecimal digits; what follows a space is a remark. Environment:
 * OCLDNN_TEST_SEED, printed at the start; OCLDNN_TEST_SMALL=1 for fewer inputs.
 */
#include "fuzz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MOST_INPUTS = 8192 };

static uint8_t corpus[MOST_INPUTS][FUZZ_LONGEST];
static size_t sizes[MOST_INPUTS];
static int count;
static unsigned long rounds;

static bool parse(const char *line)
{
    size_t size = 0;
    unsigned byte;
    while (size < FUZZ_LONGEST && sscanf(line + 2 * size, "%2x", &byte) == 1 && line[2 * size] > ' ')
        corpus[count][size++] = (uint8_t)byte;
    if (size == 0 || count == MOST_INPUTS - 1)
        return false;
    sizes[count++] = size;
    return true;
}

static bool load(const char *path)
{
    char line[4 * FUZZ_LONGEST];
    FILE *file = fopen(path, "r");
    bool good = file != NULL;
    while (good && fgets(line, sizeof line, file))
        good = *line == '#' || parse(line);
    if (file)
        fclose(file);
    return good && count > 0;
}

static void the_corpus(void **state)
{
    (void)state;
    fuzz_catch_signals();
    for (int i = 0; i < count; i++)
        LLVMFuzzerTestOneInput(corpus[i], sizes[i]);
}

/* The state of a generator whose numbers do not differ from one C library to the other. */
static uint64_t chance;

static uint32_t draw(uint32_t below)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance >> 33) % below;
}

static void inputs_by_chance(void **state)
{
    uint8_t input[FUZZ_LONGEST];
    (void)state;
    fuzz_catch_signals();
    for (unsigned long round = 0; round < rounds; round++) {
        size_t size = 3 + draw(8) + draw(4) * draw(8);
        for (size_t i = 0; i < size; i++)
            input[i] = (uint8_t)draw(256);
        if (round % 2) {
            int from = (int)draw((uint32_t)count);
            size = sizes[from];
            memcpy(input, corpus[from], size);
            for (uint32_t i = 0; i <= draw(3); i++)
                input[draw((uint32_t)size)] = (uint8_t)draw(256);
        }
        LLVMFuzzerTestOneInput(input, size);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus), cmocka_unit_test(inputs_by_chance)};
    const char *seed = getenv("OCLDNN_TEST_SEED"), *small = getenv("OCLDNN_TEST_SMALL");
    int failed;
    if (argc != 3 || !load(argv[1])) {
        fputs("usage: replay CORPUS ROUNDS; a corpus is lines of hexadecimal digits\n", stderr);
        return 2;
    }
    rounds = strtoul(argv[2], NULL, 10) / (small && *small == '1' ? 10 : 1);
    chance = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("OCLDNN_TEST_SEED=%llu\n", (unsigned long long)chance);
    failed = cmocka_run_group_tests_name("fuzz", tests, NULL, NULL);
    fuzz_report();
    fuzz_close();
    return failed;
}
