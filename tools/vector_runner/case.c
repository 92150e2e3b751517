/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading case files.
 */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    dtype type;
} dtypes[] = {{"f32", DTYPE_F32}, {"f16", DTYPE_F16}, {"f64", DTYPE_F64},
              {"i64", DTYPE_I64}, {"u8", DTYPE_U8},   {"bool", DTYPE_BOOL}};

static bool complain(char *problem, size_t capacity, const char *what, const char *which)
{
    snprintf(problem, capacity, "%s '%.60s'", what, which);
    return false;
}

/* The text after the next word, which is copied; NULL when there is none. */
static const char *word(const char *from, char *to, size_t capacity)
{
    size_t length;
    from += strspn(from, " \n");
    length = strcspn(from, " \n");
    if (length == 0 || length >= capacity)
        return NULL;
    memcpy(to, from, length);
    to[length] = '\0';
    return from + length;
}

static bool read_attribute(const char *rest, test_case *test)
{
    attribute *out = &test->attributes[test->attribute_count];
    char kind[4], count[12], number[NAME_BYTES];
    if (test->attribute_count == MAX_ATTRIBUTES || !(rest = word(rest, out->name, sizeof out->name)) ||
        !(rest = word(rest, kind, sizeof kind)) || !(rest = word(rest, count, sizeof count)))
        return false;
    test->attribute_count++;
    out->count = atoi(count);
    if (kind[0] == 's')
        return out->count == 0 || word(rest, out->text, sizeof out->text) != NULL;
    for (int i = 0; i < out->count; i++) {
        if (i == MAX_NUMBERS || !(rest = word(rest, number, sizeof number)))
            return false;
        out->numbers[i] = strtod(number, NULL);
    }
    return true;
}

static bool read_shape(const char *rest, value *out)
{
    char text[NAME_BYTES];
    if (!(rest = word(rest, text, sizeof text)))
        return false;
    out->rank = (uint32_t)strtoul(text, NULL, 10);
    out->count = 1;
    for (uint32_t axis = 0; axis < out->rank; axis++) {
        if (axis == MAX_RANK || !(rest = word(rest, text, sizeof text)))
            return false;
        out->shape[axis] = strtoll(text, NULL, 10);
        if (out->shape[axis] < 0 || out->shape[axis] > 1 << 20)
            return false;
        out->count *= out->shape[axis];
        if (out->count > 1 << 24)
            return false;
    }
    return true;
}

static bool read_numbers(const char *line, value *out)
{
    out->data = malloc(sizeof(double) * (size_t)(out->count ? out->count : 1));
    if (!out->data)
        return false;
    for (int64_t i = 0; i < out->count; i++) {
        char *end;
        out->data[i] = strtod(line, &end);
        if (end == line)
            return false;
        line = end;
    }
    return true;
}

/* `rest` is what follows "input" or "output"; the values stand in the next line. */
static bool read_tensor(const char *rest, value *tensors, FILE *file, char **line, size_t *room)
{
    char text[NAME_BYTES];
    value *out;
    unsigned long number;
    if (!(rest = word(rest, text, sizeof text)) || (number = strtoul(text, NULL, 10)) >= MAX_TENSORS ||
        !(rest = word(rest, text, sizeof text)))
        return false;
    out = &tensors[number];
    if (strcmp(text, "-") == 0)
        return true;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(text, dtypes[i].name) == 0) {
            out->type = dtypes[i].type;
            out->present = true;
        }
    return out->present && read_shape(rest, out) && getline(line, room, file) >= 0 && read_numbers(*line, out);
}

static bool read_line(char **line, size_t *room, FILE *file, test_case *test)
{
    char key[NAME_BYTES], opset[12];
    const char *rest = word(*line, key, sizeof key);
    if (!rest)
        return true;
    if (strcmp(key, "case") == 0)
        return word(rest, test->name, sizeof test->name) != NULL;
    if (strcmp(key, "op") == 0) {
        rest = word(rest, test->op, sizeof test->op);
        test->opset = rest && word(rest, opset, sizeof opset) ? atoi(opset) : 0;
        return rest != NULL;
    }
    if (strcmp(key, "attr") == 0)
        return read_attribute(rest, test);
    if (strcmp(key, "input") == 0)
        return read_tensor(rest, test->inputs, file, line, room);
    if (strcmp(key, "output") == 0)
        return read_tensor(rest, test->outputs, file, line, room);
    return strcmp(key, "end") == 0;
}

bool case_read(const char *path, test_case *test, char *problem, size_t capacity)
{
    FILE *file = fopen(path, "r");
    char *line = NULL, *start;
    size_t room = 0;
    bool ok = true, ended = false;
    memset(test, 0, sizeof *test);
    if (!file)
        return complain(problem, capacity, "cannot open", path);
    while (ok && !ended && getline(&line, &room, file) >= 0) {
        start = strndup(line, 60);
        ended = strncmp(line, "end", 3) == 0;
        ok = read_line(&line, &room, file, test) || complain(problem, capacity, "cannot read", start ? start : "");
        free(start);
    }
    if (ok && (!ended || !test->op[0]))
        ok = complain(problem, capacity, "no whole case in", path);
    free(line);
    fclose(file);
    return ok;
}

void case_free(test_case *test)
{
    for (int i = 0; i < MAX_TENSORS; i++) {
        free(test->inputs[i].data);
        free(test->outputs[i].data);
    }
}

static const attribute *find(const test_case *test, const char *name)
{
    for (int i = 0; i < test->attribute_count; i++)
        if (strcmp(test->attributes[i].name, name) == 0)
            return &test->attributes[i];
    return NULL;
}

double case_number(const test_case *test, const char *name, double otherwise)
{
    const attribute *found = find(test, name);
    return found && found->count ? found->numbers[0] : otherwise;
}

const char *case_text(const test_case *test, const char *name, const char *otherwise)
{
    const attribute *found = find(test, name);
    return found ? found->text : otherwise;
}
