#include "cfixed.h"

// gemmlowp's int16 arithmetic, widened to int32 between the operations: its products are rounded, its shifts to the left limited,
// and none of its sums leaves int16 for the values that occur here.

enum { ONE = INT16_MAX };

// exp(-2^k) in Q0.15 for k = -2 ... 4.
static const int32_t exp_of_minus_power[7] = {25520, 19875, 12055, 4435, 600, 11, 0};

// round(a * b / 2^15), halves up.
static inline int32_t product(int32_t a, int32_t b) { return gw_saturate16((a * b + (1 << 14)) >> 15); }

static inline int32_t shifted_left(int32_t a, int32_t bits) { return gw_saturate16((int64_t)a * (1 << bits)); }

// exp(x) for -1/4 <= x < 0, Q0.15: a fourth-order Taylor polynomial around -1/8.
static inline int32_t exp_last_quarter(int32_t x) {
    const int32_t exp_minus_eighth = 28918, third = 10923;
    int32_t y = x + (1 << 12);
    int32_t y2 = product(y, y), y3 = product(y2, y), y4_over_4 = gw_divide_by_power(product(y2, y2), 2);
    int32_t higher = gw_divide_by_power(product(y4_over_4 + y3, third) + y2, 1);
    return gw_saturate16(exp_minus_eighth + product(exp_minus_eighth, y + higher));
}

// exp(x) for x <= 0 with `integer_bits` before the point, Q0.15.
static inline int32_t exp_of_negative(int32_t x, int32_t integer_bits) {
    const int32_t fraction = 15 - integer_bits;
    if (x == 0) { return ONE; }
    if (integer_bits > 5 && x < -(1 << (fraction + 5))) { return 0; }
    if (fraction < 2) { return 0; } // a step is a half or more, which the method does not reach
    int32_t quarter = 1 << (fraction - 2), last = (x & (quarter - 1)) - quarter, rest = last - x;
    int32_t result = exp_last_quarter(shifted_left(last, integer_bits));
    for (int32_t k = -2; k < 5 && k < integer_bits; k++) {
        if (rest & (1 << (fraction + k))) { result = product(result, exp_of_minus_power[k + 2]); }
    }
    return result;
}

// 2 / (1 + x) for 0 <= x <= 1: Q0.15 in, Q2.13 out (three Newton steps).
static inline int32_t reciprocal(int32_t x) {
    const int32_t f48_over_17 = 23130, minus_32_over_17 = -15420; // Q2.13
    int32_t half_denominator = (x + ONE + 1) / 2;
    int32_t y = f48_over_17 + product(half_denominator, minus_32_over_17);
    for (int32_t i = 0; i < 3; i++) {
        int32_t error = (1 << 13) - product(half_denominator, y);
        y += shifted_left(product(y, error), 2);
    }
    return y;
}

static inline int32_t negated_magnitude(int32_t x) { return x < 0 ? x : -x; }

int16_t gw_sigmoid_q3_12(int16_t x) {
    if (x == 0) { return 1 << 14; }
    int32_t above = shifted_left(reciprocal(exp_of_negative(negated_magnitude(x), 3)), 1);
    return (int16_t)(x > 0 ? above : ONE - above);
}

int16_t gw_tanh_q15(int16_t x, int32_t integer_bits) {
    if (x == 0) { return 0; }
    // tanh(x) = 2 / (1 + e^-2x) - 1; one more integer bit doubles x.
    int32_t above = shifted_left(reciprocal(exp_of_negative(negated_magnitude(x), integer_bits + 1)) - (1 << 13), 2);
    return (int16_t)(x > 0 ? above : -above);
}
