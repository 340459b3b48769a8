#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

#define TARGET AVX2
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

TARGET static inline __m256i scaled(const gw_packed *packed, const int32_t *sums, int32_t o) {
    return gw_twice_avx2(vload(sums + o), vload(packed->multipliers + o), vload(packed->shifts + o));
}

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
        vstore(gates + o, gw_narrowed_avx2(parts[0], parts[1]));
    }
    gw_gates_reference_from(o, input, sums, hidden, recurrent, gates);
}
#endif
