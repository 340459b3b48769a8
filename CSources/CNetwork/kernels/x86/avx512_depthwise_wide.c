#include "../wide.h"

#if defined(__x86_64__)
#include "avx512_channels.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

enum { LANES = GW_DEPTHWISE_CHANNELS };

TARGET void gw_depthwise_wide_avx512(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output) {
    const int32_t outputs = packed->outputs, inputs = packed->inputs, padded = packed->padded;
    const __m512i low = _mm512_set1_epi32(packed->low), high = _mm512_set1_epi32(packed->high);
    for (int32_t c = 0; c < outputs; c += LANES) {
        const int16_t *weights = (const int16_t *)(const void *)packed->weights + c;
        const __m512i bias = _mm512_loadu_si512(packed->bias + c);
        const gw_channels_avx512 f = gw_channels_of_avx512(packed, c, rounding);
        for (int32_t i = 0; i < count; i++) {
            __m512i sums = bias;
            for (int32_t t = 0; t < inputs; t++) {
                const __m512i x = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(taps[t] + i * stride + c)));
                // Nothing in the upper half of a lane: a product with one tap at a time.
                const __m512i w =
                    _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(weights + (ptrdiff_t)t * padded)));
                sums = _mm512_dpwssd_epi32(sums, x, w);
            }
            gw_put_limited_avx512(gw_scaled_avx512(sums, &f), low, high, outputs - c, output + (ptrdiff_t)i * outputs + c);
        }
    }
}
#endif
