#include "../kernel.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include <arm_neon.h>

static inline int64_t total(int64x2_t sums) { return vgetq_lane_s64(sums, 0) + vgetq_lane_s64(sums, 1); }

// No weight is -128, so the 512 products of the longest row stay within int32 in each lane.
int64_t gw_dot_narrow_neon(const int16_t *row, const int8_t *weights, int32_t count) {
    int32x4_t low = vdupq_n_s32(0), high = low;
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        int16x8_t x = vld1q_s16(row + i), w = vmovl_s8(vld1_s8(weights + i));
        low = vmlal_s16(low, vget_low_s16(x), vget_low_s16(w));
        high = vmlal_s16(high, vget_high_s16(x), vget_high_s16(w));
    }
    return total(vaddq_s64(vpaddlq_s32(low), vpaddlq_s32(high))) + gw_dot_narrow_reference(row + i, weights + i, count - i);
}

int64_t gw_dot_wide_neon(const int16_t *row, const int16_t *weights, int32_t count) {
    int64x2_t sums = vdupq_n_s64(0);
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        int16x8_t x = vld1q_s16(row + i), w = vld1q_s16(weights + i);
        sums = vpadalq_s32(sums, vmull_s16(vget_low_s16(x), vget_low_s16(w)));
        sums = vpadalq_s32(sums, vmull_s16(vget_high_s16(x), vget_high_s16(w)));
    }
    return total(sums) + gw_dot_wide_reference(row + i, weights + i, count - i);
}
#endif
