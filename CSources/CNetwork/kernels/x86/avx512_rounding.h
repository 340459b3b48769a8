// gw_requantise_twice on vectors of sixteen. Private to the AVX-512 kernels.
#ifndef GW_AVX512_ROUNDING_H
#define GW_AVX512_ROUNDING_H

#include "cfixed.h"
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

/// A factor spread over the lanes.
typedef struct gw_factor_avx512 {
    __m512i multiplier, odd_multiplier, left, lowest, highest, right, mask, half;
    bool goes_left, goes_right;
} gw_factor_avx512;

AVX512 static inline gw_factor_avx512 gw_factor_of_avx512(gw_multiplier m) {
    const int32_t left = m.shift > 0 ? m.shift : 0, right = m.shift < 0 ? -m.shift : 0, mask = (int32_t)((INT64_C(1) << right) - 1);
    return (gw_factor_avx512){.multiplier = _mm512_set1_epi32(m.multiplier),
        .odd_multiplier = _mm512_set1_epi64(m.multiplier),
        .left = _mm512_set1_epi32(left),
        .lowest = _mm512_set1_epi32(INT32_MIN >> left),
        .highest = _mm512_set1_epi32(INT32_MAX >> left),
        .right = _mm512_set1_epi32(right),
        .mask = _mm512_set1_epi32(mask),
        .half = _mm512_set1_epi32(mask >> 1),
        .goes_left = left > 0,
        .goes_right = right > 0};
}

/// A shift to the left is limited a little below 2^31.
AVX512 static inline __m512i gw_twice_avx512(__m512i value, const gw_factor_avx512 *f) {
    const __m512i half = _mm512_set1_epi64(INT64_C(1) << 30);
    if (f->goes_left) { value = _mm512_sllv_epi32(_mm512_max_epi32(_mm512_min_epi32(value, f->highest), f->lowest), f->left); }
    const __m512i even = _mm512_srli_epi64(_mm512_add_epi64(_mm512_mul_epi32(value, f->multiplier), half), 31);
    const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(value, 32), f->odd_multiplier), half);
    value = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 1)); // bits 31 ... 62 to the upper half
    if (!f->goes_right) { return value; }
    const __m512i threshold = _mm512_sub_epi32(f->half, _mm512_srai_epi32(value, 31));
    const __mmask16 up = _mm512_cmpgt_epi32_mask(_mm512_and_si512(value, f->mask), threshold);
    value = _mm512_srav_epi32(value, f->right);
    return _mm512_mask_add_epi32(value, up, value, _mm512_set1_epi32(1));
}

#endif
