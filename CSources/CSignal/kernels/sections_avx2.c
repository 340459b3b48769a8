#include "../sections.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))

// The three axes in the 64-bit lanes of one vector (the fourth idles). vpmuldq reads each lane's low 32 bits as a signed
// number, so the high halves may hold anything; every value is an int32 by the L1 norms in butterworth_table.h.
typedef struct lanes {
    __m256i newest, older;
} lanes;

AVX2 static inline __m256i every(int32_t value) { return _mm256_set1_epi64x(value); }

AVX2 static inline __m256i load_axes(const int32_t v[GW_AXES]) { return _mm256_setr_epi64x(v[0], v[1], v[2], 0); }

AVX2 static inline __m128i low_halves(__m256i v) {
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}

AVX2 static void store_axes(__m256i v, int32_t out[GW_AXES]) {
    int32_t four[4];
    _mm_storeu_si128((__m128i *)four, low_halves(v));
    for (int32_t axis = 0; axis < GW_AXES; axis++) { out[axis] = four[axis]; }
}

// One sample through one section: `in` becomes the newest of the input's history, which the section before has given.
AVX2 static inline __m256i step(lanes *input, const lanes *output, const gw_section *c, __m256i in, bool second_zero, bool gain) {
    __m256i zeros = _mm256_add_epi64(in, input->newest);
    if (second_zero) { zeros = _mm256_add_epi64(zeros, _mm256_add_epi64(input->newest, input->older)); }
    __m256i scaled = gain ? _mm256_mul_epi32(zeros, every(c->gain)) : _mm256_slli_epi64(zeros, COEFFICIENT_BITS);
    __m256i poles = _mm256_sub_epi64(every(1 << (COEFFICIENT_BITS - 1)), _mm256_mul_epi32(output->newest, every(c->a1)));
    if (second_zero) { poles = _mm256_sub_epi64(poles, _mm256_mul_epi32(output->older, every(c->a2))); }
    *input = (lanes){in, input->newest};
    return _mm256_srli_epi64(_mm256_add_epi64(scaled, poles), COEFFICIENT_BITS);
}

// Q7.24 in the low halves to three int16 in Q3.12.
AVX2 static inline void store_q12(__m256i y, int16_t out[GW_AXES]) {
    __m128i rounded = _mm_srai_epi32(_mm_add_epi32(low_halves(y), _mm_set1_epi32(1 << (GUARD_BITS - 1))), GUARD_BITS);
    int64_t packed = _mm_cvtsi128_si64(_mm_packs_epi32(rounded, rounded));
    memcpy(out, &packed, GW_AXES * sizeof *out);
}

AVX2 void gw_sections_avx2(gw_filter *filter, int32_t (*medians)[GW_AXES], int32_t n, int16_t *total, int16_t *gravity) {
    enum { LEVELS = 1 + NOISE_SECTIONS + GRAVITY_SECTIONS };
    lanes level[LEVELS];
    for (int32_t i = 0; i < LEVELS; i++) { level[i] = (lanes){load_axes(filter->history[i][0]), load_axes(filter->history[i][1])}; }
    for (int32_t i = 0; i < n; i++) {
        __m256i v = load_axes(medians[i]);
        v = step(&level[0], &level[1], &noise_sections[0], v, true, true);
        v = step(&level[1], &level[2], &noise_sections[1], v, true, false);
        v = step(&level[2], &level[3], &noise_sections[2], v, true, false);
        v = step(&level[3], &level[4], &noise_sections[3], v, true, false);
        v = step(&level[4], &level[5], &noise_sections[4], v, true, false);
        store_q12(v, total + i * GW_AXES);
        if (!gravity) {
            level[NOISE_SECTIONS] = (lanes){v, level[NOISE_SECTIONS].newest};
            continue;
        }
        v = step(&level[5], &level[6], &gravity_sections[0], v, false, true);
        v = step(&level[6], &level[7], &gravity_sections[1], v, true, true);
        store_q12(v, gravity + i * GW_AXES);
        level[7] = (lanes){v, level[7].newest};
    }
    for (int32_t i = 0; i < LEVELS; i++) {
        store_axes(level[i].newest, filter->history[i][0]);
        store_axes(level[i].older, filter->history[i][1]);
    }
}
#endif
