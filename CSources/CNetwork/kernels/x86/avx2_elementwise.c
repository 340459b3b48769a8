#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

enum { LANES = 16 };

// gw_requantise_twice by one factor on vectors of eight. A shift to the left is limited a little below 2^31.
typedef struct factor {
    __m256i multiplier, left, lowest, highest, right, mask, half;
    bool goes_left;
} factor;

AVX2 static inline factor factor_of(gw_multiplier m) {
    const int32_t left = m.shift > 0 ? m.shift : 0, right = m.shift < 0 ? -m.shift : 0, mask = (int32_t)((INT64_C(1) << right) - 1);
    return (factor){.multiplier = _mm256_set1_epi32(m.multiplier),
        .left = _mm256_set1_epi32(left),
        .lowest = _mm256_set1_epi32(INT32_MIN >> left),
        .highest = _mm256_set1_epi32(INT32_MAX >> left),
        .right = _mm256_set1_epi32(right),
        .mask = _mm256_set1_epi32(mask),
        .half = _mm256_set1_epi32(mask >> 1),
        .goes_left = left > 0};
}

AVX2 static inline __m256i twice(__m256i value, const factor *f) {
    const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30);
    if (f->goes_left) { value = _mm256_sllv_epi32(_mm256_max_epi32(_mm256_min_epi32(value, f->highest), f->lowest), f->left); }
    const __m256i even = _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epi32(value, f->multiplier), half), 31);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(value, 32), f->multiplier), half);
    value = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 1), 0xaa); // bits 31 ... 62 to the upper half
    const __m256i threshold = _mm256_sub_epi32(f->half, _mm256_srai_epi32(value, 31));
    const __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(value, f->mask), threshold);
    return _mm256_sub_epi32(_mm256_srav_epi32(value, f->right), up);
}

typedef struct vectors {
    __m256i points[2], output_point, low, high;
    factor factors[3];
} vectors;

AVX2 static inline vectors of(const gw_pair *pair, int32_t factors) {
    vectors v = {.output_point = _mm256_set1_epi16((int16_t)pair->output_zero_point),
        .low = _mm256_set1_epi16((int16_t)pair->low),
        .high = _mm256_set1_epi16((int16_t)pair->high)};
    for (int32_t i = 0; i < 2; i++) { v.points[i] = _mm256_set1_epi32(pair->zero_points[i]); }
    for (int32_t i = 0; i < factors; i++) { v.factors[i] = factor_of(pair->scales[i]); }
    return v;
}

// Eight elements as int32, without the zero point.
AVX2 static inline __m256i widened(const int8_t *values, __m256i zero_point) {
    return _mm256_sub_epi32(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)values)), zero_point);
}

// Neither operand is beyond 2^29 after its scale: nothing is limited before the last.
AVX2 static inline __m256i sum_of(const vectors *v, const gw_pair *pair, int32_t i) {
    const __m256i a = twice(_mm256_slli_epi32(widened(pair->a + i, v->points[0]), 20), &v->factors[0]);
    const __m256i b = twice(_mm256_slli_epi32(widened(pair->b + i, v->points[1]), 20), &v->factors[1]);
    return twice(pair->subtracts ? _mm256_sub_epi32(a, b) : _mm256_add_epi32(a, b), &v->factors[2]);
}

AVX2 static inline __m256i product_of(const vectors *v, const gw_pair *pair, int32_t i) {
    return twice(_mm256_mullo_epi32(widened(pair->a + i, v->points[0]), widened(pair->b + i, v->points[1])), &v->factors[0]);
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

AVX2 void gw_values_twice_avx2(int32_t *values, int32_t count, gw_multiplier m) {
    const factor f = factor_of(m);
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256i *some = (__m256i *)(values + i);
        _mm256_storeu_si256(some, twice(_mm256_loadu_si256(some), &f));
    }
    gw_twice_reference(values + i, count - i, m);
}
#endif
