#include "../wide.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include <arm_neon.h>
#include <string.h>

enum { LANES = 4 };

// The factors of four channels; shifts are to the right.
typedef struct factors {
    int32x4_t multiplier;
    int64x2_t low_left, high_left;
} factors;

static inline factors factors_of(const gw_packed *packed, int32_t c, gw_rounding rounding) {
    const int32x4_t all = vld1q_s32(packed->multipliers + c), upper = vminq_s32(vrshrq_n_s32(all, 16), vdupq_n_s32(0x7fff));
    const bool once = rounding == GW_ROUND_ONCE;
    const int32x4_t left = vsubq_s32(vld1q_s32(packed->shifts + c), vdupq_n_s32(once ? 31 : 15));
    return (factors){once ? all : upper, vmovl_s32(vget_low_s32(left)), vmovl_s32(vget_high_s32(left))};
}

static inline int16x4_t scaled(int32x4_t sums, const factors *f) {
    const int64x2_t low = vrshlq_s64(vmull_s32(vget_low_s32(sums), vget_low_s32(f->multiplier)), f->low_left);
    const int64x2_t high = vrshlq_s64(vmull_s32(vget_high_s32(sums), vget_high_s32(f->multiplier)), f->high_left);
    return vqmovn_s32(vcombine_s32(vmovn_s64(low), vmovn_s64(high)));
}

void gw_depthwise_wide_neon(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output) {
    const int32_t outputs = packed->outputs, inputs = packed->inputs, padded = packed->padded;
    const int16x4_t low = vdup_n_s16((int16_t)packed->low), high = vdup_n_s16((int16_t)packed->high);
    for (int32_t c = 0; c < outputs; c += LANES) {
        const int16_t *weights = (const int16_t *)(const void *)packed->weights + c;
        const int32x4_t bias = vld1q_s32(packed->bias + c);
        const factors f = factors_of(packed, c, rounding);
        for (int32_t i = 0; i < count; i++) {
            int32x4_t sums = bias;
            for (int32_t t = 0; t < inputs; t++) {
                sums = vmlal_s16(sums, vld1_s16(taps[t] + i * stride + c), vld1_s16(weights + (ptrdiff_t)t * padded));
            }
            const int16x4_t limited = vmin_s16(vmax_s16(scaled(sums, &f), low), high);
            int16_t *to = output + (ptrdiff_t)i * outputs + c;
            if (outputs - c >= LANES) {
                vst1_s16(to, limited);
            } else {
                memcpy(to, &limited, (size_t)(outputs - c) * sizeof *to);
            }
        }
    }
}
#endif
