// sigmoid and tanh on vectors of int16, the same steps as CFixed's gw_sigmoid_q3_12 and gw_tanh_q15. A kernel defines, before it
// includes this: VECTOR, LANES, TARGET (an attribute or nothing) and
//   vset(n)  vload(p)  vstore(p, v)  vadd  vsub  vadd_limited  vsub_limited  vmin  vand  vequal  vgreater
//   vproduct(a, b)      round(a b / 2^15), halves up, limited
//   vleft(v, bits)  vright(v, bits)      bits are the same in all lanes
//   vmiddle(a, b)       (a + b + 1) / 2 without overflow
//   vselect(mask, a, b) a where the mask is all ones, b where it is zero

#include <string.h>

// x / 2^bits, halves away from zero, for |x| far below 2^15.
TARGET static inline VECTOR divided(VECTOR x, int32_t bits) {
    VECTOR lower_if_negative = vadd(x, vright(x, 15));
    return vright(vadd(lower_if_negative, vset((int16_t)(1 << (bits - 1)))), bits);
}

TARGET static inline VECTOR exp_last_quarter(VECTOR x) {
    VECTOR minus_eighth = vset(28918), y = vadd(x, vset(1 << 12));
    VECTOR y2 = vproduct(y, y), y3 = vproduct(y2, y), y4_over_4 = divided(vproduct(y2, y2), 2);
    VECTOR higher = divided(vadd(vproduct(vadd(y4_over_4, y3), vset(10923)), y2), 1);
    return vadd_limited(minus_eighth, vproduct(minus_eighth, vadd(y, higher)));
}

// exp(x) for x < 0 with `integer_bits` (0 ... 9) before the point, Q0.15.
TARGET static inline VECTOR exp_of_negative(VECTOR x, int32_t integer_bits) {
    static const int16_t factors[7] = {25520, 19875, 12055, 4435, 600, 11, 0};
    const int32_t fraction = 15 - integer_bits;
    VECTOR quarter = vset((int16_t)(1 << (fraction - 2))), low = vsub(quarter, vset(1));
    VECTOR last = vsub(vand(x, low), quarter), rest = vsub(last, x);
    VECTOR result = exp_last_quarter(vleft(last, integer_bits));
    for (int32_t k = -2; k < 5 && k < integer_bits; k++) {
        VECTOR bit = vset((int16_t)(1 << (fraction + k)));
        result = vselect(vequal(vand(rest, bit), bit), vproduct(result, vset(factors[k + 2])), result);
    }
    if (integer_bits > 5) { result = vselect(vgreater(vset((int16_t)-(1 << (fraction + 5))), x), vset(0), result); }
    return result;
}

// 2 / (1 + x): Q0.15 in, Q2.13 out.
TARGET static inline VECTOR reciprocal(VECTOR x) {
    VECTOR half_denominator = vmiddle(x, vset(INT16_MAX));
    VECTOR y = vadd(vset(23130), vproduct(half_denominator, vset(-15420)));
    for (int32_t i = 0; i < 3; i++) {
        VECTOR error = vsub(vset(1 << 13), vproduct(half_denominator, y)), change = vproduct(y, error);
        change = vadd_limited(change, change);
        y = vadd(y, vadd_limited(change, change));
    }
    return y;
}

TARGET static inline VECTOR sigmoids(VECTOR x) {
    VECTOR zero = vset(0), negative = vmin(x, vsub_limited(zero, x)), y = reciprocal(exp_of_negative(negative, 3));
    VECTOR above = vadd_limited(y, y);
    VECTOR result = vselect(vgreater(x, zero), above, vsub(vset(INT16_MAX), above));
    return vselect(vequal(x, zero), vset(1 << 14), result);
}

TARGET static inline VECTOR tanhs(VECTOR x, int32_t integer_bits) {
    VECTOR zero = vset(0), negative = vmin(x, vsub_limited(zero, x));
    VECTOR above = vsub(reciprocal(exp_of_negative(negative, integer_bits + 1)), vset(1 << 13));
    above = vadd_limited(above, above);
    above = vadd_limited(above, above);
    VECTOR result = vselect(vgreater(x, zero), above, vsub(zero, above));
    return vselect(vequal(x, zero), zero, result);
}

// What is left behind the last whole vector goes through one of its own.
TARGET static void sigmoid(int16_t *values, int32_t count) {
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { vstore(values + i, sigmoids(vload(values + i))); }
    if (i == count) { return; }
    int16_t rest[LANES] = {0};
    memcpy(rest, values + i, (size_t)(count - i) * sizeof *rest);
    vstore(rest, sigmoids(vload(rest)));
    memcpy(values + i, rest, (size_t)(count - i) * sizeof *rest);
}

TARGET static void tanh_of_all(int16_t *values, int32_t count, int32_t integer_bits) {
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { vstore(values + i, tanhs(vload(values + i), integer_bits)); }
    if (i == count) { return; }
    int16_t rest[LANES] = {0};
    memcpy(rest, values + i, (size_t)(count - i) * sizeof *rest);
    vstore(rest, tanhs(vload(rest), integer_bits));
    memcpy(values + i, rest, (size_t)(count - i) * sizeof *rest);
}
