// Sums of int32 scaled by a factor of each channel, rounded once, in vectors of sixteen. Private to the kernels.
#ifndef GW_AVX512_CHANNELS_H
#define GW_AVX512_CHANNELS_H

#include "../kernel.h"
#include "avx512_rounding.h"

/// Multipliers' upper 15 bits, as gw_requantise_reduced takes them.
AVX512 static inline __m512i gw_reduced_avx512(__m512i multipliers) {
    const __m512i highest = _mm512_min_epi32(multipliers, _mm512_set1_epi32(0x7fff0000));
    return _mm512_srai_epi32(_mm512_add_epi32(highest, _mm512_set1_epi32(1 << 15)), 16);
}

/// The factors of sixteen channels, for those with even and with odd numbers: (sum * multiplier + half) >> right.
typedef struct gw_channels_avx512 {
    __m512i even, odd, even_half, odd_half, even_right, odd_right;
} gw_channels_avx512;

/// Those from channel `c` on; no shift is to the left, and the rounding is not GW_ROUND_TWICE.
AVX512 static inline gw_channels_avx512 gw_channels_of_avx512(const gw_packed *packed, int32_t c, gw_rounding rounding) {
    const __m512i all = _mm512_loadu_si512(packed->multipliers + c), low = _mm512_set1_epi64(0xffffffff), one = _mm512_set1_epi64(1);
    const bool once = rounding == GW_ROUND_ONCE;
    const __m512i m = once ? all : gw_reduced_avx512(all);
    const __m512i right = _mm512_sub_epi32(_mm512_set1_epi32(once ? 31 : 15), _mm512_loadu_si512(packed->shifts + c));
    gw_channels_avx512 f = {
        .even = m, .odd = _mm512_srli_epi64(m, 32), .even_right = _mm512_and_si512(right, low), .odd_right = _mm512_srli_epi64(right, 32)};
    f.even_half = _mm512_sllv_epi64(one, _mm512_sub_epi64(f.even_right, one));
    f.odd_half = _mm512_sllv_epi64(one, _mm512_sub_epi64(f.odd_right, one));
    return f;
}

AVX512 static inline __m512i gw_scaled_avx512(__m512i sums, const gw_channels_avx512 *f) {
    const __m512i even = _mm512_srav_epi64(_mm512_add_epi64(_mm512_mul_epi32(sums, f->even), f->even_half), f->even_right);
    const __m512i odd =
        _mm512_srav_epi64(_mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(sums, 32), f->odd), f->odd_half), f->odd_right);
    return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

/// The factors of sixteen channels for GW_ROUND_REDUCED where every shift is two bits to the right at least. With a sum of
/// 2^16 upper + lower, (sum * m + half) >> right is (upper * m + (lower * m >> 16) + (half >> 16)) >> (right - 16).
typedef struct gw_short_channels_avx512 {
    __m512i upper, lower, half, right;
} gw_short_channels_avx512;

/// Those from channel `c` on.
AVX512 static inline gw_short_channels_avx512 gw_short_channels_of_avx512(const gw_packed *packed, int32_t c) {
    const __m512i m = gw_reduced_avx512(_mm512_loadu_si512(packed->multipliers + c));
    const __m512i right = _mm512_sub_epi32(_mm512_set1_epi32(-1), _mm512_loadu_si512(packed->shifts + c));
    const __m512i half = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_sub_epi32(right, _mm512_set1_epi32(1)));
    return (gw_short_channels_avx512){.upper = _mm512_slli_epi32(m, 16), .lower = m, .half = half, .right = right};
}

AVX512 static inline __m512i gw_short_scaled_avx512(__m512i sums, const gw_short_channels_avx512 *f) {
    const __m512i upper = _mm512_add_epi32(_mm512_madd_epi16(sums, f->upper), f->half);
    return _mm512_srav_epi32(_mm512_add_epi32(upper, _mm512_mulhi_epu16(sums, f->lower)), f->right);
}

/// Sixteen numbers within the limits, of which `left` are wanted. What was stored by a mask is slow to read back.
AVX512 static inline void gw_put_limited_avx512(__m512i values, __m512i low, __m512i high, int32_t left, int16_t *output) {
    const __m256i narrow = _mm512_cvtsepi32_epi16(_mm512_min_epi32(_mm512_max_epi32(values, low), high));
    if (left >= 16) {
        _mm256_storeu_si256((__m256i *)(void *)output, narrow);
    } else {
        _mm256_mask_storeu_epi16(output, (__mmask16)((1 << left) - 1), narrow);
    }
}

#endif
