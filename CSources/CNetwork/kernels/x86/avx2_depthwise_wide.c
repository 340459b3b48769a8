#include "../wide.h"

#if defined(__x86_64__)
#include "avx2_channels.h"

enum { LANES = 8 };

AVX2 static inline __m128i eight(const int16_t *from) { return _mm_loadu_si128((const __m128i *)(const void *)from); }

AVX2 void gw_depthwise_wide_avx2(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output) {
    const int32_t outputs = packed->outputs, inputs = packed->inputs, padded = packed->padded;
    const __m256i low = _mm256_set1_epi32(packed->low), high = _mm256_set1_epi32(packed->high);
    for (int32_t c = 0; c < outputs; c += LANES) {
        const int16_t *weights = (const int16_t *)(const void *)packed->weights + c;
        const __m256i bias = _mm256_loadu_si256((const __m256i *)(const void *)(packed->bias + c));
        const gw_channels_avx2 f = gw_channels_of_avx2(packed, c, rounding);
        for (int32_t i = 0; i < count; i++) {
            __m256i sums = bias;
            for (int32_t t = 0; t < inputs; t++) {
                const __m256i x = _mm256_cvtepi16_epi32(eight(taps[t] + i * stride + c));
                // Nothing in the upper half of a lane: a product with one tap at a time.
                const __m256i w = _mm256_cvtepu16_epi32(eight(weights + (ptrdiff_t)t * padded));
                sums = _mm256_add_epi32(sums, _mm256_madd_epi16(x, w));
            }
            gw_put_limited_avx2(gw_scaled_avx2(sums, &f), low, high, outputs - c, output + (ptrdiff_t)i * outputs + c);
        }
    }
}
#endif
