// gw_requantise_twice on vectors of eight. Private to the AVX2 kernels.
#ifndef GW_AVX2_ROUNDING_H
#define GW_AVX2_ROUNDING_H

#include "cfixed.h"
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/// A shift to the left is limited a little below 2^31: only for what is then limited to 16 bits or fewer.
AVX2 static inline __m256i gw_twice_avx2(__m256i value, __m256i multiplier, __m256i shift) {
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi64x(INT64_C(1) << 30);
    __m256i left = _mm256_max_epi32(shift, zero), right = _mm256_max_epi32(_mm256_sub_epi32(zero, shift), zero);
    value = _mm256_min_epi32(value, _mm256_srav_epi32(_mm256_set1_epi32(INT32_MAX), left));
    value = _mm256_sllv_epi32(_mm256_max_epi32(value, _mm256_srav_epi32(_mm256_set1_epi32(INT32_MIN), left)), left);
    __m256i even = _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epi32(value, multiplier), half), 31);
    __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(value, 32), _mm256_srli_epi64(multiplier, 32)), half);
    value = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 1), 0xaa); // bits 31 ... 62 to the upper half
    __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(1), right), _mm256_set1_epi32(1));
    __m256i threshold = _mm256_sub_epi32(_mm256_srli_epi32(mask, 1), _mm256_srai_epi32(value, 31));
    __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(value, mask), threshold);
    return _mm256_sub_epi32(_mm256_srav_epi32(value, right), up);
}

/// A factor spread over the lanes.
typedef struct gw_factor_avx2 {
    __m256i multiplier, left, lowest, highest, right, mask, half;
    bool goes_left;
} gw_factor_avx2;

AVX2 static inline gw_factor_avx2 gw_factor_of_avx2(gw_multiplier m) {
    const int32_t left = m.shift > 0 ? m.shift : 0, right = m.shift < 0 ? -m.shift : 0, mask = (int32_t)((INT64_C(1) << right) - 1);
    return (gw_factor_avx2){.multiplier = _mm256_set1_epi32(m.multiplier),
        .left = _mm256_set1_epi32(left),
        .lowest = _mm256_set1_epi32(INT32_MIN >> left),
        .highest = _mm256_set1_epi32(INT32_MAX >> left),
        .right = _mm256_set1_epi32(right),
        .mask = _mm256_set1_epi32(mask),
        .half = _mm256_set1_epi32(mask >> 1),
        .goes_left = left > 0};
}

/// gw_twice_avx2 by one factor for all.
AVX2 static inline __m256i gw_twice_by_avx2(__m256i value, const gw_factor_avx2 *f) {
    const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30);
    if (f->goes_left) { value = _mm256_sllv_epi32(_mm256_max_epi32(_mm256_min_epi32(value, f->highest), f->lowest), f->left); }
    const __m256i even = _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epi32(value, f->multiplier), half), 31);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(value, 32), f->multiplier), half);
    value = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 1), 0xaa); // bits 31 ... 62 to the upper half
    const __m256i threshold = _mm256_sub_epi32(f->half, _mm256_srai_epi32(value, 31));
    const __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(value, f->mask), threshold);
    return _mm256_sub_epi32(_mm256_srav_epi32(value, f->right), up);
}

/// Two vectors of int32, limited to int16, in order.
AVX2 static inline __m256i gw_narrowed_avx2(__m256i low, __m256i high) {
    return _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
}

/// Sixteen values with the zero point, limited, as bytes.
AVX2 static inline __m128i gw_finished_avx2(__m256i values, __m256i point, __m256i low, __m256i high) {
    const __m256i v = _mm256_min_epi16(_mm256_max_epi16(_mm256_adds_epi16(values, point), low), high);
    return _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}

#endif
