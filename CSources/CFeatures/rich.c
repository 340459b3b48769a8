#include "moments.h"
#include "spectrum.h"

typedef struct rich_work {
    gw_spectrum spectrum;
    int16_t signals[2][GW_WINDOW_MAX][GW_AXES]; // body, jerk
    int16_t magnitudes[2][GW_WINDOW_MAX];
} rich_work;

_Static_assert(sizeof(rich_work) <= GW_RICH_WORK, "gw_rich_features' work");

static void split_body_and_jerk(rich_work *work, const int16_t *window, int32_t length, const gw_moments *moments) {
    for (int32_t i = 0; i < length; i++) {
        uint64_t squares[2] = {0, 0};
        for (int32_t a = 0; a < GW_AXES; a++) {
            const int32_t now = window[GW_AXES * i + a], before = window[GW_AXES * (i > 0 ? i - 1 : 0) + a];
            work->signals[0][i][a] = gw_saturate16(now - gw_moments_mean(moments, a));
            work->signals[1][i][a] = gw_saturate16((int64_t)(now - before) * GW_RICH_JERK);
            for (int32_t s = 0; s < 2; s++) { squares[s] += (uint64_t)((int64_t)work->signals[s][i][a] * work->signals[s][i][a]); }
        }
        for (int32_t s = 0; s < 2; s++) { work->magnitudes[s][i] = gw_saturate16(gw_square_root(squares[s])); }
    }
}

// The numbers of one signal, in the order that cfeatures.h names.
enum { DEVIATION, ABSOLUTE, MOST, LEAST, FREQUENCY, ENTROPY, LOW_BAND, MIDDLE_BAND, HIGH_BAND, NUMBERS };

_Static_assert((int32_t)NUMBERS == (int32_t)GW_RICH_EACH, "numbers of a signal");

static void describe(gw_spectrum *spectrum, const int16_t *signal, int32_t length, int32_t stride, int16_t *features) {
    int64_t sum = 0, square = 0, absolute = 0;
    int32_t most = INT16_MIN, least = INT16_MAX;
    for (int32_t i = 0; i < length; i++) {
        const int32_t value = signal[i * stride];
        sum += value;
        square += (int64_t)value * value;
        most = value > most ? value : most;
        least = value < least ? value : least;
    }
    const int32_t mean = (int32_t)gw_divided(sum, length);
    for (int32_t i = 0; i < length; i++) { absolute += signal[i * stride] > mean ? signal[i * stride] - mean : mean - signal[i * stride]; }
    gw_spectrum_take(spectrum, signal, length, stride, mean);
    features[DEVIATION] = gw_saturate16(gw_divided(gw_square_root((uint64_t)(square * length - sum * sum)), length));
    features[ABSOLUTE] = gw_saturate16(gw_divided(absolute, length));
    features[MOST] = (int16_t)most;
    features[LEAST] = (int16_t)least;
    features[FREQUENCY] = gw_spectrum_frequency(spectrum);
    features[ENTROPY] = gw_spectrum_entropy(spectrum->powers, spectrum->size);
    features[LOW_BAND] = gw_spectrum_band(spectrum, 5, 30);
    features[MIDDLE_BAND] = gw_spectrum_band(spectrum, 31, 80);
    features[HIGH_BAND] = gw_spectrum_band(spectrum, 81, 200);
}

static int16_t mean_of(const int16_t *values, int32_t length) {
    int64_t sum = 0;
    for (int32_t i = 0; i < length; i++) { sum += values[i]; }
    return (int16_t)gw_divided(sum, length);
}

gw_status gw_rich_features(const int16_t *window, int32_t length, void *work, int16_t *features) {
    if (length < GW_FEATURES_LENGTH_MIN || length > GW_WINDOW_MAX) { return GW_EINVAL; }
    rich_work *place = work;
    const gw_moments moments = gw_moments_of(window, length);
    split_body_and_jerk(place, window, length, &moments);
    for (int32_t a = 0; a < GW_AXES; a++) {
        features[GW_RICH_GRAVITY + a] = (int16_t)gw_moments_mean(&moments, a);
        features[GW_RICH_CORRELATION + a] = gw_moments_correlation(&moments, a);
    }
    int16_t *each = features + GW_RICH_SIGNALS;
    for (int32_t s = 0; s < 2; s++) {
        features[GW_RICH_MAGNITUDE + s] = mean_of(place->magnitudes[s], length);
        for (int32_t a = 0; a < GW_AXES; a++, each += GW_RICH_EACH) {
            describe(&place->spectrum, &place->signals[s][0][a], length, GW_AXES, each);
        }
        describe(&place->spectrum, place->magnitudes[s], length, 1, each);
        each += GW_RICH_EACH;
    }
    return GW_OK;
}
