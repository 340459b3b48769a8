#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { LANES = 8, LAST = 255 };

// What lies between two entries of the table, `bits` fraction bits in x and in the result; x >= 0. A gather takes both entries at once.
AVX2 static inline __m256i between(__m256i x, int32_t bits, int32_t largest) {
    const __m256i last = _mm256_set1_epi32(LAST), low_half = _mm256_set1_epi32(0xffff);
    const __m256i entry = _mm256_srli_epi32(x, bits), inside = _mm256_cmpgt_epi32(last, entry);
    const __m256i place = _mm256_min_epu32(entry, _mm256_set1_epi32(LAST - 1));
    const __m256i both = _mm256_i32gather_epi32((const int *)(const void *)gw_interpolation_table, place, sizeof *gw_interpolation_table);
    const __m256i low = _mm256_and_si256(both, low_half), difference = _mm256_sub_epi32(_mm256_srli_epi32(both, 16), low);
    const __m256i fraction = _mm256_and_si256(x, _mm256_set1_epi32((1 << bits) - 1));
    const __m256i drawn = _mm256_add_epi32(_mm256_slli_epi32(low, bits), _mm256_mullo_epi32(fraction, difference));
    return _mm256_blendv_epi8(_mm256_set1_epi32(largest << bits), drawn, inside);
}

// Eight of the input times the factor, over 2^shift.
AVX2 static inline __m256i times(__m128i eight, __m256i factor, __m256i half, __m128i shift) {
    return _mm256_sra_epi32(_mm256_add_epi32(_mm256_mullo_epi32(_mm256_cvtepi16_epi32(eight), factor), half), shift);
}

AVX2 static inline __m256i chosen(__m256i x, __m256i negative, __m256i positive) {
    return _mm256_blendv_epi8(positive, negative, _mm256_srai_epi32(x, 31));
}

AVX2 static inline __m256i sigmoids(__m256i x) {
    const __m256i above = between(_mm256_abs_epi32(x), 9, 0x7fff * 2);
    const __m256i negative = _mm256_sub_epi32(_mm256_set1_epi32((1 << 25) + (1 << 9) - 1), above);
    return _mm256_srai_epi32(chosen(x, negative, _mm256_add_epi32(above, _mm256_set1_epi32(1 << 9))), 10);
}

AVX2 static inline __m256i tanhs(__m256i x) {
    const __m256i above = between(_mm256_abs_epi32(x), 8, 0xffff);
    const __m256i negative = _mm256_sub_epi32(_mm256_set1_epi32((1 << 23) + (1 << 7) - 1), above);
    return _mm256_srai_epi32(chosen(x, negative, _mm256_sub_epi32(above, _mm256_set1_epi32((1 << 23) - (1 << 7)))), 8);
}

// What is left behind the last whole vectors is for the reference.
#define ALL(curve, reference)                                                                                                              \
    const __m256i by = _mm256_set1_epi32(factor), half = _mm256_set1_epi32(shift > 0 ? 1 << (shift - 1) : 0);                              \
    const __m128i bits = _mm_cvtsi32_si128(shift);                                                                                         \
    int32_t i = 0;                                                                                                                         \
    for (; i + 2 * LANES <= count; i += 2 * LANES) {                                                                                       \
        const __m256i first = curve(times(_mm_loadu_si128((const __m128i *)(input + i)), by, half, bits)),                                 \
                      second = curve(times(_mm_loadu_si128((const __m128i *)(input + i + LANES)), by, half, bits));                        \
        _mm256_storeu_si256((__m256i *)(output + i), gw_narrowed_avx2(first, second));                                                     \
    }                                                                                                                                      \
    reference(input + i, count - i, factor, shift, output + i);

AVX2 void gw_sigmoid_interpolated_avx2(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output){
    ALL(sigmoids, gw_sigmoid_interpolated_reference)}

AVX2 void gw_tanh_interpolated_avx2(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output) {
    ALL(tanhs, gw_tanh_interpolated_reference)
}
#endif
