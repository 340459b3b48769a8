#include "../wide.h"

#if defined(__x86_64__)
#include "avx2_rounding.h"
#include <string.h>

enum { ROWS = 8, GROUP = 2, PANEL = 8 };

// Two inputs as int16 in every 32-bit lane against eight rows' pairs of weights: vpmaddwd adds each pair into its row.
// `blocks` is a constant at each call, so the sums stay in registers.
AVX2 static inline void run_blocks(const gw_packed *packed, int32_t first, const int32_t *pairs, int32_t *sums, int32_t blocks) {
    const int8_t *weights = packed->weights + (int64_t)first * packed->groups * ROWS * GROUP;
    __m256i acc[PANEL];
    for (int32_t b = 0; b < blocks; b++) { acc[b] = _mm256_loadu_si256((const __m256i *)(packed->bias + (first + b) * ROWS)); }
    for (int32_t g = 0; g < packed->groups; g++) {
        __m256i x = _mm256_set1_epi32(pairs[g]);
        for (int32_t b = 0; b < blocks; b++) {
            __m128i w = _mm_loadu_si128((const __m128i *)weights);
            weights += ROWS * GROUP;
            acc[b] = _mm256_add_epi32(acc[b], _mm256_madd_epi16(x, _mm256_cvtepi8_epi16(w)));
        }
    }
    for (int32_t b = 0; b < blocks; b++) { _mm256_storeu_si256((__m256i *)(sums + (first + b) * ROWS), acc[b]); }
}

// Bytes to int16, two of which are a pair; a row's last ones one by one, since what lies behind it is not all there.
AVX2 static void widen(const gw_packed *packed, const int8_t *input, int32_t *pairs) {
    int32_t g = 0;
    for (; g + 8 <= packed->groups; g += 8) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(input + g * GROUP));
        _mm256_storeu_si256((__m256i *)(pairs + g), _mm256_cvtepi8_epi16(bytes));
    }
    for (; g < packed->groups; g++) { pairs[g] = (int32_t)((uint32_t)(uint16_t)input[2 * g] | (uint32_t)(uint16_t)input[2 * g + 1] << 16); }
}

// Two blocks of outputs by four rows of inputs: eight sums in registers, each load of weights for four products.
AVX2 __attribute__((always_inline)) static inline void run_tile(
    const gw_packed *packed, int32_t first, const int32_t *const pairs[GW_TILE], int32_t *sums, const int32_t blocks) {
    // The blocks lie in their panel: its other blocks are stepped over.
    const int32_t start = first / PANEL * PANEL, together = packed->blocks - start < PANEL ? packed->blocks - start : PANEL;
    const int8_t *weights = packed->weights + ((int64_t)start * packed->groups + first - start) * ROWS * GROUP;
    __m256i acc[GW_TILE][2];
    for (int32_t b = 0; b < blocks; b++) {
        const __m256i bias = _mm256_loadu_si256((const __m256i *)(packed->bias + (first + b) * ROWS));
        for (int32_t i = 0; i < GW_TILE; i++) { acc[i][b] = bias; }
    }
    for (int32_t g = 0; g < packed->groups; g++, weights += together * ROWS * GROUP) {
        __m256i w[2];
        for (int32_t b = 0; b < blocks; b++) {
            w[b] = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(weights + b * ROWS * GROUP)));
        }
        for (int32_t i = 0; i < GW_TILE; i++) {
            const __m256i x = _mm256_set1_epi32(pairs[i][g]);
            for (int32_t b = 0; b < blocks; b++) { acc[i][b] = _mm256_add_epi32(acc[i][b], _mm256_madd_epi16(x, w[b])); }
        }
    }
    for (int32_t i = 0; i < GW_TILE; i++) {
        for (int32_t b = 0; b < blocks; b++) {
            _mm256_storeu_si256((__m256i *)(sums + i * packed->padded + (first + b) * ROWS), acc[i][b]);
        }
    }
}

AVX2 static void accumulate_tile(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums) {
    int32_t memory[GW_TILE][GW_EXTENT_MAX / GROUP];
    const int32_t *const pairs[GW_TILE] = {memory[0], memory[1], memory[2], memory[3]};
    for (int32_t i = 0; i < GW_TILE; i++) { widen(packed, inputs[i], memory[i]); }
    int32_t b = 0;
    for (; b + 2 <= packed->blocks; b += 2) { run_tile(packed, b, pairs, sums, 2); } // a panel has an even number of blocks
    if (b < packed->blocks) { run_tile(packed, b, pairs, sums, 1); }
}

AVX2 static void accumulate(const gw_packed *packed, const int8_t *input, int32_t *sums) {
    int32_t pairs[GW_EXTENT_MAX / GROUP];
    widen(packed, input, pairs);
    int32_t b = 0;
    for (; b + PANEL <= packed->blocks; b += PANEL) { run_blocks(packed, b, pairs, sums, PANEL); }
    switch (packed->blocks - b) {
    case 7: run_blocks(packed, b, pairs, sums, 7); break;
    case 6: run_blocks(packed, b, pairs, sums, 6); break;
    case 5: run_blocks(packed, b, pairs, sums, 5); break;
    case 4: run_blocks(packed, b, pairs, sums, 4); break;
    case 3: run_blocks(packed, b, pairs, sums, 3); break;
    case 2: run_blocks(packed, b, pairs, sums, 2); break;
    case 1: run_blocks(packed, b, pairs, sums, 1); break;
    default: break;
    }
}

// Four 64-bit products over 2^most, limited to +-2^17 so that nothing wraps after this. There is no arithmetic shift of this width:
// negative values go through the logical one complemented.
AVX2 static inline __m256i shift_and_limit(__m256i product, __m256i most) {
    const __m256i far = _mm256_set1_epi64x(1 << 17), near = _mm256_set1_epi64x(-(1 << 17));
    __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), product);
    __m256i v = _mm256_xor_si256(_mm256_srlv_epi64(_mm256_xor_si256(product, negative), most), negative);
    v = _mm256_blendv_epi8(v, far, _mm256_cmpgt_epi64(v, far));
    return _mm256_blendv_epi8(v, near, _mm256_cmpgt_epi64(near, v));
}

// Eight values times their factors, plus the zero point, limited. One bit is left after the shift: what rounds, and twice the zero
// point, are added before that goes too.
AVX2 static inline __m256i scale_and_limit(
    __m256i v, __m256i multiplier, __m256i shift, __m256i one_and_twice_point, __m256i low, __m256i high) {
    __m256i most = _mm256_sub_epi32(_mm256_set1_epi32(30), shift); // 0 ... 61
    __m256i even = shift_and_limit(_mm256_mul_epi32(v, multiplier), _mm256_and_si256(most, _mm256_set1_epi64x(0xffffffff)));
    __m256i odd =
        shift_and_limit(_mm256_mul_epi32(_mm256_srli_epi64(v, 32), _mm256_srli_epi64(multiplier, 32)), _mm256_srli_epi64(most, 32));
    v = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    v = _mm256_srai_epi32(_mm256_add_epi32(v, one_and_twice_point), 1);
    return _mm256_min_epi32(_mm256_max_epi32(v, low), high);
}

// The low bytes of eight lanes, which are within int8.
AVX2 static inline int64_t narrow(__m256i v) {
    __m128i v16 = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return _mm_cvtsi128_si64(_mm_packs_epi16(v16, v16));
}

AVX2 static void quantise(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output) {
    const __m256i multiplier = _mm256_set1_epi32(m.multiplier), shift = _mm256_set1_epi32(m.shift);
    const __m256i point = _mm256_set1_epi32(1 + 2 * zero_point), low = _mm256_set1_epi32(INT8_MIN), high = _mm256_set1_epi32(INT8_MAX);
    int32_t i = 0;
    for (; i + ROWS <= count; i += ROWS) {
        __m256i v = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(input + i)));
        int64_t eight = narrow(scale_and_limit(v, multiplier, shift, point, low, high));
        memcpy(output + i, &eight, ROWS);
    }
    gw_quantise_reference(input + i, count - i, m, zero_point, output + i);
}

AVX2 static void requantise(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    const __m256i point = _mm256_set1_epi32(1 + 2 * packed->output_zero_point);
    const __m256i low = _mm256_set1_epi32(packed->low), high = _mm256_set1_epi32(packed->high);
    for (int32_t o = 0; o < packed->outputs; o += ROWS) {
        __m256i sum = _mm256_loadu_si256((const __m256i *)(sums + o)), shift = _mm256_loadu_si256((const __m256i *)(packed->shifts + o));
        __m256i multiplier = _mm256_loadu_si256((const __m256i *)(packed->multipliers + o));
        int64_t eight = narrow(scale_and_limit(sum, multiplier, shift, point, low, high));
        int32_t count = packed->outputs - o < ROWS ? packed->outputs - o : ROWS;
        memcpy(output + o, &eight, (size_t)count);
    }
}

static bool available(void) { return __builtin_cpu_supports("avx2"); }

const gw_kernel gw_kernel_avx2 = {
    .name = "avx2",
    .rows = ROWS,
    .group = GROUP,
    .panel = PANEL,
    .tile = GW_TILE,
    .folds = true,
    .input_offset = 0,
    .available = available,
    .accumulate = accumulate,
    .accumulate_tile = accumulate_tile,
    .requantise = requantise,
    .quantise = quantise,
    .requantise_twice = gw_requantise_twice_avx2,
    .requantise_rows_twice = gw_requantise_rows_twice_avx2,
    .depthwise = gw_depthwise_avx2,
    .depthwise_group = 2,
    .pack_depthwise = gw_pack_depthwise_avx2,
    .add = gw_add_avx2,
    .multiply = gw_multiply_avx2,
    .shares = gw_shares_avx2,
    .twice = gw_values_twice_avx2,
    .gates = gw_gates_avx2,
    .sigmoid = gw_sigmoid_avx2,
    .tanh = gw_tanh_avx2,
    .wide = &gw_wide_avx2,
};
#endif
