#include "../wide.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"

#define TARGET AVX2
#define VECTOR __m256i
#define LANES 8
#define vset _mm256_set1_epi32
#define vadd _mm256_add_epi32
#define vsub _mm256_sub_epi32
#define vand _mm256_and_si256
#define vtimes _mm256_madd_epi16
#define vmin _mm256_min_epi32
#define vabs _mm256_abs_epi32
#define vleft _mm256_slli_epi32
#define vright _mm256_srai_epi32
#define vright_unsigned _mm256_srli_epi32
#define vdivided _mm256_sra_epi32
#define vwhere_less(a, b, x, y) _mm256_blendv_epi8(y, x, _mm256_cmpgt_epi32(b, a))
#define ventries(place) _mm256_i32gather_epi32((const int *)(const void *)gw_interpolation_table, place, sizeof *gw_interpolation_table)
#define vfrom(input) _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(input)))

AVX2 static inline void vto(int16_t *output, __m256i v) {
    _mm_storeu_si128((__m128i *)output, _mm256_castsi256_si128(gw_narrowed_avx2(v, v)));
}

#include "interpolation.h"

AVX2 void gw_sigmoid_interpolated_avx2(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output){
    INTERPOLATE_ALL(sigmoids, gw_sigmoid_interpolated_reference)}

AVX2 void gw_tanh_interpolated_avx2(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output){INTERPOLATE_ALL(
    tanhs, gw_tanh_interpolated_reference)} // Eight places in a table of int16: a gather takes the entry below and the next one at once.
AVX2 static inline __m256i looked_up(const int16_t *table, __m256i place) {
    const __m256i both = _mm256_i32gather_epi32((const int *)(const void *)table, _mm256_srli_epi32(place, 7), sizeof *table);
    const __m256i low = _mm256_srai_epi32(_mm256_slli_epi32(both, 16), 16), difference = _mm256_sub_epi32(_mm256_srai_epi32(both, 16), low);
    const __m256i part = _mm256_mullo_epi32(difference, _mm256_and_si256(place, _mm256_set1_epi32(127)));
    return _mm256_add_epi32(low, _mm256_srai_epi32(_mm256_add_epi32(part, _mm256_set1_epi32(64)), 7));
}

AVX2 void gw_look_up_wide_avx2(const int16_t *table, const int16_t *source, int32_t count, int16_t *output) {
    const __m256i least = _mm256_set1_epi32(32768);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { vto(output + i, looked_up(table, vadd(vfrom(source + i), least))); }
    gw_look_up_wide_reference(table, source + i, count - i, output + i);
}
#endif
