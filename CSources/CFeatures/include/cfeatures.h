// Features of a window, from integers alone: seventeen as many as the paper's energy study has, and a set of eighty.
//
// Every feature is int16 in Q3.12, so that a network takes features as it takes samples. No allocation: the caller gives the work memory.
#ifndef GW_CFEATURES_H
#define GW_CFEATURES_H

#include "csignal.h"

/// Seventeen features of a window, as many as the paper's energy study has; its list is not known, the choice is ours. Every one is
/// int16 in Q3.12, so that a network takes them as it takes samples.
///
/// Error     against float64, tested beside numpy: see each; LSB of Q3.12 (1/4096).
enum {
    GW_FEATURE_MEAN = 0,         ///< of x, y, z; g; 1/2 LSB
    GW_FEATURE_DEVIATION = 3,    ///< standard deviation of x, y, z (of the window, not its estimate); g; 1 LSB
    GW_FEATURE_MAGNITUDE = 6,    ///< signal magnitude area: mean of |x| + |y| + |z| about their means; g; 2 LSB
    GW_FEATURE_ENTROPY = 7,      ///< of the power spectrum of all axes without the mean, as a share of the largest possible; 0.02
    GW_FEATURE_CORRELATION = 8,  ///< of x y, x z, y z, -1 ... 1, 0 where an axis is at rest; 0.02 where both deviate by 20 LSB
    GW_FEATURE_FREQUENCY = 11,   ///< of the strongest line of x, y, z; Hz / 4
    GW_FEATURE_BAND = 14,        ///< root mean square of x, y, z between 0.5 and 3 Hz; g; 2 LSB and 1/5000 of it
    GW_FEATURES = 17,
    GW_FEATURES_LENGTH_MIN = 16, ///< of a window; one that is no power of two is padded with zeros
    GW_FEATURES_WORK = 1024 * 8 + 2 * 513 * 8 + 8,
};

/// Computes them.
///
/// Units     window: Q3.12 g.
/// Shapes    window[length][3]; work: GW_FEATURES_WORK bytes, 8-byte aligned; features[GW_FEATURES].
/// Overflow  sums are int64, spectra int32 with four bits below Q3.12 (gw_fft): cannot overflow; results saturate.
/// Errors    GW_EINVAL when length is outside GW_FEATURES_LENGTH_MIN ... GW_WINDOW_MAX.
gw_status gw_features(const int16_t *window, int32_t length, void *work, int16_t *features);

/// A richer set over body (the samples less their mean), gravity (that mean), jerk (from sample to sample) and the lengths of body and
/// jerk. int16 in Q3.12, with the errors of the same features above (largest and least: 2 LSB; entropy of a signal that deviates by less
/// than 20 LSB: 0.3).
enum {
    GW_RICH_GRAVITY = 0,     ///< x, y, z; g
    GW_RICH_CORRELATION = 3, ///< of x y, x z, y z
    GW_RICH_MAGNITUDE = 6,   ///< means of the lengths of body and jerk
    /// GW_RICH_EACH of body x, y, z, of its length, of jerk x, y, z, of its length: standard deviation, mean absolute deviation, largest,
    /// least, strongest line (Hz / 4), entropy, root mean square of 0.5 to 3, 3.1 to 8 and 8.1 to 20 Hz.
    GW_RICH_SIGNALS = 8,
    GW_RICH_EACH = 9,
    GW_RICH_FEATURES = 8 + 8 * 9,
    GW_RICH_JERK = 5,        ///< jerk is in g per tenth of a second, saturated to +-8; that of the first sample is 0
    GW_RICH_WORK = GW_FEATURES_WORK + 1024 * 16,
};

/// Computes them; as gw_features, with GW_RICH_WORK bytes of work and features[GW_RICH_FEATURES].
gw_status gw_rich_features(const int16_t *window, int32_t length, void *work, int16_t *features);

#endif
