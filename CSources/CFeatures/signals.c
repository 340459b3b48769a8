#include "signals.h"
#include "spectrum.h"

// Components up to which a direction's product with any sample stays within int32, rounding included: unit vectors are.
enum { DIRECTION_MOST = 20000 };

static bool is_short(const int16_t *direction) {
    bool found = true;
    for (int32_t a = 0; a < GW_AXES; a++) { found = found && direction[a] >= -DIRECTION_MOST && direction[a] <= DIRECTION_MOST; }
    return found;
}

static void along(const int16_t *window, int32_t length, const int16_t *direction, int16_t *signal) {
    const int32_t half = 1 << (GW_FRAME_UNIT - 1);
    if (is_short(direction)) {
        const int32_t x = direction[0], y = direction[1], z = direction[2];
        for (int32_t i = 0; i < length; i++) {
            const int16_t *sample = window + GW_AXES * i;
            signal[i] = gw_saturate32_to_16((sample[0] * x + sample[1] * y + sample[2] * z + half) >> GW_FRAME_UNIT);
        }
        return;
    }
    for (int32_t i = 0; i < length; i++) {
        int64_t sum = half;
        for (int32_t a = 0; a < GW_AXES; a++) { sum += (int32_t)window[GW_AXES * i + a] * direction[a]; }
        signal[i] = gw_saturate16(sum >> GW_FRAME_UNIT);
    }
}

void gw_signal_lengths_reference(const int16_t *window, int32_t length, int16_t *lengths) {
    for (int32_t i = 0; i < length; i++) {
        const int32_t x = window[GW_AXES * i], y = window[GW_AXES * i + 1], z = window[GW_AXES * i + 2];
        const uint32_t square = (uint32_t)(x * x) + (uint32_t)(y * y) + (uint32_t)(z * z); // at most 3 * 2^30
        lengths[i] = gw_saturate16(gw_square_root(square));
    }
}

static void lengths_of(const int16_t *window, int32_t length, int16_t *lengths) {
#if defined(__aarch64__)
    gw_signal_lengths_neon(window, length, lengths);
#else
    gw_signal_lengths_reference(window, length, lengths);
#endif
}

void gw_signals_take(const int16_t *window, int32_t length, const gw_frame *frame, gw_signal *signals) {
    int16_t across[GW_AXES], left[GW_AXES];
    gw_frame_left_of(frame, frame->forward, across);
    gw_frame_left_of(frame, frame->ahead, left);
    along(window, length, frame->up, signals[GW_VERTICAL]);
    along(window, length, frame->forward, signals[GW_FORWARD]);
    along(window, length, across, signals[GW_LATERAL]);
    along(window, length, frame->ahead, signals[GW_AHEAD]);
    along(window, length, left, signals[GW_LEFT]);
    lengths_of(window, length, signals[GW_LENGTH]);
}

int32_t gw_signal_total(const int16_t *signal, int32_t count) {
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) { sum += signal[i]; }
    return sum;
}

uint64_t gw_signal_changes(const int16_t *signal, int32_t length) {
    int64_t sum = 0;
    for (int32_t i = 1; i < length; i++) {
        const int32_t change = signal[i] - signal[i - 1];
        sum += (int64_t)change * change;
    }
    return (uint64_t)sum;
}

int64_t gw_signal_product_reference(const int16_t *left, const int16_t *right, int32_t count) {
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) { sum += (int32_t)left[i] * right[i]; }
    return sum;
}

int64_t gw_signal_product(const int16_t *left, const int16_t *right, int32_t count) {
#if defined(__aarch64__)
    return gw_signal_product_neon(left, right, count);
#else
    return gw_signal_product_reference(left, right, count);
#endif
}

gw_signal_sums gw_signal_centre_reference(int16_t *signal, int32_t length) {
    const int32_t mean = (int32_t)gw_divided(gw_signal_total(signal, length), length);
    int32_t most = INT16_MIN, least = INT16_MAX;
    for (int32_t i = 0; i < length; i++) {
        most = signal[i] > most ? signal[i] : most;
        least = signal[i] < least ? signal[i] : least;
    }
    for (int32_t i = 0; i < length; i++) { signal[i] = gw_saturate32_to_16(signal[i] - mean); }
    return (gw_signal_sums){.mean = mean,
        .square = gw_signal_product_reference(signal, signal, length),
        .most = gw_saturate16(most - mean),
        .least = gw_saturate16(least - mean)};
}

gw_signal_sums gw_signal_centre(int16_t *signal, int32_t length) {
#if defined(__aarch64__)
    return gw_signal_centre_neon(signal, length);
#else
    return gw_signal_centre_reference(signal, length);
#endif
}

int64_t gw_signal_cubes(const int16_t *signal, int32_t length) {
    int64_t sum = 0;
    for (int32_t i = 0; i < length; i++) {
        const int32_t value = signal[i], square = value * value;
        sum += (int64_t)square * value;
    }
    return sum;
}
