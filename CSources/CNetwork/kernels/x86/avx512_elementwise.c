#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

enum { LANES = 16 };

// gw_requantise_twice on vectors of sixteen. A shift to the left is limited a little below 2^31.
typedef struct factor {
    __m512i multiplier, odd_multiplier, left, lowest, highest, right, mask, half;
    bool goes_left;
} factor;

AVX512 static inline factor factor_of(gw_multiplier m) {
    const int32_t left = m.shift > 0 ? m.shift : 0, right = m.shift < 0 ? -m.shift : 0, mask = (int32_t)((INT64_C(1) << right) - 1);
    return (factor){.multiplier = _mm512_set1_epi32(m.multiplier),
        .odd_multiplier = _mm512_set1_epi64(m.multiplier),
        .left = _mm512_set1_epi32(left),
        .lowest = _mm512_set1_epi32(INT32_MIN >> left),
        .highest = _mm512_set1_epi32(INT32_MAX >> left),
        .right = _mm512_set1_epi32(right),
        .mask = _mm512_set1_epi32(mask),
        .half = _mm512_set1_epi32(mask >> 1),
        .goes_left = left > 0};
}

AVX512 static inline __m512i twice(__m512i value, const factor *f) {
    const __m512i half = _mm512_set1_epi64(INT64_C(1) << 30);
    if (f->goes_left) { value = _mm512_sllv_epi32(_mm512_max_epi32(_mm512_min_epi32(value, f->highest), f->lowest), f->left); }
    const __m512i even = _mm512_srli_epi64(_mm512_add_epi64(_mm512_mul_epi32(value, f->multiplier), half), 31);
    const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(value, 32), f->odd_multiplier), half);
    value = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 1)); // bits 31 ... 62 to the upper half
    const __m512i threshold = _mm512_sub_epi32(f->half, _mm512_srai_epi32(value, 31));
    const __mmask16 up = _mm512_cmpgt_epi32_mask(_mm512_and_si512(value, f->mask), threshold);
    value = _mm512_srav_epi32(value, f->right);
    return _mm512_mask_add_epi32(value, up, value, _mm512_set1_epi32(1));
}

typedef struct vectors {
    __m512i points[2], output_point, low, high;
    factor factors[3];
} vectors;

AVX512 static inline vectors of(const gw_pair *pair, int32_t factors) {
    const int32_t point = pair->output_zero_point;
    vectors v = {.output_point = _mm512_set1_epi32(point),
        .low = _mm512_set1_epi32(pair->low - point),
        .high = _mm512_set1_epi32(pair->high - point)};
    for (int32_t i = 0; i < 2; i++) { v.points[i] = _mm512_set1_epi32(pair->zero_points[i]); }
    for (int32_t i = 0; i < factors; i++) { v.factors[i] = factor_of(pair->scales[i]); }
    return v;
}

// Sixteen elements as int32, without the zero point.
AVX512 static inline __m512i widened(const int8_t *values, __m512i zero_point) {
    return _mm512_sub_epi32(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)values)), zero_point);
}

AVX512 static inline void store(const vectors *v, __m512i values, int8_t *output) {
    const __m512i limited = _mm512_min_epi32(_mm512_max_epi32(values, v->low), v->high);
    _mm_storeu_si128((__m128i *)output, _mm512_cvtepi32_epi8(_mm512_add_epi32(limited, v->output_point)));
}

// Neither operand is beyond 2^29 after its scale: nothing is limited before the last.
AVX512 int32_t gw_add_avx512(const gw_pair *pair, int32_t count, int8_t *output) {
    const vectors v = of(pair, 3);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m512i a = twice(_mm512_slli_epi32(widened(pair->a + i, v.points[0]), 20), &v.factors[0]);
        const __m512i b = twice(_mm512_slli_epi32(widened(pair->b + i, v.points[1]), 20), &v.factors[1]);
        store(&v, twice(pair->subtracts ? _mm512_sub_epi32(a, b) : _mm512_add_epi32(a, b), &v.factors[2]), output + i);
    }
    return i;
}

AVX512 int32_t gw_multiply_avx512(const gw_pair *pair, int32_t count, int8_t *output) {
    const vectors v = of(pair, 1);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m512i product = _mm512_mullo_epi32(widened(pair->a + i, v.points[0]), widened(pair->b + i, v.points[1]));
        store(&v, twice(product, &v.factors[0]), output + i);
    }
    return i;
}

AVX512 void gw_values_twice_avx512(int32_t *values, int32_t count, gw_multiplier m) {
    const factor f = factor_of(m);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { _mm512_storeu_si512(values + i, twice(_mm512_loadu_si512(values + i), &f)); }
    gw_twice_reference(values + i, count - i, m);
}
#endif
