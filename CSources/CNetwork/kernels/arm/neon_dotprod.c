#include "../wide.h"
#include "dotprod.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>
#include <sys/auxv.h>

enum { ROWS = 16, GROUP = 4 };

static inline int8x16_t four_of(const int8_t *input) {
    int32_t four;
    memcpy(&four, input, sizeof four);
    return vreinterpretq_s8_s32(vdupq_n_s32(four));
}

// Lane `lane` of sixteen inputs, a constant, against sixteen rows' four weights. Even and odd lanes add up apart, so that fewer sums wait
// for the one before them.
#define FOUR_INPUTS(acc, lane)                                                                                                             \
    _Pragma("GCC unroll 4") for (int32_t r = 0; r < 4; r++, w += 16) { acc[r] = vdotq_laneq_s32(acc[r], vld1q_s8(w), x, lane); }

DOTPROD static void accumulate(const gw_packed *packed, const int8_t *input, int32_t *sums) {
    const int32_t groups = packed->groups;
    const int8_t *w = packed->weights;
    for (int32_t b = 0; b < packed->blocks; b++, sums += ROWS) {
        int32x4_t even[4], odd[4];
#pragma GCC unroll 4
        for (int32_t r = 0; r < 4; r++) { even[r] = vld1q_s32(packed->bias + b * ROWS + r * 4), odd[r] = vdupq_n_s32(0); }
        int32_t g = 0;
        for (; g + 4 <= groups; g += 4) {
            const int8x16_t x = vld1q_s8(input + g * GROUP);
            FOUR_INPUTS(even, 0)
            FOUR_INPUTS(odd, 1)
            FOUR_INPUTS(even, 2)
            FOUR_INPUTS(odd, 3)
        }
        for (; g < groups; g++) {
            const int8x16_t x = four_of(input + g * GROUP);
            FOUR_INPUTS(even, 0)
        }
#pragma GCC unroll 4
        for (int32_t r = 0; r < 4; r++) { vst1q_s32(sums + r * 4, vaddq_s32(even[r], odd[r])); }
    }
}

// Lane `lane` of each row's sixteen inputs; a constant for the instruction.
#define FOUR_ROWS(lane)                                                                                                                    \
    _Pragma("GCC unroll 4") for (int32_t r = 0; r < 4; r++, w += 16) {                                                                     \
        const int8x16_t weights = vld1q_s8(w);                                                                                             \
        acc[0][r] = vdotq_laneq_s32(acc[0][r], weights, x[0], lane);                                                                       \
        acc[1][r] = vdotq_laneq_s32(acc[1][r], weights, x[1], lane);                                                                       \
        acc[2][r] = vdotq_laneq_s32(acc[2][r], weights, x[2], lane);                                                                       \
        acc[3][r] = vdotq_laneq_s32(acc[3][r], weights, x[3], lane);                                                                       \
    }

DOTPROD static void accumulate_tile(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums) {
    const int32_t padded = packed->padded;
    const int8_t *w = packed->weights;
    for (int32_t b = 0; b < packed->blocks; b++, sums += ROWS) {
        int32x4_t acc[GW_TILE][4];
#pragma GCC unroll 4
        for (int32_t r = 0; r < 4; r++) { acc[0][r] = acc[1][r] = acc[2][r] = acc[3][r] = vld1q_s32(packed->bias + b * ROWS + r * 4); }
        int32_t g = 0;
        for (; g + 4 <= packed->groups; g += 4) {
            const int8x16_t x[GW_TILE] = {vld1q_s8(inputs[0] + g * GROUP), vld1q_s8(inputs[1] + g * GROUP), vld1q_s8(inputs[2] + g * GROUP),
                vld1q_s8(inputs[3] + g * GROUP)};
            FOUR_ROWS(0)
            FOUR_ROWS(1)
            FOUR_ROWS(2)
            FOUR_ROWS(3)
        }
        for (; g < packed->groups; g++) {
            const int8x16_t x[GW_TILE] = {four_of(inputs[0] + g * GROUP), four_of(inputs[1] + g * GROUP), four_of(inputs[2] + g * GROUP),
                four_of(inputs[3] + g * GROUP)};
            FOUR_ROWS(0)
        }
#pragma GCC unroll 4
        for (int32_t i = 0; i < GW_TILE; i++) {
#pragma GCC unroll 4
            for (int32_t r = 0; r < 4; r++) { vst1q_s32(sums + i * padded + r * 4, acc[i][r]); }
        }
    }
}

static bool available(void) { return (getauxval(AT_HWCAP) & (1UL << 20)) != 0; } // HWCAP_ASIMDDP

const gw_kernel gw_kernel_dotprod = {
    .name = "neon-dotprod",
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
