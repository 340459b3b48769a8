#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define VECTOR __m512i
#define vzero _mm512_setzero_si512
#define vspread _mm512_set1_epi32
#define vload _mm512_loadu_si512
#define vadd_products _mm512_dpwssd_epi32
enum { ROWS = 16 };

TARGET static inline void put_eight(int64_t *to, const int64_t *from, __m512i upper, __m512i lower) {
    _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(from), _mm512_add_epi64(_mm512_slli_epi64(upper, 8), lower)));
}

TARGET static inline __m512i first_eight(__m512i v) { return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)); }

TARGET static inline __m512i last_eight(__m512i v) { return _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1)); }

TARGET static inline void vput(int64_t *to, const int64_t *from, __m512i upper, __m512i lower) {
    put_eight(to, from, first_eight(upper), first_eight(lower));
    put_eight(to + 8, from + 8, last_eight(upper), last_eight(lower));
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

// 4096 products of bytes stay within int32.
INLINE void sum_narrow(
    const int8_t *weights, ptrdiff_t line, const bytes *row, int32_t inputs, const int64_t *from, int64_t *sums, const int32_t blocks) {
    __m512i upper[ABREAST], lower[ABREAST];
    for (int32_t b = 0; b < blocks; b++) { upper[b] = lower[b] = vzero(); }
    for (int32_t i = 0; i < inputs; i += 4) {
        const __m512i high = four_from(row->upper + i), low = four_from(row->lower + i);
        for (int32_t b = 0; b < blocks; b++) {
            const __m512i w = vload(weights + b * line + (ptrdiff_t)i * ROWS);
            upper[b] = _mm512_dpbusd_epi32(upper[b], high, w);
            lower[b] = _mm512_dpbusd_epi32(lower[b], low, w);
        }
    }
    for (int32_t b = 0; b < blocks; b++) { vput(sums + (ptrdiff_t)b * ROWS, from + (ptrdiff_t)b * ROWS, upper[b], lower[b]); }
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

// Eight sums times the multipliers over 2^bits, rounded, as int16; `outside` collects the lanes that int32 does not hold. Shifts are to
// the right. One bit is left after the first shift, so that halves go up with the second.
TARGET static inline __m128i eight_scaled(const int64_t *sums, __m256i m, __m256i shifts, int32_t bits, __mmask8 *outside) {
    const __m512i wide = _mm512_loadu_si512(sums), most = _mm512_cvtepi32_epi64(_mm256_sub_epi32(_mm256_set1_epi32(bits - 1), shifts));
    *outside |= _mm512_cmpneq_epi64_mask(wide, _mm512_cvtepi32_epi64(_mm512_cvtepi64_epi32(wide)));
    const __m512i product = _mm512_mul_epi32(wide, _mm512_cvtepi32_epi64(m));
    return _mm512_cvtsepi64_epi16(_mm512_srai_epi64(_mm512_add_epi64(_mm512_srav_epi64(product, most), _mm512_set1_epi64(1)), 1));
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
