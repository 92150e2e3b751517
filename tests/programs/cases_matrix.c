/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear layers, matrix products, attention.
 */
#include "programs.h"
#include "pending.h"

static const int sizes[][3] = {/* M, N, K */
                               {1, 4096, 4096}, {2, 384, 384},   {8, 1000, 768},     {33, 65, 129},
                               {64, 64, 64},    {512, 384, 384}, {512, 1536, 384},   {512, 384, 1536},
                               {97, 101, 103},  {16, 1536, 384}, {1024, 1024, 1024}, {4096, 4096, 4096}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void linears(uint32_t type, const int size[3])
{
    ocldnn_tensor x = dense(type, 2, size[0], size[2]), y = dense(type, 2, size[0], size[1]), none = {0};
    for (unsigned bits = 0; bits < 32; bits++) {
        ocldnn_linear op = {.input = x, .output = y, .layout = bits & 1 ? OCLDNN_WEIGHT_KN : OCLDNN_WEIGHT_NK};
        op.weight = bits & 1 ? dense(type, 2, size[2], size[1]) : dense(type, 2, size[1], size[2]);
        op.bias = bits & 2 ? dense(bits & 16 ? type : OCLDNN_F32, 1, size[1]) : none;
        op.residual = bits & 4 ? y : none;
        op.strategy = OCLDNN_GEMM_NATIVE;
        list(&od_operator_linear, &op);
        op.activation = OCLDNN_GELU;
        list(&od_operator_linear, &op);
        op.strategy = OCLDNN_GEMM_CLBLAST;
        list(&od_operator_linear, &op);
    }
    for (uint32_t kind = OCLDNN_IDENTITY; kind <= OCLDNN_SOFTPLUS; kind++)
        list(&od_operator_linear,
             &(ocldnn_linear){.input = x, .weight = dense(type, 2, size[1], size[2]), .output = y, .activation = kind});
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
    FOR_EACH_FLOAT(type) for (int i = 0; i < SIZES; i++)
    {
        ocldnn_tensor weight = dense(type, 2, sizes[i][1], sizes[i][2]);
        if (THERE(linear))
            linears(type, sizes[i]);
        if (THERE(matmul))
            matmuls(type, sizes[i]);
        (void)weight;
    }
}

/* The number of queries, keys and the widths that select tiles; each combination of optional tensors. */
static void attentions(uint32_t type, int queries, int keys, int width, int value_width)
{
    ocldnn_tensor none = {0};
    for (uint32_t strategy = OCLDNN_ATTENTION_AUTO; strategy <= OCLDNN_ATTENTION_FLASH_UNIT; strategy++)
        for (unsigned bits = 0; bits < 32; bits++) {
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
    static const int widths[][2] = {{32, 32}, {64, 64}, {96, 96}, {128, 128}, {60, 80}, {256, 256}, {576, 512}};
    static const int lengths[][2] = {{1, 1024}, {16, 16}, {128, 128}, {1024, 1024}, {5, 77}};
    FOR_EACH_FLOAT(type) for (size_t i = 0; i < sizeof widths / sizeof *widths && THERE(attention); i++)
    {
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++)
            attentions(type, lengths[j][0], lengths[j][1], widths[i][0], widths[i][1]);
    }
}
