// Sums of int32 scaled by a factor of each channel, rounded once, in vectors of four. Private to the kernels.
#ifndef GW_NEON_CHANNELS_H
#define GW_NEON_CHANNELS_H

#include "../kernel.h"
#include <arm_neon.h>
#include <string.h>

/// Multipliers' upper 15 bits, as gw_requantise_reduced takes them.
static inline int32x4_t gw_reduced_neon(int32x4_t multipliers) { return vminq_s32(vrshrq_n_s32(multipliers, 16), vdupq_n_s32(0x7fff)); }

/// The factors of four channels; shifts are to the right.
typedef struct gw_channels_neon {
    int32x4_t multiplier;
    int64x2_t low_left, high_left;
} gw_channels_neon;

/// Those from channel `c` on; the rounding is not GW_ROUND_TWICE.
static inline gw_channels_neon gw_channels_of_neon(const gw_packed *packed, int32_t c, gw_rounding rounding) {
    const int32x4_t all = vld1q_s32(packed->multipliers + c);
    const bool once = rounding == GW_ROUND_ONCE;
    const int32x4_t left = vsubq_s32(vld1q_s32(packed->shifts + c), vdupq_n_s32(once ? 31 : 15));
    return (gw_channels_neon){once ? all : gw_reduced_neon(all), vmovl_s32(vget_low_s32(left)), vmovl_s32(vget_high_s32(left))};
}

/// Limited to int16.
static inline int16x4_t gw_scaled_neon(int32x4_t sums, const gw_channels_neon *f) {
    const int64x2_t low = vrshlq_s64(vmull_s32(vget_low_s32(sums), vget_low_s32(f->multiplier)), f->low_left);
    const int64x2_t high = vrshlq_s64(vmull_s32(vget_high_s32(sums), vget_high_s32(f->multiplier)), f->high_left);
    return vqmovn_s32(vcombine_s32(vmovn_s64(low), vmovn_s64(high)));
}

/// Eight outputs from `o` on, or as many as there are, within the limits.
static inline void gw_put_eight_neon(const gw_packed *packed, int32_t o, int16x8_t values, int16_t *output) {
    const int16x8_t least = vdupq_n_s16((int16_t)packed->low), most = vdupq_n_s16((int16_t)packed->high);
    const int16x8_t limited = vminq_s16(vmaxq_s16(values, least), most);
    if (packed->outputs - o >= 8) {
        vst1q_s16(output + o, limited);
    } else {
        memcpy(output + o, &limited, (size_t)(packed->outputs - o) * sizeof *output);
    }
}

/// The same of their sums with packed->bias, scaled.
static inline void gw_put_channels_neon(
    const gw_packed *packed, int32_t o, gw_rounding rounding, int32x4_t low_sums, int32x4_t high_sums, int16_t *output) {
    const gw_channels_neon first = gw_channels_of_neon(packed, o, rounding), second = gw_channels_of_neon(packed, o + 4, rounding);
    const int16x4_t low = gw_scaled_neon(vaddq_s32(low_sums, vld1q_s32(packed->bias + o)), &first),
                    high = gw_scaled_neon(vaddq_s32(high_sums, vld1q_s32(packed->bias + o + 4)), &second);
    gw_put_eight_neon(packed, o, vcombine_s16(low, high), output);
}

#endif
