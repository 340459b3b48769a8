#include "cfixed.h"

// sigmoid(-x) for x >= 0, Q5.26 in, Q0.31 out: e / (1 + e) with e = exp(-x).
static int32_t sigmoid_of_minus(int64_t x) {
    if (x > INT32_MAX) { return 0; }
    int32_t e = gw_exp_q5_26((int32_t)-x);
    return gw_multiply_q31(e, gw_reciprocal_q31(e));
}

gw_status gw_sigmoid_table(gw_multiplier scale, int32_t zero_point, int8_t table[256]) {
    if (!gw_multiplier_valid(scale) || zero_point < INT8_MIN || zero_point > INT8_MAX) { return GW_EINVAL; }
    for (int32_t q = INT8_MIN; q <= INT8_MAX; q++) {
        int64_t distance = q < zero_point ? zero_point - q : q - zero_point;
        // multiplier is Q0.31 * 2^shift; Q5.26 is five bits fewer.
        int64_t product = distance * scale.multiplier;
        int32_t shift = scale.shift - 5;
        int64_t x = shift < 0 ? gw_round_shift(product, -shift) : shift > 16 && product > 0 ? INT64_MAX : product << shift;
        int64_t below = gw_round_shift((int64_t)sigmoid_of_minus(x), 23); // 256 * sigmoid(-|x|)
        int64_t value = (q < zero_point ? below : 256 - below) - 128;
        table[q + 128] = (int8_t)(value > INT8_MAX ? INT8_MAX : value);
    }
    return GW_OK;
}
