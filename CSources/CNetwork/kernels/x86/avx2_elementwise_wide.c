#include "../wide.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { LANES = 16, HALF = 8 };

AVX2 static inline __m256i wide(const int16_t *from) { return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from)); }

AVX2 static inline void store(int16_t *to, __m256i first, __m256i second, __m256i low, __m256i high) {
    const __m256i limited = _mm256_min_epi16(_mm256_max_epi16(gw_narrowed_avx2(first, second), low), high);
    _mm256_storeu_si256((__m256i *)(void *)to, limited);
}

AVX2 void gw_rescale_wide_avx2(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output) {
    const gw_factor_avx2 f = gw_factor_of_avx2(m);
    const __m256i least = _mm256_set1_epi16((int16_t)low), most = _mm256_set1_epi16((int16_t)high);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        store(output + i, gw_twice_by_avx2(wide(input + i), &f), gw_twice_by_avx2(wide(input + i + HALF), &f), least, most);
    }
    gw_rescale_wide_reference(input + i, count - i, m, low, high, output + i);
}

// Limited to int32: where both have one sign and their sum has the other.
AVX2 static inline __m256i sum_limited(__m256i a, __m256i b) {
    const __m256i sum = _mm256_add_epi32(a, b), beyond = _mm256_and_si256(_mm256_xor_si256(sum, a), _mm256_xor_si256(sum, b));
    const __m256i limit = _mm256_xor_si256(_mm256_srai_epi32(a, 31), _mm256_set1_epi32(INT32_MAX));
    return _mm256_blendv_epi8(sum, limit, _mm256_srai_epi32(beyond, 31));
}

// Eight sums or differences at the output's scale. Neither operand is the least int32 at its scale.
AVX2 static inline __m256i sums_of(const int16_t *a, const int16_t *b, const gw_factor_avx2 *factors, bool subtracts) {
    const __m256i left = gw_twice_by_avx2(_mm256_slli_epi32(wide(a), 15), factors),
                  right = gw_twice_by_avx2(_mm256_slli_epi32(wide(b), 15), factors + 1);
    return gw_twice_by_avx2(sum_limited(left, subtracts ? _mm256_sub_epi32(_mm256_setzero_si256(), right) : right), factors + 2);
}

AVX2 void gw_add_wide_avx2(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
    int32_t high, int16_t *output) {
    const gw_factor_avx2 factors[] = {gw_factor_of_avx2(scales[0]), gw_factor_of_avx2(scales[1]), gw_factor_of_avx2(scales[2])};
    const __m256i least = _mm256_set1_epi16((int16_t)low), most = _mm256_set1_epi16((int16_t)high);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m256i first = sums_of(a + i, b + i, factors, subtracts), second = sums_of(a + i + HALF, b + i + HALF, factors, subtracts);
        store(output + i, first, second, least, most);
    }
    gw_add_wide_reference(a + i, b + i, count - i, scales, subtracts, low, high, output + i);
}
#endif
