#include "../wide.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"
#include <string.h>

enum { LANES = 8 };

// The factors of eight channels, for those with even and with odd numbers: (sum * multiplier + half) >> right. There is only a shift without
// a sign: 2^63 is added before it, and what that has become is taken off behind it.
typedef struct factors {
    __m256i even, odd, even_half, odd_half, even_right, odd_right, taken;
} factors;

AVX2 static inline factors factors_of(const gw_packed *packed, int32_t c, gw_rounding rounding) {
    const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)(packed->multipliers + c));
    const __m256i low = _mm256_set1_epi64x(0xffffffff), one = _mm256_set1_epi64x(1), least = _mm256_set1_epi64x(INT64_MIN);
    const __m256i highest = _mm256_min_epi32(all, _mm256_set1_epi32(0x7fff0000));
    const __m256i upper = _mm256_srai_epi32(_mm256_add_epi32(highest, _mm256_set1_epi32(1 << 15)), 16);
    const bool once = rounding == GW_ROUND_ONCE;
    const __m256i m = once ? all : upper;
    const __m256i right =
        _mm256_sub_epi32(_mm256_set1_epi32(once ? 31 : 15), _mm256_loadu_si256((const __m256i *)(const void *)(packed->shifts + c)));
    factors f = {
        .even = m, .odd = _mm256_srli_epi64(m, 32), .even_right = _mm256_and_si256(right, low), .odd_right = _mm256_srli_epi64(right, 32)};
    f.even_half = _mm256_add_epi64(least, _mm256_sllv_epi64(one, _mm256_sub_epi64(f.even_right, one)));
    f.odd_half = _mm256_add_epi64(least, _mm256_sllv_epi64(one, _mm256_sub_epi64(f.odd_right, one)));
    f.taken =
        _mm256_blend_epi32(_mm256_srlv_epi64(least, f.even_right), _mm256_slli_epi64(_mm256_srlv_epi64(least, f.odd_right), 32), 0xaa);
    return f;
}

AVX2 static inline __m256i scaled(__m256i sums, const factors *f) {
    const __m256i even = _mm256_srlv_epi64(_mm256_add_epi64(_mm256_mul_epi32(sums, f->even), f->even_half), f->even_right);
    const __m256i odd =
        _mm256_srlv_epi64(_mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(sums, 32), f->odd), f->odd_half), f->odd_right);
    return _mm256_sub_epi32(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa), f->taken);
}

AVX2 static inline __m128i eight(const int16_t *from) { return _mm_loadu_si128((const __m128i *)(const void *)from); }

AVX2 void gw_depthwise_wide_avx2(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output) {
    const int32_t outputs = packed->outputs, inputs = packed->inputs, padded = packed->padded;
    const __m256i low = _mm256_set1_epi32(packed->low), high = _mm256_set1_epi32(packed->high);
    for (int32_t c = 0; c < outputs; c += LANES) {
        const int16_t *weights = (const int16_t *)(const void *)packed->weights + c;
        const __m256i bias = _mm256_loadu_si256((const __m256i *)(const void *)(packed->bias + c));
        const factors f = factors_of(packed, c, rounding);
        for (int32_t i = 0; i < count; i++) {
            __m256i sums = bias;
            for (int32_t t = 0; t < inputs; t++) {
                const __m256i x = _mm256_cvtepi16_epi32(eight(taps[t] + i * stride + c));
                // Nothing in the upper half of a lane: a product with one tap at a time.
                const __m256i w = _mm256_cvtepu16_epi32(eight(weights + (ptrdiff_t)t * padded));
                sums = _mm256_add_epi32(sums, _mm256_madd_epi16(x, w));
            }
            const __m256i limited = _mm256_min_epi32(_mm256_max_epi32(scaled(sums, &f), low), high);
            const __m128i narrow = _mm256_castsi256_si128(gw_narrowed_avx2(limited, limited));
            int16_t *to = output + (ptrdiff_t)i * outputs + c;
            if (outputs - c >= LANES) {
                _mm_storeu_si128((__m128i *)(void *)to, narrow);
            } else {
                memcpy(to, &narrow, (size_t)(outputs - c) * sizeof *to);
            }
        }
    }
}
#endif
