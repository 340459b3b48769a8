#include "../wide.h"

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

AVX2 static inline __m256i over_q15(__m256i v) {
    v = _mm256_add_epi32(_mm256_add_epi32(v, _mm256_set1_epi32(1 << 14)), _mm256_srai_epi32(v, 31));
    return _mm256_srai_epi32(v, 15);
}

AVX2 void gw_multiply_q15_avx2(const int16_t *a, const int16_t *b, int32_t count, int16_t *output) {
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const products p = multiplied(load(a + i), load(b + i));
        store(output + i, _mm256_packs_epi32(over_q15(p.low), over_q15(p.high)));
    }
    gw_multiply_q15_reference(a + i, b + i, count - i, output + i);
}

// candidate * 2^15 + update * cell - update * candidate.
AVX2 static inline __m256i mixed_of(__m256i with_cell, __m256i with_candidate, __m256i candidate) {
    return _mm256_add_epi32(_mm256_srai_epi32(candidate, 1), _mm256_sub_epi32(with_cell, with_candidate));
}

AVX2 void gw_mix_avx2(const int16_t *update, const int16_t *candidate, int32_t units, int16_t *cell, int32_t *mixed) {
    const __m256i zero = _mm256_setzero_si256();
    int32_t u = 0;
    for (; u + LANES <= units; u += LANES) {
        const __m256i by = load(update + u), c = load(candidate + u);
        const products old = multiplied(by, load(cell + u)), taken = multiplied(by, c);
        // Candidates in the upper halves of lanes are candidates times 2^16.
        const __m256i low = mixed_of(old.low, taken.low, _mm256_unpacklo_epi16(zero, c));
        const __m256i high = mixed_of(old.high, taken.high, _mm256_unpackhi_epi16(zero, c));
        store(cell + u, _mm256_packs_epi32(over_q15(low), over_q15(high)));
        _mm256_storeu_si256((__m256i *)(mixed + u), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(mixed + u + 8), _mm256_permute2x128_si256(low, high, 0x31));
    }
    gw_mix_reference(update + u, candidate + u, units - u, cell + u, mixed + u);
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
