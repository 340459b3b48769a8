#include "../wide.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include "neon_rounding.h"

enum { LANES = 8 };

typedef struct products {
    int32x4_t low, high;
} products;

static inline products multiplied(int16x8_t a, int16x8_t b) {
    return (products){vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_s16(vget_high_s16(a), vget_high_s16(b))};
}

static inline int16x8_t narrowed(int32x4_t low, int32x4_t high) { return vcombine_s16(vqmovn_s32(low), vqmovn_s32(high)); }

void gw_add_limited_neon(int16_t *values, const int16_t *others, int32_t count) {
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { vst1q_s16(values + i, vqaddq_s16(vld1q_s16(values + i), vld1q_s16(others + i))); }
    gw_add_limited_reference(values + i, others + i, count - i);
}

// v / 2^-left: with one less below zero, halves go away from it.
static inline int32x4_t divided(int32x4_t v, int32x4_t left) { return vrshlq_s32(vaddq_s32(v, vshrq_n_s32(v, 31)), left); }

static inline int16x8_t multiplied_and_divided(int16x8_t a, int16x8_t b, int32x4_t left) {
    const products p = multiplied(a, b);
    return narrowed(divided(vrshrq_n_s32(p.low, 1), left), divided(vrshrq_n_s32(p.high, 1), left));
}

void gw_update_cells_neon(
    const int16_t *i, const int16_t *f, const int16_t *z, int32_t units, int32_t fraction, int32_t clip, int16_t *cell) {
    const int16x8_t most = vdupq_n_s16((int16_t)(clip > 0 ? clip : INT16_MAX)),
                    least = vdupq_n_s16((int16_t)(clip > 0 ? -clip : INT16_MIN));
    const int32x4_t of_cell = vdupq_n_s32(-14), of_gates = vdupq_n_s32(fraction - 29);
    int32_t u = 0;
    for (; u + LANES <= units; u += LANES) {
        const int16x8_t kept = multiplied_and_divided(vld1q_s16(f + u), vld1q_s16(cell + u), of_cell);
        const int16x8_t sum = vqaddq_s16(kept, multiplied_and_divided(vld1q_s16(i + u), vld1q_s16(z + u), of_gates));
        vst1q_s16(cell + u, vmaxq_s16(vminq_s16(sum, most), least));
    }
    gw_update_cells_reference(i + u, f + u, z + u, units - u, fraction, clip, cell + u);
}

void gw_multiply_q15_neon(const int16_t *a, const int16_t *b, int32_t count, int16_t *output) {
    const int32x4_t left = vdupq_n_s32(-15);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const products p = multiplied(vld1q_s16(a + i), vld1q_s16(b + i));
        vst1q_s16(output + i, narrowed(divided(p.low, left), divided(p.high, left)));
    }
    gw_multiply_q15_reference(a + i, b + i, count - i, output + i);
}

// candidate * 2^15 - update * candidate + update * cell.
static inline int32x4_t mixed_of(int16x4_t update, int16x4_t candidate, int16x4_t cell) {
    return vmlal_s16(vmlsl_s16(vshll_n_s16(candidate, 15), update, candidate), update, cell);
}

void gw_mix_neon(const int16_t *update, const int16_t *candidate, int32_t units, int16_t *cell, int32_t *mixed) {
    const int32x4_t left = vdupq_n_s32(-15);
    int32_t u = 0;
    for (; u + LANES <= units; u += LANES) {
        const int16x8_t by = vld1q_s16(update + u), c = vld1q_s16(candidate + u), old = vld1q_s16(cell + u);
        const int32x4_t low = mixed_of(vget_low_s16(by), vget_low_s16(c), vget_low_s16(old));
        const int32x4_t high = mixed_of(vget_high_s16(by), vget_high_s16(c), vget_high_s16(old));
        vst1q_s16(cell + u, narrowed(divided(low, left), divided(high, left)));
        vst1q_s32(mixed + u, low);
        vst1q_s32(mixed + u + 4, high);
    }
    gw_mix_reference(update + u, candidate + u, units - u, cell + u, mixed + u);
}

void gw_multiply_twice_neon(
    const int16_t *a, const int16_t *b, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output) {
    const int32x4_t multiplier = vdupq_n_s32(m.multiplier), shift = vdupq_n_s32(m.shift);
    const int16x8_t least = vdupq_n_s16((int16_t)low), most = vdupq_n_s16((int16_t)high);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const products p = multiplied(vld1q_s16(a + i), vld1q_s16(b + i));
        const int16x8_t scaled = narrowed(gw_twice_neon(p.low, multiplier, shift), gw_twice_neon(p.high, multiplier, shift));
        vst1q_s16(output + i, vmaxq_s16(vminq_s16(scaled, most), least));
    }
    gw_multiply_twice_reference(a + i, b + i, count - i, m, low, high, output + i);
}
#endif
