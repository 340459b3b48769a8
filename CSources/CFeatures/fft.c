#include "fft.h"

const int16_t gw_fft_quarter[GW_FFT_MAX / 4 + 1] = {
#include "fft_table.h"
};

static int32_t rounded(int64_t q15) { return (int32_t)((q15 + (1 << 14)) >> 15); }

static void reorder(gw_complex *values, int32_t count) {
    for (int32_t i = 1, j = 0; i < count; i++) {
        int32_t bit = count >> 1;
        for (; j & bit; bit >>= 1) { j ^= bit; }
        j ^= bit;
        if (i < j) {
            gw_complex other = values[i];
            values[i] = values[j];
            values[j] = other;
        }
    }
}

// Neighbours, which are not turned.
static void first_stage(gw_complex *values, int32_t count) {
    for (int32_t at = 0; at < count; at += 2) {
        const gw_complex even = values[at], odd = values[at + 1];
        values[at] = (gw_complex){even.re + odd.re, even.im + odd.im};
        values[at + 1] = (gw_complex){even.re - odd.re, even.im - odd.im};
    }
}

void gw_fft_stage_reference(gw_complex *values, int32_t count, int32_t half) {
    for (int32_t k = 0; k < half; k++) {
        const int32_t turn = k * (GW_FFT_MAX / 2 / half), c = gw_fft_cosine(turn), s = gw_fft_sine(turn);
        for (int32_t at = k; at < count; at += 2 * half) {
            gw_complex *even = &values[at], *odd = &values[at + half];
            // odd * exp(-i turn)
            const int32_t re = rounded((int64_t)odd->re * c + (int64_t)odd->im * s);
            const int32_t im = rounded((int64_t)odd->im * c - (int64_t)odd->re * s);
            *odd = (gw_complex){even->re - re, even->im - im};
            *even = (gw_complex){even->re + re, even->im + im};
        }
    }
}

static void stage(gw_complex *values, int32_t count, int32_t half) {
#if defined(__aarch64__)
    if (half >= 4) {
        gw_fft_stage_neon(values, count, half);
        return;
    }
#endif
    gw_fft_stage_reference(values, count, half);
}

void gw_fft(gw_complex *values, int32_t count) {
    reorder(values, count);
    first_stage(values, count);
    for (int32_t half = 2; half < count; half *= 2) { stage(values, count, half); }
}
