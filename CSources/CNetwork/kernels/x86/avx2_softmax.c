#include "../wide.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { LANES = 16, HALF = 8 };

AVX2 static inline __m256i wide(const int16_t *from) { return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)from)); }

AVX2 static inline void store(int16_t *to, __m256i values) { _mm256_storeu_si256((__m256i *)to, values); }

// A shift to the left is limited to int32, whose least number plus 2^15 - 1 is limited to int16 as well.
AVX2 static inline __m256i below(const int16_t *input, __m256i maximum, __m256i multiplier, __m256i shift) {
    const __m256i scaled = gw_twice_avx2(_mm256_sub_epi32(wide(input), maximum), multiplier, shift);
    return _mm256_add_epi32(scaled, _mm256_set1_epi32(INT16_MAX));
}

AVX2 void gw_below_maximum_avx2(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output) {
    const __m256i most = _mm256_set1_epi32(maximum), multiplier = _mm256_set1_epi32(m.multiplier), shift = _mm256_set1_epi32(m.shift);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        store(output + i, gw_narrowed_avx2(below(input + i, most, multiplier, shift), below(input + i + HALF, most, multiplier, shift)));
    }
    gw_below_maximum_reference(input + i, count - i, maximum, m, output + i);
}

// Both factors are within int16, so that the upper halves of the factor's lanes are zero.
AVX2 static inline __m256i part(const int16_t *values, __m256i factor, __m256i half, __m128i shift) {
    return _mm256_sra_epi32(_mm256_add_epi32(_mm256_madd_epi16(wide(values), factor), half), shift);
}

AVX2 void gw_share_avx2(int16_t *values, int32_t count, int16_t factor, int32_t shift) {
    const __m256i by = _mm256_set1_epi32(factor), half = _mm256_set1_epi32((int32_t)(UINT32_C(1) << (shift - 1)));
    const __m128i right = _mm_cvtsi32_si128(shift);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m256i parts = gw_narrowed_avx2(part(values + i, by, half, right), part(values + i + HALF, by, half, right));
        store(values + i, _mm256_max_epi16(parts, _mm256_setzero_si256()));
    }
    gw_share_reference(values + i, count - i, factor, shift);
}
#endif
