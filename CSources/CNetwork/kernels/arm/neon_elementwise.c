#include "../kernel.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include "neon_rounding.h"

enum { LANES = 8 };

typedef struct vectors {
    int16x8_t points[2], output_point, low, high;
    int32x4_t multipliers[3], shifts[3];
} vectors;

static vectors of(const gw_pair *pair) {
    vectors v = {.output_point = vdupq_n_s16((int16_t)pair->output_zero_point),
        .low = vdupq_n_s16((int16_t)pair->low),
        .high = vdupq_n_s16((int16_t)pair->high)};
    for (int32_t i = 0; i < 2; i++) { v.points[i] = vdupq_n_s16((int16_t)pair->zero_points[i]); }
    for (int32_t i = 0; i < 3; i++) {
        v.multipliers[i] = vdupq_n_s32(pair->scales[i].multiplier), v.shifts[i] = vdupq_n_s32(pair->scales[i].shift);
    }
    return v;
}

static inline int32x4_t scaled(const vectors *v, int32_t scale, int32x4_t value) {
    return gw_twice_neon(value, v->multipliers[scale], v->shifts[scale]);
}

static inline int32x4_t sum_of(const vectors *v, int16x4_t a, int16x4_t b, bool subtracts) {
    const int32x4_t first = scaled(v, 0, vshll_n_s16(a, 15)), second = scaled(v, 1, vshll_n_s16(b, 15));
    return scaled(v, 2, subtracts ? vqsubq_s32(first, second) : vqaddq_s32(first, second));
}

int32_t gw_add_neon(const gw_pair *pair, int32_t count, int8_t *output) {
    const vectors v = of(pair);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        // Twenty bits to spare: five here, fifteen as they are widened.
        const int16x8_t a = vshlq_n_s16(vsubq_s16(vmovl_s8(vld1_s8(pair->a + i)), v.points[0]), 5);
        const int16x8_t b = vshlq_n_s16(vsubq_s16(vmovl_s8(vld1_s8(pair->b + i)), v.points[1]), 5);
        const int32x4_t low = sum_of(&v, vget_low_s16(a), vget_low_s16(b), pair->subtracts);
        const int32x4_t high = sum_of(&v, vget_high_s16(a), vget_high_s16(b), pair->subtracts);
        vst1_s8(output + i, gw_finished_neon(low, high, v.output_point, v.low, v.high));
    }
    return i;
}

int32_t gw_multiply_neon(const gw_pair *pair, int32_t count, int8_t *output) {
    const vectors v = of(pair);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const int16x8_t a = vsubq_s16(vmovl_s8(vld1_s8(pair->a + i)), v.points[0]);
        const int16x8_t b = vsubq_s16(vmovl_s8(vld1_s8(pair->b + i)), v.points[1]);
        const int32x4_t low = scaled(&v, 0, vmull_s16(vget_low_s16(a), vget_low_s16(b)));
        const int32x4_t high = scaled(&v, 0, vmull_s16(vget_high_s16(a), vget_high_s16(b)));
        vst1_s8(output + i, gw_finished_neon(low, high, v.output_point, v.low, v.high));
    }
    return i;
}

void gw_values_twice_neon(int32_t *values, int32_t count, gw_multiplier m) {
    const int32x4_t multiplier = vdupq_n_s32(m.multiplier), shift = vdupq_n_s32(m.shift);
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) { vst1q_s32(values + i, gw_twice_neon(vld1q_s32(values + i), multiplier, shift)); }
    gw_twice_reference(values + i, count - i, m);
}

#if defined(__aarch64__)
// An instruction looks up 64 entries: the table lies in sixteen registers.
int32_t gw_look_up_neon(const int8_t *table, const int8_t *source, int32_t count, int8_t *output) {
    int8x16x4_t part[4];
#pragma GCC unroll 4
    for (int32_t p = 0; p < 4; p++) { part[p] = vld1q_s8_x4(table + 64 * p); }
    const uint8x16_t next = vdupq_n_u8(64);
    int32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        uint8x16_t at = veorq_u8(vreinterpretq_u8_s8(vld1q_s8(source + i)), vdupq_n_u8(128));
        int8x16_t found = vqtbl4q_s8(part[0], at);
#pragma GCC unroll 3
        for (int32_t p = 1; p < 4; p++) { found = vqtbx4q_s8(found, part[p], at = vsubq_u8(at, next)); }
        vst1q_s8(output + i, found);
    }
    return i;
}
#endif
#endif
