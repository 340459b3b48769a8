#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

TARGET static inline __m256i load(const void *from) { return _mm256_loadu_si256(from); }

// The eight int32 of a vector, as four sums of two in int64.
TARGET static inline __m256i widened(__m256i sums) {
    return _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(sums)), _mm256_cvtepi32_epi64(_mm256_extracti128_si256(sums, 1)));
}

TARGET static inline int64_t total(__m256i sums) {
    int64_t parts[4];
    _mm256_storeu_si256((__m256i *)parts, sums);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

// No weight is -128, so 256 pairs of products stay within int32: as many as the longest row has for a lane.
TARGET static inline int64_t dot_narrow(const int16_t *row, const int8_t *weights, int32_t count) {
    __m256i sums = _mm256_setzero_si256();
    int32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        sums =
            _mm256_add_epi32(sums, _mm256_madd_epi16(load(row + i), _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(weights + i)))));
    }
    return total(widened(sums)) + gw_dot_narrow_reference(row + i, weights + i, count - i);
}

TARGET void gw_dots_narrow_avx2(const int16_t *row, const int8_t *weights, int32_t inputs, int32_t outputs, int64_t *sums) {
    for (int32_t o = 0; o < outputs; o++) { sums[o] += dot_narrow(row, weights + (ptrdiff_t)o * inputs, inputs); }
}

// No weight is -32768, so a pair of products stays within int32. Their upper and lower halves are summed apart: 256 of each, as
// many as the longest row has for a lane, stay within int32 too.
TARGET int64_t gw_dot_wide_avx2(const int16_t *row, const int16_t *weights, int32_t count) {
    __m256i upper = _mm256_setzero_si256(), lower = upper;
    const __m256i low = _mm256_set1_epi32(0xffff);
    int32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m256i pairs = _mm256_madd_epi16(load(row + i), load(weights + i));
        upper = _mm256_add_epi32(upper, _mm256_srai_epi32(pairs, 16));
        lower = _mm256_add_epi32(lower, _mm256_and_si256(pairs, low));
    }
    return total(widened(upper)) * 65536 + total(widened(lower)) + gw_dot_wide_reference(row + i, weights + i, count - i);
}
#endif
