// gw_requantise_twice on vectors of four. Private to the NEON kernels.
#ifndef GW_NEON_ROUNDING_H
#define GW_NEON_ROUNDING_H

#include <arm_neon.h>
#include <stdint.h>

static inline int32x4_t gw_twice_neon(int32x4_t value, int32x4_t multiplier, int32x4_t shift) {
    const int32x4_t zero = vdupq_n_s32(0);
    int32x4_t left = vmaxq_s32(shift, zero), right = vminq_s32(shift, zero);
    value = vqrdmulhq_s32(vqshlq_s32(value, left), multiplier);
    int32x4_t lower_if_negative = vshrq_n_s32(vandq_s32(value, right), 31); // halves away from zero
    return vrshlq_s32(vqaddq_s32(value, lower_if_negative), right);
}

/// The same where no shift is to the left.
static inline int32x4_t gw_twice_right_neon(int32x4_t value, int32x4_t multiplier, int32x4_t shift) {
    value = vqrdmulhq_s32(value, multiplier);
    return vrshlq_s32(vqaddq_s32(value, vshrq_n_s32(vandq_s32(value, shift), 31)), shift);
}

/// Two vectors with the zero point, limited, as bytes.
static inline int8x8_t gw_finished_neon(int32x4_t low_half, int32x4_t high_half, int16x8_t point, int16x8_t low, int16x8_t high) {
    int16x8_t v = vcombine_s16(vqmovn_s32(low_half), vqmovn_s32(high_half));
    return vmovn_s16(vminq_s16(vmaxq_s16(vqaddq_s16(v, point), low), high));
}

#endif
