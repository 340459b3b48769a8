#include "../wide.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

enum { LANES = GW_DEPTHWISE_CHANNELS };

// The factors of sixteen channels, for those with even and with odd numbers: (sum * multiplier + half) >> right.
typedef struct factors {
    __m512i even, odd, even_half, odd_half, even_right, odd_right;
} factors;

TARGET static inline factors factors_of(const gw_packed *packed, int32_t c, gw_rounding rounding) {
    const __m512i all = _mm512_loadu_si512(packed->multipliers + c), low = _mm512_set1_epi64(0xffffffff), one = _mm512_set1_epi64(1);
    const __m512i highest = _mm512_min_epi32(all, _mm512_set1_epi32(0x7fff0000));
    const __m512i upper = _mm512_srai_epi32(_mm512_add_epi32(highest, _mm512_set1_epi32(1 << 15)), 16);
    const bool once = rounding == GW_ROUND_ONCE;
    const __m512i m = once ? all : upper;
    const __m512i right = _mm512_sub_epi32(_mm512_set1_epi32(once ? 31 : 15), _mm512_loadu_si512(packed->shifts + c));
    factors f = {
        .even = m, .odd = _mm512_srli_epi64(m, 32), .even_right = _mm512_and_si512(right, low), .odd_right = _mm512_srli_epi64(right, 32)};
    f.even_half = _mm512_sllv_epi64(one, _mm512_sub_epi64(f.even_right, one));
    f.odd_half = _mm512_sllv_epi64(one, _mm512_sub_epi64(f.odd_right, one));
    return f;
}

TARGET static inline __m512i scaled(__m512i sums, const factors *f) {
    const __m512i even = _mm512_srav_epi64(_mm512_add_epi64(_mm512_mul_epi32(sums, f->even), f->even_half), f->even_right);
    const __m512i odd =
        _mm512_srav_epi64(_mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(sums, 32), f->odd), f->odd_half), f->odd_right);
    return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

TARGET void gw_depthwise_wide_avx512(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output) {
    const int32_t outputs = packed->outputs, inputs = packed->inputs, padded = packed->padded;
    const __m512i low = _mm512_set1_epi32(packed->low), high = _mm512_set1_epi32(packed->high);
    for (int32_t c = 0; c < outputs; c += LANES) {
        const __mmask16 some = outputs - c < LANES ? (__mmask16)((1 << (outputs - c)) - 1) : 0xffff;
        const int16_t *weights = (const int16_t *)(const void *)packed->weights + c;
        const __m512i bias = _mm512_loadu_si512(packed->bias + c);
        const factors f = factors_of(packed, c, rounding);
        for (int32_t i = 0; i < count; i++) {
            __m512i sums = bias;
            for (int32_t t = 0; t < inputs; t++) {
                const __m512i x = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(taps[t] + i * stride + c)));
                // Nothing in the upper half of a lane: a product with one tap at a time.
                const __m512i w =
                    _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(weights + (ptrdiff_t)t * padded)));
                sums = _mm512_dpwssd_epi32(sums, x, w);
            }
            const __m512i limited = _mm512_min_epi32(_mm512_max_epi32(scaled(sums, &f), low), high);
            _mm256_mask_storeu_epi16(output + (ptrdiff_t)i * outputs + c, some, _mm512_cvtepi32_epi16(limited));
        }
    }
}
#endif
