#include "csignal.h"

// counts of value = n / d Q3.12 units each, with the offset's share still to come
static gw_status set_multiplier(gw_scale *scale, int64_t numerator, int64_t denominator) {
    gw_multiplier m;
    gw_status status = gw_multiplier_from_ratio(numerator, denominator, &m);
    if (status != GW_OK) { return status; }
    scale->multiplier = m.multiplier;
    scale->shift = 31 - m.shift; // 1 ... 62
    scale->bias = 0;
    return GW_OK;
}

// Drops digits beyond ten: finer than the multiplier's 31 bits can hold.
static gw_decimal ten_digits(gw_decimal d) {
    while (d.mantissa >= INT64_C(10000000000)) {
        d.mantissa = (d.mantissa + 5) / 10;
        d.exponent--;
    }
    return d;
}

static int64_t power_of_ten(int32_t exponent) {
    int64_t power = 1;
    for (; exponent > 0; exponent--) { power *= 10; }
    return power;
}

gw_status gw_scale_from_decimals(gw_decimal scale, gw_decimal offset, gw_scale *out) {
    if (scale.mantissa == 0) { return GW_EINVAL; }
    bool negative = scale.mantissa < 0;
    if (negative) { scale.mantissa = -scale.mantissa; }
    scale = ten_digits(scale);
    if (scale.exponent < 0 || scale.exponent > 12) { return GW_ERANGE; }
    gw_scale result;
    // 4096 / 9.80665 = 81920000 / 196133
    gw_status status = set_multiplier(&result, scale.mantissa * 81920000, INT64_C(196133) * power_of_ten(scale.exponent));
    if (status != GW_OK) { return status; }

    int32_t whole_offset;
    status = gw_decimal_to_fixed(offset, 0, &whole_offset);
    if (status != GW_OK) { return status; }
    gw_decimal fraction = {offset.mantissa - whole_offset * power_of_ten(offset.exponent), offset.exponent};
    int32_t fraction_q30;
    status = gw_decimal_to_fixed(fraction, 30, &fraction_q30);
    if (status != GW_OK) { return status; }
    // |whole| <= 2^31, multiplier < 2^31: below 2^62, and gw_scale_apply's raw * multiplier adds as much again.
    result.bias = (int64_t)whole_offset * result.multiplier + gw_round_shift((int64_t)fraction_q30 * result.multiplier, 30);
    if (negative) {
        result.bias = -result.bias;
        result.multiplier = -result.multiplier;
    }
    *out = result;
    return GW_OK;
}

gw_status gw_scale_from_ratio(int64_t numerator, int64_t denominator, gw_scale *out) {
    const int64_t limit = INT64_C(1) << 31;
    if (numerator > limit || denominator > limit) { return GW_ERANGE; }
    return set_multiplier(out, numerator * GW_ONE_G, denominator);
}

// Constant shifts and factors of a loop stay in registers.
static inline int16_t applied(int64_t multiplier, int64_t bias, int32_t shift, int32_t raw) {
    const int64_t product = raw * multiplier + bias; // below 2^63 - 2^61
    return gw_saturate16(shift > 1 ? ((product >> 1) + (INT64_C(1) << (shift - 2))) >> (shift - 1) : (product >> 1) + (product & 1));
}

int16_t gw_scale_apply(const gw_scale *scale, int32_t raw) { return applied(scale->multiplier, scale->bias, scale->shift, raw); }

void gw_scale_block(const gw_scale scales[GW_AXES], const int32_t *counts, int32_t count, int16_t *out) {
    for (int axis = 0; axis < GW_AXES; axis++) {
        const int64_t multiplier = scales[axis].multiplier, bias = scales[axis].bias;
        const int32_t shift = scales[axis].shift;
        for (int32_t i = axis; i < count * GW_AXES; i += GW_AXES) { out[i] = applied(multiplier, bias, shift, counts[i]); }
    }
}
