#include "../wide.h"
#include "dotprod.h"

#if defined(__aarch64__)
#include "neon_channels.h"
#include <string.h>

enum { ROWS = 8, GROUP = 4, STEP = 16 };

// An input is 256 upper + lower + 128, both with a sign, so that an instruction takes sixteen products of each; the bias has the 128.
typedef struct bytes {
    int8_t upper[GW_EXTENT_MAX], lower[GW_EXTENT_MAX];
} bytes;

// Whole vectors: what stands behind the last input meets no weight.
DOTPROD static void split(const int16_t *row, int32_t inputs, bytes *to) {
    for (int32_t i = 0; i < inputs; i += STEP) {
        int16_t last[STEP] = {0};
        const int16_t *from = row + i;
        if (i + STEP > inputs) {
            memcpy(last, from, (size_t)(inputs - i) * sizeof *last);
            from = last;
        }
        const int8x16_t a = vreinterpretq_s8_s16(vld1q_s16(from)), b = vreinterpretq_s8_s16(vld1q_s16(from + 8));
        vst1q_s8(to->lower + i, veorq_s8(vuzp1q_s8(a, b), vdupq_n_s8(INT8_MIN)));
        vst1q_s8(to->upper + i, vuzp2q_s8(a, b));
    }
}

// Of a block's outputs.
typedef struct sums_of_eight {
    int32x4_t low, high;
} sums_of_eight;

// The products of a group of inputs, in lane `lane` of each half.
#define ADD_GROUP(upper, lower, weights, x_upper, x_lower, lane)                                                                           \
    do {                                                                                                                                   \
        const int8x16_t w0 = vld1q_s8((weights) + (lane) * ROWS * GROUP), w1 = vld1q_s8((weights) + (lane) * ROWS * GROUP + STEP);         \
        (upper).low = vdotq_laneq_s32((upper).low, w0, x_upper, lane);                                                                     \
        (lower).low = vdotq_laneq_s32((lower).low, w0, x_lower, lane);                                                                     \
        (upper).high = vdotq_laneq_s32((upper).high, w1, x_upper, lane);                                                                   \
        (lower).high = vdotq_laneq_s32((lower).high, w1, x_lower, lane);                                                                   \
    } while (0)

DOTPROD static inline void put_four(int64_t *to, const int64_t *from, int32x4_t upper, int32x4_t lower) {
    const int64x2_t first = vaddw_s32(vshll_n_s32(vget_low_s32(upper), 8), vget_low_s32(lower));
    const int64x2_t last = vaddw_s32(vshll_n_s32(vget_high_s32(upper), 8), vget_high_s32(lower));
    vst1q_s64(to, vaddq_s64(vld1q_s64(from), first));
    vst1q_s64(to + 2, vaddq_s64(vld1q_s64(from + 2), last));
}

// 4096 products of bytes stay within int32.
DOTPROD static inline void parts_of(const int8_t *weights, const bytes *row, int32_t inputs, sums_of_eight *upper, sums_of_eight *lower) {
    *upper = *lower = (sums_of_eight){vdupq_n_s32(0), vdupq_n_s32(0)};
    int32_t i = 0;
    for (; i + STEP <= inputs; i += STEP, weights += STEP * ROWS) {
        const int8x16_t x_upper = vld1q_s8(row->upper + i), x_lower = vld1q_s8(row->lower + i);
        ADD_GROUP(*upper, *lower, weights, x_upper, x_lower, 0);
        ADD_GROUP(*upper, *lower, weights, x_upper, x_lower, 1);
        ADD_GROUP(*upper, *lower, weights, x_upper, x_lower, 2);
        ADD_GROUP(*upper, *lower, weights, x_upper, x_lower, 3);
    }
    for (; i < inputs; i += GROUP, weights += GROUP * ROWS) {
        int32_t some[2];
        memcpy(some, row->upper + i, GROUP), memcpy(some + 1, row->lower + i, GROUP);
        const int8x16_t x_upper = vreinterpretq_s8_s32(vdupq_n_s32(some[0])), x_lower = vreinterpretq_s8_s32(vdupq_n_s32(some[1]));
        ADD_GROUP(*upper, *lower, weights, x_upper, x_lower, 0);
    }
}

DOTPROD static void sum_block(const int8_t *weights, const bytes *row, int32_t inputs, const int64_t *from, int64_t *to) {
    sums_of_eight upper, lower;
    parts_of(weights, row, inputs, &upper, &lower);
    put_four(to, from, upper.low, lower.low);
    put_four(to + 4, from + 4, upper.high, lower.high);
}

DOTPROD void gw_sum_narrow_dotprod(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    bytes all; // only as much of it as there are inputs is written and read
    split(row, packed->inputs, &all);
    const ptrdiff_t line = (ptrdiff_t)packed->groups * GROUP * ROWS;
    for (int32_t b = 0; b < packed->blocks; b++) { sum_block(weights + b * line, &all, packed->inputs, bias + b * ROWS, sums + b * ROWS); }
}

DOTPROD void gw_product_narrow_dotprod(
    const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * GROUP * ROWS;
    bytes all;
    split(row, packed->inputs, &all);
    for (int32_t o = 0; o < packed->outputs; o += ROWS, weights += line) {
        sums_of_eight upper, lower;
        parts_of(weights, &all, packed->inputs, &upper, &lower);
        const int32x4_t low = vaddq_s32(vshlq_n_s32(upper.low, 8), lower.low), high = vaddq_s32(vshlq_n_s32(upper.high, 8), lower.high);
        gw_put_channels_neon(packed, o, rounding, low, high, output);
    }
}

const gw_wide gw_wide_dotprod = {
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
    .product_narrow = gw_product_narrow_dotprod,
    .magnitude = gw_magnitude_neon,
    .product_short = gw_product_short_neon,
    .depthwise_wide = gw_depthwise_wide_neon,
    .narrow_group = 4,
    .narrow_offset = -128,
    .sum_narrow = gw_sum_narrow_dotprod,
};
#endif
