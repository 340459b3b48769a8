#include "../wide.h"

#if defined(__x86_64__)
#include "avx2_channels.h"

#define TARGET __attribute__((target("avx2")))
#define VECTOR __m256i
#define vzero _mm256_setzero_si256
#define vadd _mm256_add_epi32
#define vspread _mm256_set1_epi32
#define vleft _mm256_slli_epi32
#define vright _mm256_sra_epi32
#define vmadd _mm256_madd_epi16
#define vmulhi _mm256_mulhi_epu16
#define vput_limited gw_put_limited_avx2
enum { ROWS = 8 };

TARGET static inline __m256i load(const void *from) { return _mm256_loadu_si256(from); }

#define vload load

TARGET static inline __m256i vadd_products(__m256i sums, __m256i x, __m256i weights) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(x, weights));
}

TARGET static inline void put_four(int64_t *to, const int64_t *from, __m256i four) {
    _mm256_storeu_si256((__m256i *)to, _mm256_add_epi64(load(from), four));
}

TARGET static inline __m256i first_four(__m256i v) { return _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)); }

TARGET static inline __m256i last_four(__m256i v) { return _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)); }

TARGET static inline void vput(int64_t *to, const int64_t *from, __m256i upper, __m256i lower) {
    put_four(to, from, _mm256_add_epi64(_mm256_slli_epi64(first_four(upper), 8), first_four(lower)));
    put_four(to + 4, from + 4, _mm256_add_epi64(_mm256_slli_epi64(last_four(upper), 8), last_four(lower)));
}

#include "wide_sums.h"

void gw_sum_wide_avx2(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    sum_all_wide(packed, weights, bias, row, sums);
}

TARGET static inline __m256i added(__m256i sums, __m256i x, const int8_t *weights) {
    return vadd_products(sums, x, _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)weights)));
}

// 254 pairs of products stay within int32 here as well. Where the row ends behind the first of two, there is no weight
// for the other.
INLINE void narrow_parts(const int8_t *weights, ptrdiff_t line, const int16_t *row, int32_t inputs, __m256i *parts, const int32_t blocks) {
    for (int32_t b = 0; b < blocks; b++) { parts[b] = vzero(); }
    int32_t i = 0;
    for (; i + 2 <= inputs; i += 2) {
        const __m256i x = pair_from(row + i);
        for (int32_t b = 0; b < blocks; b++) { parts[b] = added(parts[b], x, weights + b * line + (ptrdiff_t)i * ROWS); }
    }
    for (int32_t b = 0; b < blocks && i < inputs; b++) {
        parts[b] = added(parts[b], vspread((uint16_t)row[i]), weights + b * line + (ptrdiff_t)i * ROWS);
    }
}

INLINE void sum_narrow(
    const int8_t *weights, ptrdiff_t line, const int16_t *row, int32_t inputs, const int64_t *from, int64_t *sums, const int32_t blocks) {
    __m256i parts[ABREAST];
    narrow_parts(weights, line, row, inputs, parts, blocks);
    for (int32_t b = 0; b < blocks; b++) {
        put_four(sums + (ptrdiff_t)b * ROWS, from + (ptrdiff_t)b * ROWS, first_four(parts[b]));
        put_four(sums + (ptrdiff_t)b * ROWS + 4, from + (ptrdiff_t)b * ROWS + 4, last_four(parts[b]));
    }
}

TARGET void gw_sum_narrow_avx2(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 2 * ROWS;
    for (int32_t start = 0; start < packed->inputs; start += MOST, row += MOST, weights += MOST * ROWS, bias = sums) {
        const int32_t left = packed->inputs - start, inputs = left < MOST ? left : MOST;
        int32_t b = 0;
        for (; b + ABREAST <= packed->blocks; b += ABREAST) {
            sum_narrow(weights + b * line, line, row, inputs, bias + b * ROWS, sums + b * ROWS, ABREAST);
        }
        for (; b < packed->blocks; b++) { sum_narrow(weights + b * line, line, row, inputs, bias + b * ROWS, sums + b * ROWS, 1); }
    }
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

// The outputs of `blocks`, a constant at each call, from output `o` on.
INLINE void narrow_outputs(const gw_packed *packed, const int8_t *weights, ptrdiff_t line, const int16_t *row, gw_rounding rounding,
    int32_t o, int16_t *output, const int32_t blocks) {
    const __m256i low = vspread(packed->low), high = vspread(packed->high);
    __m256i parts[ABREAST];
    narrow_parts(weights, line, row, packed->inputs, parts, blocks);
    for (int32_t b = 0; b < blocks; b++, o += ROWS) {
        const gw_channels_avx2 f = gw_channels_of_avx2(packed, o, rounding);
        gw_put_limited_avx2(gw_scaled_avx2(vadd(parts[b], load(packed->bias + o)), &f), low, high, packed->outputs - o, output + o);
    }
}

TARGET void gw_product_narrow_avx2(
    const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 2 * ROWS;
    int32_t b = 0;
    for (; b + ABREAST <= packed->blocks; b += ABREAST) {
        narrow_outputs(packed, weights + b * line, line, row, rounding, b * ROWS, output, ABREAST);
    }
    for (; b < packed->blocks; b++) { narrow_outputs(packed, weights + b * line, line, row, rounding, b * ROWS, output, 1); }
}

TARGET int32_t gw_magnitude_avx2(const int16_t *row, int32_t count) {
    __m256i sums = vzero();
    int32_t i = 0;
    for (; i + 2 * ROWS <= count; i += 2 * ROWS) {
        const __m256i magnitudes = _mm256_abs_epi16(load(row + i)); // 2^15 without a sign
        sums = vadd(sums, vadd(_mm256_and_si256(magnitudes, vspread(0xffff)), _mm256_srli_epi32(magnitudes, 16)));
    }
    const int32_t rest = gw_magnitude_reference(row + i, count - i);
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return rest + _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

void gw_product_short_avx2(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output) {
    product_short(packed, weights, row, m, output);
}

const gw_wide gw_wide_avx2 = {
    .rows = ROWS,
    .narrow_group = 2,
    .group = 2,
    .sum_narrow = gw_sum_narrow_avx2,
    .sum_wide = gw_sum_wide_avx2,
    .sigmoid_interpolated = gw_sigmoid_interpolated_avx2,
    .tanh_interpolated = gw_tanh_interpolated_avx2,
    .look_up_wide = gw_look_up_wide_avx2,
    .below_maximum = gw_below_maximum_avx2,
    .rescale_wide = gw_rescale_wide_avx2,
    .add_wide = gw_add_wide_avx2,
    .share = gw_share_avx2,
    .add_limited = gw_add_limited_avx2,
    .update_cells = gw_update_cells_avx2,
    .multiply_q15 = gw_multiply_q15_avx2,
    .mix = gw_mix_avx2,
    .multiply_twice = gw_multiply_twice_avx2,
    .scale = gw_scale_avx2,
    .product_narrow = gw_product_narrow_avx2,
    .magnitude = gw_magnitude_avx2,
    .product_short = gw_product_short_avx2,
    .depthwise_wide = gw_depthwise_wide_avx2,
};
#endif
