// A window's signals in a wearer's directions, and what is summed over each. Private to CFeatures.
//
// Plain loops over numbers as narrow as they can be: compilers make vectors of most. What they make of sums of products and of square roots
// takes two to six times the instructions of the kernels for 64-bit ARM.
#ifndef GW_SIGNALS_H
#define GW_SIGNALS_H

#include "frame.h"

enum { GW_VERTICAL, GW_FORWARD, GW_LATERAL, GW_LENGTH, GW_AHEAD, GW_LEFT, GW_SIGNALS };

typedef int16_t gw_signal[GW_WINDOW_MAX]; // Q3.12 g

/// The window along the frame's directions, and the length of the acceleration: signals[GW_SIGNALS][length].
void gw_signals_take(const int16_t *window, int32_t length, const gw_frame *frame, gw_signal *signals);

/// Sum of a signal's first `count` samples.
int32_t gw_signal_total(const int16_t *signal, int32_t count);

/// Sum of the squared changes from each sample to the next.
uint64_t gw_signal_changes(const int16_t *signal, int32_t length);

/// Sum of the products of two signals.
int64_t gw_signal_product(const int16_t *left, const int16_t *right, int32_t count);

/// Sums over a signal without its mean.
typedef struct gw_signal_sums {
    int32_t mean;
    int64_t square;
    int32_t most, least;
} gw_signal_sums;

/// Takes the mean away.
gw_signal_sums gw_signal_centre(int16_t *signal, int32_t length);

/// Sum of the third powers of a signal.
int64_t gw_signal_cubes(const int16_t *signal, int32_t length);

/// In plain C, one after the other: the length of each sample's acceleration, and what the functions above compute.
void gw_signal_lengths_reference(const int16_t *window, int32_t length, int16_t *lengths);
int64_t gw_signal_product_reference(const int16_t *left, const int16_t *right, int32_t count);
gw_signal_sums gw_signal_centre_reference(int16_t *signal, int32_t length);

#if defined(__aarch64__)
/// The same numbers, four or eight at a time.
void gw_signal_lengths_neon(const int16_t *window, int32_t length, int16_t *lengths);
int64_t gw_signal_product_neon(const int16_t *left, const int16_t *right, int32_t count);
gw_signal_sums gw_signal_centre_neon(int16_t *signal, int32_t length);
#endif

#endif
