#include "../wide.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include "neon_channels.h"
#include <string.h>

enum { LANES = 4 };

void gw_depthwise_wide_neon(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output) {
    const int32_t outputs = packed->outputs, inputs = packed->inputs, padded = packed->padded;
    const int16x4_t low = vdup_n_s16((int16_t)packed->low), high = vdup_n_s16((int16_t)packed->high);
    for (int32_t c = 0; c < outputs; c += LANES) {
        const int16_t *weights = (const int16_t *)(const void *)packed->weights + c;
        const int32x4_t bias = vld1q_s32(packed->bias + c);
        const gw_channels_neon f = gw_channels_of_neon(packed, c, rounding);
        for (int32_t i = 0; i < count; i++) {
            int32x4_t sums = bias;
            for (int32_t t = 0; t < inputs; t++) {
                sums = vmlal_s16(sums, vld1_s16(taps[t] + i * stride + c), vld1_s16(weights + (ptrdiff_t)t * padded));
            }
            const int16x4_t limited = vmin_s16(vmax_s16(gw_scaled_neon(sums, &f), low), high);
            int16_t *to = output + (ptrdiff_t)i * outputs + c;
            if (outputs - c >= LANES) {
                vst1_s16(to, limited);
            } else {
                memcpy(to, &limited, (size_t)(outputs - c) * sizeof *to);
            }
        }
    }
}
#endif
