// Features of a window, from integers alone: seventeen as many as the paper's energy study has, and a set of eighty.
//
// Every feature is int16 in Q3.12, so that a network takes features as it takes samples. No allocation: the caller gives the work memory.
#ifndef GW_CFEATURES_H
#define GW_CFEATURES_H

#include "csignal.h"
#include "gw_movement.h"

/// Seventeen features of a window, as many as the paper's energy study has; its list is not known, the choice is ours. Every one is
/// int16 in Q3.12, so that a network takes them as it takes samples.
///
/// Error     against float64, tested beside numpy: see each; LSB of Q3.12 (1/4096).
enum {
    GW_FEATURE_MEAN = 0,        ///< of x, y, z; g; 1/2 LSB
    GW_FEATURE_DEVIATION = 3,   ///< standard deviation of x, y, z (of the window, not its estimate); g; 1 LSB
    GW_FEATURE_MAGNITUDE = 6,   ///< signal magnitude area: mean of |x| + |y| + |z| about their means; g; 2 LSB
    GW_FEATURE_ENTROPY = 7,     ///< of the power spectrum of all axes without the mean, as a share of the largest possible; 0.02
    GW_FEATURE_CORRELATION = 8, ///< of x y, x z, y z, -1 ... 1, 0 where an axis is at rest; 0.02 where both deviate by 20 LSB
    GW_FEATURE_FREQUENCY = 11,  ///< of the strongest line of x, y, z; Hz / 4
    GW_FEATURE_BAND = 14,       ///< root mean square of x, y, z between 0.5 and 3 Hz; g; 2 LSB and 1/5000 of it
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
    GW_RICH_JERK = 5, ///< jerk is in g per tenth of a second, saturated to +-8; that of the first sample is 0
    GW_RICH_WORK = GW_FEATURES_WORK + 1024 * 16,
};

/// Computes them; as gw_features, with GW_RICH_WORK bytes of work and features[GW_RICH_FEATURES].
gw_status gw_rich_features(const int16_t *window, int32_t length, void *work, int16_t *features);

/// How a sensor is worn, in its own axes.
typedef struct gw_frame {
    int16_t up[GW_AXES];      ///< unit vector, Q1.14: where the sensor shows +1 g while its wearer walks
    int16_t forward[GW_AXES]; ///< the same, at right angles to it: along which the steps swing most; its sign means nothing
    int16_t ahead[GW_AXES];   ///< the same, to the wearer's front: learnt from how the steps swing
} gw_frame;

/// What does not depend on how the sensor is turned, in Q3.12. Levels are log2 / 8 of sums of squares of Q3.12 about the mean, of spectra
/// of such with four bits more. "Length" is that of the acceleration, sqrt(x^2 + y^2 + z^2).
enum {
    GW_WEARING_BANDS = 14,      ///< from 0.3 to 19 Hz
    GW_WEARING_LENGTH_MIN = 64, ///< samples of a window; one that is no power of two is padded with zeros
    GW_WEARING_LENGTH_MAX = 256,
    GW_GAIT_LAGS = 9,
    GW_GAIT_LEVEL = 0,    ///< of the length, of all three axes, of jerk
    GW_GAIT_SKEWNESS = 3, ///< of the length, / 4
    GW_GAIT_PEAK = 4,     ///< largest and least length, less 1 g
    GW_GAIT_AGAIN = 6,    ///< autocorrelation of the length at 0.2 ... 1.08 s
    GW_GAIT_LENGTH = 15,  ///< levels of the bands of the length
    GW_GAIT_ALL = 29,     ///< levels of the bands of all three axes
    GW_GAIT_FEATURES = 43,
};

/// What depends on which way is up, and some of it on the line along which the steps swing, in the same units.
enum {
    GW_UPRIGHT_LAGS = 10,
    GW_UPRIGHT_MEAN = 0,        ///< up; horizontal; along and across the forward direction, without their signs; g
    GW_UPRIGHT_LEVEL = 4,       ///< of the horizontal movement's principal and second direction, forward, lateral, up; of jerk upwards
    GW_UPRIGHT_SKEWNESS = 10,   ///< upwards, / 4
    GW_UPRIGHT_PEAK = 11,       ///< largest and least upwards, about the mean; g
    GW_UPRIGHT_TOGETHER = 13,   ///< correlation of up with forward and with lateral, without its sign
    GW_UPRIGHT_TURN = 15,       ///< how far the mean moves from the window's first half to its second; g
    GW_UPRIGHT_RISE = 16,       ///< the same upwards, with its sign; g
    GW_UPRIGHT_AGAIN = 17,      ///< autocorrelation upwards at 0.12 ... 1.08 s
    GW_UPRIGHT_VERTICAL = 27,   ///< levels of the bands upwards
    GW_UPRIGHT_HORIZONTAL = 41, ///< and of both horizontal directions
    GW_UPRIGHT_FEATURES = 55,
};

/// What depends on which way is ahead too, in the same units. Lateral is here up x ahead, the wearer's left; at a lag above 0 the second
/// signal is the later one.
enum {
    GW_DIRECTED_LAGS = 7,
    GW_DIRECTED_LAGS_ACROSS = 5,
    GW_DIRECTED_MEAN = 0,     ///< ahead, lateral; g
    GW_DIRECTED_SKEWNESS = 2, ///< ahead, lateral, / 4
    GW_DIRECTED_PEAK = 4,     ///< largest and least ahead, largest and least lateral, about the mean; g
    GW_DIRECTED_AHEAD = 8,    ///< correlation of up with ahead at -0.24 ... 0.24 s
    GW_DIRECTED_LATERAL = 15, ///< of up with lateral
    GW_DIRECTED_ACROSS = 22,  ///< of ahead with lateral at -0.16 ... 0.16 s
    GW_DIRECTED_TURN = 27,    ///< how far the mean moves from the window's first half to its second, ahead, lateral; g
    GW_DIRECTED_FEATURES = 29,
    GW_WEARING_FEATURES = GW_UPRIGHT_FEATURES + GW_GAIT_FEATURES + GW_DIRECTED_FEATURES, ///< of all three, in this order
    GW_WEARING_WORK = 1024 * 8 + 3 * 513 * 8 + 6 * 1024 * 2 + 8,
};

/// All three sets for one window.
///
/// Units     window: Q3.12 g.
/// Shapes    window[length][3]; work: GW_WEARING_WORK bytes, 8-byte aligned; features[GW_WEARING_FEATURES]: upright, gait, directed.
/// Overflow  sums are int64, spectra int32 with four bits below Q3.12 (gw_fft): cannot overflow; results saturate.
/// Errors    GW_EINVAL when length is outside GW_WEARING_LENGTH_MIN ... GW_WEARING_LENGTH_MAX.
gw_status gw_wearing_features(const int16_t *window, int32_t length, const gw_frame *frame, void *work, int16_t *features);

/// How the sensor is worn, learnt from windows in which its wearer walks. All-zero memory knows nothing; what it holds may be written
/// down and read back.
typedef struct gw_orientation {
    gw_frame frame;                       ///< valid from the first window on; it counts from GW_ORIENTATION_ENOUGH on
    int32_t windows;                      ///< of walking that the frame rests on, at most 64: older ones fade
    int32_t contrary;                     ///< windows that show another direction, beyond those that do not
    int32_t inverted;                     ///< windows in a row in which the wearer would be upside down
    int64_t gravity[GW_AXES];             ///< sum of those windows' means, Q3.12 g
    int64_t movement[6];                  ///< sums of xx, xy, xz, yy, yz, zz about the means, Q6.24 / 2^8
    int64_t rolling[GW_AXES];             ///< sums of the vector products of samples a part of a step apart, Q6.24 / 2^8
    int64_t energy;                       ///< of the samples that make them, in the same unit
    int32_t rolled;                       ///< eighths of windows that they rest on, at most 4,103
    int32_t profiled;                     ///< windows of walking that the profile rests on, at most 256
    int32_t profile[GW_WEARING_FEATURES]; ///< sums of their features
} gw_orientation;

/// Learns from one more window of walking. One that shows a direction more than 30 degrees away is passed over; after twenty of
/// them it begins anew: the sensor was turned. Which way is ahead rests on more windows than which way is up, and a window that is surely
/// of walking (`is_sure`) counts eight times as much there as another.
///
/// Units     window: Q3.12 g; features: those of the window in this orientation's frame, Q3.12.
/// Shapes    window[length][3], length at most GW_WINDOW_MAX; features[GW_WEARING_FEATURES].
/// Overflow  sums are int64, of at most 513 windows: cannot overflow.
void gw_orientation_take(gw_orientation *orientation, const int16_t *window, int32_t length, const int16_t *features, bool is_sure);

/// Takes note of a window at rest: of the windows that showed another direction, one counts no more. Who lies for hours moves now and
/// then as if he walked; who walks with a turned sensor does so for window after window.
void gw_orientation_rest(gw_orientation *orientation);

enum { GW_ORIENTATION_ENOUGH = 6 }; ///< windows of walking until the direction counts

enum { GW_ORIENTATION_NUMBERS = 4 + GW_AXES + 6 + GW_AXES + GW_WEARING_FEATURES };

/// What it has learnt as numbers, to write down.
///
/// Shapes    numbers[GW_ORIENTATION_NUMBERS].
void gw_orientation_save(const gw_orientation *orientation, int64_t *numbers);

/// Takes such numbers back.
///
/// Errors    GW_ERANGE for numbers that nobody can have learnt; the orientation knows nothing then.
gw_status gw_orientation_restore(gw_orientation *orientation, const int64_t *numbers);

/// Looks at a window of whatever the wearer does: hardly anybody's trunk is upside down for long. After 51 s the direction no longer
/// counts as known, until the wearer is upright again or has walked with the sensor turned.
///
/// Shapes    features[GW_WEARING_FEATURES]: of the window in this orientation's frame, Q3.12.
void gw_orientation_check(gw_orientation *orientation, const int16_t *features);

/// Whether frame and profile each rest on GW_ORIENTATION_ENOUGH windows at least, and the wearer is not upside down.
bool gw_orientation_known(const gw_orientation *orientation);

/// How this wearer walks with the sensor where it is: mean features of the walking windows; zeros before there is one.
///
/// Shapes    profile[GW_WEARING_FEATURES], Q3.12.
void gw_orientation_profile(const gw_orientation *orientation, int16_t *profile);

/// The frame of a sensor whose axes are known.
///
/// Units     axes: 1, 2, 3 for x, y, z; negative for the opposite direction; forward is to the wearer's front, 0: any, and features that
///           depend on it mean nothing. Until steps have shown the line of most movement, that is taken to be the same axis.
/// Errors    GW_EINVAL for an axis that there is not, or the same one twice.
gw_status gw_frame_along(gw_frame *frame, int32_t up, int32_t forward);

/// Turns the forward direction about the vertical.
///
/// Units     cosine and sine of one angle, Q1.14.
void gw_frame_turn(gw_frame *frame, int32_t cosine, int32_t sine);

/// The same with the direction ahead.
void gw_frame_turn_ahead(gw_frame *frame, int32_t cosine, int32_t sine);

/// The frame of a wearer of whom nothing is known but that he is upright: up is where this window's mean points.
///
/// Shapes    window[length][3], Q3.12 g.
void gw_frame_upright(gw_frame *frame, const int16_t *window, int32_t length);

#endif
