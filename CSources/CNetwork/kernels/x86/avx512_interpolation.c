#include "../wide.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define VECTOR __m512i
#define LANES 16
#define vset _mm512_set1_epi32
#define vadd _mm512_add_epi32
#define vsub _mm512_sub_epi32
#define vand _mm512_and_si512
#define vtimes _mm512_madd_epi16
#define vmin _mm512_min_epi32
#define vabs _mm512_abs_epi32
#define vleft(v, bits) _mm512_slli_epi32(v, (uint32_t)(bits))
#define vright(v, bits) _mm512_srai_epi32(v, (uint32_t)(bits))
#define vright_unsigned(v, bits) _mm512_srli_epi32(v, (uint32_t)(bits))
#define vdivided _mm512_sra_epi32
#define vwhere_less(a, b, x, y) _mm512_mask_blend_epi32(_mm512_cmplt_epi32_mask(a, b), y, x)
#define vfrom(input) _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(input)))
#define vto(output, v) _mm256_storeu_si256((__m256i *)(output), _mm512_cvtsepi32_epi16(v))

// Entries `first` to `first` + 63 of the table, by the lower six bits of each word.
TARGET static inline __m512i of_quarter(__m512i places, int32_t first) {
    const uint16_t *entries = gw_interpolation_table + first;
    return _mm512_permutex2var_epi16(_mm512_loadu_si512(entries), places, _mm512_loadu_si512(entries + 32));
}

// The table fits eight registers, which takes less time than a gather.
TARGET static inline __m512i entries_at(__m512i places) {
    const __mmask32 odd = _mm512_test_epi16_mask(places, _mm512_set1_epi16(64)),
                    upper = _mm512_test_epi16_mask(places, _mm512_set1_epi16(128));
    const __m512i low = _mm512_mask_blend_epi16(odd, of_quarter(places, 0), of_quarter(places, 64));
    const __m512i high = _mm512_mask_blend_epi16(odd, of_quarter(places, 128), of_quarter(places, 192));
    return _mm512_mask_blend_epi16(upper, low, high);
}

TARGET static inline __m512i ventries(__m512i place) {
    return entries_at(_mm512_add_epi16(_mm512_or_si512(place, _mm512_slli_epi32(place, 16)), _mm512_set1_epi32(1 << 16)));
}

#include "interpolation.h"

// The same in lanes of 16 bits, of inputs that are multiplied and not divided: |x| * factor, moved to the left, has the entry in its upper
// 16 bits and the fraction between two entries in the lower ones.
enum { SHORT_LANES = 32, SHORT_FACTOR_MOST = 255 };

typedef struct short_places {
    __m512i low, difference, rest;
    __mmask32 beyond, negative;
} short_places;

TARGET static inline short_places short_places_of(const int16_t *input, int32_t factor, int32_t bits) {
    const __m512i x = _mm512_loadu_si512(input), magnitude = _mm512_abs_epi16(x); // 2^15 without a sign
    const __m512i by = _mm512_set1_epi16((int16_t)(uint16_t)(factor << (16 - bits)));
    const __m512i entry = _mm512_mulhi_epu16(magnitude, by), place = _mm512_min_epu16(entry, _mm512_set1_epi16(LAST_ENTRY - 1));
    const __m512i low = entries_at(place), next = entries_at(_mm512_add_epi16(place, _mm512_set1_epi16(1)));
    return (short_places){.low = low,
        .difference = _mm512_sub_epi16(next, low),
        .rest = _mm512_mullo_epi16(magnitude, by),
        .beyond = _mm512_cmpge_epu16_mask(entry, _mm512_set1_epi16(LAST_ENTRY)),
        .negative = _mm512_movepi16_mask(x)};
}

TARGET static inline __m512i short_sigmoids(const int16_t *input, int32_t factor) {
    const short_places p = short_places_of(input, factor, 9);
    const __m512i largest = _mm512_set1_epi16(INT16_MAX), drawn = _mm512_add_epi16(p.low, _mm512_mulhi_epu16(p.difference, p.rest));
    const __m512i above = _mm512_mask_mov_epi16(_mm512_avg_epu16(drawn, _mm512_setzero_si512()), p.beyond, largest);
    return _mm512_mask_sub_epi16(_mm512_min_epu16(above, largest), p.negative, _mm512_set1_epi16(INT16_MIN), above);
}

TARGET static inline __m512i short_tanhs(const int16_t *input, int32_t factor) {
    const short_places p = short_places_of(input, factor, 8);
    const __m512i change = _mm512_mulhrs_epi16(p.difference, _mm512_srli_epi16(p.rest, 1));
    const __m512i drawn = _mm512_add_epi16(_mm512_xor_si512(p.low, _mm512_set1_epi16(INT16_MIN)), change);
    const __m512i above = _mm512_mask_mov_epi16(drawn, p.beyond, _mm512_set1_epi16(INT16_MAX));
    return _mm512_mask_sub_epi16(above, p.negative, _mm512_setzero_si512(), above);
}

// Whole vectors of inputs that are not divided; `count` are left.
#define INTERPOLATE_SHORT(curve)                                                                                                           \
    int32_t done = 0;                                                                                                                      \
    for (; shift == 0 && factor <= SHORT_FACTOR_MOST && done + SHORT_LANES <= count; done += SHORT_LANES) {                                \
        _mm512_storeu_si512(output + done, curve(input + done, factor));                                                                   \
    }                                                                                                                                      \
    input += done, output += done, count -= done;

TARGET void gw_sigmoid_interpolated_avx512(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output){
    INTERPOLATE_SHORT(short_sigmoids) INTERPOLATE_ALL(sigmoids, gw_sigmoid_interpolated_reference)}

TARGET void gw_tanh_interpolated_avx512(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output) {
    INTERPOLATE_SHORT(short_tanhs)
    INTERPOLATE_ALL(tanhs, gw_tanh_interpolated_reference)
}
#endif
