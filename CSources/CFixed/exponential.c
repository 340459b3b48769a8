#include "cfixed.h"

// exp(-2^k) in Q0.31 for k = -2 ... 4: the factors of exp(x) beyond the last quarter.
static const int32_t exp_of_minus_power[7] = {
    1672461947,
    1302514674,
    790015084,
    290630308,
    39332535,
    720401,
    242,
};

// exp(x) for -1/4 <= x < 0 in Q0.31: a fourth-order Taylor polynomial around -1/8.
static int32_t exp_last_quarter(int32_t x) {
    const int32_t exp_minus_eighth = 1895147668, third = 715827883;
    int32_t y = x + (1 << 28);
    int32_t y2 = gw_multiply_q31(y, y);
    int32_t y3 = gw_multiply_q31(y2, y);
    int32_t y4_over_4 = gw_divide_by_power(gw_multiply_q31(y2, y2), 2);
    int32_t higher = gw_divide_by_power(gw_multiply_q31(y4_over_4 + y3, third) + y2, 1);
    return exp_minus_eighth + gw_multiply_q31(exp_minus_eighth, y + higher);
}

int32_t gw_exp_q5_26(int32_t x) {
    const int32_t quarter = 1 << 24;
    if (x >= 0) { return INT32_MAX; }
    int32_t last = (x & (quarter - 1)) - quarter;
    int32_t result = exp_last_quarter((int32_t)((uint32_t)last << 5));
    int32_t rest = last - x;
    for (int32_t k = 0; k < 7; k++) {
        if (rest & (1 << (24 + k))) { result = gw_multiply_q31(result, exp_of_minus_power[k]); }
    }
    return result;
}

// gw_multiply_q31 where -1 * -1 does not occur.
static inline int32_t multiply(int32_t a, int32_t b) { return (int32_t)gw_round_shift((int64_t)a * b, 31); }

// Nothing in it leaves 32 bits but the last doubling, for any of the 2^31 arguments.
int32_t gw_reciprocal_q31(int32_t x) {
    const int32_t f48_over_17 = 1515870810, f32_over_17 = 1010580540;       // Q2.29
    int32_t half_denominator = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2); // (1 + x) / 2 in Q0.31
    int32_t y = f48_over_17 + multiply(half_denominator, -f32_over_17);
    for (int32_t i = 0; i < 3; i++) { y += 4 * multiply(y, (1 << 29) - multiply(half_denominator, y)); }
    return gw_saturate32((int64_t)y * 2); // y is 2 / (1 + x) in Q2.29: halved and brought to Q0.31
}
