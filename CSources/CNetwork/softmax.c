#include "cnetwork.h"

enum { DIFFERENCE_BITS = 26, SUM_BITS = 31 - 12, PROBABILITY_BITS = 15 };

static int32_t leading_zeros(uint32_t value) {
    int32_t zeros = 0;
    for (; !(value & (UINT32_C(1) << 31)); zeros++) { value <<= 1; }
    return zeros;
}

// A difference of logits (<= 0) times the scale, Q5.26.
static int32_t scaled(int32_t difference, gw_multiplier scale, int32_t left) {
    return gw_multiply_q31((int32_t)(difference * (INT64_C(1) << left)), scale.multiplier);
}

gw_status gw_softmax(const int8_t *logits, int32_t n, gw_multiplier scale, int16_t *probabilities) {
    int32_t left = scale.shift + DIFFERENCE_BITS;
    if (n < 1 || n > GW_CLASSES_MAX || !gw_multiplier_valid(scale) || scale.multiplier == 0 || left < 0) { return GW_EINVAL; }
    if (left > 31) { left = 31; } // a step of 32 or more: everything but the maximum is below e^-32 all the same
    // Below this the difference leaves Q5.26 and e^difference is zero.
    const int32_t lowest = left > 30 ? 0 : -(int32_t)((INT64_C(31) << DIFFERENCE_BITS) >> left);

    int32_t maximum = logits[0];
    for (int32_t i = 1; i < n; i++) { maximum = logits[i] > maximum ? logits[i] : maximum; }
    int32_t powers[GW_CLASSES_MAX], sum = 0; // Q0.31, Q12.19
    for (int32_t i = 0; i < n; i++) {
        int32_t difference = logits[i] - maximum;
        powers[i] = difference >= lowest ? gw_exp_q5_26(scaled(difference, scale, left)) : 0;
        sum += gw_divide_by_power(powers[i], 12);
    }
    int32_t headroom = leading_zeros((uint32_t)sum);
    int32_t reciprocal = gw_reciprocal_q31((int32_t)(((uint32_t)sum << headroom) - (UINT32_C(1) << 31)));
    int32_t right = 31 - SUM_BITS - headroom + 31 - PROBABILITY_BITS;
    for (int32_t i = 0; i < n; i++) {
        probabilities[i] = gw_saturate16(gw_divide_by_power(gw_multiply_q31(reciprocal, powers[i]), right));
    }
    return GW_OK;
}
