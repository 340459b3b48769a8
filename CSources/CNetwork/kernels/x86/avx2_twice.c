#include "../kernel.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"
#include <string.h>

enum { LANES = 16, HALF = 8 };

AVX2 static inline __m256i loaded(const int32_t *numbers) { return _mm256_loadu_si256((const __m256i *)(const void *)numbers); }

AVX2 static inline __m256i scaled(const gw_packed *packed, const int32_t *sums, int32_t o) {
    return gw_twice_avx2(loaded(sums + o), loaded(packed->multipliers + o), loaded(packed->shifts + o));
}

AVX2 void gw_requantise_twice_avx2(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    const __m256i point = _mm256_set1_epi16((int16_t)packed->output_zero_point);
    const __m256i low = _mm256_set1_epi16((int16_t)packed->low), high = _mm256_set1_epi16((int16_t)packed->high);
    int32_t o = 0;
    for (; o + LANES <= packed->outputs; o += LANES) {
        const __m256i v = gw_narrowed_avx2(scaled(packed, sums, o), scaled(packed, sums, o + HALF));
        _mm_storeu_si128((__m128i *)(void *)(output + o), gw_finished_avx2(v, point, low, high));
    }
    gw_requantise_twice_reference_from(o, packed, sums, output);
}

// What eight small sums are scaled with: see round_twice.
typedef struct factors {
    __m256i multiplier, odd_multiplier, right, shifts, to_even, to_odd;
} factors;

AVX2 static inline factors factors_of(const gw_packed *packed, int32_t o) {
    const __m256i multiplier = loaded(packed->multipliers + o), zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
    const __m256i right = _mm256_sub_epi32(zero, loaded(packed->shifts + o));
    // Nothing is added where nothing is shifted: a shift by -1 is one by more than 32 bits.
    const __m256i half = _mm256_sllv_epi32(one, _mm256_sub_epi32(right, one));
    const __m256i added = _mm256_add_epi32(half, _mm256_sllv_epi32(_mm256_set1_epi32(packed->output_zero_point), right));
    const __m256i most = _mm256_set1_epi32(1 << 30), first_half = _mm256_set1_epi64x(1 << 30);
    return (factors){multiplier, _mm256_srli_epi64(multiplier, 32), right, _mm256_cmpgt_epi32(right, zero),
        _mm256_add_epi64(_mm256_slli_epi64(_mm256_mul_epi32(added, most), 1), first_half),
        _mm256_add_epi64(_mm256_slli_epi64(_mm256_mul_epi32(_mm256_srli_epi64(added, 32), most), 1), first_half)};
}

AVX2 __attribute__((always_inline)) static inline __m256i twice(__m256i v, const factors *f, const bool corrects) {
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(v, f->multiplier), f->to_even);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(v, 32), f->odd_multiplier), f->to_odd);
    __m256i sum = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
    if (corrects) { sum = _mm256_add_epi32(sum, _mm256_and_si256(_mm256_srai_epi32(v, 31), f->shifts)); }
    return _mm256_srav_epi32(sum, f->right);
}

// Rows of small sums, as the AVX-512 kernel has them: both roundings' halves and the zero point are added before the shifts, and of what
// is negative one is taken off, unless limits above the zero point hide it (`corrects`).
AVX2 __attribute__((always_inline)) static inline void round_twice(
    const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output, const bool corrects) {
    const __m128i low = _mm_set1_epi8((char)packed->low), high = _mm_set1_epi8((char)packed->high);
    int32_t o = 0;
    for (; o + LANES <= packed->outputs; o += LANES) {
        const factors first = factors_of(packed, o), second = factors_of(packed, o + HALF);
        for (int32_t i = 0; i < rows; i++) {
            const int32_t *row = sums + (ptrdiff_t)i * packed->padded + o;
            const __m256i v = gw_narrowed_avx2(twice(loaded(row), &first, corrects), twice(loaded(row + HALF), &second, corrects));
            const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
            _mm_storeu_si128(
                (__m128i *)(void *)(output + (ptrdiff_t)i * packed->outputs + o), _mm_min_epi8(_mm_max_epi8(bytes, low), high));
        }
    }
    // What is left, eight at a time: factors and sums are there for whole vectors of them.
    for (; o < packed->outputs; o += HALF) {
        const int32_t left = packed->outputs - o;
        const factors last = factors_of(packed, o);
        for (int32_t i = 0; i < rows; i++) {
            const __m256i v = twice(loaded(sums + (ptrdiff_t)i * packed->padded + o), &last, corrects);
            const __m128i narrow = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
            const int64_t bytes = _mm_cvtsi128_si64(_mm_min_epi8(_mm_max_epi8(_mm_packs_epi16(narrow, narrow), low), high));
            memcpy(output + (ptrdiff_t)i * packed->outputs + o, &bytes, (size_t)(left < HALF ? left : HALF));
        }
    }
}

AVX2 void gw_requantise_rows_twice_avx2(const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output) {
    if (!packed->is_small) {
        for (int32_t i = 0; i < rows; i++) {
            gw_requantise_twice_avx2(packed, sums + (ptrdiff_t)i * packed->padded, output + (ptrdiff_t)i * packed->outputs);
        }
    } else if (packed->low < packed->output_zero_point) {
        round_twice(packed, sums, rows, output, true);
    } else {
        round_twice(packed, sums, rows, output, false);
    }
}
#endif
