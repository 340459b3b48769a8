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
TARGET static inline __m512i ventries(__m512i place) {
    const __m512i places = _mm512_add_epi16(_mm512_or_si512(place, _mm512_slli_epi32(place, 16)), _mm512_set1_epi32(1 << 16));
    const __mmask32 odd = _mm512_test_epi16_mask(places, _mm512_set1_epi16(64)),
                    upper = _mm512_test_epi16_mask(places, _mm512_set1_epi16(128));
    const __m512i low = _mm512_mask_blend_epi16(odd, of_quarter(places, 0), of_quarter(places, 64));
    const __m512i high = _mm512_mask_blend_epi16(odd, of_quarter(places, 128), of_quarter(places, 192));
    return _mm512_mask_blend_epi16(upper, low, high);
}

#include "interpolation.h"

TARGET void gw_sigmoid_interpolated_avx512(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output){
    INTERPOLATE_ALL(sigmoids, gw_sigmoid_interpolated_reference)}

TARGET void gw_tanh_interpolated_avx512(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output) {
    INTERPOLATE_ALL(tanhs, gw_tanh_interpolated_reference)
}
#endif
