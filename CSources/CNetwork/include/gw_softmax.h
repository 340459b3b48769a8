// Soft-max in integers.
#ifndef GW_SOFTMAX_H
#define GW_SOFTMAX_H

#include "cfixed.h"

enum {
    GW_SOFTMAX_ENTRIES = 256,
    GW_SOFTMAX_MAX = 2048,        ///< numbers that share one sum
    GW_PROBABILITY_ONE = 1 << 15, ///< probabilities are Q0.15, limited to 32767
};

/// e to the power of every difference that two int8 logits can have: table[d] = exp(-d * scale).
///
/// Units     scale: of the logits; table: Q0.31.
/// Errors    GW_EINVAL when the scale is out of range.
/// Source    gemmlowp's exponential on Q5.26, as TFLite's reference kernel calls it.
gw_status gw_softmax_table(gw_multiplier scale, int32_t table[GW_SOFTMAX_ENTRIES]);

/// Soft-max of int8 logits.
///
/// Units     table: of the logits' scale; probabilities: Q0.15.
/// Shapes    logits[n], probabilities[n], 1 <= n <= GW_SOFTMAX_MAX.
/// Errors    GW_EINVAL when n is out of range.
/// Source    gemmlowp's fixed-point soft-max as TFLite's reference kernel has it (Q12.19 sum).
gw_status gw_softmax(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], int16_t *probabilities);

/// The same to TFLite's int8: scale 1/256, zero point -128.
gw_status gw_softmax_int8(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], int8_t *probabilities);

enum { GW_SOFTMAX_FINEST = 16 }; ///< most of a shift of the scale below: the probabilities' is above 2^-24

/// The same to int8 of any scale.
///
/// Units     table: of the logits' scale; scale: 1 / (256 x the scale of the probabilities), of a shift of at most GW_SOFTMAX_FINEST.
/// Shapes    logits[n], probabilities[n], 1 <= n <= GW_SOFTMAX_MAX.
/// Errors    GW_EINVAL when n or the scale is out of range. Within 2^-19 x n of a step before what is between two steps is rounded.
gw_status gw_softmax_scaled(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], gw_multiplier scale,
    int8_t zero_point, int8_t *probabilities);

/// The tables of int16 soft-max: e^x over -10 ... 0 and 1 / (1 + x) over 0 ... 1, in 512 steps.
typedef struct gw_softmax_curves {
    int16_t exponential[513], reciprocal[513];
} gw_softmax_curves;

/// Makes them: the same entries everywhere.
void gw_softmax_curves_init(gw_softmax_curves *curves);

/// Soft-max of int16 logits.
///
/// Units     scale: the logits' scale x 65535 / 10; probabilities: Q0.15.
/// Shapes    logits[n], probabilities[n], 1 <= n <= GW_SOFTMAX_MAX.
/// Errors    GW_EINVAL when n is out of range.
/// Source    TFLite's int16 SOFTMAX.
gw_status gw_softmax_int16(const int16_t *logits, int32_t n, gw_multiplier scale, const gw_softmax_curves *curves, int16_t *probabilities);

#endif
