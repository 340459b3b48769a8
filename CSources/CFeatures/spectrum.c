#include "spectrum.h"

void gw_spectrum_take(gw_spectrum *spectrum, const int16_t *signal, int32_t length, int32_t stride, int32_t mean) {
    int32_t size = GW_FEATURES_LENGTH_MIN;
    while (size < length) { size *= 2; }
    for (int32_t i = 0; i < size; i++) {
        spectrum->values[i] = (gw_complex){i < length ? (signal[i * stride] - mean) * (1 << GW_SPECTRUM_FINER) : 0, 0};
    }
    gw_fft(spectrum->values, size);
    for (int32_t k = 0; k <= size / 2; k++) {
        const int64_t re = spectrum->values[k].re, im = spectrum->values[k].im;
        spectrum->powers[k] = (uint64_t)(re * re) + (uint64_t)(im * im);
    }
    spectrum->size = size;
    spectrum->length = length;
}

int16_t gw_spectrum_frequency(const gw_spectrum *spectrum) {
    int32_t strongest = 0;
    uint64_t most = 0;
    for (int32_t k = 1; k <= spectrum->size / 2; k++) {
        if (spectrum->powers[k] > most) {
            most = spectrum->powers[k];
            strongest = k;
        }
    }
    return gw_saturate16(gw_divided((int64_t)strongest * GW_SPECTRUM_RATE * 4096, 4 * spectrum->size));
}

int16_t gw_spectrum_band(const gw_spectrum *spectrum, int32_t low, int32_t high) {
    // Line k stands for k * rate / size Hz.
    const int32_t tenths = 10 * GW_SPECTRUM_RATE, lowest = (low * spectrum->size + tenths - 1) / tenths,
                  beyond = high * spectrum->size / tenths;
    const int32_t first = lowest < 1 ? 1 : lowest, last = beyond > spectrum->size / 2 ? spectrum->size / 2 : beyond;
    uint64_t band = 0;
    for (int32_t k = first; k <= last; k++) { band += spectrum->powers[k]; }
    const uint64_t square = band * 2 / (uint64_t)spectrum->size / (uint64_t)spectrum->length;
    return gw_saturate16(gw_divided(gw_square_root(square), 1 << GW_SPECTRUM_FINER));
}

int16_t gw_spectrum_entropy(const uint64_t *powers, int32_t size) {
    uint64_t all = 0;
    int32_t shift = 0, bits = 0;
    for (int32_t k = 1; k <= size / 2; k++) { all += powers[k]; }
    while (all >> shift >> 30) { shift++; }
    while (size / 2 >> bits > 1) { bits++; }
    uint64_t sum = 0, weighted = 0;
    for (int32_t k = 1; k <= size / 2; k++) {
        const uint64_t power = powers[k] >> shift;
        sum += power;
        if (power > 0) { weighted += power * (uint64_t)gw_log2_q16(power); }
    }
    if (sum == 0) { return 0; }
    return gw_saturate16(gw_divided(gw_log2_q16(sum) - (int64_t)(weighted / sum), 16 * bits));
}
