// A signal's spectrum in integers and what is read off it. Private to CFeatures.
#ifndef GW_SPECTRUM_H
#define GW_SPECTRUM_H

#include "fft.h"
#include "cfeatures.h"

enum {
    GW_SPECTRUM_FINER = 4, // bits below Q3.12
    GW_SPECTRUM_RATE = 50,
};

typedef struct gw_spectrum {
    gw_complex values[GW_FFT_MAX];
    uint64_t powers[GW_FFT_MAX / 2 + 1]; // of lines 0 ... size / 2
    uint64_t sums[GW_FFT_MAX / 2 + 1];   // of several signals' powers, for who wants them
    int32_t size, length;                // of the transform, a power of two, and of the signal
} gw_spectrum;

/// The powers of a signal.
///
/// Shapes    signal[length * stride], of which every `stride`-th is read; `mean` is subtracted.
/// Overflow  |signal - mean| below 2^16.
void gw_spectrum_take(gw_spectrum *spectrum, const int16_t *signal, int32_t length, int32_t stride, int32_t mean);

/// The strongest line, Hz / 4 in Q3.12; 0 for a signal at rest.
int16_t gw_spectrum_frequency(const gw_spectrum *spectrum);

/// Root mean square of the lines from `low` to `high` tenths of Hz, Q3.12.
int16_t gw_spectrum_band(const gw_spectrum *spectrum, int32_t low, int32_t high);

/// Shannon's entropy of the powers of lines 1 ... size / 2 as shares of their sum, as a share of the largest possible, Q3.12.
int16_t gw_spectrum_entropy(const uint64_t *powers, int32_t size);

/// A quotient, halves away from zero.
static inline int64_t gw_divided(int64_t value, int64_t by) { return (value + (value < 0 ? -by : by) / 2) / by; }

#endif
