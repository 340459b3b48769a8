#if defined(__arm__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("fpu=neon") // Debian's armhf compiler does not assume it
#endif
#include "../sections.h"

#if GW_HAVE_NEON_SECTIONS
#include <arm_neon.h>
#include <string.h>

// The three axes in the lanes of one vector (the fourth idles). Every value is an int32 by the L1 norms in butterworth_table.h, also the
// sum of four of a section's inputs.
typedef struct lanes {
    int32x4_t newest, older;
} lanes;

static inline int32x4_t load_axes(const int32_t v[GW_AXES]) {
    const int32_t four[4] = {v[0], v[1], v[2], 0};
    return vld1q_s32(four);
}

static inline void store_axes(int32x4_t v, int32_t out[GW_AXES]) {
    int32_t four[4];
    vst1q_s32(four, v);
    memcpy(out, four, GW_AXES * sizeof *out);
}

static inline int32x2_t half(int32x2_t zeros, int32x2_t newest, int32x2_t older, const gw_section *c) {
    int64x2_t sum = vmlal_n_s32(vdupq_n_s64(INT64_C(1) << (COEFFICIENT_BITS - 1)), zeros, c->gain);
    sum = vmlsl_n_s32(sum, newest, c->a1);
    return vshrn_n_s64(vmlsl_n_s32(sum, older, c->a2), COEFFICIENT_BITS);
}

// One sample through one section: `in` becomes the newest of the input's history, which the section before has given.
static inline int32x4_t step(lanes *input, const lanes *output, const gw_section *c, int32x4_t in) {
    const int32x4_t zeros = vaddq_s32(vaddq_s32(in, input->newest), vaddq_s32(input->newest, input->older));
    *input = (lanes){in, input->newest};
    return vcombine_s32(half(vget_low_s32(zeros), vget_low_s32(output->newest), vget_low_s32(output->older), c),
        half(vget_high_s32(zeros), vget_high_s32(output->newest), vget_high_s32(output->older), c));
}

void gw_sections_neon(gw_filter *filter, int32_t (*medians)[GW_AXES], int32_t n, int16_t *total, int16_t *gravity) {
    if (gravity) { return gw_sections_reference(filter, medians, n, total, gravity); }
    lanes level[1 + NOISE_SECTIONS];
#pragma GCC unroll 6
    for (int32_t i = 0; i <= NOISE_SECTIONS; i++) {
        level[i] = (lanes){load_axes(filter->history[i][0]), load_axes(filter->history[i][1])};
    }
    for (int32_t i = 0; i < n; i++) {
        int32x4_t v = load_axes(medians[i]);
#pragma GCC unroll 5
        for (int32_t s = 0; s < NOISE_SECTIONS; s++) { v = step(&level[s], &level[s + 1], &noise_sections[s], v); }
        level[NOISE_SECTIONS] = (lanes){v, level[NOISE_SECTIONS].newest};
        int16_t four[4];
        vst1_s16(four, vqrshrn_n_s32(v, GUARD_BITS));
        memcpy(total + i * GW_AXES, four, GW_AXES * sizeof *four);
    }
#pragma GCC unroll 6
    for (int32_t i = 0; i <= NOISE_SECTIONS; i++) {
        store_axes(level[i].newest, filter->history[i][0]);
        store_axes(level[i].older, filter->history[i][1]);
    }
}

#if defined(__aarch64__)
bool gw_sections_have_neon(void) { return true; }
#else
#include <sys/auxv.h>
bool gw_sections_have_neon(void) { return (getauxval(AT_HWCAP) & (1UL << 12)) != 0; } // HWCAP_NEON
#endif
#endif
