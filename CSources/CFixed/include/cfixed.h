// Q-format arithmetic: rounding shifts, saturation, TFLite's requantisation, exact decimals, exponential and sigmoid.
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

/// `value` limited to int16.
static inline int16_t gw_saturate16(int64_t value) {
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

/// `value` limited to int32.
static inline int32_t gw_saturate32(int64_t value) {
    return (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

/// value / 2^shift, halves rounded up. 1 <= shift <= 62; |value| + 2^(shift-1) must fit int64.
static inline int64_t gw_round_shift(int64_t value, int32_t shift) {
    return (value + (INT64_C(1) << (shift - 1))) >> shift;
}

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

/// numerator / denominator as a gw_multiplier, rounded to 31 bits (halves up).
///
/// Errors    GW_EINVAL when either is not positive; GW_ERANGE when the shift leaves -31 ... 30 or an argument is above 2^62.
gw_status gw_multiplier_from_ratio(int64_t numerator, int64_t denominator, gw_multiplier *out);

/// An exact decimal: mantissa * 10^-exponent.
typedef struct gw_decimal {
    int64_t mantissa;
    int32_t exponent; ///< decimal places, 0 ... 18
} gw_decimal;

/// Reads "-12.50", "9.8e-3", "+.5" into an exact decimal; blanks around it are allowed, trailing zeros are dropped.
///
/// Errors    GW_ESYNTAX when `text` is not one number; GW_ERANGE beyond 18 significant digits or 18 decimal places.
gw_status gw_decimal_parse(const char *text, gw_decimal *out);

/// round(d * 2^fraction_bits), halves away from zero. 0 <= fraction_bits <= 30.
///
/// Errors    GW_ERANGE when the result leaves int32; GW_EINVAL when fraction_bits is out of range.
gw_status gw_decimal_to_fixed(gw_decimal d, int32_t fraction_bits, int32_t *out);

/// exp(x) for x <= 0: Q5.26 in, Q0.31 out.
/// Source: the method of gemmlowp's exp_on_negative_values, bit for bit, so that soft-max equals TFLite's.
int32_t gw_exp_q5_26(int32_t x);

/// 1 / (1 + x) for 0 <= x < 1: Q0.31 in, Q0.31 out (three Newton steps).
/// Source: the method of gemmlowp's one_over_one_plus_x_for_x_in_0_1, bit for bit.
int32_t gw_reciprocal_q31(int32_t x);

/// The 256 entries of a quantised sigmoid: table[q + 128] = round(256 * sigmoid((q - zero_point) * scale)) - 128, limited to int8.
///
/// Units     q: int8 with `scale` and `zero_point`; result: int8 with scale 1/256 and zero point -128 (TFLite's).
/// Errors    GW_EINVAL when scale or zero_point is out of range.
gw_status gw_sigmoid_table(gw_multiplier scale, int32_t zero_point, int8_t table[256]);

#endif
