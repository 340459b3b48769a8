#include "../wide.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include "neon_rounding.h"

enum { LANES = 4 };

void gw_below_maximum_neon(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output) {
    const int32x4_t multiplier = vdupq_n_s32(m.multiplier), shift = vdupq_n_s32(m.shift), one = vdupq_n_s32(INT16_MAX);
    const int16x4_t most = vdup_n_s16(maximum);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const int32x4_t scaled = gw_twice_neon(vsubl_s16(vld1_s16(input + i), most), multiplier, shift);
        vst1_s16(output + i, vqmovn_s32(vqaddq_s32(scaled, one)));
    }
    gw_below_maximum_reference(input + i, count - i, maximum, m, output + i);
}

void gw_share_neon(int16_t *values, int32_t count, int16_t factor, int32_t shift) {
    const int32x4_t left = vdupq_n_s32(-shift);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const int32x4_t part = vrshlq_s32(vmull_n_s16(vld1_s16(values + i), factor), left);
        vst1_s16(values + i, vqmovn_s32(vmaxq_s32(part, vdupq_n_s32(0))));
    }
    gw_share_reference(values + i, count - i, factor, shift);
}
#endif
