#include "softmax.h"

enum { STEPS = 512 };

// e^-x in Q0.31, x = i * 10 / 1024 (half steps, so that the middle between two entries is there too).
static int32_t exponential(int32_t half_steps) { return gw_exp_q5_26((int32_t)-(((int64_t)half_steps * 10 * (1 << 26) + 512) / 1024)); }

// 1 / (1 + i / 1024) in Q0.31, limited.
static int32_t reciprocal(int32_t half_steps) {
    return gw_saturate32(((INT64_C(1) << 41) + (1024 + half_steps) / 2) / (1024 + half_steps));
}

static int32_t rounded_half_away(int32_t value) { return value >= 0 ? (value + 1) / 2 : (value - 1) / 2; }

// To Q0.15.
static int32_t narrowed(int32_t q31) { return (int32_t)gw_round_shift(q31, 16); }

// Each entry is moved by half of the chord's error in its middle. TFLite rounds every number on the way.
static int16_t entry(int32_t here, int32_t middle, int32_t next) {
    int32_t sample = narrowed(here);
    int32_t chord = (int32_t)gw_round_shift((int64_t)next + (int64_t)sample * (1 << 16), 17); // (next + rounded here) / 2
    return gw_saturate16(sample - rounded_half_away(chord - narrowed(middle)));
}

void gw_softmax_curves_init(gw_softmax_curves *curves) {
    for (int32_t i = 0; i < STEPS; i++) {
        int32_t down = (STEPS - i) * 2; // from -10 up to 0
        curves->exponential[i] = entry(exponential(down), exponential(down - 1), exponential(down - 2));
        curves->reciprocal[i] = entry(reciprocal(2 * i), reciprocal(2 * i + 1), reciprocal(2 * i + 2));
    }
    curves->exponential[STEPS] = INT16_MAX;
    curves->reciprocal[STEPS] = 1 << 14;
}

void gw_softmax_int16_by(const gw_kernel *kernel, const int16_t *logits, int32_t n, gw_multiplier scale, const gw_softmax_curves *curves,
    int16_t *probabilities) {
    int16_t maximum = logits[0];
    for (int32_t i = 0; i < n; i++) { maximum = logits[i] > maximum ? logits[i] : maximum; }
    kernel->wide->below_maximum(logits, n, maximum, scale, probabilities);
    kernel->wide->look_up_wide(curves->exponential, probabilities, n, probabilities);
    const int32_t sum = kernel->wide->magnitude(probabilities, n);             // no exponential is below zero
    const int32_t headroom = __builtin_clz((uint32_t)sum);                     // 5 ... 17: the maximum alone adds almost one
    const int64_t normal = gw_round_shift((int64_t)sum << (headroom - 1), 14); // 1 + x, x in Q0.16
    const int16_t place = gw_saturate16(normal - (1 << 15) - (1 << 16));
    int16_t factor;
    gw_look_up_wide_reference(curves->reciprocal, &place, 1, &factor);
    kernel->wide->share(probabilities, n, factor, 31 - headroom);
}

gw_status gw_softmax_int16(const int16_t *logits, int32_t n, gw_multiplier scale, const gw_softmax_curves *curves, int16_t *probabilities) {
    if (n < 1 || n > GW_SOFTMAX_MAX) { return GW_EINVAL; }
    gw_softmax_int16_by(&gw_kernel_reference, logits, n, scale, curves, probabilities);
    return GW_OK;
}
