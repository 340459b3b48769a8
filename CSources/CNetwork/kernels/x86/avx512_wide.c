#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define VECTOR __m512i
#define vzero _mm512_setzero_si512
#define vspread _mm512_set1_epi32
#define vwide _mm512_loadu_si512
#define vadd_products _mm512_dpwssd_epi32
enum { ROWS = 16 };

TARGET static inline __m512i vnarrow(const int8_t *weights) { return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)weights)); }

TARGET static inline void add_to(int64_t *to, __m512i eight) { _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(to), eight)); }

TARGET static inline __m512i first_eight(__m512i v) { return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)); }

TARGET static inline __m512i last_eight(__m512i v) { return _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1)); }

TARGET static inline void vadd_to(int64_t *to, __m512i sums) {
    add_to(to, first_eight(sums));
    add_to(to + 8, last_eight(sums));
}

TARGET static inline void vadd_halves_to(int64_t *to, __m512i upper, __m512i lower) {
    add_to(to, _mm512_add_epi64(_mm512_slli_epi64(first_eight(upper), 8), first_eight(lower)));
    add_to(to + 8, _mm512_add_epi64(_mm512_slli_epi64(last_eight(upper), 8), last_eight(lower)));
}

#include "wide_sums.h"

void gw_add_narrow_vnni(const gw_packed *packed, const int8_t *weights, const int16_t *row, int64_t *sums) {
    add_all_narrow(packed, weights, row, sums);
}

void gw_add_wide_vnni(const gw_packed *packed, const int16_t *weights, const int16_t *row, int64_t *sums) {
    add_all_wide(packed, weights, row, sums);
}

// Eight sums times the multipliers over 2^bits, rounded, as int16; `outside` collects the lanes that int32 does not hold. Shifts are to
// the right.
TARGET static inline __m128i eight_scaled(const int64_t *sums, __m256i m, __m256i shifts, int32_t bits, __mmask8 *outside) {
    const __m512i wide = _mm512_loadu_si512(sums), right = _mm512_cvtepi32_epi64(_mm256_sub_epi32(_mm256_set1_epi32(bits), shifts));
    const __m512i one = _mm512_set1_epi64(1);
    *outside |= _mm512_cmpneq_epi64_mask(wide, _mm512_cvtepi32_epi64(_mm512_cvtepi64_epi32(wide)));
    const __m512i half = _mm512_sllv_epi64(one, _mm512_sub_epi64(right, one)), product = _mm512_mul_epi32(wide, _mm512_cvtepi32_epi64(m));
    return _mm512_cvtsepi64_epi16(_mm512_srav_epi64(_mm512_add_epi64(product, half), right));
}

// A multiplier's upper 15 bits, as gw_requantise_reduced takes them.
TARGET static inline __m256i reduced(__m256i multiplier) {
    return _mm256_srai_epi32(_mm256_add_epi32(_mm256_min_epi32(multiplier, _mm256_set1_epi32(0x7fff0000)), _mm256_set1_epi32(1 << 15)), 16);
}

TARGET int32_t gw_scale_vnni(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output) {
    if (!packed->only_right || rounding == GW_ROUND_TWICE) { return 0; }
    __mmask8 outside = 0;
    int32_t o = 0;
    for (; o + 8 <= packed->outputs; o += 8) {
        const __m256i m = _mm256_loadu_si256((const __m256i *)(packed->multipliers + o)),
                      shifts = _mm256_loadu_si256((const __m256i *)(packed->shifts + o));
        const __m128i scaled = rounding == GW_ROUND_ONCE ? eight_scaled(sums + o, m, shifts, 31, &outside)
                                                         : eight_scaled(sums + o, reduced(m), shifts, 15, &outside);
        _mm_storeu_si128((__m128i *)(output + o), scaled);
    }
    return outside == 0 ? o : 0;
}
#endif
