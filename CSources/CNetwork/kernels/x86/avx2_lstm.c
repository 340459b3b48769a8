#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define VECTOR __m256i
#define LANES 16
#define vset(n) _mm256_set1_epi16(n)
#define vload(p) _mm256_loadu_si256((const __m256i *)(p))
#define vstore(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define vadd _mm256_add_epi16
#define vsub _mm256_sub_epi16
#define vadd_limited _mm256_adds_epi16
#define vsub_limited _mm256_subs_epi16
#define vmin _mm256_min_epi16
#define vand _mm256_and_si256
#define vequal _mm256_cmpeq_epi16
#define vgreater _mm256_cmpgt_epi16
#define vproduct _mm256_mulhrs_epi16 // -1 x -1, the one that it does not limit, does not occur
#define vleft(v, bits) _mm256_sll_epi16(v, _mm_cvtsi32_si128(bits))
#define vright(v, bits) _mm256_sra_epi16(v, _mm_cvtsi32_si128(bits))
#define vmiddle _mm256_avg_epu16
#define vselect(mask, a, b) _mm256_blendv_epi8(b, a, mask)
#include "../curves.h"

void gw_sigmoid_avx2(int16_t *values, int32_t count) { sigmoid(values, count); }

void gw_tanh_avx2(int16_t *values, int32_t count, int32_t integer_bits) { tanh_of_all(values, count, integer_bits); }

// gw_requantise_twice on eight sums, but that a shift to the left is limited a little below 2^31: only for what is then limited
// to 16 bits or fewer.
TARGET static inline __m256i twice(__m256i value, __m256i multiplier, __m256i shift) {
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi64x(INT64_C(1) << 30);
    __m256i left = _mm256_max_epi32(shift, zero), right = _mm256_max_epi32(_mm256_sub_epi32(zero, shift), zero);
    value = _mm256_min_epi32(value, _mm256_srav_epi32(_mm256_set1_epi32(INT32_MAX), left));
    value = _mm256_sllv_epi32(_mm256_max_epi32(value, _mm256_srav_epi32(_mm256_set1_epi32(INT32_MIN), left)), left);
    __m256i even = _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epi32(value, multiplier), half), 31);
    __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(value, 32), _mm256_srli_epi64(multiplier, 32)), half);
    value = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 1), 0xaa); // bits 31 ... 62 to the upper half
    __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(1), right), _mm256_set1_epi32(1));
    __m256i threshold = _mm256_sub_epi32(_mm256_srli_epi32(mask, 1), _mm256_srai_epi32(value, 31));
    __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(value, mask), threshold);
    return _mm256_sub_epi32(_mm256_srav_epi32(value, right), up);
}

TARGET static inline __m256i scaled(const gw_packed *packed, const int32_t *sums, int32_t o) {
    return twice(vload(sums + o), vload(packed->multipliers + o), vload(packed->shifts + o));
}

// Two vectors of int32, limited to int16, in order.
TARGET static inline __m256i narrowed(__m256i low, __m256i high) { return _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8); }

TARGET void gw_gates_avx2(const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates) {
    const __m256i least = _mm256_set1_epi32(INT16_MIN), most = _mm256_set1_epi32(INT16_MAX);
    int32_t o = 0;
    for (; o + LANES <= input->outputs; o += LANES) {
        __m256i parts[2];
        for (int32_t p = 0; p < 2; p++) {
            __m256i from_input = _mm256_min_epi32(_mm256_max_epi32(scaled(input, sums, o + 8 * p), least), most);
            // Beyond +-2^17 the sum is limited whatever the other part is.
            __m256i from_hidden = scaled(hidden, recurrent, o + 8 * p);
            from_hidden = _mm256_min_epi32(_mm256_max_epi32(from_hidden, _mm256_set1_epi32(-(1 << 17))), _mm256_set1_epi32(1 << 17));
            parts[p] = _mm256_add_epi32(from_input, from_hidden);
        }
        vstore(gates + o, narrowed(parts[0], parts[1]));
    }
    gw_gates_reference_from(o, input, sums, hidden, recurrent, gates);
}

TARGET void gw_requantise_twice_avx2(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    const __m256i point = _mm256_set1_epi16((int16_t)packed->output_zero_point);
    const __m256i low = _mm256_set1_epi16((int16_t)packed->low), high = _mm256_set1_epi16((int16_t)packed->high);
    int32_t o = 0;
    for (; o + LANES <= packed->outputs; o += LANES) {
        __m256i v = vadd_limited(narrowed(scaled(packed, sums, o), scaled(packed, sums, o + 8)), point);
        v = vmin(_mm256_max_epi16(v, low), high);
        __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        _mm_storeu_si128((__m128i *)(output + o), bytes);
    }
    gw_requantise_twice_reference_from(o, packed, sums, output);
}
#endif
