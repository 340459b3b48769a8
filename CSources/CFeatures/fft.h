// A Fourier transform in integers. Private to CSignal.
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

#endif
