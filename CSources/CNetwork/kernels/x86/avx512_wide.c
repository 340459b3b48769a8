#include "../wide.h"

#if defined(__x86_64__)
#include "avx512_channels.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define VECTOR __m512i
#define vzero _mm512_setzero_si512
#define vadd _mm512_add_epi32
#define vspread _mm512_set1_epi32
#define vload _mm512_loadu_si512
#define vadd_products _mm512_dpwssd_epi32
#define vleft _mm512_slli_epi32
#define vright _mm512_sra_epi32
#define vmadd _mm512_madd_epi16
#define vmulhi _mm512_mulhi_epu16
#define vput_limited gw_put_limited_avx512
enum { ROWS = 16 };

TARGET static inline void put_eight(int64_t *to, const int64_t *from, __m512i eight) {
    _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(from), eight));
}

TARGET static inline __m512i first_eight(__m512i v) { return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)); }

TARGET static inline __m512i last_eight(__m512i v) { return _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1)); }

TARGET static inline void vput(int64_t *to, const int64_t *from, __m512i upper, __m512i lower) {
    put_eight(to, from, _mm512_add_epi64(_mm512_slli_epi64(first_eight(upper), 8), first_eight(lower)));
    put_eight(to + 8, from + 8, _mm512_add_epi64(_mm512_slli_epi64(last_eight(upper), 8), last_eight(lower)));
}

#include "wide_sums.h"

void gw_sum_wide_vnni(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    sum_all_wide(packed, weights, bias, row, sums);
}

// Inputs moved up by 32768 are 256 upper + lower, both without a sign, as vpdpbusd multiplies them; the bias takes the 32768 away again.
typedef struct bytes {
    uint8_t upper[GW_EXTENT_MAX], lower[GW_EXTENT_MAX];
} bytes;

// Zeros behind the last input, up to a whole vector.
TARGET static void split_in_bytes(const int16_t *row, int32_t inputs, bytes *to) {
    for (int32_t i = 0; i < inputs; i += 32) {
        const __mmask32 some = inputs - i < 32 ? (__mmask32)((1u << (inputs - i)) - 1) : 0xffffffff;
        const __m512i moved = _mm512_xor_si512(_mm512_maskz_loadu_epi16(some, row + i), _mm512_set1_epi16(INT16_MIN));
        _mm256_storeu_si256((__m256i *)(to->lower + i), _mm512_cvtepi16_epi8(moved));
        _mm256_storeu_si256((__m256i *)(to->upper + i), _mm512_cvtepi16_epi8(_mm512_srli_epi16(moved, 8)));
    }
}

INLINE __m512i four_from(const uint8_t *bytes) {
    int32_t four;
    memcpy(&four, bytes, sizeof four);
    return _mm512_set1_epi32(four);
}

// 4096 products of bytes stay within int32, and so do those of GW_NARROW_MOST whole inputs.

INLINE void narrow_parts(
    const int8_t *weights, ptrdiff_t line, const bytes *row, int32_t inputs, __m512i *upper, __m512i *lower, const int32_t blocks) {
    for (int32_t b = 0; b < blocks; b++) { upper[b] = lower[b] = vzero(); }
    for (int32_t i = 0; i < inputs; i += 4) {
        const __m512i high = four_from(row->upper + i), low = four_from(row->lower + i);
        for (int32_t b = 0; b < blocks; b++) {
            const __m512i w = vload(weights + b * line + (ptrdiff_t)i * ROWS);
            upper[b] = _mm512_dpbusd_epi32(upper[b], high, w);
            lower[b] = _mm512_dpbusd_epi32(lower[b], low, w);
        }
    }
}

INLINE __m512i both(__m512i upper, __m512i lower) { return _mm512_add_epi32(_mm512_slli_epi32(upper, 8), lower); }

INLINE void sum_narrow(
    const int8_t *weights, ptrdiff_t line, const bytes *row, int32_t inputs, const int64_t *from, int64_t *sums, const int32_t blocks) {
    __m512i upper[ABREAST], lower[ABREAST];
    narrow_parts(weights, line, row, inputs, upper, lower, blocks);
    for (int32_t b = 0; b < blocks; b++, sums += ROWS, from += ROWS) {
        if (inputs > GW_NARROW_MOST) {
            vput(sums, from, upper[b], lower[b]);
        } else {
            const __m512i all = both(upper[b], lower[b]);
            put_eight(sums, from, first_eight(all));
            put_eight(sums + 8, from + 8, last_eight(all));
        }
    }
}

TARGET void gw_sum_narrow_vnni(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    const int32_t inputs = packed->inputs;
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 4 * ROWS;
    bytes all; // only as much of it as there are inputs is written and read
    split_in_bytes(row, inputs, &all);
    int32_t b = 0;
    for (; b + ABREAST <= packed->blocks; b += ABREAST) {
        sum_narrow(weights + b * line, line, &all, inputs, bias + b * ROWS, sums + b * ROWS, ABREAST);
    }
    for (; b < packed->blocks; b++) { sum_narrow(weights + b * line, line, &all, inputs, bias + b * ROWS, sums + b * ROWS, 1); }
}

// Products over 2^(most + 1): one bit is left after the first shift, so that halves go up with the second.
TARGET static inline __m512i divided(__m512i products, __m512i most) {
    return _mm512_srai_epi64(_mm512_add_epi64(_mm512_srav_epi64(products, most), _mm512_set1_epi64(1)), 1);
}

// Sixteen sums times the multipliers over 2^(most + 1), as int16; `outside` collects the lanes that int32 does not hold.
TARGET static inline __m256i sixteen_scaled(__m512i first, __m512i second, __m512i m, __m512i most, __mmask16 *outside) {
    const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i v = _mm512_permutex2var_epi32(first, evens, second);
    const __m512i upper = _mm512_permutex2var_epi32(first, _mm512_add_epi32(evens, _mm512_set1_epi32(1)), second);
    *outside |= _mm512_cmpneq_epi32_mask(upper, _mm512_srai_epi32(v, 31));
    const __m512i even = divided(_mm512_mul_epi32(v, m), _mm512_and_si512(most, _mm512_set1_epi64(0xffffffff)));
    const __m512i odd = divided(_mm512_mul_epi32(_mm512_srli_epi64(v, 32), _mm512_srli_epi64(m, 32)), _mm512_srli_epi64(most, 32));
    return _mm512_cvtsepi32_epi16(_mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32)));
}

// Shifts are to the right. All outputs, or none.
TARGET int32_t gw_scale_vnni(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output) {
    if (!packed->only_right || rounding == GW_ROUND_TWICE) { return 0; }
    const __m512i bits = _mm512_set1_epi32(rounding == GW_ROUND_ONCE ? 30 : 14);
    const int32_t *multipliers = packed->multipliers, *shifts = packed->shifts, outputs = packed->outputs;
    __mmask16 outside = 0;
    int32_t o = 0;
    for (; o + ROWS <= outputs; o += ROWS) {
        const __m512i multiplier = vload(multipliers + o), m = rounding == GW_ROUND_ONCE ? multiplier : gw_reduced_avx512(multiplier);
        const __m512i most = _mm512_sub_epi32(bits, vload(shifts + o));
        _mm256_storeu_si256((__m256i *)(output + o), sixteen_scaled(vload(sums + o), vload(sums + o + 8), m, most, &outside));
    }
    if (o < outputs) {
        const __mmask16 some = (__mmask16)((1 << (outputs - o)) - 1);
        const __m512i multiplier = _mm512_maskz_loadu_epi32(some, multipliers + o);
        const __m512i m = rounding == GW_ROUND_ONCE ? multiplier : gw_reduced_avx512(multiplier);
        const __m512i most = _mm512_sub_epi32(bits, _mm512_maskz_loadu_epi32(some, shifts + o));
        const __m512i first = _mm512_maskz_loadu_epi64((__mmask8)some, sums + o),
                      second = _mm512_maskz_loadu_epi64((__mmask8)(some >> 8), sums + o + 8);
        _mm256_mask_storeu_epi16(output + o, some, sixteen_scaled(first, second, m, most, &outside));
    }
    return outside == 0 ? outputs : 0;
}

// The outputs of `blocks` from output `o` on; how many and how they are scaled are constants at each call.
INLINE void narrow_outputs(const gw_packed *packed, const int8_t *weights, ptrdiff_t line, const bytes *row, gw_rounding rounding,
    int32_t o, int16_t *output, const int32_t blocks, const bool is_short) {
    const __m512i least = vspread(packed->low), most = vspread(packed->high);
    __m512i upper[ABREAST], lower[ABREAST];
    narrow_parts(weights, line, row, packed->inputs, upper, lower, blocks);
    for (int32_t b = 0; b < blocks; b++, o += ROWS) {
        const __m512i sums = vadd(both(upper[b], lower[b]), vload(packed->bias + o));
        __m512i scaled;
        if (is_short) {
            const gw_short_channels_avx512 f = gw_short_channels_of_avx512(packed, o);
            scaled = gw_short_scaled_avx512(sums, &f);
        } else {
            const gw_channels_avx512 f = gw_channels_of_avx512(packed, o, rounding);
            scaled = gw_scaled_avx512(sums, &f);
        }
        gw_put_limited_avx512(scaled, least, most, packed->outputs - o, output + o);
    }
}

INLINE void product_narrow(
    const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output, const bool is_short) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 4 * ROWS;
    bytes all;
    split_in_bytes(row, packed->inputs, &all);
    int32_t b = 0;
    for (; b + ABREAST <= packed->blocks; b += ABREAST) {
        narrow_outputs(packed, weights + b * line, line, &all, rounding, b * ROWS, output, ABREAST, is_short);
    }
    for (; b < packed->blocks; b++) { narrow_outputs(packed, weights + b * line, line, &all, rounding, b * ROWS, output, 1, is_short); }
}

TARGET void gw_product_narrow_vnni(
    const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output) {
    if (rounding == GW_ROUND_REDUCED && packed->always_shifts_twice) {
        product_narrow(packed, weights, row, rounding, output, true);
    } else {
        product_narrow(packed, weights, row, rounding, output, false);
    }
}

TARGET int32_t gw_magnitude_vnni(const int16_t *row, int32_t count) {
    __m512i sums = vzero();
    for (int32_t i = 0; i < count; i += 32) {
        const __mmask32 some = count - i < 32 ? (__mmask32)((1u << (count - i)) - 1) : 0xffffffff;
        const __m512i magnitudes = _mm512_abs_epi16(_mm512_maskz_loadu_epi16(some, row + i)); // 2^15 without a sign
        sums = vadd(sums, vadd(_mm512_and_si512(magnitudes, vspread(0xffff)), _mm512_srli_epi32(magnitudes, 16)));
    }
    return _mm512_reduce_add_epi32(sums);
}

void gw_product_short_vnni(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output) {
    product_short(packed, weights, row, m, output);
}

const gw_wide gw_wide_vnni = {
    .rows = ROWS,
    .narrow_group = 4,
    .group = 2,
    .narrow_offset = 32768,
    .sum_narrow = gw_sum_narrow_vnni,
    .sum_wide = gw_sum_wide_vnni,
    .sigmoid_interpolated = gw_sigmoid_interpolated_avx512,
    .tanh_interpolated = gw_tanh_interpolated_avx512,
    .look_up_wide = gw_look_up_wide_avx2,
    .below_maximum = gw_below_maximum_avx512,
    .rescale_wide = gw_rescale_wide_avx512,
    .add_wide = gw_add_wide_avx512,
    .share = gw_share_avx2,
    .add_limited = gw_add_limited_avx2,
    .update_cells = gw_update_cells_avx2,
    .multiply_q15 = gw_multiply_q15_avx2,
    .mix = gw_mix_avx2,
    .multiply_twice = gw_multiply_twice_avx2,
    .scale = gw_scale_vnni,
    .product_narrow = gw_product_narrow_vnni,
    .magnitude = gw_magnitude_vnni,
    .product_short = gw_product_short_vnni,
    .depthwise_wide = gw_depthwise_wide_avx512,
};
#endif
