#include "../wide.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include <arm_neon.h>
#include <string.h>

enum { LANES = 4, LAST = 255 };

// Entries `place` of a table of 16 bits in the lower halves, the next ones in the upper.
static inline uint32x4_t entries(const void *table, int32x4_t place) {
    int32_t places[LANES];
    uint32_t both[LANES];
    vst1q_s32(places, place);
    for (int32_t i = 0; i < LANES; i++) { memcpy(both + i, (const uint16_t *)table + places[i], sizeof *both); }
    return vld1q_u32(both);
}

// What lies between two entries of the table, `bits` fraction bits in x and in the result; x >= 0.
static inline int32x4_t between(int32x4_t x, int32_t bits, int32_t largest) {
    const int32x4_t entry = vshlq_s32(x, vdupq_n_s32(-bits)), place = vminq_s32(entry, vdupq_n_s32(LAST - 1));
    const uint32x4_t found = entries(gw_interpolation_table, place);
    const int32x4_t low = vreinterpretq_s32_u32(vandq_u32(found, vdupq_n_u32(0xffff))),
                    difference = vsubq_s32(vreinterpretq_s32_u32(vshrq_n_u32(found, 16)), low);
    const int32x4_t drawn = vmlaq_s32(vshlq_s32(low, vdupq_n_s32(bits)), vandq_s32(x, vdupq_n_s32((1 << bits) - 1)), difference);
    return vbslq_s32(vcltq_s32(entry, vdupq_n_s32(LAST)), drawn, vdupq_n_s32(largest << bits));
}

static inline int32x4_t sigmoids(int32x4_t x) {
    const int32x4_t above = between(vabsq_s32(x), 9, 0x7fff * 2);
    const int32x4_t negative = vsubq_s32(vdupq_n_s32((1 << 25) + (1 << 9) - 1), above), positive = vaddq_s32(above, vdupq_n_s32(1 << 9));
    return vshrq_n_s32(vbslq_s32(vcltq_s32(x, vdupq_n_s32(0)), negative, positive), 10);
}

static inline int32x4_t tanhs(int32x4_t x) {
    const int32x4_t above = between(vabsq_s32(x), 8, 0xffff);
    const int32x4_t negative = vsubq_s32(vdupq_n_s32((1 << 23) + (1 << 7) - 1), above),
                    positive = vsubq_s32(above, vdupq_n_s32((1 << 23) - (1 << 7)));
    return vshrq_n_s32(vbslq_s32(vcltq_s32(x, vdupq_n_s32(0)), negative, positive), 8);
}

// What is left behind the last whole vector is for the reference.
#define INTERPOLATE_ALL(curve, reference)                                                                                                  \
    const int16x4_t by = vdup_n_s16((int16_t)factor);                                                                                      \
    const int32x4_t right = vdupq_n_s32(-shift);                                                                                           \
    int32_t i = 0;                                                                                                                         \
    for (; i + LANES <= count; i += LANES) {                                                                                               \
        vst1_s16(output + i, vmovn_s32(curve(vrshlq_s32(vmull_s16(vld1_s16(input + i), by), right))));                                     \
    }                                                                                                                                      \
    reference(input + i, count - i, factor, shift, output + i);

void gw_sigmoid_interpolated_neon(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output) {
    INTERPOLATE_ALL(sigmoids, gw_sigmoid_interpolated_reference)
}

void gw_tanh_interpolated_neon(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output) {
    INTERPOLATE_ALL(tanhs, gw_tanh_interpolated_reference)
}
static inline int32x4_t looked_up(const int16_t *table, int32x4_t place) {
    const int32x4_t both = vreinterpretq_s32_u32(entries(table, vshrq_n_s32(place, 7)));
    const int32x4_t low = vshrq_n_s32(vshlq_n_s32(both, 16), 16), difference = vsubq_s32(vshrq_n_s32(both, 16), low);
    return vaddq_s32(low, vrshrq_n_s32(vmulq_s32(difference, vandq_s32(place, vdupq_n_s32(127))), 7));
}

void gw_look_up_wide_neon(const int16_t *table, const int16_t *source, int32_t count, int16_t *output) {
    const int32x4_t least = vdupq_n_s32(32768);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { vst1_s16(output + i, vmovn_s32(looked_up(table, vaddw_s16(least, vld1_s16(source + i))))); }
    gw_look_up_wide_reference(table, source + i, count - i, output + i);
}
#endif
