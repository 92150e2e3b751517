/* SPDX-License-Identifier: Apache-2.0 */
#include "safetensors.h"

#include "complain.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_LENGTH 8
#define LARGEST_EXACT 9007199254740992.0 /* 2^53: JSON numbers come as doubles */

static bool map_file(struct safetensors *file, const char *path)
{
    struct stat facts;
    void *bytes;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return complain("the weights %s can't be opened: %s", path, strerror(errno));
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size < HEADER_LENGTH) {
        close(descriptor);
        return complain("%s is not a safetensors file: it is too short, or no file", path);
    }
    file->length = (size_t)facts.st_size;
    bytes = mmap(NULL, file->length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (bytes == MAP_FAILED)
        return complain("the weights %s can't be mapped: %s", path, strerror(errno));
    file->bytes = bytes;
    return true;
}

static bool parse_header(struct safetensors *file, const char *path)
{
    uint64_t length = 0;

    for (unsigned i = 0; i < HEADER_LENGTH; i++)
        length |= (uint64_t)file->bytes[i] << 8 * i;
    if (length > file->length - HEADER_LENGTH)
        return complain("%s is damaged: its header should have %llu bytes, the file has %zu", path,
                        (unsigned long long)length, file->length);
    file->data = HEADER_LENGTH + (size_t)length;
    file->header = cJSON_ParseWithLength((const char *)file->bytes + HEADER_LENGTH, (size_t)length);
    if (!cJSON_IsObject(file->header))
        return complain("%s is damaged: its header is not a JSON object", path);
    return true;
}

bool safetensors_open(struct safetensors *file, const char *path)
{
    memset(file, 0, sizeof *file);
    if (map_file(file, path) && parse_header(file, path))
        return true;
    safetensors_close(file);
    return false;
}

void safetensors_close(struct safetensors *file)
{
    cJSON_Delete(file->header);
    if (file->bytes != NULL)
        munmap((void *)(uintptr_t)file->bytes, file->length);
    memset(file, 0, sizeof *file);
}

/* A whole number from 0 to 2^53. */
static bool read_whole(const cJSON *item, uint64_t *value)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= LARGEST_EXACT))
        return false;
    *value = (uint64_t)item->valuedouble;
    return (double)*value == item->valuedouble;
}

static ocldnn_dtype read_dtype(const cJSON *entry)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "dtype"));

    if (name == NULL)
        return OCLDNN_ABSENT;
    return strcmp(name, "F32") == 0    ? OCLDNN_F32
           : strcmp(name, "F16") == 0  ? OCLDNN_F16
           : strcmp(name, "BF16") == 0 ? OCLDNN_BF16
                                       : OCLDNN_ABSENT;
}

/* Fills rank, shape and count; counts beyond the file's length are refused before they can overflow. */
static bool read_shape(const struct safetensors *file, const cJSON *entry, struct safetensor *tensor)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(entry, "shape"), *axis;
    uint64_t length;

    if (!cJSON_IsArray(shape) || cJSON_GetArraySize(shape) > OCLDNN_MAX_RANK)
        return false;
    tensor->count = 1;
    cJSON_ArrayForEach(axis, shape)
    {
        if (!read_whole(axis, &length) || (length != 0 && tensor->count > file->length / length))
            return false;
        tensor->count *= (size_t)length;
        tensor->shape[tensor->rank++] = (int64_t)length;
    }
    return true;
}

bool safetensors_find(const struct safetensors *file, const char *name, struct safetensor *tensor)
{
    const cJSON *entry = cJSON_GetObjectItemCaseSensitive(file->header, name);
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    uint64_t begin, end;

    memset(tensor, 0, sizeof *tensor);
    if (entry == NULL)
        return complain("the weights have no tensor %s: are they those of a BERT model?", name);
    tensor->dtype = read_dtype(entry);
    if (tensor->dtype == OCLDNN_ABSENT)
        return complain("tensor %s is neither F32 nor F16 nor BF16", name);
    if (!read_shape(file, entry, tensor) || cJSON_GetArraySize(offsets) != 2 ||
        !read_whole(cJSON_GetArrayItem(offsets, 0), &begin) || !read_whole(cJSON_GetArrayItem(offsets, 1), &end))
        return complain("the entry of tensor %s is damaged, or the file was cut short", name);
    if (begin > end || end > file->length - file->data ||
        end - begin != tensor->count * ocldnn_dtype_size(tensor->dtype))
        return complain("tensor %s: its shape and place do not fit the file", name);
    tensor->bytes = file->bytes + file->data + begin;
    return true;
}
