#include "ctraining.h"
#include <string.h>

#pragma STDC FP_CONTRACT OFF

// One cache line of floats; the compiler cuts it to what the processor has.
typedef float line __attribute__((vector_size(64), aligned(4)));

#define INLINE static inline __attribute__((always_inline))

// `rows` x (lines * 16) elements of c. Both counts are constants at each call, so the sums stay in registers.
INLINE void tile(float *c, const float *a, int64_t row_stride, int64_t column_stride, const float *b, int32_t n, int32_t k, bool add,
    int32_t rows, int32_t lines) {
    line sum[8][2];
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t l = 0; l < lines; l++) { sum[r][l] = (line){0}; }
    }
    for (int32_t p = 0; p < k; p++) {
        line row[2];
        for (int32_t l = 0; l < lines; l++) { memcpy(&row[l], b + (int64_t)p * n + l * GW_MATRIX_PAD, sizeof row[l]); }
        for (int32_t r = 0; r < rows; r++) {
            float factor = a[r * row_stride + p * column_stride];
            for (int32_t l = 0; l < lines; l++) { sum[r][l] += factor * row[l]; }
        }
    }
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t l = 0; l < lines; l++) {
            float *out = c + (int64_t)r * n + l * GW_MATRIX_PAD;
            line before = {0};
            if (add) { memcpy(&before, out, sizeof before); }
            before += sum[r][l];
            memcpy(out, &before, sizeof before);
        }
    }
}

INLINE void columns(float *c, const float *a, int64_t row_stride, int64_t column_stride, const float *b, int32_t n, int32_t k, bool add,
    int32_t rows, int32_t most_lines) {
    int32_t j = 0;
    if (most_lines == 2) {
        for (; j + 2 * GW_MATRIX_PAD <= n; j += 2 * GW_MATRIX_PAD) { tile(c + j, a, row_stride, column_stride, b + j, n, k, add, rows, 2); }
    }
    for (; j < n; j += GW_MATRIX_PAD) { tile(c + j, a, row_stride, column_stride, b + j, n, k, add, rows, 1); }
}

INLINE void product(float *c, const float *a, int64_t row_stride, int64_t column_stride, const float *b, int32_t m, int32_t n, int32_t k,
    bool add, int32_t rows, int32_t lines) {
    int32_t i = 0;
    for (; i + rows <= m; i += rows) {
        columns(c + (int64_t)i * n, a + i * row_stride, row_stride, column_stride, b, n, k, add, rows, lines);
    }
    for (; i < m; i++) { columns(c + (int64_t)i * n, a + i * row_stride, row_stride, column_stride, b, n, k, add, 1, lines); }
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void product_avx512(
    float *c, const float *a, int64_t rs, int64_t cs, const float *b, int32_t m, int32_t n, int32_t k, bool add) {
    product(c, a, rs, cs, b, m, n, k, add, 8, 2);
}

__attribute__((target("avx2"))) static void product_avx2(
    float *c, const float *a, int64_t rs, int64_t cs, const float *b, int32_t m, int32_t n, int32_t k, bool add) {
    product(c, a, rs, cs, b, m, n, k, add, 4, 1);
}
#endif

void gw_matrix_product(
    float *c, const float *a, int64_t row_stride, int64_t column_stride, const float *b, int32_t m, int32_t n, int32_t k, bool add) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        product_avx512(c, a, row_stride, column_stride, b, m, n, k, add);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        product_avx2(c, a, row_stride, column_stride, b, m, n, k, add);
        return;
    }
#endif
    product(c, a, row_stride, column_stride, b, m, n, k, add, 2, 1);
}
