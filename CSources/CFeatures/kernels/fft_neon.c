#include "../fft.h"

#if defined(__aarch64__)
#include <arm_neon.h>

// (a c + b s) / 2^15, halves up.
static inline int32x4_t turned(int32x4_t a, int32x4_t c, int32x4_t b, int32x4_t s) {
    const int64x2_t low = vmlal_s32(vmull_s32(vget_low_s32(a), vget_low_s32(c)), vget_low_s32(b), vget_low_s32(s));
    const int64x2_t high = vmlal_high_s32(vmull_high_s32(a, c), b, s);
    return vrshrn_high_n_s64(vrshrn_n_s64(low, 15), high, 15);
}

void gw_fft_stage_neon(gw_complex *values, int32_t count, int32_t half) {
    const int32_t each = GW_FFT_MAX / 2 / half;
    for (int32_t k = 0; k < half; k += 4) {
        int32_t cosines[4], sines[4];
        for (int32_t i = 0; i < 4; i++) {
            cosines[i] = gw_fft_cosine((k + i) * each);
            sines[i] = gw_fft_sine((k + i) * each);
        }
        const int32x4_t c = vld1q_s32(cosines), s = vld1q_s32(sines), minus = vnegq_s32(s);
        for (int32_t at = k; at < count; at += 2 * half) {
            int32_t *even = &values[at].re, *odd = &values[at + half].re;
            const int32x4x2_t e = vld2q_s32(even), o = vld2q_s32(odd);
            const int32x4_t re = turned(o.val[0], c, o.val[1], s), im = turned(o.val[1], c, o.val[0], minus);
            vst2q_s32(odd, ((int32x4x2_t){{vsubq_s32(e.val[0], re), vsubq_s32(e.val[1], im)}}));
            vst2q_s32(even, ((int32x4x2_t){{vaddq_s32(e.val[0], re), vaddq_s32(e.val[1], im)}}));
        }
    }
}
#endif
