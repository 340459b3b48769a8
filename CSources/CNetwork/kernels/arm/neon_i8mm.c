#include "../wide.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>

#if defined(__clang__)
#define I8MM __attribute__((target("dotprod,i8mm")))
#else
#define I8MM __attribute__((target("arch=armv8.2-a+dotprod+i8mm")))
#endif

// A vector of weights has eight inputs' of two rows.
enum { ROWS = 16, GROUP = 8, VECTORS = 8, PAIRS = GW_TILE / 2 };

// Each vector's sums are of two rows, each in two halves.
I8MM static void accumulate(const gw_packed *packed, const int8_t *input, int32_t *sums) {
    const int8_t *w = packed->weights;
    for (int32_t b = 0; b < packed->blocks; b++) {
        int32x4_t acc[VECTORS];
#pragma GCC unroll 8
        for (int32_t v = 0; v < VECTORS; v++) { acc[v] = vdupq_n_s32(0); }
        for (int32_t g = 0; g < packed->groups; g++, w += ROWS * GROUP) {
            const int8x8_t eight = vld1_s8(input + g * GROUP);
            const int8x16_t x = vcombine_s8(eight, eight);
#pragma GCC unroll 8
            for (int32_t v = 0; v < VECTORS; v++) { acc[v] = vdotq_s32(acc[v], vld1q_s8(w + v * 16), x); }
        }
#pragma GCC unroll 4
        for (int32_t r = 0; r < 4; r++) {
            const int32x4_t bias = vld1q_s32(packed->bias + b * ROWS + r * 4);
            vst1q_s32(sums + b * ROWS + r * 4, vaddq_s32(vpaddq_s32(acc[2 * r], acc[2 * r + 1]), bias));
        }
    }
}

// Two rows of inputs by two of weights an instruction: 32 products.
I8MM static void accumulate_tile(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums) {
    const int32_t padded = packed->padded;
    const int8_t *w = packed->weights;
    for (int32_t b = 0; b < packed->blocks; b++, sums += ROWS) {
        int32x4_t acc[PAIRS][VECTORS];
#pragma GCC unroll 8
        for (int32_t v = 0; v < VECTORS; v++) {
            const int32x2_t bias = vld1_s32(packed->bias + b * ROWS + v * 2);
            acc[0][v] = acc[1][v] = vcombine_s32(bias, bias);
        }
        for (int32_t g = 0; g < packed->groups; g++, w += ROWS * GROUP) {
            const int32_t at = g * GROUP;
            const int8x16_t first = vcombine_s8(vld1_s8(inputs[0] + at), vld1_s8(inputs[1] + at));
            const int8x16_t second = vcombine_s8(vld1_s8(inputs[2] + at), vld1_s8(inputs[3] + at));
#pragma GCC unroll 8
            for (int32_t v = 0; v < VECTORS; v++) {
                const int8x16_t weights = vld1q_s8(w + v * 16);
                acc[0][v] = vmmlaq_s32(acc[0][v], first, weights);
                acc[1][v] = vmmlaq_s32(acc[1][v], second, weights);
            }
        }
#pragma GCC unroll 2
        for (int32_t p = 0; p < PAIRS; p++) {
            int32_t *even = sums + 2 * p * padded, *odd = even + padded;
#pragma GCC unroll 8
            for (int32_t v = 0; v < VECTORS; v++) {
                vst1_s32(even + v * 2, vget_low_s32(acc[p][v]));
                vst1_s32(odd + v * 2, vget_high_s32(acc[p][v]));
            }
        }
    }
}

static bool available(void) { return (getauxval(AT_HWCAP2) & (1UL << 13)) != 0; } // HWCAP2_I8MM

const gw_kernel gw_kernel_i8mm = {
    .name = "neon-i8mm",
    .rows = ROWS,
    .group = GROUP,
    GW_NEON_SHARED,
    .available = available,
    .accumulate = accumulate,
    .accumulate_tile = accumulate_tile,
    .look_up = gw_look_up_neon,
    .wide = &gw_wide_dotprod,
};
#endif
