/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "complain.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_FILE 65536
#define LARGEST_SIZE 1000000 /* far above any model, far below any overflow */

static bool read_size(const cJSON *json, const char *name, int64_t *value)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1 && item->valuedouble <= LARGEST_SIZE))
        return complain("config.json: %s is not a number from 1 to %d", name, LARGEST_SIZE);
    *value = (int64_t)item->valuedouble;
    return true;
}

static bool read_all(struct config *config, const cJSON *json)
{
    const cJSON *epsilon = cJSON_GetObjectItemCaseSensitive(json, "layer_norm_eps");
    const char *activation = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "hidden_act"));

    if (!read_size(json, "num_hidden_layers", &config->layers) || !read_size(json, "hidden_size", &config->hidden) ||
        !read_size(json, "num_attention_heads", &config->heads) ||
        !read_size(json, "intermediate_size", &config->intermediate) ||
        !read_size(json, "vocab_size", &config->vocabulary) ||
        !read_size(json, "max_position_embeddings", &config->positions) ||
        !read_size(json, "type_vocab_size", &config->segments))
        return false;
    if (config->hidden % config->heads != 0)
        return complain("config.json: hidden_size %lld is no multiple of num_attention_heads %lld",
                        (long long)config->hidden, (long long)config->heads);
    if (activation == NULL || strcmp(activation, "gelu") != 0)
        return complain("config.json: hidden_act is %s, and this program only knows gelu",
                        activation == NULL ? "missing" : activation);
    if (!cJSON_IsNumber(epsilon) || !(epsilon->valuedouble > 1e-30 && epsilon->valuedouble < 1))
        return complain("config.json: layer_norm_eps is not a number between 1e-30 and 1");
    config->epsilon = (float)epsilon->valuedouble;
    return true;
}

bool config_read(struct config *config, const char *path)
{
    char text[LONGEST_FILE];
    FILE *file = fopen(path, "rb");
    size_t length;
    cJSON *json;
    bool good;

    if (file == NULL)
        return complain("%s can't be opened: %s", path, strerror(errno));
    length = fread(text, 1, sizeof text, file);
    fclose(file);
    json = cJSON_ParseWithLength(text, length);
    good = json != NULL ? read_all(config, json) : complain("%s is not JSON", path);
    cJSON_Delete(json);
    return good;
}
