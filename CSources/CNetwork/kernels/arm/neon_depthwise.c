#include "../kernel.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include <arm_neon.h>

enum { CHANNELS = GW_DEPTHWISE_CHANNELS, GROUP = GW_DEPTHWISE_BYTES / CHANNELS };

// Positions worked on together: 32-bit processors have half the registers.
#if defined(__aarch64__)
enum { ABREAST = 4 };
#else
enum { ABREAST = 2 };
#endif

// weights[block][tap, up to whole groups][channel of the block].
void gw_pack_depthwise_neon(const gw_packed *packed, const int8_t *weights, int8_t *to) {
    for (int32_t block = 0; block < packed->blocks; block++) {
        for (int32_t tap = 0; tap < packed->groups * GROUP; tap++) {
            for (int32_t c = 0; c < CHANNELS; c++) {
                const int32_t channel = block * CHANNELS + c;
                const bool is_there = channel < packed->outputs && tap < packed->inputs;
                *to++ = is_there ? weights[(ptrdiff_t)channel * packed->inputs + tap] : 0;
            }
        }
    }
}

typedef struct sums_of_block {
    int32x4_t four[4];
} sums_of_block;

static inline void add(sums_of_block *acc, int16x8_t low, int16x8_t high) {
    acc->four[0] = vaddw_s16(acc->four[0], vget_low_s16(low));
    acc->four[1] = vaddw_s16(acc->four[1], vget_high_s16(low));
    acc->four[2] = vaddw_s16(acc->four[2], vget_low_s16(high));
    acc->four[3] = vaddw_s16(acc->four[3], vget_high_s16(high));
}

// Sixteen channels of `positions` positions, a constant at each call: each load of weights serves them all. Two products are at most
// 2 * 128 * 127, which int16 holds: no weight is -128.
__attribute__((always_inline)) static inline void run_block(const gw_packed *packed, int32_t block, const int8_t *const *inputs,
    ptrdiff_t at, ptrdiff_t stride, int32_t *sums, const int32_t positions) {
    const int8_t *weights = packed->weights + (ptrdiff_t)block * packed->groups * GW_DEPTHWISE_BYTES;
    const int32_t *bias = packed->bias + block * CHANNELS, taps = packed->inputs;
    sums_of_block acc[ABREAST];
    for (int32_t i = 0; i < positions; i++) {
        for (int32_t k = 0; k < 4; k++) { acc[i].four[k] = vld1q_s32(bias + 4 * k); }
    }
    int32_t tap = 0;
    for (; tap + 2 <= taps; tap += 2, weights += 2 * CHANNELS) {
        const int8_t *first = inputs[tap] + at, *second = inputs[tap + 1] + at;
        const int8x16_t w0 = vld1q_s8(weights), w1 = vld1q_s8(weights + CHANNELS);
        for (int32_t i = 0; i < positions; i++) {
            const int8x16_t x0 = vld1q_s8(first + i * stride), x1 = vld1q_s8(second + i * stride);
            add(&acc[i], vmlal_s8(vmull_s8(vget_low_s8(x0), vget_low_s8(w0)), vget_low_s8(x1), vget_low_s8(w1)),
                vmlal_s8(vmull_s8(vget_high_s8(x0), vget_high_s8(w0)), vget_high_s8(x1), vget_high_s8(w1)));
        }
    }
    if (tap < taps) {
        const int8x16_t w = vld1q_s8(weights);
        for (int32_t i = 0; i < positions; i++) {
            const int8x16_t x = vld1q_s8(inputs[tap] + at + i * stride);
            add(&acc[i], vmull_s8(vget_low_s8(x), vget_low_s8(w)), vmull_s8(vget_high_s8(x), vget_high_s8(w)));
        }
    }
    for (int32_t i = 0; i < positions; i++) {
        int32_t *to = sums + (ptrdiff_t)i * packed->padded + block * CHANNELS;
        for (int32_t k = 0; k < 4; k++) { vst1q_s32(to + 4 * k, acc[i].four[k]); }
    }
}

void gw_depthwise_neon(const gw_packed *packed, const int8_t *const *inputs, ptrdiff_t stride, int32_t count, int32_t *sums) {
    for (int32_t block = 0; block < packed->blocks; block++) {
        const ptrdiff_t first = block * CHANNELS;
        int32_t i = 0;
        for (; i + ABREAST <= count; i += ABREAST) {
            run_block(packed, block, inputs, i * stride + first, stride, sums + (ptrdiff_t)i * packed->padded, ABREAST);
        }
        for (; i < count; i++) { run_block(packed, block, inputs, i * stride + first, stride, sums + (ptrdiff_t)i * packed->padded, 1); }
    }
}
#endif
