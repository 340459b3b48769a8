// Sums of int32 scaled by a factor of each channel, rounded once, in vectors of eight. Private to the kernels.
#ifndef GW_AVX2_CHANNELS_H
#define GW_AVX2_CHANNELS_H

#include "../kernel.h"
#include "avx2_rounding.h"
#include <string.h>

/// The factors of eight channels, for those with even and with odd numbers: (sum * multiplier + half) >> right. There is only a shift
/// without a sign: 2^63 is added before it, and what that has become is taken off behind it.
typedef struct gw_channels_avx2 {
    __m256i even, odd, even_half, odd_half, even_right, odd_right, taken;
} gw_channels_avx2;

/// Those from channel `c` on; no shift is to the left, and the rounding is not GW_ROUND_TWICE.
AVX2 static inline gw_channels_avx2 gw_channels_of_avx2(const gw_packed *packed, int32_t c, gw_rounding rounding) {
    const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)(packed->multipliers + c));
    const __m256i low = _mm256_set1_epi64x(0xffffffff), one = _mm256_set1_epi64x(1), least = _mm256_set1_epi64x(INT64_MIN);
    const __m256i highest = _mm256_min_epi32(all, _mm256_set1_epi32(0x7fff0000));
    const __m256i upper = _mm256_srai_epi32(_mm256_add_epi32(highest, _mm256_set1_epi32(1 << 15)), 16);
    const bool once = rounding == GW_ROUND_ONCE;
    const __m256i m = once ? all : upper;
    const __m256i right =
        _mm256_sub_epi32(_mm256_set1_epi32(once ? 31 : 15), _mm256_loadu_si256((const __m256i *)(const void *)(packed->shifts + c)));
    gw_channels_avx2 f = {
        .even = m, .odd = _mm256_srli_epi64(m, 32), .even_right = _mm256_and_si256(right, low), .odd_right = _mm256_srli_epi64(right, 32)};
    f.even_half = _mm256_add_epi64(least, _mm256_sllv_epi64(one, _mm256_sub_epi64(f.even_right, one)));
    f.odd_half = _mm256_add_epi64(least, _mm256_sllv_epi64(one, _mm256_sub_epi64(f.odd_right, one)));
    f.taken =
        _mm256_blend_epi32(_mm256_srlv_epi64(least, f.even_right), _mm256_slli_epi64(_mm256_srlv_epi64(least, f.odd_right), 32), 0xaa);
    return f;
}

AVX2 static inline __m256i gw_scaled_avx2(__m256i sums, const gw_channels_avx2 *f) {
    const __m256i even = _mm256_srlv_epi64(_mm256_add_epi64(_mm256_mul_epi32(sums, f->even), f->even_half), f->even_right);
    const __m256i odd =
        _mm256_srlv_epi64(_mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(sums, 32), f->odd), f->odd_half), f->odd_right);
    return _mm256_sub_epi32(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa), f->taken);
}

/// Eight numbers within the limits, of which `left` are wanted.
AVX2 static inline void gw_put_limited_avx2(__m256i values, __m256i low, __m256i high, int32_t left, int16_t *output) {
    const __m256i limited = _mm256_min_epi32(_mm256_max_epi32(values, low), high);
    const __m128i narrow = _mm_packs_epi32(_mm256_castsi256_si128(limited), _mm256_extracti128_si256(limited, 1));
    if (left >= 8) {
        _mm_storeu_si128((__m128i *)(void *)output, narrow);
    } else {
        memcpy(output, &narrow, (size_t)left * sizeof *output);
    }
}

#endif
