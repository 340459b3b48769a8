#include "../kernel.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include <arm_neon.h>

static inline int64_t total(int64x2_t sums) { return vgetq_lane_s64(sums, 0) + vgetq_lane_s64(sums, 1); }

#define TARGET
#define VECTOR int16x8_t
#define LANES 8
#define vload(p) vld1q_s16(p)

typedef struct sums_of_eight {
    int32x4_t low, high;
} sums_of_eight;

static inline void add(sums_of_eight *sums, int16x8_t x, int8x8_t narrow) {
    const int16x8_t w = vmovl_s8(narrow);
    sums->low = vmlal_s16(sums->low, vget_low_s16(x), vget_low_s16(w));
    sums->high = vmlal_s16(sums->high, vget_high_s16(x), vget_high_s16(w));
}

static inline int64_t of_lanes(sums_of_eight sums) { return total(vaddq_s64(vpaddlq_s32(sums.low), vpaddlq_s32(sums.high))); }

static inline int64_t one(const int16_t *row, const int8_t *weights, int32_t inputs) {
    const int32x4_t zero = vdupq_n_s32(0);
    sums_of_eight sums = {zero, zero};
    int32_t i = 0;
    for (; i + LANES <= inputs; i += LANES) { add(&sums, vld1q_s16(row + i), vld1_s8(weights + i)); }
    return of_lanes(sums) + gw_dot_narrow_reference(row + i, weights + i, inputs - i);
}

// No weight is -128, so the 512 products of the longest row stay within int32 in each lane.
static inline void four(const int16_t *row, int16x8_t last, const int8_t *const *w, int32_t inputs, int64_t *sums) {
    const int32x4_t zero = vdupq_n_s32(0);
    sums_of_eight a = {zero, zero}, b = a, c = a, d = a;
    for (int32_t i = 0; i < inputs; i += LANES) {
        const int16x8_t x = i + LANES <= inputs ? vld1q_s16(row + i) : last;
        add(&a, x, vld1_s8(w[0] + i));
        add(&b, x, vld1_s8(w[1] + i));
        add(&c, x, vld1_s8(w[2] + i));
        add(&d, x, vld1_s8(w[3] + i));
    }
    sums[0] += of_lanes(a);
    sums[1] += of_lanes(b);
    sums[2] += of_lanes(c);
    sums[3] += of_lanes(d);
}

#include "../dots_narrow.h"

void gw_sum_narrow_neon(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    memcpy(sums, bias, (size_t)packed->outputs * sizeof *sums);
    dots_narrow(row, weights, packed->inputs, packed->outputs, sums);
}

static int64_t dot_wide(const int16_t *row, const int16_t *weights, int32_t count) {
    int64x2_t sums = vdupq_n_s64(0);
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        int16x8_t x = vld1q_s16(row + i), w = vld1q_s16(weights + i);
        sums = vpadalq_s32(sums, vmull_s16(vget_low_s16(x), vget_low_s16(w)));
        sums = vpadalq_s32(sums, vmull_s16(vget_high_s16(x), vget_high_s16(w)));
    }
    return total(sums) + gw_dot_wide_reference(row + i, weights + i, count - i);
}

void gw_sum_wide_neon(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    memcpy(sums, bias, (size_t)packed->outputs * sizeof *sums);
    const int32_t inputs = packed->inputs;
    for (int32_t o = 0; o < packed->outputs; o++) { sums[o] += dot_wide(row, weights + (ptrdiff_t)o * inputs, inputs); }
}

// Four sums times the multipliers over 2^bits, of which `outside` collects what int32 does not hold. Shifts are to the right.
static inline int16x4_t four_scaled(const int64_t *sums, int32x4_t m, const int32_t *shifts, int32_t bits, int64x2_t *outside) {
    const int64x2_t low = vld1q_s64(sums), high = vld1q_s64(sums + 2);
    const int32x2_t narrow_low = vmovn_s64(low), narrow_high = vmovn_s64(high);
    *outside = vorrq_s64(*outside, vorrq_s64(vsubw_s32(low, narrow_low), vsubw_s32(high, narrow_high)));
    const int32x4_t left = vsubq_s32(vld1q_s32(shifts), vdupq_n_s32(bits));
    const int64x2_t a = vrshlq_s64(vmull_s32(narrow_low, vget_low_s32(m)), vmovl_s32(vget_low_s32(left)));
    const int64x2_t b = vrshlq_s64(vmull_s32(narrow_high, vget_high_s32(m)), vmovl_s32(vget_high_s32(left)));
    return vqmovn_s32(vcombine_s32(vqmovn_s64(a), vqmovn_s64(b)));
}

// A multiplier's upper 15 bits, as gw_requantise_reduced takes them.
static inline int32x4_t reduced(int32x4_t multiplier) { return vminq_s32(vrshrq_n_s32(multiplier, 16), vdupq_n_s32(0x7fff)); }

int32_t gw_scale_neon(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output) {
    if (!packed->only_right || rounding == GW_ROUND_TWICE) { return 0; }
    const int32_t *multipliers = packed->multipliers, *shifts = packed->shifts;
    int64x2_t outside = vdupq_n_s64(0);
    int32_t o = 0;
    for (; o + 4 <= packed->outputs; o += 4) {
        const int32x4_t m = vld1q_s32(multipliers + o);
        const int16x4_t four = rounding == GW_ROUND_ONCE ? four_scaled(sums + o, m, shifts + o, 31, &outside)
                                                         : four_scaled(sums + o, reduced(m), shifts + o, 15, &outside);
        vst1_s16(output + o, four);
    }
    return (vgetq_lane_s64(outside, 0) | vgetq_lane_s64(outside, 1)) == 0 ? o : 0;
}
#endif
