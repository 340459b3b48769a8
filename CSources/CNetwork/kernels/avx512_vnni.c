#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

enum { ROWS = 16, GROUP = 4, BATCH = 8 };

// Four inputs in every 32-bit lane against sixteen rows' four weights: vpdpbusd multiplies unsigned by signed, so the inputs
// are moved up by 128 here and the bias holds -128 times the row's weights. `blocks` is a constant at each call.
VNNI static inline void run_blocks(const gw_packed *layer, int32_t first, const int8_t *input, int32_t *sums, int32_t blocks) {
    const int8_t *weights = layer->weights + (int64_t)first * layer->groups * ROWS * GROUP;
    const __m512i flip = _mm512_set1_epi32((int32_t)0x80808080);
    __m512i acc[BATCH];
    for (int32_t b = 0; b < blocks; b++) { acc[b] = _mm512_loadu_si512(layer->bias + (first + b) * ROWS); }
    for (int32_t g = 0; g < layer->groups; g++) {
        int32_t four;
        memcpy(&four, input + (int64_t)g * GROUP, sizeof four);
        __m512i x = _mm512_xor_si512(_mm512_set1_epi32(four), flip);
        for (int32_t b = 0; b < blocks; b++) {
            acc[b] = _mm512_dpbusd_epi32(acc[b], x, _mm512_load_si512(weights));
            weights += ROWS * GROUP;
        }
    }
    for (int32_t b = 0; b < blocks; b++) { _mm512_storeu_si512(sums + (first + b) * ROWS, acc[b]); }
}

VNNI static void accumulate(const gw_packed *layer, const int8_t *input, int32_t *sums) {
    int32_t b = 0;
    for (; b + BATCH <= layer->blocks; b += BATCH) { run_blocks(layer, b, input, sums, BATCH); }
    switch (layer->blocks - b) {
    case 7: run_blocks(layer, b, input, sums, 7); break;
    case 6: run_blocks(layer, b, input, sums, 6); break;
    case 5: run_blocks(layer, b, input, sums, 5); break;
    case 4: run_blocks(layer, b, input, sums, 4); break;
    case 3: run_blocks(layer, b, input, sums, 3); break;
    case 2: run_blocks(layer, b, input, sums, 2); break;
    case 1: run_blocks(layer, b, input, sums, 1); break;
    default: break;
    }
}

static bool available(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

const gw_kernel gw_kernel_vnni = {
    .name = "avx512-vnni", .rows = ROWS, .group = GROUP, .batch = BATCH, .folds = true, .input_offset = 128,
    .available = available, .accumulate = accumulate, .requantise = gw_requantise_avx2, .quantise = gw_quantise_avx2,
};
#endif
