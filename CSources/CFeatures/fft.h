// A Fourier transform in integers. Private to CFeatures.
#ifndef GW_FFT_H
#define GW_FFT_H

#include <stdint.h>

enum { GW_FFT_MAX = 1024 };

typedef struct gw_complex {
    int32_t re, im;
} gw_complex;

/// Transforms `count` numbers in place, unscaled: X[k] = sum over n of x[n] exp(-2 pi i k n / count).
///
/// Shapes    values[count], count a power of two, 2 ... GW_FFT_MAX.
/// Overflow  none when the sum of all |values| is below 2^31.
/// Rounding  twiddle factors are Q0.15; every product rounds half up.
void gw_fft(gw_complex *values, int32_t count);

/// cos(2 pi i / GW_FFT_MAX) in Q0.15, a quarter of a turn; that of 0 is one too small.
extern const int16_t gw_fft_quarter[GW_FFT_MAX / 4 + 1];

/// cos(2 pi i / GW_FFT_MAX) and sin(2 pi i / GW_FFT_MAX) in Q0.15, 0 <= i < GW_FFT_MAX / 2. The cosine of 0 is 2^15: what is not turned
/// keeps its bits.
static inline int32_t gw_fft_cosine(int32_t i) {
    if (i == 0) { return 1 << 15; }
    return i <= GW_FFT_MAX / 4 ? gw_fft_quarter[i] : -gw_fft_quarter[GW_FFT_MAX / 2 - i];
}

static inline int32_t gw_fft_sine(int32_t i) { return gw_fft_quarter[i < GW_FFT_MAX / 4 ? GW_FFT_MAX / 4 - i : i - GW_FFT_MAX / 4]; }

/// Every butterfly between numbers that lie `half` apart, one after the other.
void gw_fft_stage_reference(gw_complex *values, int32_t count, int32_t half);

#if defined(__aarch64__)
/// The same four at a time; `half` is at least 4.
void gw_fft_stage_neon(gw_complex *values, int32_t count, int32_t half);
#endif

#endif
