#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { LANES = 16 };

AVX2 static inline __m256i load(const int16_t *from) { return _mm256_loadu_si256((const __m256i *)from); }

AVX2 static inline void store(int16_t *to, __m256i values) { _mm256_storeu_si256((__m256i *)to, values); }

// Products of int16 in two vectors, the lower and the upper four of each half.
typedef struct products {
    __m256i low, high;
} products;

AVX2 static inline products multiplied(__m256i a, __m256i b) {
    const __m256i lower = _mm256_mullo_epi16(a, b), upper = _mm256_mulhi_epi16(a, b);
    return (products){_mm256_unpacklo_epi16(lower, upper), _mm256_unpackhi_epi16(lower, upper)};
}

AVX2 void gw_add_limited_avx2(int16_t *values, const int16_t *others, int32_t count) {
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { store(values + i, _mm256_adds_epi16(load(values + i), load(others + i))); }
    gw_add_limited_reference(values + i, others + i, count - i);
}

// Halves up, then, with one less below zero, halves away from zero.
AVX2 static inline __m256i halved_and_divided(__m256i v, __m256i half, __m128i right) {
    v = _mm256_srai_epi32(_mm256_add_epi32(v, _mm256_set1_epi32(1)), 1);
    return _mm256_sra_epi32(_mm256_add_epi32(_mm256_add_epi32(v, half), _mm256_srai_epi32(v, 31)), right);
}

AVX2 static inline __m256i multiplied_and_divided(__m256i a, __m256i b, int32_t right) {
    const products p = multiplied(a, b);
    const __m256i half = _mm256_set1_epi32(1 << (right - 1));
    const __m128i by = _mm_cvtsi32_si128(right);
    return _mm256_packs_epi32(halved_and_divided(p.low, half, by), halved_and_divided(p.high, half, by));
}

AVX2 void gw_update_cells_avx2(
    const int16_t *i, const int16_t *f, const int16_t *z, int32_t units, int32_t fraction, int32_t clip, int16_t *cell) {
    const __m256i most = _mm256_set1_epi16((int16_t)(clip > 0 ? clip : INT16_MAX)),
                  least = _mm256_set1_epi16((int16_t)(clip > 0 ? -clip : INT16_MIN));
    int32_t u = 0;
    for (; u + LANES <= units; u += LANES) {
        const __m256i kept = multiplied_and_divided(load(f + u), load(cell + u), 14);
        const __m256i sum = _mm256_adds_epi16(kept, multiplied_and_divided(load(i + u), load(z + u), 29 - fraction));
        store(cell + u, _mm256_max_epi16(_mm256_min_epi16(sum, most), least));
    }
    gw_update_cells_reference(i + u, f + u, z + u, units - u, fraction, clip, cell + u);
}

AVX2 void gw_multiply_twice_avx2(
    const int16_t *a, const int16_t *b, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output) {
    const __m256i multiplier = _mm256_set1_epi32(m.multiplier), shift = _mm256_set1_epi32(m.shift);
    const __m256i least = _mm256_set1_epi16((int16_t)low), most = _mm256_set1_epi16((int16_t)high);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const products p = multiplied(load(a + i), load(b + i));
        const __m256i scaled = _mm256_packs_epi32(gw_twice_avx2(p.low, multiplier, shift), gw_twice_avx2(p.high, multiplier, shift));
        store(output + i, _mm256_max_epi16(_mm256_min_epi16(scaled, most), least));
    }
    gw_multiply_twice_reference(a + i, b + i, count - i, m, low, high, output + i);
}
#endif
