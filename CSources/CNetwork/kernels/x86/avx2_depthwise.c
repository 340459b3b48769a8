#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { CHANNELS = GW_DEPTHWISE_CHANNELS, GROUP = 2, ABREAST = 4 };

// Pairs of taps as int16, in the order of channels that unpacking gives: 0 ... 3, 8 ... 11, 4 ... 7, 12 ... 15.
void gw_pack_depthwise_avx2(const gw_packed *packed, const int8_t *weights, int8_t *to) {
    static const int8_t order[CHANNELS] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
    int16_t *pair = (int16_t *)(void *)to;
    for (int32_t block = 0; block < packed->blocks; block++) {
        for (int32_t g = 0; g < packed->groups; g++) {
            for (int32_t i = 0; i < CHANNELS * GROUP; i++, pair++) {
                const int32_t channel = block * CHANNELS + order[i / GROUP], tap = g * GROUP + i % GROUP;
                const bool is_there = channel < packed->outputs && tap < packed->inputs;
                *pair = is_there ? weights[(ptrdiff_t)channel * packed->inputs + tap] : 0;
            }
        }
    }
}

AVX2 static inline __m256i widened(const int8_t *bytes) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

AVX2 static inline __m256i loaded(const int8_t *weights) { return _mm256_load_si256((const __m256i *)(const void *)weights); }

// One block of channels at `count` positions, whose sums stay in registers over all taps.
AVX2 __attribute__((always_inline)) static inline void run_block(const gw_packed *packed, int32_t block, const int8_t *const *inputs,
    ptrdiff_t at, ptrdiff_t stride, int32_t *sums, const int32_t count) {
    const int8_t *weights = packed->weights + (ptrdiff_t)block * packed->groups * GW_DEPTHWISE_BYTES;
    __m256i acc[ABREAST][2];
    for (int32_t i = 0; i < count; i++) { acc[i][0] = acc[i][1] = _mm256_setzero_si256(); }
    int32_t tap = 0;
    for (; tap + GROUP <= packed->inputs; tap += GROUP, weights += GW_DEPTHWISE_BYTES) {
        const __m256i low = loaded(weights), high = loaded(weights + 32);
        const int8_t *a = inputs[tap] + at, *b = inputs[tap + 1] + at;
        for (int32_t i = 0; i < count; i++, a += stride, b += stride) {
            const __m256i x = widened(a), y = widened(b);
            acc[i][0] = _mm256_add_epi32(acc[i][0], _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), low));
            acc[i][1] = _mm256_add_epi32(acc[i][1], _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), high));
        }
    }
    if (tap < packed->inputs) {
        // The weights of a tap that is not there are 0, whatever they are multiplied by.
        const __m256i low = loaded(weights), high = loaded(weights + 32);
        const int8_t *a = inputs[tap] + at;
        for (int32_t i = 0; i < count; i++, a += stride) {
            const __m256i x = widened(a);
            acc[i][0] = _mm256_add_epi32(acc[i][0], _mm256_madd_epi16(_mm256_unpacklo_epi16(x, x), low));
            acc[i][1] = _mm256_add_epi32(acc[i][1], _mm256_madd_epi16(_mm256_unpackhi_epi16(x, x), high));
        }
    }
    const __m256i *bias = (const __m256i *)(const void *)(packed->bias + block * CHANNELS);
    const __m256i first = _mm256_loadu_si256(bias), second = _mm256_loadu_si256(bias + 1);
    for (int32_t i = 0; i < count; i++) {
        __m256i *to = (__m256i *)(void *)(sums + (ptrdiff_t)i * packed->padded + block * CHANNELS);
        _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_permute2x128_si256(acc[i][0], acc[i][1], 0x20), first));
        _mm256_storeu_si256(to + 1, _mm256_add_epi32(_mm256_permute2x128_si256(acc[i][0], acc[i][1], 0x31), second));
    }
}

AVX2 void gw_depthwise_avx2(const gw_packed *packed, const int8_t *const *inputs, ptrdiff_t stride, int32_t count, int32_t *sums) {
    for (int32_t block = 0; block < packed->blocks; block++) {
        const ptrdiff_t first = block * CHANNELS;
        int32_t i = 0;
        for (; i + ABREAST <= count; i += ABREAST) {
            run_block(packed, block, inputs, i * stride + first, stride, sums + i * packed->padded, ABREAST);
        }
        for (; i < count; i++) { run_block(packed, block, inputs, i * stride + first, stride, sums + i * packed->padded, 1); }
    }
}
#endif
