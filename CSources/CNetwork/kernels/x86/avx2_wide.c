#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define VECTOR __m256i
#define LANES 16
#define vload(p) load(p)

TARGET static inline __m256i load(const void *from) { return _mm256_loadu_si256(from); }

// The eight int32 of a vector, as four sums of two in int64.
TARGET static inline __m256i widened(__m256i sums) {
    return _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(sums)), _mm256_cvtepi32_epi64(_mm256_extracti128_si256(sums, 1)));
}

TARGET static inline int64_t total(__m256i sums) {
    int64_t parts[4];
    _mm256_storeu_si256((__m256i *)parts, sums);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

enum { NARROW_MOST = 512 };

// No weight is -128, so 256 pairs of products stay within int32: as many as the longest row has for a lane.
TARGET static inline __m256i add(__m256i sums, __m256i x, const int8_t *weights) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(x, _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)weights))));
}

TARGET static inline int64_t one(const int16_t *row, const int8_t *weights, int32_t inputs) {
    __m256i sums = _mm256_setzero_si256();
    int32_t i = 0;
    for (; i + LANES <= inputs; i += LANES) { sums = add(sums, load(row + i), weights + i); }
    return total(widened(sums)) + gw_dot_narrow_reference(row + i, weights + i, inputs - i);
}

TARGET static inline void four(const int16_t *row, __m256i last, const int8_t *const *w, int32_t inputs, int64_t *sums) {
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
    int32_t i = 0;
    for (; i + LANES <= inputs; i += LANES) {
        const __m256i x = load(row + i);
        a = add(a, x, w[0] + i), b = add(b, x, w[1] + i), c = add(c, x, w[2] + i), d = add(d, x, w[3] + i);
    }
    if (i < inputs) { a = add(a, last, w[0] + i), b = add(b, last, w[1] + i), c = add(c, last, w[2] + i), d = add(d, last, w[3] + i); }
    if (inputs > NARROW_MOST) { // whose lanes together leave int32
        sums[0] += total(widened(a)), sums[1] += total(widened(b)), sums[2] += total(widened(c)), sums[3] += total(widened(d));
        return;
    }
    const __m256i pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    const __m128i each = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    _mm256_storeu_si256((__m256i *)sums, _mm256_add_epi64(load(sums), _mm256_cvtepi32_epi64(each)));
}

#include "../dots_narrow.h"

TARGET void gw_dots_narrow_avx2(const int16_t *row, const int8_t *weights, int32_t inputs, int32_t outputs, int64_t *sums) {
    dots_narrow(row, weights, inputs, outputs, sums);
}

// No weight is -32768, so a pair of products stays within int32. Their upper and lower halves are summed apart: 256 of each, as
// many as the longest row has for a lane, stay within int32 too.
TARGET int64_t gw_dot_wide_avx2(const int16_t *row, const int16_t *weights, int32_t count) {
    __m256i upper = _mm256_setzero_si256(), lower = upper;
    const __m256i low = _mm256_set1_epi32(0xffff);
    int32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m256i pairs = _mm256_madd_epi16(load(row + i), load(weights + i));
        upper = _mm256_add_epi32(upper, _mm256_srai_epi32(pairs, 16));
        lower = _mm256_add_epi32(lower, _mm256_and_si256(pairs, low));
    }
    return total(widened(upper)) * 65536 + total(widened(lower)) + gw_dot_wide_reference(row + i, weights + i, count - i);
}

// Four sums times the multipliers over 2^bits, rounded, of which `outside` collects what int32 does not hold. Shifts are to the right.
TARGET static inline __m128i four_scaled(const int64_t *sums, __m128i m, __m128i shifts, int32_t bits, __m256i *outside) {
    const __m256i wide = load(sums), right = _mm256_cvtepi32_epi64(_mm_sub_epi32(_mm_set1_epi32(bits), shifts));
    const __m256i one = _mm256_set1_epi64x(1), least = _mm256_set1_epi64x(INT64_MIN);
    const __m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), wide);
    // Equal upper 33 bits.
    *outside = _mm256_or_si256(*outside, _mm256_srli_epi64(_mm256_xor_si256(wide, sign), 31));
    const __m256i product = _mm256_mul_epi32(wide, _mm256_cvtepi32_epi64(m));
    const __m256i half = _mm256_sllv_epi64(one, _mm256_sub_epi64(right, one));
    // A logical shift of what has no sign.
    const __m256i above = _mm256_srlv_epi64(_mm256_xor_si256(_mm256_add_epi64(product, half), least), right);
    const __m256i scaled = _mm256_sub_epi64(above, _mm256_srlv_epi64(least, right));
    const __m256 parts = _mm256_castsi256_ps(scaled);
    const __m256 lower = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(parts, parts, 0x88)), 0x08));
    return _mm_castps_si128(_mm256_castps256_ps128(lower));
}

// A multiplier's upper 15 bits, as gw_requantise_reduced takes them.
TARGET static inline __m128i reduced(__m128i multiplier) {
    return _mm_srai_epi32(_mm_add_epi32(_mm_min_epi32(multiplier, _mm_set1_epi32(0x7fff0000)), _mm_set1_epi32(1 << 15)), 16);
}

TARGET int32_t gw_scale_avx2(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output) {
    if (!packed->only_right || rounding == GW_ROUND_TWICE) { return 0; }
    __m256i outside = _mm256_setzero_si256();
    int32_t o = 0;
    for (; o + 8 <= packed->outputs; o += 8) {
        __m128i fours[2];
        for (int32_t p = 0; p < 2; p++) {
            const int32_t first = o + 4 * p;
            const __m128i m = _mm_loadu_si128((const __m128i *)(packed->multipliers + first)),
                          shifts = _mm_loadu_si128((const __m128i *)(packed->shifts + first));
            fours[p] = rounding == GW_ROUND_ONCE ? four_scaled(sums + first, m, shifts, 31, &outside)
                                                 : four_scaled(sums + first, reduced(m), shifts, 15, &outside);
        }
        _mm_storeu_si128((__m128i *)(output + o), _mm_packs_epi32(fours[0], fours[1]));
    }
    return _mm256_testz_si256(outside, outside) ? o : 0;
}
#endif
