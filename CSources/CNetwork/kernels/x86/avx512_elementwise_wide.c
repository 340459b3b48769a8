#include "../wide.h"

#if defined(__x86_64__)
#include "avx512_rounding.h"

enum { LANES = 16 };

AVX512 static inline __m512i wide(const int16_t *from) { return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)from)); }

// Limited to int16.
AVX512 static inline void store(int16_t *to, __m512i values) { _mm256_storeu_si256((__m256i *)to, _mm512_cvtsepi32_epi16(values)); }

// A shift to the left is limited to int32, whose least number plus 2^15 - 1 is limited to int16 as well.
AVX512 void gw_below_maximum_avx512(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output) {
    const gw_factor_avx512 f = gw_factor_of_avx512(m);
    const __m512i most = _mm512_set1_epi32(maximum), one = _mm512_set1_epi32(INT16_MAX);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        store(output + i, _mm512_add_epi32(gw_twice_avx512(_mm512_sub_epi32(wide(input + i), most), &f), one));
    }
    gw_below_maximum_reference(input + i, count - i, maximum, m, output + i);
}

AVX512 void gw_rescale_wide_avx512(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output) {
    const gw_factor_avx512 f = gw_factor_of_avx512(m);
    const __m512i least = _mm512_set1_epi32(low), most = _mm512_set1_epi32(high);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        store(output + i, _mm512_min_epi32(_mm512_max_epi32(gw_twice_avx512(wide(input + i), &f), least), most));
    }
    gw_rescale_wide_reference(input + i, count - i, m, low, high, output + i);
}

AVX512 static inline __m512i at_scale(const int16_t *values, const gw_factor_avx512 *f) {
    return gw_twice_avx512(_mm512_slli_epi32(wide(values), 15), f);
}

// Limited to int32: where both have one sign and their sum has the other.
AVX512 static inline __m512i sum_limited(__m512i a, __m512i b) {
    const __m512i sum = _mm512_add_epi32(a, b), beyond = _mm512_and_si512(_mm512_xor_si512(sum, a), _mm512_xor_si512(sum, b));
    const __m512i limit = _mm512_xor_si512(_mm512_srai_epi32(a, 31), _mm512_set1_epi32(INT32_MAX));
    return _mm512_mask_mov_epi32(sum, _mm512_cmplt_epi32_mask(beyond, _mm512_setzero_si512()), limit);
}

AVX512 void gw_add_wide_avx512(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts,
    int32_t low, int32_t high, int16_t *output) {
    const gw_factor_avx512 first = gw_factor_of_avx512(scales[0]), second = gw_factor_of_avx512(scales[1]),
                           last = gw_factor_of_avx512(scales[2]);
    const __m512i least = _mm512_set1_epi32(low), most = _mm512_set1_epi32(high), zero = _mm512_setzero_si512();
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m512i left = at_scale(a + i, &first), right = at_scale(b + i, &second); // never the least int32
        const __m512i sum = gw_twice_avx512(sum_limited(left, subtracts ? _mm512_sub_epi32(zero, right) : right), &last);
        store(output + i, _mm512_min_epi32(_mm512_max_epi32(sum, least), most));
    }
    gw_add_wide_reference(a + i, b + i, count - i, scales, subtracts, low, high, output + i);
}
#endif
