/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench's JSON files.
 */
#include "bench_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20 };

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;
    if (!file) {
        complain("%s: %s", path, strerror(errno));
        return NULL;
    }
    text = malloc(LARGEST + 1);
    if (text)
        length = fread(text, 1, LARGEST + 1, file);
    if (!text || ferror(file) || length > LARGEST) {
        complain("%s: %s", path, !text ? "no memory" : ferror(file) ? strerror(errno) : "larger than 64 MiB");
        free(text);
        text = NULL;
    } else {
        text[length] = '\0';
    }
    fclose(file);
    return text;
}

static const char *fault(const cJSON *root)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows"), *row;
    if (!cJSON_IsArray(rows))
        return "it has no array `rows`";
    cJSON_ArrayForEach(row, rows)
    {
        if (!cJSON_IsObject(row) || !*bench_text(row, "name") || !*bench_text(row, "dtype") ||
            !*bench_text(row, "shape"))
            return "a row has no name, dtype and shape";
    }
    return NULL;
}

cJSON *bench_json_read(const char *path)
{
    char *text = read_file(path);
    cJSON *root;
    const char *wrong = NULL;
    if (!text)
        return NULL;
    root = cJSON_ParseWithOpts(text, NULL, 1);
    if (!*text)
        wrong = "the file is empty";
    else if (!root)
        wrong = "not JSON, or cut short";
    else
        wrong = fault(root);
    free(text);
    if (!wrong)
        return root;
    complain("%s: not a file of ocldnn bench --json: %s", path, wrong);
    cJSON_Delete(root);
    return NULL;
}

bool bench_json_write(const cJSON *root, const char *path)
{
    char *text = cJSON_Print(root);
    bool good = false;
    if (text) {
        FILE *file = fopen(path, "w");
        good = file && fputs(text, file) >= 0 && fputc('\n', file) >= 0;
        good = file && fclose(file) == 0 && good;
    }
    if (!good)
        complain("%s: %s", path, text ? strerror(errno) : "no memory");
    free(text);
    return good;
}

void bench_json_add(cJSON *object, const char *name, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

void bench_json_add_spread(cJSON *object, const char *name, const char *quartiles, bench_spread spread)
{
    const double ends[] = {spread.low, spread.high};
    bench_json_add(object, name, spread.middle);
    if (isfinite(spread.low) && isfinite(spread.high))
        cJSON_AddItemToObject(object, quartiles, cJSON_CreateDoubleArray(ends, 2));
}

double bench_number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : NAN;
}

const char *bench_text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) && item->valuestring ? item->valuestring : "";
}

bench_spread bench_spread_of(const cJSON *object, const char *name, const char *quartiles)
{
    const cJSON *ends = cJSON_GetObjectItemCaseSensitive(object, quartiles);
    const cJSON *low = cJSON_GetArrayItem(ends, 0), *high = cJSON_GetArrayItem(ends, 1);
    bench_spread spread = {NAN, bench_number(object, name), NAN};
    if (cJSON_IsNumber(low) && cJSON_IsNumber(high)) {
        spread.low = low->valuedouble;
        spread.high = high->valuedouble;
    }
    return spread;
}

bool bench_same_row(const cJSON *a, const cJSON *b)
{
    static const char *const key[] = {"name", "dtype", "shape", "strategy"};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (strcmp(bench_text(a, key[i]), bench_text(b, key[i])) != 0)
            return false;
    return true;
}

bool bench_measured(const cJSON *row)
{
    return bench_number(row, "seconds") > 0;
}
