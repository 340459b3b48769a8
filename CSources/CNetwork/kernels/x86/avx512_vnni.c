#include "../wide.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

enum { ROWS = 16, GROUP = 4, PANEL = 4, MOST_ABREAST = 3, TILE = GW_TILE_MAX };

// Four inputs in every 32-bit lane against sixteen rows' four weights: vpdpbusd multiplies unsigned by signed, so the inputs
// are moved up by 128 here and the bias holds -128 times the row's weights.
VNNI static inline __m512i four_inputs(const int8_t *input, int32_t g, __m512i signs) {
    int32_t four;
    memcpy(&four, input + (int64_t)g * GROUP, sizeof four);
    return _mm512_xor_si512(_mm512_set1_epi32(four), signs);
}

// Not a constant to the compiler, which would change the four bytes before it spreads them: three instructions instead of one.
VNNI static inline __m512i sign_bits(void) {
    __m512i signs = _mm512_set1_epi32((int32_t)0x80808080);
    __asm__("" : "+v"(signs));
    return signs;
}

// `blocks` is a constant at each call. Even and odd groups add up apart, so that no sum waits for the one before it.
VNNI __attribute__((always_inline)) static inline void run_blocks(
    const gw_packed *packed, int32_t first, const int8_t *input, int32_t *sums, const int32_t blocks) {
    const int32_t groups = packed->groups, line = blocks * ROWS * GROUP, last = packed->is_reversed ? groups - 1 : 0;
    const ptrdiff_t across = packed->is_reversed ? -1 : 1, group = across * GROUP, lines = across * line;
    const int8_t *weights = packed->weights + (ptrdiff_t)first * groups * ROWS * GROUP + (ptrdiff_t)last * line;
    const __m512i signs = sign_bits();
    __m512i even[PANEL], odd[PANEL];
    for (int32_t b = 0; b < blocks; b++) {
        even[b] = _mm512_loadu_si512(packed->bias + (first + b) * ROWS);
        odd[b] = _mm512_setzero_si512();
    }
    input += last * GROUP;
    int32_t g = 0;
    for (; g + 2 <= groups; g += 2, input += 2 * group) {
        const __m512i x0 = four_inputs(input, 0, signs), x1 = four_inputs(input + group, 0, signs);
        for (int32_t b = 0; b < blocks; b++) { even[b] = _mm512_dpbusd_epi32(even[b], x0, _mm512_load_si512(weights + b * ROWS * GROUP)); }
        weights += lines;
        for (int32_t b = 0; b < blocks; b++) { odd[b] = _mm512_dpbusd_epi32(odd[b], x1, _mm512_load_si512(weights + b * ROWS * GROUP)); }
        weights += lines;
    }
    for (int32_t b = 0; b < blocks && g < groups; b++) {
        even[b] = _mm512_dpbusd_epi32(even[b], four_inputs(input, 0, signs), _mm512_load_si512(weights + b * ROWS * GROUP));
    }
    for (int32_t b = 0; b < blocks; b++) { _mm512_storeu_si512(sums + (first + b) * ROWS, _mm512_add_epi32(even[b], odd[b])); }
}

VNNI static void run_panel(const gw_packed *packed, int32_t b, const int8_t *input, int32_t *sums) {
    switch (packed->blocks - b) {
    case 1: run_blocks(packed, b, input, sums, 1); break;
    case 2: run_blocks(packed, b, input, sums, 2); break;
    case 3: run_blocks(packed, b, input, sums, 3); break;
    default: run_blocks(packed, b, input, sums, PANEL); break;
    }
}

// The first-level cache is too small for a whole layer: every other product goes backwards, over what the one before ended with.
VNNI static void accumulate(const gw_packed *packed, const int8_t *input, int32_t *sums) {
    int32_t panels = (packed->blocks + PANEL - 1) / PANEL;
    for (int32_t i = 0; i < panels; i++) { run_panel(packed, (packed->is_reversed ? panels - 1 - i : i) * PANEL, input, sums); }
}

// `blocks` of a panel's blocks by eight rows of inputs, 24 sums in registers: each load of weights serves eight products.
VNNI __attribute__((always_inline)) static inline void run_tile(
    const gw_packed *packed, int32_t first, const int8_t *const *inputs, int32_t *sums, const int32_t blocks) {
    const int32_t start = first / PANEL * PANEL, together = packed->blocks - start < PANEL ? packed->blocks - start : PANEL;
    const int8_t *weights = packed->weights + ((int64_t)start * packed->groups + first - start) * ROWS * GROUP;
    const ptrdiff_t padded = packed->padded, groups = packed->groups;
    const __m512i signs = sign_bits();
    __m512i acc[TILE][MOST_ABREAST];
    for (int32_t b = 0; b < blocks; b++) {
        const __m512i bias = _mm512_loadu_si512(packed->bias + (first + b) * ROWS);
        for (int32_t i = 0; i < TILE; i++) { acc[i][b] = bias; }
    }
    for (int32_t g = 0; g < groups; g++, weights += together * ROWS * GROUP) {
        __m512i w[MOST_ABREAST];
        for (int32_t b = 0; b < blocks; b++) { w[b] = _mm512_load_si512(weights + b * ROWS * GROUP); }
        for (int32_t i = 0; i < TILE; i++) {
            const __m512i x = four_inputs(inputs[i], g, signs);
            for (int32_t b = 0; b < blocks; b++) { acc[i][b] = _mm512_dpbusd_epi32(acc[i][b], x, w[b]); }
        }
    }
    for (int32_t i = 0; i < TILE; i++) {
        for (int32_t b = 0; b < blocks; b++) { _mm512_storeu_si512(sums + i * padded + (first + b) * ROWS, acc[i][b]); }
    }
}

VNNI static void accumulate_tile(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums) {
    for (int32_t b = 0; b < packed->blocks;) {
        const int32_t left = (b / PANEL + 1) * PANEL, end = left < packed->blocks ? left : packed->blocks; // of the panel
        switch (end - b) {
        case 1: run_tile(packed, b, inputs, sums, 1), b += 1; break;
        case 3: run_tile(packed, b, inputs, sums, 3), b += 3; break;
        default: run_tile(packed, b, inputs, sums, 2), b += 2; break;
        }
    }
}

// Eight 64-bit products over 2^(most + 1), halves up, plus the zero point, limited, as int8.
// One bit is left after the shift: what rounds, and twice the zero point, are added before that goes too.
VNNI static inline __m128i shift_and_limit(__m512i product, __m512i most, __m512i one_and_twice_point, __m512i low, __m512i high) {
    __m512i v = _mm512_srai_epi64(_mm512_add_epi64(_mm512_srav_epi64(product, most), one_and_twice_point), 1);
    return _mm512_cvtepi64_epi8(_mm512_min_epi64(_mm512_max_epi64(v, low), high));
}

// Sixteen values times their factors.
VNNI static inline __m128i scale_and_limit(
    __m512i v, __m512i multiplier, __m512i shift, __m512i one_and_twice_point, __m512i low, __m512i high) {
    __m512i most = _mm512_sub_epi32(_mm512_set1_epi32(30), shift); // 0 ... 61
    __m512i even_most = _mm512_and_si512(most, _mm512_set1_epi64(0xffffffff)), odd_most = _mm512_srli_epi64(most, 32);
    __m128i even = shift_and_limit(_mm512_mul_epi32(v, multiplier), even_most, one_and_twice_point, low, high);
    __m512i odd_product = _mm512_mul_epi32(_mm512_srli_epi64(v, 32), _mm512_srli_epi64(multiplier, 32));
    return _mm_unpacklo_epi8(even, shift_and_limit(odd_product, odd_most, one_and_twice_point, low, high));
}

// Sixteen values below 2^30 times factors whose shifts are 0 ... 20 bits to the right: what rounds, and the zero point, are added to the
// products before their only shift, and nothing leaves 32 bits after it.
typedef struct small_factors {
    __m512i multiplier, odd_multiplier, even_right, odd_right, to_even, to_odd;
} small_factors;

VNNI static inline small_factors small_factors_of(__m512i multiplier, __m512i shift, __m512i one_and_twice_point) {
    const __m512i most = _mm512_sub_epi32(_mm512_set1_epi32(30), shift), one = _mm512_set1_epi64(1); // 30 ... 50
    const __m512i even = _mm512_and_si512(most, _mm512_set1_epi64(0xffffffff)), odd = _mm512_srli_epi64(most, 32);
    return (small_factors){multiplier, _mm512_srli_epi64(multiplier, 32), _mm512_add_epi64(even, one), _mm512_add_epi64(odd, one),
        _mm512_sllv_epi64(one_and_twice_point, even), _mm512_sllv_epi64(one_and_twice_point, odd)};
}

VNNI static inline __m128i scale_small(__m512i v, const small_factors *f) {
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(v, f->multiplier), f->to_even);
    const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(v, 32), f->odd_multiplier), f->to_odd);
    const __m512i high = _mm512_slli_epi64(_mm512_srav_epi64(odd, f->odd_right), 32);
    return _mm512_cvtsepi32_epi8(_mm512_mask_blend_epi32(0xaaaa, _mm512_srav_epi64(even, f->even_right), high));
}

VNNI static void requantise(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    const __m512i point = _mm512_set1_epi64(1 + 2 * packed->output_zero_point), low = _mm512_set1_epi64(packed->low);
    const __m512i high = _mm512_set1_epi64(packed->high);
    const __m128i low_bytes = _mm_set1_epi8((char)packed->low), high_bytes = _mm_set1_epi8((char)packed->high);
    for (int32_t o = 0; o < packed->outputs; o += ROWS) {
        const __m512i sum = _mm512_loadu_si512(sums + o), multiplier = _mm512_loadu_si512(packed->multipliers + o);
        const __m512i shift = _mm512_loadu_si512(packed->shifts + o);
        __m128i sixteen;
        if (packed->is_small) {
            const small_factors factors = small_factors_of(multiplier, shift, point);
            sixteen = _mm_min_epi8(_mm_max_epi8(scale_small(sum, &factors), low_bytes), high_bytes);
        } else {
            sixteen = scale_and_limit(sum, multiplier, shift, point, low, high);
        }
        const int32_t count = packed->outputs - o;
        if (count >= ROWS) {
            _mm_storeu_si128((__m128i *)(output + o), sixteen); // unmasked: the next layer's loads can be forwarded from it
        } else {
            _mm_mask_storeu_epi8(output + o, (__mmask16)((1 << count) - 1), sixteen);
        }
    }
}

// What sixteen outputs' sums are scaled with. The second rounding's half and the zero point are added to the products, as many bits to the
// left as both shifts go to the right. With the sum doubled, the upper half of a product is what the first rounding gives; where every
// shift is one at least, the sum is not doubled and one bit less is shifted.
typedef struct twice_factors {
    __m512i multiplier, odd_multiplier, right, to_even, to_odd;
    __mmask16 shifts; // those that are not zero
} twice_factors;

VNNI __attribute__((always_inline)) static inline twice_factors twice_factors_of(const gw_packed *packed, int32_t o, const bool doubles) {
    const __m512i one = _mm512_set1_epi32(1), first_half = _mm512_set1_epi64(INT64_C(1) << (doubles ? 31 : 30));
    const __m512i multiplier = _mm512_loadu_si512(packed->multipliers + o);
    const __m512i right = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_loadu_si512(packed->shifts + o));
    const __m512i less = _mm512_sub_epi32(right, one);
    const __mmask16 shifts = _mm512_test_epi32_mask(right, right);
    const __m512i half = _mm512_maskz_sllv_epi32(shifts, one, less);
    const __m512i added = _mm512_add_epi32(half, _mm512_sllv_epi32(_mm512_set1_epi32(packed->output_zero_point), right));
    __m512i even = _mm512_slli_epi64(added, 32), odd = _mm512_maskz_mov_epi32(0xaaaa, added);
    if (!doubles) { even = _mm512_srai_epi64(even, 1), odd = _mm512_srai_epi64(odd, 1); }
    return (twice_factors){multiplier, _mm512_srli_epi64(multiplier, 32), doubles ? right : less, _mm512_add_epi64(even, first_half),
        _mm512_add_epi64(odd, first_half), shifts};
}

// Sixteen small sums. What is negative is rounded away from zero, so that there one is taken off, unless limits above the zero point hide
// it (`corrects`, which needs `doubles`).
VNNI __attribute__((always_inline)) static inline __m512i scale_twice(
    const int32_t *sums, const twice_factors *f, const bool corrects, const bool doubles) {
    const __m512i v = _mm512_loadu_si512(sums), next = _mm512_loadu_si512(sums + 1);
    const __m512i even_v = doubles ? _mm512_add_epi32(v, v) : v, odd_v = doubles ? _mm512_add_epi32(next, next) : next;
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(even_v, f->multiplier), f->to_even);
    const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(odd_v, f->odd_multiplier), f->to_odd);
    __m512i scaled = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    if (corrects) { scaled = _mm512_add_epi32(scaled, _mm512_maskz_srai_epi32(f->shifts, v, 31)); }
    return _mm512_srav_epi32(scaled, f->right);
}

// Sixteen int32 of each of four rows as int8, a row in each quarter.
VNNI static inline __m512i four_rows_of_bytes(const __m512i rows[4]) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i first = _mm512_packs_epi32(rows[0], rows[1]), second = _mm512_packs_epi32(rows[2], rows[3]);
    return _mm512_permutexvar_epi32(order, _mm512_packs_epi16(first, second));
}

// The first outputs of sixteen. Whole vectors unmasked: the next layer's loads can be forwarded from them.
VNNI __attribute__((always_inline)) static inline void store_row(int8_t *to, __m128i bytes, __mmask16 some) {
    if (some == 0xffff) {
        _mm_storeu_si128((__m128i *)to, bytes);
    } else {
        _mm_mask_storeu_epi8(to, some, bytes);
    }
}

VNNI __attribute__((always_inline)) static inline void round_twice(
    const gw_packed *packed, const int32_t *sums, int8_t *output, const int32_t rows, const bool corrects, const bool doubles) {
    const __m512i low = _mm512_set1_epi8((char)packed->low), high = _mm512_set1_epi8((char)packed->high);
    const int32_t outputs = packed->outputs, padded = packed->padded;
    for (int32_t o = 0; o < outputs; o += ROWS) {
        const twice_factors factors = twice_factors_of(packed, o, doubles);
        const __mmask16 some = outputs - o < ROWS ? (__mmask16)((1 << (outputs - o)) - 1) : 0xffff;
        const int32_t *from = sums + o;
        int8_t *to = output + o;
        int32_t left = rows;
        for (; left >= 4; left -= 4, from += 4 * padded, to += 4 * outputs) {
            __m512i scaled[4];
            for (int32_t i = 0; i < 4; i++) { scaled[i] = scale_twice(from + i * padded, &factors, corrects, doubles); }
            const __m512i bytes = _mm512_min_epi8(_mm512_max_epi8(four_rows_of_bytes(scaled), low), high);
            if (outputs == ROWS) {
                _mm512_storeu_si512(to, bytes);
                continue;
            }
            store_row(to, _mm512_castsi512_si128(bytes), some);
            store_row(to + outputs, _mm512_extracti32x4_epi32(bytes, 1), some);
            store_row(to + 2 * outputs, _mm512_extracti32x4_epi32(bytes, 2), some);
            store_row(to + 3 * outputs, _mm512_extracti32x4_epi32(bytes, 3), some);
        }
        for (; left > 0; left--, from += padded, to += outputs) {
            const __m128i bytes = _mm512_cvtsepi32_epi8(scale_twice(from, &factors, corrects, doubles));
            store_row(to, _mm_min_epi8(_mm_max_epi8(bytes, _mm512_castsi512_si128(low)), _mm512_castsi512_si128(high)), some);
        }
    }
}

VNNI static void requantise_rows_twice(const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output) {
    if (!packed->is_small) {
        for (int32_t i = 0; i < rows; i++) { gw_requantise_twice_avx2(packed, sums + i * packed->padded, output + i * packed->outputs); }
    } else if (packed->low < packed->output_zero_point) {
        round_twice(packed, sums, output, rows, true, true);
    } else if (packed->always_shifts) {
        round_twice(packed, sums, output, rows, false, false);
    } else {
        round_twice(packed, sums, output, rows, false, true);
    }
}

VNNI static void requantise_twice(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    requantise_rows_twice(packed, sums, 1, output);
}

VNNI static void quantise(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output) {
    const __m512i multiplier = _mm512_set1_epi32(m.multiplier), shift = _mm512_set1_epi32(m.shift);
    const __m512i point = _mm512_set1_epi64(1 + 2 * zero_point), low = _mm512_set1_epi64(INT8_MIN);
    const __m512i high = _mm512_set1_epi64(INT8_MAX);
    const bool is_small = m.shift <= 0 && m.shift >= -20;
    const small_factors factors = small_factors_of(multiplier, shift, point);
    int32_t i = 0;
    for (; i + ROWS <= count; i += ROWS) {
        const __m512i v = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(input + i)));
        const __m128i sixteen = is_small ? scale_small(v, &factors) : scale_and_limit(v, multiplier, shift, point, low, high);
        _mm_storeu_si128((__m128i *)(output + i), sixteen);
    }
    gw_quantise_reference(input + i, count - i, m, zero_point, output + i);
}

static bool available(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

const gw_kernel gw_kernel_vnni = {
    .name = "avx512-vnni",
    .rows = ROWS,
    .group = GROUP,
    .panel = PANEL,
    .tile = TILE,
    .folds = true,
    .input_offset = 128,
    .available = available,
    .accumulate = accumulate,
    .accumulate_tile = accumulate_tile,
    .requantise = requantise,
    .quantise = quantise,
    .requantise_twice = requantise_twice,
    .requantise_rows_twice = requantise_rows_twice,
    .depthwise = gw_depthwise_vnni,
    .depthwise_group = 4,
    .pack_depthwise = gw_pack_depthwise_vnni,
    .add = gw_add_avx512,
    .multiply = gw_multiply_avx512,
    .look_up = gw_look_up_avx512,
    .add_up = gw_add_up_avx512,
    .shares = gw_shares_avx512,
    .twice = gw_values_twice_avx512,
    .gates = gw_gates_avx2,
    .sigmoid = gw_sigmoid_avx512,
    .tanh = gw_tanh_avx512,
    .wide = &gw_wide_vnni,
};
#endif
