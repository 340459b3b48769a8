#include "../signals.h"
#include "../spectrum.h"

#if defined(__aarch64__)
#include <arm_neon.h>

static inline int64x2_t with_products(int64x2_t sum, int16x8_t left, int16x8_t right) {
    sum = vpadalq_s32(sum, vmull_s16(vget_low_s16(left), vget_low_s16(right)));
    return vpadalq_s32(sum, vmull_high_s16(left, right));
}

int64_t gw_signal_product_neon(const int16_t *left, const int16_t *right, int32_t count) {
    int64x2_t sums = vdupq_n_s64(0);
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) { sums = with_products(sums, vld1q_s16(left + i), vld1q_s16(right + i)); }
    return vaddvq_s64(sums) + gw_signal_product_reference(left + i, right + i, count - i);
}

gw_signal_sums gw_signal_centre_neon(int16_t *signal, int32_t length) {
    const int16_t mean = gw_saturate16(gw_divided(gw_signal_total(signal, length), length));
    const int16x8_t means = vdupq_n_s16(mean);
    int16x8_t highest = vdupq_n_s16(INT16_MIN), lowest = vdupq_n_s16(INT16_MAX);
    int64x2_t squares = vdupq_n_s64(0);
    int32_t i = 0;
    for (; i + 8 <= length; i += 8) {
        const int16x8_t values = vqsubq_s16(vld1q_s16(signal + i), means);
        highest = vmaxq_s16(highest, values);
        lowest = vminq_s16(lowest, values);
        squares = with_products(squares, values, values);
        vst1q_s16(signal + i, values);
    }
    gw_signal_sums sums = {.mean = mean, .square = vaddvq_s64(squares), .most = vmaxvq_s16(highest), .least = vminvq_s16(lowest)};
    for (; i < length; i++) {
        const int16_t value = gw_saturate32_to_16(signal[i] - mean);
        sums.most = value > sums.most ? value : sums.most;
        sums.least = value < sums.least ? value : sums.least;
        sums.square += value * value;
        signal[i] = value;
    }
    return sums;
}

// Rounded roots of numbers up to 3 * 2^30.
static inline uint32x4_t square_roots(uint32x4_t value) {
    // Shifted to 2^30 and above; 0 stays 0. The estimate of 2^47 / root is 2^-8 off, after Newton's step the root is at most one.
    const int32x4_t shift = vbicq_s32(vreinterpretq_s32_u32(vclzq_u32(value)), vdupq_n_s32(1));
    const uint32x4_t x = vshlq_u32(value, shift), inverse = vrsqrteq_u32(x);
    const uint32x4_t first = vshrq_n_u32(vmulq_u32(vshrq_n_u32(x, 16), vshrq_n_u32(inverse, 16)), 15);
    const int32x4_t rest = vreinterpretq_s32_u32(vmlsq_u32(x, first, first));
    const int32x4_t step = vrshrq_n_s32(vqdmulhq_s32(rest, vreinterpretq_s32_u32(vshrq_n_u32(inverse, 1))), 16);
    const uint32x4_t near = vreinterpretq_u32_s32(vaddq_s32(vreinterpretq_s32_u32(first), step));
    const uint32x4_t root = vrshlq_u32(near, vnegq_s32(vshrq_n_s32(shift, 1)));
    // The nearest root r is that of r^2 - r < value <= r^2 + r. A comparison that is true is -1.
    const uint32x4_t square = vmulq_u32(root, root);
    const uint32x4_t too_low = vcgtq_u32(value, vaddq_u32(square, root)), too_high = vcleq_u32(value, vqsubq_u32(square, root));
    return vqsubq_u32(vsubq_u32(root, too_low), vshrq_n_u32(too_high, 31));
}

void gw_signal_lengths_neon(const int16_t *window, int32_t length, int16_t *lengths) {
    int32_t i = 0;
    for (; i + 4 <= length; i += 4) {
        const int16x4x3_t sample = vld3_s16(window + GW_AXES * i);
        const uint32x4_t squares = vaddq_u32(vreinterpretq_u32_s32(vmull_s16(sample.val[0], sample.val[0])),
            vaddq_u32(vreinterpretq_u32_s32(vmull_s16(sample.val[1], sample.val[1])),
                vreinterpretq_u32_s32(vmull_s16(sample.val[2], sample.val[2]))));
        vst1_s16(lengths + i, vqmovn_s32(vreinterpretq_s32_u32(square_roots(squares))));
    }
    gw_signal_lengths_reference(window + GW_AXES * i, length - i, lengths + i);
}
#endif
