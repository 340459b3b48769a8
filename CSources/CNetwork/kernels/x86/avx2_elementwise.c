#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { LANES = 16 };

typedef struct vectors {
    __m256i points[2], output_point, low, high;
    gw_factor_avx2 factors[3];
} vectors;

AVX2 static inline vectors of(const gw_pair *pair, int32_t factors) {
    vectors v = {.output_point = _mm256_set1_epi16((int16_t)pair->output_zero_point),
        .low = _mm256_set1_epi16((int16_t)pair->low),
        .high = _mm256_set1_epi16((int16_t)pair->high)};
    for (int32_t i = 0; i < 2; i++) { v.points[i] = _mm256_set1_epi32(pair->zero_points[i]); }
    for (int32_t i = 0; i < factors; i++) { v.factors[i] = gw_factor_of_avx2(pair->scales[i]); }
    return v;
}

// Eight elements as int32, without the zero point.
AVX2 static inline __m256i widened(const int8_t *values, __m256i zero_point) {
    return _mm256_sub_epi32(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)values)), zero_point);
}

// Neither operand is beyond 2^29 after its scale: nothing is limited before the last.
AVX2 static inline __m256i sum_of(const vectors *v, const gw_pair *pair, int32_t i) {
    const __m256i a = gw_twice_by_avx2(_mm256_slli_epi32(widened(pair->a + i, v->points[0]), 20), &v->factors[0]);
    const __m256i b = gw_twice_by_avx2(_mm256_slli_epi32(widened(pair->b + i, v->points[1]), 20), &v->factors[1]);
    return gw_twice_by_avx2(pair->subtracts ? _mm256_sub_epi32(a, b) : _mm256_add_epi32(a, b), &v->factors[2]);
}

AVX2 static inline __m256i product_of(const vectors *v, const gw_pair *pair, int32_t i) {
    return gw_twice_by_avx2(_mm256_mullo_epi32(widened(pair->a + i, v->points[0]), widened(pair->b + i, v->points[1])), &v->factors[0]);
}

AVX2 static inline void store(const vectors *v, __m256i low, __m256i high, int8_t *output) {
    _mm_storeu_si128((__m128i *)output, gw_finished_avx2(gw_narrowed_avx2(low, high), v->output_point, v->low, v->high));
}

AVX2 int32_t gw_add_avx2(const gw_pair *pair, int32_t count, int8_t *output) {
    const vectors v = of(pair, 3);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { store(&v, sum_of(&v, pair, i), sum_of(&v, pair, i + 8), output + i); }
    return i;
}

AVX2 int32_t gw_multiply_avx2(const gw_pair *pair, int32_t count, int8_t *output) {
    const vectors v = of(pair, 1);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { store(&v, product_of(&v, pair, i), product_of(&v, pair, i + 8), output + i); }
    return i;
}

// Of what is not negative both roundings are halves up, and the upper half of a doubled product is what the first one gives.
AVX2 static inline __m256i shared(const int32_t *values, __m256i multiplier, __m256i second_half, __m128i right) {
    const __m256i doubled = _mm256_slli_epi32(_mm256_loadu_si256((const __m256i *)(const void *)values), 1);
    const __m256i first_half = _mm256_set1_epi64x(INT64_C(1) << 31);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epu32(doubled, multiplier), first_half);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(doubled, 32), multiplier), first_half);
    return _mm256_srl_epi32(_mm256_add_epi32(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa), second_half), right);
}

AVX2 void gw_shares_avx2(const int32_t *values, int32_t count, gw_multiplier m, int8_t *output) {
    const __m256i multiplier = _mm256_set1_epi32(m.multiplier), low = _mm256_set1_epi16(INT8_MIN), high = _mm256_set1_epi16(INT8_MAX);
    const __m256i second_half = _mm256_set1_epi32(m.shift < 0 ? INT32_C(1) << (-m.shift - 1) : 0);
    const __m128i right = _mm_cvtsi32_si128(-m.shift);
    for (int32_t i = 0; i < count; i += LANES) {
        const __m256i first = shared(values + i, multiplier, second_half, right);
        const __m256i second = shared(values + i + 8, multiplier, second_half, right);
        _mm_storeu_si128((__m128i *)(output + i), gw_finished_avx2(gw_narrowed_avx2(first, second), low, low, high));
    }
}

AVX2 void gw_values_twice_avx2(int32_t *values, int32_t count, gw_multiplier m) {
    const gw_factor_avx2 f = gw_factor_of_avx2(m);
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256i *some = (__m256i *)(values + i);
        _mm256_storeu_si256(some, gw_twice_by_avx2(_mm256_loadu_si256(some), &f));
    }
    gw_twice_reference(values + i, count - i, m);
}
#endif
