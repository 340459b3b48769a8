#include "fft.h"

// cos(2 pi i / 1024) in Q0.15, a quarter of a turn.
static const int16_t cosines[GW_FFT_MAX / 4 + 1] = {
#include "fft_table.h"
};

// cos(2 pi i / 1024) for 0 <= i <= 512.
static int32_t cosine(int32_t i) { return i <= GW_FFT_MAX / 4 ? cosines[i] : -cosines[GW_FFT_MAX / 2 - i]; }

// sin(2 pi i / 1024) for 0 <= i < 512.
static int32_t sine(int32_t i) { return cosine(i < GW_FFT_MAX / 4 ? GW_FFT_MAX / 4 - i : i - GW_FFT_MAX / 4); }

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

void gw_fft(gw_complex *values, int32_t count) {
    reorder(values, count);
    for (int32_t half = 1; half < count; half *= 2) {
        for (int32_t k = 0; k < half; k++) {
            const int32_t turn = k * (GW_FFT_MAX / 2 / half), c = cosine(turn), s = sine(turn);
            for (int32_t at = k; at < count; at += 2 * half) {
                gw_complex *even = &values[at], *odd = &values[at + half];
                // odd * exp(-i turn)
                const int32_t re = turn == 0 ? odd->re : rounded((int64_t)odd->re * c + (int64_t)odd->im * s);
                const int32_t im = turn == 0 ? odd->im : rounded((int64_t)odd->im * c - (int64_t)odd->re * s);
                *odd = (gw_complex){even->re - re, even->im - im};
                *even = (gw_complex){even->re + re, even->im + im};
            }
        }
    }
}
