#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

enum { ROWS = 16, GROUP = 4, BATCH = 5 };

// Four inputs in every 32-bit lane against sixteen rows' four weights: vpdpbusd multiplies unsigned by signed, so the inputs
// are moved up by 128 here and the bias holds -128 times the row's weights.
VNNI static inline __m512i four_inputs(const int8_t *input, int32_t g) {
    int32_t four;
    memcpy(&four, input + (int64_t)g * GROUP, sizeof four);
    return _mm512_xor_si512(_mm512_set1_epi32(four), _mm512_set1_epi32((int32_t)0x80808080));
}

// `blocks` is a constant at each call. Even and odd groups add up apart, so that no sum waits for the one before it.
VNNI static inline void run_blocks(const gw_packed *layer, int32_t first, const int8_t *input, int32_t *sums, int32_t blocks) {
    const int8_t *weights = layer->weights + (int64_t)first * layer->groups * ROWS * GROUP;
    __m512i even[BATCH], odd[BATCH];
    for (int32_t b = 0; b < blocks; b++) {
        even[b] = _mm512_loadu_si512(layer->bias + (first + b) * ROWS);
        odd[b] = _mm512_setzero_si512();
    }
    int32_t g = 0;
    for (; g + 2 <= layer->groups; g += 2) {
        __m512i x0 = four_inputs(input, g), x1 = four_inputs(input, g + 1);
        for (int32_t b = 0; b < blocks; b++, weights += ROWS * GROUP) { even[b] = _mm512_dpbusd_epi32(even[b], x0, _mm512_load_si512(weights)); }
        for (int32_t b = 0; b < blocks; b++, weights += ROWS * GROUP) { odd[b] = _mm512_dpbusd_epi32(odd[b], x1, _mm512_load_si512(weights)); }
    }
    for (int32_t b = 0; b < blocks && g < layer->groups; b++, weights += ROWS * GROUP) {
        even[b] = _mm512_dpbusd_epi32(even[b], four_inputs(input, g), _mm512_load_si512(weights));
    }
    for (int32_t b = 0; b < blocks; b++) { _mm512_storeu_si512(sums + (first + b) * ROWS, _mm512_add_epi32(even[b], odd[b])); }
}

VNNI static void run_batch(const gw_packed *layer, int32_t b, const int8_t *input, int32_t *sums) {
    switch (layer->blocks - b) {
    case 1: run_blocks(layer, b, input, sums, 1); break;
    case 2: run_blocks(layer, b, input, sums, 2); break;
    case 3: run_blocks(layer, b, input, sums, 3); break;
    case 4: run_blocks(layer, b, input, sums, 4); break;
    default: run_blocks(layer, b, input, sums, BATCH); break;
    }
}

// Every other inference goes through the batches backwards: the weights that the one before used last are then still in
// the first-level cache, which is too small for a whole layer.
VNNI static void accumulate(const gw_packed *layer, const int8_t *input, int32_t *sums, bool backwards) {
    int32_t batches = (layer->blocks + BATCH - 1) / BATCH;
    for (int32_t i = 0; i < batches; i++) {
        run_batch(layer, (backwards ? batches - 1 - i : i) * BATCH, input, sums);
    }
}
// Sixteen values times their factors, plus the zero point, limited, as int8. See avx2.c: the same steps in wider vectors.
VNNI static inline __m128i scale_and_limit(__m512i v, __m512i multiplier, __m512i shift, __m512i point, __m512i low, __m512i high) {
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi32(1), half = _mm512_set1_epi64(1 << 30), far = _mm512_set1_epi32(1 << 16);
    __m512i exponent = _mm512_max_epi32(_mm512_sub_epi32(zero, shift), zero);
    v = _mm512_sllv_epi32(v, _mm512_max_epi32(shift, zero));
    __m512i even = _mm512_srli_epi64(_mm512_add_epi64(_mm512_mul_epi32(v, multiplier), half), 31);
    __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(v, 32), _mm512_srli_epi64(multiplier, 32)), half);
    v = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 1));
    __m512i mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, exponent), one);
    __m512i threshold = _mm512_add_epi32(_mm512_srli_epi32(mask, 1), _mm512_srli_epi32(v, 31));
    __mmask16 up = _mm512_cmpgt_epi32_mask(_mm512_and_si512(v, mask), threshold);
    v = _mm512_srav_epi32(v, exponent);
    v = _mm512_mask_add_epi32(v, up, v, one);
    v = _mm512_min_epi32(_mm512_max_epi32(v, _mm512_sub_epi32(zero, far)), far);
    v = _mm512_min_epi32(_mm512_max_epi32(_mm512_add_epi32(v, point), low), high);
    return _mm512_cvtepi32_epi8(v);
}

VNNI static void requantise(const gw_packed *layer, const int32_t *sums, int8_t *output) {
    const __m512i point = _mm512_set1_epi32(layer->output_zero_point), low = _mm512_set1_epi32(layer->low), high = _mm512_set1_epi32(layer->high);
    for (int32_t o = 0; o < layer->outputs; o += ROWS) {
        __m512i sum = _mm512_loadu_si512(sums + o), multiplier = _mm512_loadu_si512(layer->multipliers + o);
        __m128i sixteen = scale_and_limit(sum, multiplier, _mm512_loadu_si512(layer->shifts + o), point, low, high);
        int32_t count = layer->outputs - o;
        if (count >= ROWS) {
            _mm_storeu_si128((__m128i *)(output + o), sixteen); // unmasked: the next layer's loads can be forwarded from it
        } else {
            _mm_mask_storeu_epi8(output + o, (__mmask16)((1 << count) - 1), sixteen);
        }
    }
}

VNNI static void quantise(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output) {
    const __m512i multiplier = _mm512_set1_epi32(m.multiplier), shift = _mm512_set1_epi32(m.shift), point = _mm512_set1_epi32(zero_point);
    const __m512i low = _mm512_set1_epi32(INT8_MIN), high = _mm512_set1_epi32(INT8_MAX);
    int32_t i = 0;
    for (; i + ROWS <= count; i += ROWS) {
        __m512i v = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(input + i)));
        _mm_storeu_si128((__m128i *)(output + i), scale_and_limit(v, multiplier, shift, point, low, high));
    }
    gw_quantise_reference(input + i, count - i, m, zero_point, output + i);
}

static bool available(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

const gw_kernel gw_kernel_vnni = {
    .name = "avx512-vnni", .rows = ROWS, .group = GROUP, .batch = BATCH, .folds = true, .input_offset = 128,
    .available = available, .accumulate = accumulate, .requantise = requantise, .quantise = quantise,
};
#endif
