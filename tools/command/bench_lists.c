/* SPDX-License-Identifier: Apache-2.0
 *
 * The declared lists of rows. A row's sizes stand twice, as text for the table and as numbers for its maker.
 */
#include "bench_cases.h"

#include <stdio.h>
#include <string.h>

typedef struct declared {
    const char *name;
    bench_maker *make;
    const char *shape; /* as the table shows it */
    int64_t d[7];
} declared;

/* ---- basic: every operator, at sizes that fill a device ---------------------------------------------------------- */

static const declared basic[] = {
    {"gemm_packed", bench_make_packed, "512x512x512", {512, 512, 512}},
    {"gemm_packed", bench_make_packed, "1024x1024x1024", {1024, 1024, 1024}},
    {"gemm_packed", bench_make_packed, "2048x2048x2048", {2048, 2048, 2048}},
    {"gemm", bench_make_linear, "512x512x512", {512, 512, 512}},
    {"gemm", bench_make_linear, "1024x1024x1024", {1024, 1024, 1024}},
    {"gemm", bench_make_linear, "2048x2048x2048", {2048, 2048, 2048}},
    {"linear", bench_make_linear, "1x4096x4096", {1, 4096, 4096}},
    {"linear_packed", bench_make_packed, "1x4096x4096", {1, 4096, 4096}},
    {"linear_packed", bench_make_packed, "8x4096x4096", {8, 4096, 4096}},
    {"linear_pack", bench_make_pack, "4096x4096", {4096, 4096}},
    {"matmul", bench_make_matmul, "8x256x256x256", {8, 256, 256, 256}},
    {"attention", bench_make_attention, "8h 1024 d64", {1, 8, 8, 1024, 1024, 64, 0}},
    {"attention", bench_make_attention, "8h 1024 d128", {1, 8, 8, 1024, 1024, 128, 0}},
    {"attention_causal", bench_make_attention, "8h 1024 d64", {1, 8, 8, 1024, 1024, 64, 1}},
    {"attention_causal", bench_make_attention, "8h 1024 d128", {1, 8, 8, 1024, 1024, 128, 1}},
    {"attention_packed", bench_make_packed_attention, "12h 1024 d64", {12, 1024, 64}},
    {"attention_decode", bench_make_attention, "32:8h 1:2048 d128", {1, 32, 8, 1, 2048, 128, 0}},
    {"attention_gemms", bench_make_fallback, "8h 1024 d64", {1, 8, 8, 1024, 1024, 64, 0}},
    {"rms_norm", bench_make_rms_norm, "4096x4096", {4096, 4096}},
    {"layer_norm", bench_make_layer_norm, "4096x4096", {4096, 4096}},
    {"l2_norm", bench_make_l2_norm, "4096x4096", {4096, 4096}},
    {"softmax", bench_make_softmax, "4096x4096", {4096, 4096}},
    {"log_softmax", bench_make_log_softmax, "4096x4096", {4096, 4096}},
    {"gelu", bench_make_gelu, "4096x4096", {4096, 4096}},
    {"add", bench_make_add, "4096x4096", {4096, 4096}},
    {"gated_silu", bench_make_gated, "4096x4096", {4096, 4096}},
    {"embedding", bench_make_embedding, "32x512x1024", {32, 512, 1024, 30000}},
    {"rotary", bench_make_rotary, "32h 2048 d128", {1, 32, 2048, 128}},
    {"mean_pool", bench_make_mean_pool, "32x512x1024", {32, 512, 1024}},
    {"top_k", bench_make_top_k, "64x32000 k50", {64, 32000, 50}},
};

/* ---- models: layers as they are run, weights packed; each model in the dtypes in which it is usually run --------- */

/* all-MiniLM-L6-v2 on 32 sentences of 128 tokens; BERT-base on one of 512. */
static const declared encoders[] = {
    {"minilm.query", bench_make_packed, "4096x384x384", {4096, 384, 384}},
    {"minilm.up", bench_make_packed, "4096x1536x384", {4096, 1536, 384}},
    {"minilm.down", bench_make_packed, "4096x384x1536", {4096, 384, 1536}},
    {"minilm.attention", bench_make_attention, "32x12h 128 d32", {32, 12, 12, 128, 128, 32, 0}},
    {"minilm.layer_norm", bench_make_layer_norm, "4096x384", {4096, 384}},
    {"minilm.gelu", bench_make_gelu, "4096x1536", {4096, 1536}},
    {"minilm.embedding", bench_make_embedding, "32x128x384", {32, 128, 384, 30522}},
    {"minilm.mean_pool", bench_make_mean_pool, "32x128x384", {32, 128, 384}},
    {"bert.query", bench_make_packed, "512x768x768", {512, 768, 768}},
    {"bert.up", bench_make_packed, "512x3072x768", {512, 3072, 768}},
    {"bert.down", bench_make_packed, "512x768x3072", {512, 768, 3072}},
    {"bert.attention", bench_make_attention, "12h 512 d64", {1, 12, 12, 512, 512, 64, 0}},
    {"bert.layer_norm", bench_make_layer_norm, "512x768", {512, 768}},
    {"bert.gelu", bench_make_gelu, "512x3072", {512, 3072}},
};

/* Llama-3-8B; Qwen3-30B-A3B without its experts. Prefill of 512 tokens; decode of one token with 2048 (4096) before. */
static const declared decoders[] = {
    {"llama3.qkv", bench_make_packed, "512x6144x4096", {512, 6144, 4096}},
    {"llama3.out", bench_make_packed, "512x4096x4096", {512, 4096, 4096}},
    {"llama3.gate", bench_make_packed, "512x14336x4096", {512, 14336, 4096}},
    {"llama3.down", bench_make_packed, "512x4096x14336", {512, 4096, 14336}},
    {"llama3.attention", bench_make_attention, "32:8h 512 d128", {1, 32, 8, 512, 512, 128, 1}},
    {"llama3.rms_norm", bench_make_rms_norm, "512x4096", {512, 4096}},
    {"llama3.rotary", bench_make_rotary, "32h 512 d128", {1, 32, 512, 128}},
    {"llama3.gated", bench_make_gated, "512x14336", {512, 14336}},
    {"llama3.embedding", bench_make_embedding, "1x512x4096", {1, 512, 4096, 128256}},
    {"llama3.qkv", bench_make_packed, "1x6144x4096", {1, 6144, 4096}},
    {"llama3.out", bench_make_packed, "1x4096x4096", {1, 4096, 4096}},
    {"llama3.gate", bench_make_packed, "1x14336x4096", {1, 14336, 4096}},
    {"llama3.down", bench_make_packed, "1x4096x14336", {1, 4096, 14336}},
    {"llama3.head", bench_make_packed, "1x128256x4096", {1, 128256, 4096}},
    {"llama3.attention", bench_make_attention, "32:8h 1:2048 d128", {1, 32, 8, 1, 2048, 128, 1}},
    {"llama3.rms_norm", bench_make_rms_norm, "1x4096", {1, 4096}},
    {"llama3.rotary", bench_make_rotary, "32h 1 d128", {1, 32, 1, 128}},
    {"llama3.gated", bench_make_gated, "1x14336", {1, 14336}},
    {"llama3.top_k", bench_make_top_k, "1x128256 k50", {1, 128256, 50}},
    {"qwen3.qkv", bench_make_packed, "512x5120x2048", {512, 5120, 2048}},
    {"qwen3.out", bench_make_packed, "512x2048x4096", {512, 2048, 4096}},
    {"qwen3.router", bench_make_packed, "512x128x2048", {512, 128, 2048}},
    {"qwen3.softmax", bench_make_softmax, "512x128", {512, 128}},
    {"qwen3.top_k", bench_make_top_k, "512x128 k8", {512, 128, 8}},
    {"qwen3.query_norm", bench_make_rms_norm, "16384x128", {16384, 128}},
    {"qwen3.attention", bench_make_attention, "32:4h 512 d128", {1, 32, 4, 512, 512, 128, 1}},
    {"qwen3.qkv", bench_make_packed, "1x5120x2048", {1, 5120, 2048}},
    {"qwen3.out", bench_make_packed, "1x2048x4096", {1, 2048, 4096}},
    {"qwen3.router", bench_make_packed, "1x128x2048", {1, 128, 2048}},
    {"qwen3.query_norm", bench_make_rms_norm, "32x128", {32, 128}},
    {"qwen3.attention", bench_make_attention, "32:4h 1:4096 d128", {1, 32, 4, 1, 4096, 128, 1}},
};

/* ---- by number --------------------------------------------------------------------------------------------------- */

#define ROWS(LIST) (int)(sizeof(LIST) / sizeof *(LIST))
static const struct list {
    const declared *rows;
    int count;
    bench_set set;
    int dtypes;
    uint32_t dtype[3];
} lists[] = {
    {basic, ROWS(basic), BENCH_BASIC, 3, {OCLDNN_F32, OCLDNN_F16, OCLDNN_BF16}},
    {encoders, ROWS(encoders), BENCH_MODELS, 2, {OCLDNN_F32, OCLDNN_F16}},
    {decoders, ROWS(decoders), BENCH_MODELS, 1, {OCLDNN_BF16}},
};

/* The list in which the row stands; its number there is left in *index. */
static const struct list *find(int *index)
{
    const struct list *list = lists;
    while (*index >= list->count * list->dtypes) {
        *index -= list->count * list->dtypes;
        list++;
    }
    return list;
}

int bench_case_count(void)
{
    int count = 0;
    for (int i = 0; i < ROWS(lists); i++)
        count += lists[i].count * lists[i].dtypes;
    return count;
}

void bench_case_name(int index, bench_case *c)
{
    const struct list *list = find(&index);
    const declared *row = &list->rows[index / list->dtypes];
    memset(c, 0, sizeof *c);
    c->set = list->set;
    c->name = row->name;
    c->dtype = list->dtype[index % list->dtypes];
    snprintf(c->shape, sizeof c->shape, "%s", row->shape);
}

bool bench_case_make(bench *b, int index, bench_case *c)
{
    const struct list *list;
    const declared *row;
    bench_case_name(index, c);
    list = find(&index);
    row = &list->rows[index / list->dtypes];
    row->make(b, c, row->d);
    for (int i = 0; i < c->buffer_count; i++)
        if (!c->buffers[i])
            return complain("%s %s: no memory for its tensors", c->name, c->shape) == 0;
    return true;
}

void bench_case_free(bench_case *c)
{
    while (c->buffer_count > 0)
        clReleaseMemObject(c->buffers[--c->buffer_count]);
}
