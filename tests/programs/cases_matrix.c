/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear layers, matrix products, attention.
 */
#include "programs.h"
#include "gemm/gemm.h"
#include "ops/operators.h"

static const int sizes[][3] = {/* M, N, K */
                               {1, 4096, 4096}, {2, 384, 384},      {8, 1000, 768},    {33, 65, 129},    {64, 64, 64},
                               {4, 384, 384},   {512, 384, 384},    {512, 1536, 384},  {512, 384, 1536}, {97, 101, 103},
                               {16, 1536, 384}, {1024, 1024, 1024}, {4096, 4096, 4096}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* What ocldnn_linear_pack_layout() would say on the device at hand. */
static ocldnn_packed_weight packed_for(uint32_t type, int n, int k)
{
    const od_gemm_family *family = od_gemm_family_of(device_at_hand());
    int64_t count = family->packed_elements(n, k);
    ocldnn_packed_weight packed = {.made_for = device_at_hand()->pack_tag,
                                   .format = (uint32_t)family->format,
                                   .dtype = type,
                                   .n = n,
                                   .k = k,
                                   .bytes = (uint64_t)count * ocldnn_dtype_size((ocldnn_dtype)type)};
    return packed;
}

static void packed_linears(uint32_t type, const int size[3])
{
    ocldnn_tensor x = dense(type, 2, size[0], size[2]), y = dense(type, 2, size[0], size[1]);
    for (uint32_t layout = OCLDNN_WEIGHT_NK; layout <= OCLDNN_WEIGHT_KN; layout++) {
        ocldnn_linear_pack pack = {.layout = layout, .packed = packed_for(type, size[1], size[2])};
        pack.weight = layout ? dense(type, 2, size[2], size[1]) : dense(type, 2, size[1], size[2]);
        list(&od_operator_linear_pack, &pack);
    }
    list(&od_operator_linear, &(ocldnn_linear){.input = x, .output = y, .packed = packed_for(type, size[1], size[2])});
}

static void linears(uint32_t type, const int size[3])
{
    static const unsigned cases[] = {0, 1, 2, 4, 2 + 16, 2 + 4};
    ocldnn_tensor x = dense(type, 2, size[0], size[2]), y = dense(type, 2, size[0], size[1]), none = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned bits = cases[i];
        ocldnn_linear op = {.input = x, .output = y, .layout = bits & 1 ? OCLDNN_WEIGHT_KN : OCLDNN_WEIGHT_NK};
        op.weight = bits & 1 ? dense(type, 2, size[2], size[1]) : dense(type, 2, size[1], size[2]);
        op.bias = bits & 2 ? dense(bits & 16 ? type : OCLDNN_F32, 1, size[1]) : none;
        op.residual = bits & 4 ? y : none;
        list(&od_operator_linear, &op);
        op.strategy = OCLDNN_GEMM_CLBLAST;
        list(&od_operator_linear, &op);
    }
}

static void activated_linears(uint32_t type)
{
    for (uint32_t kind = OCLDNN_IDENTITY; kind <= OCLDNN_SOFTPLUS; kind++)
        list(&od_operator_linear, &(ocldnn_linear){.input = dense(type, 2, 512, 384),
                                                   .weight = dense(type, 2, 1536, 384),
                                                   .output = dense(type, 2, 512, 1536),
                                                   .activation = kind});
}

static void matmuls(uint32_t type, const int size[3])
{
    for (uint32_t bits = 0; bits < 8; bits++) {
        int batch = bits & 4 ? 12 : 1;
        ocldnn_matmul op = {.transpose_a = bits & 1, .transpose_b = bits >> 1 & 1};
        op.a = bits & 1 ? dense(type, 3, batch, size[2], size[0]) : dense(type, 3, batch, size[0], size[2]);
        op.b = bits & 2 ? dense(type, 3, batch, size[1], size[2]) : dense(type, 3, batch, size[2], size[1]);
        op.output = dense(type, 3, batch, size[0], size[1]);
        list(&od_operator_matmul, &op);
    }
}

void list_linear(void)
{
    FOR_EACH_FLOAT(type)
    {
        for (int i = 0; i < SIZES; i++) {
            linears(type, sizes[i]);
            packed_linears(type, sizes[i]);
            matmuls(type, sizes[i]);
        }
        activated_linears(type);
    }
}

/* The number of queries, keys and the widths that select tiles; each combination of optional tensors. */
static void attentions(uint32_t type, int queries, int keys, int width, int value_width)
{
    static const unsigned cases[] = {0, 1, 2, 8, 2 + 4, 1 + 2 + 4 + 8 + 16};
    ocldnn_tensor none = {0};
    for (uint32_t strategy = OCLDNN_ATTENTION_AUTO; strategy <= OCLDNN_ATTENTION_FLASH_UNIT; strategy++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            unsigned bits = cases[i];
            ocldnn_attention op = {.query = dense(type, 4, 2, 8, queries, width),
                                   .key = dense(type, 4, 2, 4, keys, width),
                                   .value = dense(type, 4, 2, 4, keys, value_width),
                                   .output = dense(type, 4, 2, 8, queries, value_width),
                                   .strategy = strategy};
            op.mask = bits & 1 ? dense(OCLDNN_U8, 4, 2, 1, 1, keys) : none;
            op.bias = bits & 2 ? dense(bits & 4 ? type : OCLDNN_F32, 4, 1, 8, queries, keys) : none;
            op.lse = bits & 4 ? dense(OCLDNN_F32, 3, 2, 8, queries) : none;
            op.causal = bits & 8 ? OCLDNN_CAUSAL_BOTTOM_RIGHT : OCLDNN_CAUSAL_NONE;
            op.softcap = bits & 16 ? 30.0f : 0.0f;
            list(&od_operator_attention, &op);
        }
}

void list_attention(void)
{
    static const int widths[][2] = {{32, 32}, {64, 64}, {128, 128}, {60, 80}, {256, 256}, {576, 512}};
    static const int lengths[][2] = {{1, 1024}, {12, 512}, {128, 128}, {1024, 1024}};
    FOR_EACH_FLOAT(type) for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    {
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++)
            attentions(type, lengths[j][0], lengths[j][1], widths[i][0], widths[i][1]);
    }
}
