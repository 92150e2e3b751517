// SPDX-License-Identifier: Apache-2.0
//
// A stranger's C++ program: the library's verbs through the compiler's eyes, and a question to it.
#include <ocldnn/ocldnn.h>
#include <cstdio>
#include <memory>
#include <string>

int main()
{
    ocldnn_context *made = nullptr;
    if (ocldnn_context_create_default(nullptr, &made) != OCLDNN_SUCCESS) {
        std::fprintf(stderr, "consumer: %s\n", ocldnn_last_error());
        return 1;
    }
    std::unique_ptr<ocldnn_context, decltype(&ocldnn_context_destroy)> context(made, ocldnn_context_destroy);

    const int64_t shape[] = {8, 64};
    ocldnn_rms_norm op{};
    op.input = ocldnn_tensor_dense(nullptr, OCLDNN_F16, 2, shape);
    op.output = op.input;
    op.epsilon = 1e-6f;
    auto query = std::make_unique<ocldnn_query>();
    if (ocldnn_rms_norm_query(context.get(), &op, query.get()) != OCLDNN_SUCCESS) {
        std::fprintf(stderr, "consumer: %s\n", ocldnn_last_error());
        return 1;
    }
    op.epsilon = -1.0f;
    if (ocldnn_rms_norm_prepare(context.get(), &op) == OCLDNN_SUCCESS || std::string(ocldnn_last_error()).empty()) {
        std::fprintf(stderr, "consumer: a negative epsilon was taken\n");
        return 1;
    }
    std::printf("%s by %s: %s\n", query->steps[0].kernel, query->strategy, ocldnn_last_error());
    return 0;
}
