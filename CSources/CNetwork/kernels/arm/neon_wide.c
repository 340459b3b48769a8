#include "../wide.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include "neon_channels.h"
#include <string.h>

enum { ROWS = 8, MOST = 508 };

// Of a block's outputs.
typedef struct sums_of_eight {
    int32x4_t low, high;
} sums_of_eight;

// One of the two is at most 128, the other one is of int16: 508 products stay within int32, whose numbers are of both signs.
#define ADD_LANE(sums, w, x, lane)                                                                                                         \
    (sums).low = vmlal_lane_s16((sums).low, vget_low_s16(w), x, lane);                                                                     \
    (sums).high = vmlal_lane_s16((sums).high, vget_high_s16(w), x, lane)

static inline void add_one(sums_of_eight *sums, int16x8_t w, int16_t x) {
    sums->low = vmlal_n_s16(sums->low, vget_low_s16(w), x);
    sums->high = vmlal_n_s16(sums->high, vget_high_s16(w), x);
}

static inline void put_four(int64_t *to, const int64_t *from, int32x4_t sums) {
    vst1q_s64(to, vaddw_s32(vld1q_s64(from), vget_low_s32(sums)));
    vst1q_s64(to + 2, vaddw_s32(vld1q_s64(from + 2), vget_high_s32(sums)));
}

static inline sums_of_eight narrow_block(const int8_t *weights, const int16_t *row, int32_t inputs) {
    sums_of_eight sums = {vdupq_n_s32(0), vdupq_n_s32(0)};
    int32_t i = 0;
    for (; i + 4 <= inputs; i += 4, weights += 4 * ROWS) {
        const int16x4_t x = vld1_s16(row + i);
        const int8x16_t first = vld1q_s8(weights), second = vld1q_s8(weights + 2 * ROWS);
        ADD_LANE(sums, vmovl_s8(vget_low_s8(first)), x, 0);
        ADD_LANE(sums, vmovl_s8(vget_high_s8(first)), x, 1);
        ADD_LANE(sums, vmovl_s8(vget_low_s8(second)), x, 2);
        ADD_LANE(sums, vmovl_s8(vget_high_s8(second)), x, 3);
    }
    for (; i < inputs; i++, weights += ROWS) { add_one(&sums, vmovl_s8(vld1_s8(weights)), row[i]); }
    return sums;
}

void gw_sum_narrow_neon(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    const int32_t inputs = packed->inputs, blocks = packed->blocks;
    for (int32_t start = 0; start < inputs; start += MOST, row += MOST, weights += MOST * ROWS, bias = sums) {
        const int32_t some = inputs - start < MOST ? inputs - start : MOST;
        for (int32_t b = 0; b < blocks; b++) {
            const sums_of_eight made = narrow_block(weights + (ptrdiff_t)b * inputs * ROWS, row, some);
            put_four(sums + b * ROWS, bias + b * ROWS, made.low);
            put_four(sums + b * ROWS + 4, bias + b * ROWS + 4, made.high);
        }
    }
}

// An input is 256 upper + lower, both with a sign; the upper one of the largest is 128.
typedef struct halves {
    int16_t upper[MOST], lower[MOST];
} halves;

static void split(const int16_t *row, int32_t inputs, halves *to) {
    for (int32_t i = 0; i < inputs; i++) {
        to->lower[i] = (int8_t)row[i];
        to->upper[i] = (int16_t)((row[i] - to->lower[i]) >> 8);
    }
}

static inline void put_halves(int64_t *to, const int64_t *from, int32x4_t upper, int32x4_t lower) {
    put_four(to, from, lower);
    vst1q_s64(to, vaddq_s64(vld1q_s64(to), vshlq_n_s64(vmovl_s32(vget_low_s32(upper)), 8)));
    vst1q_s64(to + 2, vaddq_s64(vld1q_s64(to + 2), vshlq_n_s64(vmovl_s32(vget_high_s32(upper)), 8)));
}

static inline void wide_block(const int16_t *weights, const halves *row, int32_t inputs, const int64_t *from, int64_t *to) {
    sums_of_eight upper = {vdupq_n_s32(0), vdupq_n_s32(0)}, lower = upper;
    int32_t i = 0;
    for (; i + 4 <= inputs; i += 4, weights += 4 * ROWS) {
        const int16x4_t high = vld1_s16(row->upper + i), low = vld1_s16(row->lower + i);
        const int16x8_t w0 = vld1q_s16(weights), w1 = vld1q_s16(weights + ROWS), w2 = vld1q_s16(weights + 2 * ROWS),
                        w3 = vld1q_s16(weights + 3 * ROWS);
        ADD_LANE(upper, w0, high, 0);
        ADD_LANE(lower, w0, low, 0);
        ADD_LANE(upper, w1, high, 1);
        ADD_LANE(lower, w1, low, 1);
        ADD_LANE(upper, w2, high, 2);
        ADD_LANE(lower, w2, low, 2);
        ADD_LANE(upper, w3, high, 3);
        ADD_LANE(lower, w3, low, 3);
    }
    for (; i < inputs; i++, weights += ROWS) {
        add_one(&upper, vld1q_s16(weights), row->upper[i]);
        add_one(&lower, vld1q_s16(weights), row->lower[i]);
    }
    put_halves(to, from, upper.low, lower.low);
    put_halves(to + 4, from + 4, upper.high, lower.high);
}

void gw_sum_wide_neon(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    const int32_t inputs = packed->inputs, blocks = packed->blocks;
    halves all;
    for (int32_t start = 0; start < inputs; start += MOST, row += MOST, weights += MOST * ROWS, bias = sums) {
        const int32_t some = inputs - start < MOST ? inputs - start : MOST;
        split(row, some, &all);
        for (int32_t b = 0; b < blocks; b++) {
            wide_block(weights + (ptrdiff_t)b * inputs * ROWS, &all, some, bias + b * ROWS, sums + b * ROWS);
        }
    }
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

int32_t gw_scale_neon(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output) {
    if (!packed->only_right || rounding == GW_ROUND_TWICE) { return 0; }
    const int32_t *multipliers = packed->multipliers, *shifts = packed->shifts;
    int64x2_t outside = vdupq_n_s64(0);
    int32_t o = 0;
    for (; o + 4 <= packed->outputs; o += 4) {
        const int32x4_t m = vld1q_s32(multipliers + o);
        const int16x4_t four = rounding == GW_ROUND_ONCE ? four_scaled(sums + o, m, shifts + o, 31, &outside)
                                                         : four_scaled(sums + o, gw_reduced_neon(m), shifts + o, 15, &outside);
        vst1_s16(output + o, four);
    }
    return (vgetq_lane_s64(outside, 0) | vgetq_lane_s64(outside, 1)) == 0 ? o : 0;
}

void gw_product_narrow_neon(const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output) {
    const int32_t inputs = packed->inputs;
    for (int32_t o = 0; o < packed->outputs; o += ROWS, weights += (ptrdiff_t)inputs * ROWS) {
        const sums_of_eight sums = narrow_block(weights, row, inputs);
        gw_put_channels_neon(packed, o, rounding, sums.low, sums.high, output);
    }
}

int32_t gw_magnitude_neon(const int16_t *row, int32_t count) {
    uint32x4_t sums = vdupq_n_u32(0);
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) { // 2^15 without a sign
        sums = vpadalq_u16(sums, vreinterpretq_u16_s16(vabsq_s16(vld1q_s16(row + i))));
    }
    const int32_t rest = gw_magnitude_reference(row + i, count - i);
    return rest + (int32_t)(vgetq_lane_u32(sums, 0) + vgetq_lane_u32(sums, 1) + vgetq_lane_u32(sums, 2) + vgetq_lane_u32(sums, 3));
}

static inline sums_of_eight short_block(const int16_t *weights, const int16_t *row, int32_t inputs) {
    sums_of_eight sums = {vdupq_n_s32(0), vdupq_n_s32(0)};
    int32_t i = 0;
    for (; i + 4 <= inputs; i += 4, weights += 4 * ROWS) {
        const int16x4_t x = vld1_s16(row + i);
        ADD_LANE(sums, vld1q_s16(weights), x, 0);
        ADD_LANE(sums, vld1q_s16(weights + ROWS), x, 1);
        ADD_LANE(sums, vld1q_s16(weights + 2 * ROWS), x, 2);
        ADD_LANE(sums, vld1q_s16(weights + 3 * ROWS), x, 3);
    }
    for (; i < inputs; i++, weights += ROWS) { add_one(&sums, vld1q_s16(weights), row[i]); }
    return sums;
}

void gw_product_short_neon(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output) {
    const int32_t inputs = packed->inputs;
    const int64x2_t left = vdupq_n_s64(m.shift - 15);
    const gw_channels_neon f = {vdupq_n_s32(gw_reduced_multiplier(m.multiplier)), left, left};
    for (int32_t o = 0; o < packed->outputs; o += ROWS, weights += (ptrdiff_t)inputs * ROWS) {
        const sums_of_eight sums = short_block(weights, row, inputs);
        gw_put_eight_neon(packed, o, vcombine_s16(gw_scaled_neon(sums.low, &f), gw_scaled_neon(sums.high, &f)), output);
    }
}

const gw_wide gw_wide_neon = {
    .rows = ROWS,
    .group = 1,
    .sum_wide = gw_sum_wide_neon,
    .sigmoid_interpolated = gw_sigmoid_interpolated_neon,
    .tanh_interpolated = gw_tanh_interpolated_neon,
    .look_up_wide = gw_look_up_wide_neon,
    .below_maximum = gw_below_maximum_neon,
    .rescale_wide = gw_rescale_wide_neon,
    .add_wide = gw_add_wide_neon,
    .share = gw_share_neon,
    .add_limited = gw_add_limited_neon,
    .update_cells = gw_update_cells_neon,
    .multiply_q15 = gw_multiply_q15_neon,
    .mix = gw_mix_neon,
    .multiply_twice = gw_multiply_twice_neon,
    .scale = gw_scale_neon,
    .product_narrow = gw_product_narrow_neon,
    .magnitude = gw_magnitude_neon,
    .product_short = gw_product_short_neon,
    .depthwise_wide = gw_depthwise_wide_neon,
    .narrow_group = 1,
    .sum_narrow = gw_sum_narrow_neon,
};
#endif
