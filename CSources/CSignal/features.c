#include "csignal.h"
#include "fft.h"

// Bits that a spectrum has below Q3.12.
enum { FINER = 4, RATE = 50 };

typedef struct spectrum {
    gw_complex values[GW_FFT_MAX];
    uint64_t sums[GW_FFT_MAX / 2 + 1]; // of the three axes' powers
} spectrum;

_Static_assert(sizeof(spectrum) <= GW_FEATURES_WORK, "gw_features' work");

// A quotient, halves away from zero.
static int64_t divided(int64_t value, int64_t by) { return (value + (value < 0 ? -by : by) / 2) / by; }

typedef struct moments {
    int64_t sum[3], square[3]; // square: length x the sum of squares about the mean
    int64_t product[3];        // the same for x y, x z, y z
} moments;

static moments moments_of(const int16_t *window, int32_t length) {
    moments m = {{0}, {0}, {0}};
    for (int32_t i = 0; i < length; i++) {
        const int32_t v[3] = {window[3 * i], window[3 * i + 1], window[3 * i + 2]};
        for (int32_t a = 0; a < 3; a++) {
            m.sum[a] += v[a];
            m.square[a] += (int64_t)v[a] * v[a];
        }
        m.product[0] += v[0] * v[1];
        m.product[1] += v[0] * v[2];
        m.product[2] += v[1] * v[2];
    }
    for (int32_t a = 0; a < 3; a++) { m.square[a] = m.square[a] * length - m.sum[a] * m.sum[a]; }
    m.product[0] = m.product[0] * length - m.sum[0] * m.sum[1];
    m.product[1] = m.product[1] * length - m.sum[0] * m.sum[2];
    m.product[2] = m.product[2] * length - m.sum[1] * m.sum[2];
    return m;
}

static int16_t correlation(int64_t product, int64_t square, int64_t other) {
    const int64_t deviations = (int64_t)gw_square_root((uint64_t)square) * gw_square_root((uint64_t)other);
    if (deviations == 0) { return 0; }
    const int64_t r = divided(product * 4096, deviations);
    return (int16_t)(r > 4096 ? 4096 : r < -4096 ? -4096 : r);
}

// Shannon's entropy of the powers as shares of their sum, as a share of the largest possible.
static int16_t entropy(const uint64_t *powers, int32_t count) {
    uint64_t all = 0;
    int32_t shift = 0, bits = 0;
    for (int32_t k = 0; k < count; k++) { all += powers[k]; }
    while (all >> shift >> 30) { shift++; }
    while (count >> bits > 1) { bits++; }
    uint64_t sum = 0, weighted = 0;
    for (int32_t k = 0; k < count; k++) {
        const uint64_t power = powers[k] >> shift;
        sum += power;
        if (power > 0) { weighted += power * (uint64_t)gw_log2_q16(power); }
    }
    if (sum == 0 || bits == 0) { return 0; }
    const int64_t q16 = gw_log2_q16(sum) - (int64_t)(weighted / sum);
    return gw_saturate16(divided(q16, 16 * bits));
}

gw_status gw_features(const int16_t *window, int32_t length, void *work, int16_t *features) {
    if (length < GW_FEATURES_LENGTH_MIN || length > GW_WINDOW_MAX) { return GW_EINVAL; }
    spectrum *s = work;
    const moments m = moments_of(window, length);
    int32_t size = GW_FEATURES_LENGTH_MIN;
    while (size < length) { size *= 2; }
    int64_t magnitude = 0;
    for (int32_t k = 0; k <= size / 2; k++) { s->sums[k] = 0; }
    for (int32_t a = 0; a < 3; a++) {
        const int32_t mean = (int32_t)divided(m.sum[a], length);
        for (int32_t i = 0; i < size; i++) {
            const int32_t body = i < length ? window[3 * i + a] - mean : 0;
            magnitude += body < 0 ? -body : body;
            s->values[i] = (gw_complex){body * (1 << FINER), 0};
        }
        gw_fft(s->values, size);
        int32_t strongest = 1;
        uint64_t most = 0, band = 0;
        for (int32_t k = 1; k <= size / 2; k++) {
            const int64_t re = s->values[k].re, im = s->values[k].im;
            const uint64_t power = (uint64_t)(re * re) + (uint64_t)(im * im);
            s->sums[k] += power;
            if (power > most) {
                most = power;
                strongest = k;
            }
            // 0.5 to 3 Hz
            if (2 * k * RATE >= size && k * RATE <= 3 * size) { band += power; }
        }
        const uint64_t square = band * 2 / (uint64_t)size / (uint64_t)length;
        features[GW_FEATURE_MEAN + a] = (int16_t)mean;
        features[GW_FEATURE_DEVIATION + a] = gw_saturate16(divided(gw_square_root((uint64_t)m.square[a]), length));
        features[GW_FEATURE_FREQUENCY + a] = gw_saturate16(most == 0 ? 0 : divided((int64_t)strongest * RATE * 4096, 4 * size));
        features[GW_FEATURE_BAND + a] = gw_saturate16(divided(gw_square_root(square), 1 << FINER));
    }
    features[GW_FEATURE_MAGNITUDE] = gw_saturate16(divided(magnitude, length));
    features[GW_FEATURE_ENTROPY] = entropy(s->sums + 1, size / 2);
    features[GW_FEATURE_CORRELATION] = correlation(m.product[0], m.square[0], m.square[1]);
    features[GW_FEATURE_CORRELATION + 1] = correlation(m.product[1], m.square[0], m.square[2]);
    features[GW_FEATURE_CORRELATION + 2] = correlation(m.product[2], m.square[1], m.square[2]);
    return GW_OK;
}
