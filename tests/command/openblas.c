/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for OpenBLAS before `ocldnn bench --peers`: small, plain, and where WRONG is set, with one wrong value, the
 * last. A ratio to the wrong one must not be reported.
 */
#include <stddef.h>

void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);

/* As the bench calls it: a and c by rows, b by columns. */
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc)
{
    (void)order, (void)transpose_a, (void)transpose_b, (void)alpha, (void)beta;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float sums[8] = {0};
            for (int p = 0; p < k; p++)
                sums[p % 8] += a[(ptrdiff_t)i * lda + p] * b[(ptrdiff_t)j * ldb + p];
            for (int p = 1; p < 8; p++)
                sums[0] += sums[p];
            c[(ptrdiff_t)i * ldc + j] = sums[0];
        }
    }
    if (WRONG)
        c[(ptrdiff_t)(m - 1) * ldc + n - 1] *= 1.02f;
}
