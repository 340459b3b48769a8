// Q-format arithmetic: rounding shifts, saturation, TFLite's requantisations, exact decimals, exponential, sigmoid, tanh.
//
// Everything here is integer only and calls nothing; "Qm.n" has m integer bits and n fraction bits beside the sign.
#ifndef GW_CFIXED_H
#define GW_CFIXED_H

#include <stdbool.h>
#include <stdint.h>

/// How every fallible function of the C rooms answers. Values below zero are errors; on an error the outputs are untouched.
typedef enum gw_status {
    GW_OK = 0,
    GW_EINVAL = -1,  ///< an argument is outside the documented range
    GW_ERANGE = -2,  ///< a number is well formed and cannot be represented
    GW_ESYNTAX = -3, ///< a text is not the number that was expected
    GW_ENOMEM = -4,  ///< the caller's memory is too small or misaligned
} gw_status;

/// Functions that may be refused what somebody else wrote: a call that drops the answer is a warning.
#define GW_MUST_CHECK __attribute__((warn_unused_result))

/// `value` limited to int16.
static inline int16_t gw_saturate16(int64_t value) {
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

/// The same of an int32: loops over it become vectors of four and eight.
static inline int16_t gw_saturate32_to_16(int32_t value) {
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

/// `value` limited to int32.
static inline int32_t gw_saturate32(int64_t value) {
    return (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

/// value / 2^shift, halves rounded up. 1 <= shift <= 62; |value| + 2^(shift-1) must fit int64.
static inline int64_t gw_round_shift(int64_t value, int32_t shift) { return (value + (INT64_C(1) << (shift - 1))) >> shift; }

/// a * b in Q0.31: round(a * b / 2^31), halves up; the one overflow, -1 * -1, saturates.
/// Source: gemmlowp's SaturatingRoundingDoublingHighMul, which TFLite's reference kernels use.
static inline int32_t gw_multiply_q31(int32_t a, int32_t b) {
    int64_t product = gw_round_shift((int64_t)a * b, 31); // -2^31 ... 2^31
    return product > INT32_MAX ? INT32_MAX : (int32_t)product;
}

/// value / 2^exponent, halves rounded away from zero. 0 <= exponent <= 31.
/// Source: gemmlowp's RoundingDivideByPOT.
static inline int32_t gw_divide_by_power(int32_t value, int32_t exponent) {
    int32_t mask = (int32_t)((INT64_C(1) << exponent) - 1);
    int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
    return (int32_t)((int64_t)value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

/// The square root of `value`, to the nearest whole number.
uint32_t gw_square_root(uint64_t value);

/// log2 of `value` > 0 in Q16, rounded down; at most 2^-15 too small.
int32_t gw_log2_q16(uint64_t value);

/// The same in Q9: gw_log2_q16 / 2^7.
int32_t gw_log2_q9(uint64_t value);

/// A positive real factor as TFLite stores it: multiplier / 2^31 * 2^shift.
/// multiplier is in 2^30 ... 2^31-1, or 0 for a factor of zero; shift is in -31 ... 30, positive to the left.
typedef struct gw_multiplier {
    int32_t multiplier;
    int32_t shift;
} gw_multiplier;

/// Whether `m` is in the ranges that gw_multiplier names.
static inline bool gw_multiplier_valid(gw_multiplier m) {
    return (m.multiplier == 0 || m.multiplier >= (1 << 30)) && m.shift >= -31 && m.shift <= 30;
}

/// round(value * m), once, halves up, limited to int32. |value * multiplier| + 2^61 < 2^63: cannot overflow.
/// Source: TFLite's MultiplyByQuantizedMultiplier with single rounding, as LiteRT's kernels are built.
static inline int32_t gw_requantise(int32_t value, gw_multiplier m) {
    return gw_saturate32(gw_round_shift((int64_t)value * m.multiplier, 31 - m.shift));
}

/// round(value * m), once, halves up, limited to int32, for any int64 within +-2^61.
static inline int32_t gw_requantise_wide(int64_t value, gw_multiplier m) {
    int64_t high = value >> 31, low = value & INT32_MAX; // value = high * 2^31 + low
    int32_t shift = 31 - m.shift;                        // 1 ... 62
    if (high == 0 || high == -1) { return gw_saturate32(gw_round_shift(value * m.multiplier, shift)); }
    if (shift < 31) { return m.multiplier == 0 ? 0 : high < 0 ? INT32_MIN : INT32_MAX; } // a factor of 1 or more
    int64_t inner = shift == 31 ? INT64_C(1) << 30 : 0, outer = shift == 31 ? 0 : INT64_C(1) << (shift - 32);
    return gw_saturate32((high * m.multiplier + ((low * m.multiplier + inner) >> 31) + outer) >> (shift - 31));
}

/// round(round(value * 2^left * multiplier / 2^31) / 2^right): halves up, then away from zero.
/// Source: TFLite's MultiplyByQuantizedMultiplier with double rounding, as LiteRT's convolutions, LSTM and ADD are built.
static inline int32_t gw_requantise_twice(int32_t value, gw_multiplier m) {
    int32_t left = m.shift > 0 ? m.shift : 0, right = m.shift > 0 ? 0 : -m.shift;
    int64_t product = gw_saturate32((int64_t)value * (INT64_C(1) << left)) * (int64_t)m.multiplier;
    int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
    return gw_divide_by_power((int32_t)((product + nudge) / (INT64_C(1) << 31)), right);
}

/// A multiplier's upper 15 bits, halves up.
static inline int32_t gw_reduced_multiplier(int32_t multiplier) {
    return multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
}

/// round(value * m), halves up, with the multiplier's upper 15 bits only, limited to int32. |value| < 2^46.
/// Source: TFLite's MultiplyByQuantizedMultiplier on int64.
static inline int32_t gw_requantise_reduced(int64_t value, gw_multiplier m) {
    int64_t reduced = gw_reduced_multiplier(m.multiplier);
    int32_t shift = 15 - m.shift; // -15 ... 46
    if (shift <= 0) { return gw_saturate32(gw_saturate32(value) * reduced * (INT64_C(1) << -shift)); }
    return gw_saturate32(gw_round_shift(value * reduced, shift));
}

/// numerator / denominator as a gw_multiplier, rounded to 31 bits (halves up).
///
/// Errors    GW_EINVAL when either is not positive; GW_ERANGE when the shift leaves -31 ... 30 or an argument is above 2^62.
GW_MUST_CHECK gw_status gw_multiplier_from_ratio(int64_t numerator, int64_t denominator, gw_multiplier *out);

/// An exact decimal: mantissa * 10^-exponent.
typedef struct gw_decimal {
    int64_t mantissa;
    int32_t exponent; ///< decimal places, 0 ... 18
} gw_decimal;

/// Reads "-12.50", "9.8e-3", "+.5" into an exact decimal; blanks around it are allowed, trailing zeros are dropped.
///
/// Errors    GW_ESYNTAX when `text` is not one number; GW_ERANGE beyond 18 significant digits or 18 decimal places.
GW_MUST_CHECK gw_status gw_decimal_parse(const char *text, gw_decimal *out);

/// round(d * 2^fraction_bits), halves away from zero. 0 <= fraction_bits <= 30.
///
/// Errors    GW_ERANGE when the result leaves int32; GW_EINVAL when fraction_bits is out of range.
GW_MUST_CHECK gw_status gw_decimal_to_fixed(gw_decimal d, int32_t fraction_bits, int32_t *out);

/// exp(x) for x <= 0: Q5.26 in, Q0.31 out.
/// Source: the method of gemmlowp's exp_on_negative_values, bit for bit, so that soft-max equals TFLite's.
int32_t gw_exp_q5_26(int32_t x);

/// 1 / (1 + x) for 0 <= x < 1: Q0.31 in, Q0.31 out (three Newton steps).
/// Source: the method of gemmlowp's one_over_one_plus_x_for_x_in_0_1, bit for bit.
int32_t gw_reciprocal_q31(int32_t x);

/// 1 / (1 + e^-x): Q3.12 in, Q0.15 out.
/// Source: the method of gemmlowp's logistic on int16, bit for bit, so that an int8 LSTM equals LiteRT's.
int16_t gw_sigmoid_q3_12(int16_t x);

/// tanh(x): int16 with `integer_bits` before the point in, Q0.15 out. 0 <= integer_bits <= 8.
/// Source: the method of gemmlowp's tanh on int16, bit for bit.
int16_t gw_tanh_q15(int16_t x, int32_t integer_bits);

/// 1 / (1 + e^-x) by interpolation in a table of 256 entries: x in 1/12288, Q0.15 out. |x| < 2^30.
/// Source: TFLite's int16 LOGISTIC and, in tflite-micro, LSTM; the entries are those of interpolation.py.
int16_t gw_sigmoid_interpolated(int32_t x);

/// tanh(x) from the same table: x in 1/12288, Q0.15 out. |x| < 2^30.
int16_t gw_tanh_interpolated(int32_t x);

/// 65536 sigmoid(i / 24), what both are drawn between.
extern const uint16_t gw_interpolation_table[256];

#endif
