/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalization, element-wise operators, and what goes round a transformer.
 */
#include "programs.h"
#include "ops/operators.h"

static const int widths[] = {1, 60, 64, 384, 1024, 4096, 32000};
enum { WIDTHS = sizeof widths / sizeof *widths };

static void rms_norms(uint32_t type, int width)
{
    ocldnn_tensor x = dense(type, 2, 64, width), rows = dense(OCLDNN_F32, 1, 64), none = {0};
    for (unsigned bits = 0; bits < 16; bits++) {
        ocldnn_rms_norm op = {.input = x, .output = x, .epsilon = 1e-5f};
        op.gamma = bits & 1 ? dense(bits & 2 ? type : OCLDNN_F32, 1, width) : none;
        op.residual = bits & 4 ? x : none;
        op.residual_output = bits & 4 && bits & 2 ? x : none;
        op.rstd = bits & 8 ? rows : none;
        list(&od_operator_rms_norm, &op);
    }
}

static void layer_norms(uint32_t type, int width)
{
    static const unsigned cases[] = {0, 1, 17, 16, 19, 4 + 17, 4 + 2 + 17, 8 + 17, 31};
    ocldnn_tensor x = dense(type, 2, 64, width), rows = dense(OCLDNN_F32, 1, 64), none = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned bits = cases[i];
        ocldnn_layer_norm op = {.input = x, .output = x, .epsilon = 1e-5f};
        op.gamma = bits & 1 ? dense(bits & 2 ? type : OCLDNN_F32, 1, width) : none;
        op.beta = bits & 16 ? dense(bits & 2 ? type : OCLDNN_F32, 1, width) : none;
        op.residual = bits & 4 ? x : none;
        op.residual_output = bits & 4 && bits & 2 ? x : none;
        op.mean = op.rstd = bits & 8 ? rows : none;
        list(&od_operator_layer_norm, &op);
    }
}

static void softmaxes(uint32_t type, int width)
{
    ocldnn_tensor x = dense(type, 2, 64, width), none = {0};
    for (unsigned bits = 0; bits < 8; bits++) {
        ocldnn_softmax op = {.input = x, .output = x, .logarithm = bits & 1};
        op.mask = bits & 2 ? dense(bits & 4 ? type : OCLDNN_F32, 2, 1, width) : none;
        list(&od_operator_softmax, &op);
    }
}

void list_normalization(void)
{
    FOR_EACH_FLOAT(type) for (int i = 0; i < WIDTHS; i++)
    {
        ocldnn_tensor x = dense(type, 2, 64, widths[i]);
        rms_norms(type, widths[i]);
        layer_norms(type, widths[i]);
        softmaxes(type, widths[i]);
        list(&od_operator_l2_norm, &(ocldnn_l2_norm){.input = x, .output = x, .epsilon = 1e-6f});
    }
}

/* Dense, with a broadcast vector, and with rows apart, since planners may treat them unlike. */
void list_elementwise(void)
{
    FOR_EACH_FLOAT(type) for (int i = 0; i < WIDTHS; i++)
    {
        ocldnn_tensor x = dense(type, 3, 3, 33, widths[i]), vector = dense(type, 1, widths[i]), apart = x;
        apart.strides[0] = 33 * 2 * widths[i];
        apart.strides[1] = 2 * widths[i];
        apart.strides[2] = 1;
        for (uint32_t kind = OCLDNN_IDENTITY; kind <= OCLDNN_SOFTPLUS; kind++) {
            list(&od_operator_activation, &(ocldnn_activation){.input = x, .output = x, .kind = kind});
            list(&od_operator_activation, &(ocldnn_activation){.input = apart, .output = x, .kind = kind});
            list(&od_operator_gated, &(ocldnn_gated){.gate = x, .up = x, .output = x, .kind = kind});
            list(&od_operator_gated, &(ocldnn_gated){.gate = apart, .up = apart, .output = x, .kind = kind});
        }
        for (uint32_t kind = OCLDNN_ADD; kind <= OCLDNN_MUL; kind++) {
            list(&od_operator_binary, &(ocldnn_binary){.a = x, .b = x, .output = x, .kind = kind});
            list(&od_operator_binary, &(ocldnn_binary){.a = x, .b = vector, .output = x, .kind = kind});
            list(&od_operator_binary, &(ocldnn_binary){.a = apart, .b = x, .output = x, .kind = kind});
        }
    }
}

static void embeddings(uint32_t type)
{
    ocldnn_tensor none = {0};
    for (unsigned bits = 0; bits < 16; bits++) {
        ocldnn_tensor ids = dense(bits & 8 ? OCLDNN_I32 : OCLDNN_U32, 2, 4, 128);
        ocldnn_embedding op = {.ids = ids, .table = dense(type, 2, 30522, 384), .output = dense(type, 3, 4, 128, 384)};
        op.position_table = bits & 3 ? dense(type, 2, 512, 384) : none;
        op.position_ids = bits & 2 ? ids : none;
        op.segment_table = bits & 4 ? dense(type, 2, 2, 384) : none;
        op.segment_ids = bits & 4 && bits & 1 ? ids : none;
        list(&od_operator_embedding, &op);
    }
}

static void rotaries(uint32_t type, uint32_t interleaved)
{
    ocldnn_tensor x = dense(type, 4, 2, 8, 33, 64), none = {0};
    for (unsigned bits = 0; bits < 16; bits++) {
        ocldnn_rotary op = {.input = x, .output = x, .interleaved = interleaved, .width = bits & 1 ? 32 : 0};
        int half = bits & 1 ? 16 : 32;
        uint32_t cache = bits & 8 ? type : OCLDNN_F32;
        op.positions = bits & 2 ? dense(bits & 8 ? OCLDNN_I32 : OCLDNN_U32, 2, 2, 33) : none;
        op.cosine = op.sine = !(bits & 4) ? none : bits & 2 ? dense(cache, 2, 99, half) : dense(cache, 3, 2, 33, half);
        list(&od_operator_rotary, &op);
    }
}

void list_sequence(void)
{
    ocldnn_tensor none = {0};
    FOR_EACH_FLOAT(type)
    {
        embeddings(type);
        for (uint32_t interleaved = 0; interleaved < 2; interleaved++)
            rotaries(type, interleaved);
        for (int masked = 0; masked < 2; masked++)
            list(&od_operator_mean_pool, &(ocldnn_mean_pool){.input = dense(type, 3, 4, 128, 384),
                                                             .mask = masked ? dense(OCLDNN_U8, 2, 4, 128) : none,
                                                             .output = dense(type, 2, 4, 384)});
        for (int k = 1; k <= 1000; k = k * 4 + 1)
            for (uint32_t bits = 0; bits < 4; bits++)
                list(&od_operator_top_k, &(ocldnn_top_k){.input = dense(type, 2, 8, 1000 * (1 + 31 * (int)(bits & 1))),
                                                         .values = bits & 2 ? dense(type, 2, 8, k) : none,
                                                         .indices = dense(OCLDNN_U32, 2, 8, k),
                                                         .smallest = bits & 1});
    }
}
