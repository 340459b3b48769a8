#include "../wide.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include "neon_rounding.h"

enum { LANES = 4 };

// A factor in every lane.
typedef struct factor {
    int32x4_t multiplier, shift;
} factor;

static inline factor factor_of(gw_multiplier m) { return (factor){vdupq_n_s32(m.multiplier), vdupq_n_s32(m.shift)}; }

static inline int32x4_t twice(int32x4_t values, const factor *f) { return gw_twice_neon(values, f->multiplier, f->shift); }

static inline void store(int16_t *to, int32x4_t values, int16x4_t low, int16x4_t high) {
    vst1_s16(to, vmin_s16(vmax_s16(vqmovn_s32(values), low), high));
}

void gw_rescale_wide_neon(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output) {
    const factor f = factor_of(m);
    const int16x4_t least = vdup_n_s16((int16_t)low), most = vdup_n_s16((int16_t)high);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { store(output + i, twice(vmovl_s16(vld1_s16(input + i)), &f), least, most); }
    gw_rescale_wide_reference(input + i, count - i, m, low, high, output + i);
}

void gw_add_wide_neon(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
    int32_t high, int16_t *output) {
    const factor first = factor_of(scales[0]), second = factor_of(scales[1]), last = factor_of(scales[2]);
    const int16x4_t least = vdup_n_s16((int16_t)low), most = vdup_n_s16((int16_t)high);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const int32x4_t left = twice(vshll_n_s16(vld1_s16(a + i), 15), &first), right = twice(vshll_n_s16(vld1_s16(b + i), 15), &second);
        store(output + i, twice(subtracts ? vqsubq_s32(left, right) : vqaddq_s32(left, right), &last), least, most);
    }
    gw_add_wide_reference(a + i, b + i, count - i, scales, subtracts, low, high, output + i);
}
#endif
