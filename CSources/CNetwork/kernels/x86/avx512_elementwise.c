#include "../kernel.h"

#if defined(__x86_64__)
#include "avx512_rounding.h"

enum { LANES = 16 };

typedef struct vectors {
    __m512i points[2], output_point, low, high;
    gw_factor_avx512 factors[3];
} vectors;

AVX512 static inline vectors of(const gw_pair *pair, int32_t factors) {
    const int32_t point = pair->output_zero_point;
    vectors v = {.output_point = _mm512_set1_epi32(point),
        .low = _mm512_set1_epi32(pair->low - point),
        .high = _mm512_set1_epi32(pair->high - point)};
    for (int32_t i = 0; i < 2; i++) { v.points[i] = _mm512_set1_epi32(pair->zero_points[i]); }
    for (int32_t i = 0; i < factors; i++) { v.factors[i] = gw_factor_of_avx512(pair->scales[i]); }
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
        const __m512i a = gw_twice_avx512(_mm512_slli_epi32(widened(pair->a + i, v.points[0]), 20), &v.factors[0]);
        const __m512i b = gw_twice_avx512(_mm512_slli_epi32(widened(pair->b + i, v.points[1]), 20), &v.factors[1]);
        store(&v, gw_twice_avx512(pair->subtracts ? _mm512_sub_epi32(a, b) : _mm512_add_epi32(a, b), &v.factors[2]), output + i);
    }
    return i;
}

AVX512 int32_t gw_multiply_avx512(const gw_pair *pair, int32_t count, int8_t *output) {
    const vectors v = of(pair, 1);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m512i product = _mm512_mullo_epi32(widened(pair->a + i, v.points[0]), widened(pair->b + i, v.points[1]));
        store(&v, gw_twice_avx512(product, &v.factors[0]), output + i);
    }
    return i;
}

// Of what is not negative both roundings are halves up, and the upper half of a doubled product is what the first one gives.
AVX512 void gw_shares_avx512(const int32_t *values, int32_t count, gw_multiplier m, int8_t *output) {
    const __m512i multiplier = _mm512_set1_epi32(m.multiplier), first_half = _mm512_set1_epi64(INT64_C(1) << 31);
    const __m512i second_half = _mm512_set1_epi32(m.shift < 0 ? INT32_C(1) << (-m.shift - 1) : 0);
    const __m128i right = _mm_cvtsi32_si128(-m.shift), middle = _mm_set1_epi8(INT8_MIN);
    for (int32_t i = 0; i < count; i += LANES) {
        const __m512i doubled = _mm512_slli_epi32(_mm512_loadu_si512(values + i), 1);
        const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(doubled, multiplier), first_half);
        const __m512i odd = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(doubled, 32), multiplier), first_half);
        const __m512i once = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
        const __m512i twice = _mm512_srl_epi32(_mm512_add_epi32(once, second_half), right);
        _mm_storeu_si128((__m128i *)(output + i), _mm_xor_si128(_mm512_cvtusepi32_epi8(twice), middle));
    }
}

AVX512 void gw_values_twice_avx512(int32_t *values, int32_t count, gw_multiplier m) {
    const gw_factor_avx512 f = gw_factor_of_avx512(m);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { _mm512_storeu_si512(values + i, gw_twice_avx512(_mm512_loadu_si512(values + i), &f)); }
    gw_twice_reference(values + i, count - i, m);
}
#endif
