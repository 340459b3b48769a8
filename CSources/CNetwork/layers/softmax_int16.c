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

// The curve between two entries; x runs over all of int16.
static int32_t between(const int16_t table[STEPS + 1], int32_t x) {
    int32_t index = 256 + (x >> 7), low = table[index];
    return low + (((table[index + 1] - low) * (x & 127) + 64) >> 7);
}

// e^(scale * (logit - maximum)) in Q0.15.
static void exponentials(
    const gw_kernel *kernel, const int16_t *logits, int32_t n, gw_multiplier scale, const int16_t table[STEPS + 1], int16_t *to) {
    enum { PIECE = 64 };
    int32_t maximum = logits[0], values[PIECE];
    for (int32_t i = 1; i < n; i++) { maximum = logits[i] > maximum ? logits[i] : maximum; }
    for (int32_t start = 0; start < n; start += PIECE) {
        const int32_t count = n - start < PIECE ? n - start : PIECE;
        for (int32_t i = 0; i < count; i++) { values[i] = logits[start + i] - maximum; }
        kernel->twice(values, count, scale);
        int16_t *places = to + start; // of values that are not above zero
        for (int32_t i = 0; i < count; i++) { places[i] = (int16_t)((values[i] < -UINT16_MAX ? -UINT16_MAX : values[i]) + INT16_MAX); }
        kernel->look_up_wide(table, places, count, places);
    }
}

void gw_softmax_int16_by(const gw_kernel *kernel, const int16_t *logits, int32_t n, gw_multiplier scale, const gw_softmax_curves *curves,
    int16_t *probabilities) {
    int32_t sum = 0;
    exponentials(kernel, logits, n, scale, curves->exponential, probabilities);
    for (int32_t i = 0; i < n; i++) { sum += probabilities[i]; }
    const int32_t headroom = __builtin_clz((uint32_t)sum);                     // 5 ... 17: the maximum alone adds almost one
    const int64_t normal = gw_round_shift((int64_t)sum << (headroom - 1), 14); // 1 + x, x in Q0.16
    const int32_t share = between(curves->reciprocal, gw_saturate16(normal - (1 << 15) - (1 << 16)));
    const int32_t shift = 31 - headroom, half = 1 << (shift - 1);
    for (int32_t i = 0; i < n; i++) {
        const int32_t p = (probabilities[i] * share + half) >> shift; // of two Q0.15
        probabilities[i] = (int16_t)(p < 0 ? 0 : p > INT16_MAX ? INT16_MAX : p);
    }
}

gw_status gw_softmax_int16(const int16_t *logits, int32_t n, gw_multiplier scale, const gw_softmax_curves *curves, int16_t *probabilities) {
    if (n < 1 || n > GW_SOFTMAX_MAX) { return GW_EINVAL; }
    gw_softmax_int16_by(&gw_kernel_reference, logits, n, scale, curves, probabilities);
    return GW_OK;
}
