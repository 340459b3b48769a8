// The fixed-point front end: counts to g, resampling to 50 Hz, median, low-pass, windows.
//
// A sample is three int16 in Q3.12 g (x, y, z), saturating at +-8 g. Integers only, no allocation: each struct here is
// plain memory that the caller owns, and none points outside itself.
#ifndef GW_CSIGNAL_H
#define GW_CSIGNAL_H

#include "cfixed.h"
#include <stddef.h>
#include <stdint.h>

enum {
    GW_AXES = 3,
    GW_ONE_G = 1 << 12,         ///< 1 g in Q3.12
    GW_SAMPLING_RATE = 50,      ///< Hz, of every window
    GW_WINDOW_MAX = 1024,       ///< samples
    GW_RESAMPLER_WEIGHTS = 896, ///< room for the kernel at 104 Hz, whose 25 phases have 35 taps each
    GW_RESAMPLER_PHASES = 52,   ///< of at least 17 taps
    GW_RESAMPLER_TAPS = 129,    ///< at 400 Hz: 8 zero crossings of 8 input samples on both sides
    GW_RATE_MIN = 10000,        ///< mHz
    GW_RATE_MAX = 400000,       ///< mHz
};

/// From a sensor's raw counts to Q3.12 g: (raw * multiplier + bias) / 2^shift, halves up.
typedef struct gw_scale {
    int64_t bias;
    int32_t multiplier;
    int32_t shift;
} gw_scale;

/// A scale from IIO's decimals: acceleration in m/s^2 = (raw + offset) * scale; 1 g is 9.80665 m/s^2.
///
/// Errors    GW_EINVAL when scale is zero; GW_ERANGE when scale leaves 1e-9 ... 1e4 m/s^2 per count,
///           has more than 10 significant digits, or |offset| exceeds 2^31.
GW_MUST_CHECK gw_status gw_scale_from_decimals(gw_decimal scale, gw_decimal offset, gw_scale *out);

/// A scale for counts of numerator / denominator g, as 1 / 720 g in the HAPT recordings.
///
/// Errors    GW_EINVAL, GW_ERANGE as gw_multiplier_from_ratio; each number at most 2^31.
GW_MUST_CHECK gw_status gw_scale_from_ratio(int64_t numerator, int64_t denominator, gw_scale *out);

/// One count in Q3.12 g, saturated. `raw` is a whole sensor word: any int32.
int16_t gw_scale_apply(const gw_scale *scale, int32_t raw);

/// gw_scale_apply of `count` samples, each axis by its own scale.
void gw_scale_block(const gw_scale scales[GW_AXES], const int32_t *counts, int32_t count, int16_t *out);

/// A rotation from the sensor's axes to the board's, row by row in Q1.30.
typedef struct gw_mount {
    int32_t rows[GW_AXES][GW_AXES];
} gw_mount;

/// Rotates `count` samples in place; each product sum rounds half up and saturates.
void gw_mount_apply(const gw_mount *mount, int16_t *samples, int32_t count);

/// Any rate between 10 and 400 Hz to 50 Hz: a Kaiser-windowed sinc, evaluated at exact rational positions.
///
/// Output n stands for the time n / 50 s after the first input sample. The pass band is flat to 0.39 of the lower of both
/// rates; images and aliases are 60 dB down beyond 0.61 of it. Samples before the first one count as equal to it.
typedef struct gw_resampler {
    int32_t phases, step, taps; // distances from an output to the inputs recur after so many outputs, `step` apart; 0: too many to keep
    int32_t weights[GW_RESAMPLER_WEIGHTS];                                 // [phases][taps], Q0.15
    int32_t totals[GW_RESAMPLER_PHASES], reciprocals[GW_RESAMPLER_PHASES]; // sum of a phase's weights, and 2^40 over that
    int64_t position;   // of the next output, in 1/50000 input sample, relative to the newest input
    int64_t reciprocal; // of a zero crossing's span, scaled to steps of the kernel's table
    int32_t rate;       // input, mHz
    int32_t next;       // write index in history
    int32_t started;
    int16_t history[GW_RESAMPLER_TAPS * 2][GW_AXES]; // every sample twice, so that the last taps are contiguous
} gw_resampler;

/// Starts a resampler for an input at `rate` mHz.
///
/// Errors    GW_EINVAL outside GW_RATE_MIN ... GW_RATE_MAX.
GW_MUST_CHECK gw_status gw_resampler_init(gw_resampler *resampler, int32_t rate);

/// Starts afresh at the same rate.
void gw_resampler_reset(gw_resampler *resampler);

/// Takes one sample and writes the 50 Hz samples that it completes.
///
/// Shapes    sample[3]; out[6][3], of which the returned number (0 ... 6) is written.
/// Overflow  products (Q3.27) add up in int64: cannot overflow; the quotient rounds half up and saturates.
int32_t gw_resampler_push(gw_resampler *resampler, const int16_t *sample, int16_t out[][GW_AXES]);

/// How many more samples have to be pushed for `count` (1 ... 10000) more 50 Hz samples.
int32_t gw_resampler_missing(const gw_resampler *resampler, int32_t count);

/// Which code runs the sections; both give the same bits.
typedef enum gw_filter_kernel {
    GW_FILTER_BEST = 0,      ///< the vector kernel where the CPU has one
    GW_FILTER_REFERENCE = 1, ///< plain C
} gw_filter_kernel;

/// Median of 3, low-pass at 20 Hz, gravity by a low-pass at 0.3 Hz. All-zero memory is the start.
typedef struct gw_filter {
    gw_filter_kernel kernel;
    int32_t primed;
    int16_t previous[2][GW_AXES];   // samples, newest last
    int32_t history[8][2][GW_AXES]; // Q7.24 g, newest first: the medians, then what each of the seven sections gave
} gw_filter;

/// Filters a block at 50 Hz. The median needs one sample ahead, so the first call writes one sample fewer than it takes.
///
/// Units     samples, total, gravity: Q3.12 g; inside Q7.24 with Q1.30 coefficients and int64 sums.
/// Shapes    samples[count][3]; total[count][3], gravity[count][3]. `total` may be `samples`; gravity NULL leaves its two sections out.
/// Overflow  section outputs are below 8 g x 3.1 (L1 norm), so Q7.24 cannot overflow; the results round half up and saturate.
/// Returns   how many samples were written.
/// Source    Anguita et al. 2013; measured on the UCI HAR windows (10th order, zero initial state).
int32_t gw_filter_run(gw_filter *filter, const int16_t *samples, int32_t count, int16_t *total, int16_t *gravity);

/// Sliding windows over filtered samples. Lives at the start of memory that the caller sized with gw_window_size.
typedef struct gw_window {
    int32_t length, hop;
    int32_t next;   // write index, 0 ... length-1
    int32_t until;  // samples until the next window is complete
    int64_t count;  // samples taken since the start or reset
    int16_t *total; // 2 * length samples, every sample twice
} gw_window;

/// Bytes for a window of `length` samples; 0 when length is outside 1 ... GW_WINDOW_MAX.
size_t gw_window_size(int32_t length);

/// Places the windows in `memory` (8-byte aligned, at least gw_window_size(length) bytes).
///
/// Errors    GW_EINVAL when length is out of range or hop is outside 1 ... length; GW_ENOMEM.
GW_MUST_CHECK gw_status gw_window_init(void *memory, size_t size, int32_t length, int32_t hop, gw_window **out);

/// Forgets all samples: the next window will hold only samples taken after this.
void gw_window_reset(gw_window *window);

/// Takes samples up to the end of the next window.
///
/// Shapes    total[count][3].
/// Returns   how many samples were taken; *complete tells whether the last of them completed a window.
int32_t gw_window_push(gw_window *window, const int16_t *total, int32_t count, bool *complete);

/// The last `length` samples in order of time, [length][3] Q3.12 g: valid until the next push.
const int16_t *gw_window_total(const gw_window *window);

/// Resampler, filter and windows in a row. Opaque; lives in memory that the caller sized with gw_frontend_size.
typedef struct gw_frontend gw_frontend;

typedef struct gw_frontend_config {
    int32_t rate;        ///< of the samples that come in, mHz; at 50000 they are taken as they are
    int32_t length, hop; ///< window, in samples at 50 Hz
    gw_filter_kernel kernel;
    /// At 50 Hz a window is complete with the sample at its end, not with the one after it, which may come a whole block later: the median
    /// takes the stream's first sample twice. What windows show is then 0.02 s older than they say. Without effect at other rates.
    bool early;
} gw_frontend_config;

/// Bytes of a front end for windows of `length`; 0 when length is out of range.
size_t gw_frontend_size(int32_t length);

/// Places a front end in `memory` (8-byte aligned).
///
/// Errors    GW_EINVAL when rate, length or hop is out of range; GW_ENOMEM.
GW_MUST_CHECK gw_status gw_frontend_init(void *memory, size_t size, const gw_frontend_config *config, gw_frontend **out);

/// Starts afresh, as after a gap: filter, resampler and windows forget everything.
void gw_frontend_reset(gw_frontend *frontend);

/// Is given every sample at 50 Hz once, before it is filtered: samples[count][3], Q3.12 g.
typedef void (*gw_frontend_watcher)(void *context, const int16_t *samples, int32_t count);

/// Calls `watcher` from within gw_frontend_push; NULL: no more.
void gw_frontend_watch(gw_frontend *frontend, gw_frontend_watcher watcher, void *context);

/// The windows, for gw_window_total, length and count.
const gw_window *gw_frontend_window(const gw_frontend *frontend);

/// The most windows that `count` samples can complete.
int32_t gw_frontend_capacity(const gw_frontend *frontend, int32_t count);

/// How many more samples complete the next window, 0 or more.
int32_t gw_frontend_missing(const gw_frontend *frontend);

/// Takes samples up to the end of the next window.
///
/// Units     samples: Q3.12 g at the configured rate.
/// Shapes    samples[count][3].
/// Returns   how many samples were taken; *complete tells whether a window is ready. Call again with the rest until it is
///           false, even when no sample is left: one sample can complete two windows. Any cutting into blocks gives equal bits.
int32_t gw_frontend_push(gw_frontend *frontend, const int16_t *samples, int32_t count, bool *complete);

#endif
