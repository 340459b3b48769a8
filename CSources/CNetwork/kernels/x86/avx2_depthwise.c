#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { CHANNELS = 16 };

AVX2 static inline __m256i widened(const int8_t *bytes) { return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)bytes)); }

// Sixteen channels' sums stay in registers over all taps, in the order that unpacking gives: 0 ... 3 and 8 ... 11, 4 ... 7 and 12 ... 15.
AVX2 void gw_depthwise_avx2(const gw_packed *packed, const int8_t *const *inputs, const int8_t *weights, int32_t *sums) {
    const int32_t n = packed->outputs, taps = packed->inputs;
    const __m256i zero_point = _mm256_set1_epi16((int16_t)packed->input_zero_point);
    int32_t c = 0;
    for (; c + CHANNELS <= n; c += CHANNELS) {
        __m256i low = _mm256_setzero_si256(), high = low;
        for (int32_t t = 0; t < taps; t++) {
            const __m256i x = _mm256_sub_epi16(widened(inputs[t] + c), zero_point), w = widened(weights + (ptrdiff_t)t * n + c);
            const __m256i lower = _mm256_mullo_epi16(x, w), upper = _mm256_mulhi_epi16(x, w);
            low = _mm256_add_epi32(low, _mm256_unpacklo_epi16(lower, upper));
            high = _mm256_add_epi32(high, _mm256_unpackhi_epi16(lower, upper));
        }
        const __m256i *bias = (const __m256i *)(packed->bias + c);
        const __m256i first = _mm256_permute2x128_si256(low, high, 0x20), second = _mm256_permute2x128_si256(low, high, 0x31);
        _mm256_storeu_si256((__m256i *)(sums + c), _mm256_add_epi32(first, _mm256_loadu_si256(bias)));
        _mm256_storeu_si256((__m256i *)(sums + c + 8), _mm256_add_epi32(second, _mm256_loadu_si256(bias + 1)));
    }
    if (c < n) { gw_depthwise_reference_from(c, packed, inputs, weights, sums); }
}
#endif
