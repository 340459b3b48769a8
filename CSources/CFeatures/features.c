#include "moments.h"
#include "spectrum.h"

_Static_assert(sizeof(gw_spectrum) <= GW_FEATURES_WORK, "gw_features' work");

gw_status gw_features(const int16_t *window, int32_t length, void *work, int16_t *features) {
    if (length < GW_FEATURES_LENGTH_MIN || length > GW_WINDOW_MAX) { return GW_EINVAL; }
    gw_spectrum *spectrum = work;
    const gw_moments moments = gw_moments_of(window, length);
    int64_t magnitude = 0;
    for (int32_t k = 0; k <= GW_FFT_MAX / 2; k++) { spectrum->sums[k] = 0; }
    for (int32_t a = 0; a < GW_AXES; a++) {
        const int32_t mean = gw_moments_mean(&moments, a);
        for (int32_t i = 0; i < length; i++) {
            magnitude += window[GW_AXES * i + a] > mean ? window[GW_AXES * i + a] - mean : mean - window[GW_AXES * i + a];
        }
        gw_spectrum_take(spectrum, window + a, length, GW_AXES, mean);
        for (int32_t k = 1; k <= spectrum->size / 2; k++) { spectrum->sums[k] += spectrum->powers[k]; }
        features[GW_FEATURE_MEAN + a] = (int16_t)mean;
        features[GW_FEATURE_DEVIATION + a] = gw_moments_deviation(&moments, a);
        features[GW_FEATURE_FREQUENCY + a] = gw_spectrum_frequency(spectrum);
        features[GW_FEATURE_BAND + a] = gw_spectrum_band(spectrum, 5, 30);
    }
    features[GW_FEATURE_MAGNITUDE] = gw_saturate16(gw_divided(magnitude, length));
    features[GW_FEATURE_ENTROPY] = gw_spectrum_entropy(spectrum->sums, spectrum->size);
    for (int32_t pair = 0; pair < GW_AXES; pair++) { features[GW_FEATURE_CORRELATION + pair] = gw_moments_correlation(&moments, pair); }
    return GW_OK;
}
