#include "softmax.h"
#include <string.h>

enum { DIFFERENCE_BITS = 26, SUM_BITS = 31 - 12, PROBABILITY_BITS = 15, INT8_PROBABILITY_BITS = 8 };

gw_status gw_softmax_table(gw_multiplier scale, int32_t table[GW_SOFTMAX_ENTRIES]) {
    int32_t left = scale.shift + DIFFERENCE_BITS;
    if (!gw_multiplier_valid(scale) || scale.multiplier == 0 || left < 0) { return GW_EINVAL; }
    if (left > 31) { left = 31; } // a step of 32 or more: everything but the maximum is below e^-32 all the same
    // Below this the difference leaves Q5.26 and e^difference is zero.
    const int32_t lowest = left > 30 ? 0 : -(int32_t)((INT64_C(31) << DIFFERENCE_BITS) >> left);
    for (int32_t below = 0; below < GW_SOFTMAX_ENTRIES; below++) {
        int32_t scaled = -below >= lowest ? gw_multiply_q31((int32_t)(-below * (INT64_C(1) << left)), scale.multiplier) : 0;
        table[below] = -below >= lowest ? gw_exp_q5_26(scaled) : 0;
    }
    return GW_OK;
}

// What all classes have in common: 1 / (sum of the exponentials).
typedef struct share {
    int32_t maximum, reciprocal, headroom;
} share;

static int32_t largest_of(const int8_t *logits, int32_t n) {
    int8_t largest = logits[0];
    for (int32_t i = 0; i < n; i++) { largest = logits[i] > largest ? logits[i] : largest; }
    return largest;
}

// `sum` is in Q12.19.
static share share_of(int32_t maximum, int32_t sum) {
    share s = {.maximum = maximum};
    s.headroom = __builtin_clz((uint32_t)sum); // the maximum alone adds one
    s.reciprocal = gw_reciprocal_q31((int32_t)(((uint32_t)sum << s.headroom) - (UINT32_C(1) << 31)));
    return s;
}

static share common(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES]) {
    const int32_t maximum = largest_of(logits, n);
    int32_t sum = 0;
    for (int32_t i = 0; i < n; i++) { sum += gw_divide_by_power(table[maximum - logits[i]], 12); }
    return share_of(maximum, sum);
}

// To the right, of what SQRDMULH makes of an exponential and the reciprocal.
static int32_t exponent_of(share s, int32_t bits) { return 31 - SUM_BITS - s.headroom + 31 - bits; }

static int32_t probability(share s, int8_t logit, const int32_t table[GW_SOFTMAX_ENTRIES], int32_t bits) {
    const int32_t exponent = exponent_of(s, bits);
    if (exponent > 31) { return 0; } // of so many the share is below a half
    return gw_divide_by_power(gw_multiply_q31(s.reciprocal, table[s.maximum - logit]), exponent);
}

gw_status gw_softmax(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], int16_t *probabilities) {
    if (n < 1 || n > GW_SOFTMAX_MAX) { return GW_EINVAL; }
    share s = common(logits, n, table);
    for (int32_t i = 0; i < n; i++) { probabilities[i] = gw_saturate16(probability(s, logits[i], table, PROBABILITY_BITS)); }
    return GW_OK;
}

gw_status gw_softmax_int8(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], int8_t *probabilities) {
    if (n < 1 || n > GW_SOFTMAX_MAX) { return GW_EINVAL; }
    share s = common(logits, n, table);
    for (int32_t i = 0; i < n; i++) {
        int32_t p = probability(s, logits[i], table, INT8_PROBABILITY_BITS) + INT8_MIN;
        probabilities[i] = (int8_t)(p > INT8_MAX ? INT8_MAX : p);
    }
    return GW_OK;
}

void gw_softmax_tables_init(gw_multiplier scale, gw_softmax_tables *tables) {
    (void)gw_softmax_table(scale, tables->exponentials);
    for (int32_t below = 0; below < GW_SOFTMAX_ENTRIES; below++) {
        tables->terms[below] = gw_divide_by_power(tables->exponentials[below], 12);
        tables->rising[GW_SOFTMAX_ENTRIES - 1 - below] = tables->exponentials[below];
    }
}

// Numbers from which on it is quicker to make every probability that there can be.
enum { MANY = 48 };

void gw_softmax_int8_by(const gw_kernel *kernel, const int8_t *logits, int32_t n, const gw_softmax_tables *tables, int8_t *probabilities) {
    if (n < MANY || kernel == &gw_kernel_reference) {
        (void)gw_softmax_int8(logits, n, tables->exponentials, probabilities);
        return;
    }
    const int32_t maximum = largest_of(logits, n);
    int32_t sum = 0;
    for (int32_t i = 0; i < n; i++) { sum += tables->terms[maximum - logits[i]]; }
    const share s = share_of(maximum, sum);
    const int32_t exponent = exponent_of(s, INT8_PROBABILITY_BITS), count = maximum - INT8_MIN + 1;
    int32_t shares[GW_SOFTMAX_ENTRIES] = {0}; // of logit - 128
    if (exponent <= 31) {
        memcpy(shares, tables->rising + GW_SOFTMAX_ENTRIES - count, (size_t)count * sizeof *shares);
        kernel->twice(shares, count, (gw_multiplier){s.reciprocal, -exponent});
    }
    int8_t found[GW_SOFTMAX_ENTRIES];
    for (int32_t i = 0; i < GW_SOFTMAX_ENTRIES; i++) { found[i] = (int8_t)((shares[i] > UINT8_MAX ? UINT8_MAX : shares[i]) + INT8_MIN); }
    const int32_t done = kernel->look_up ? kernel->look_up(found, logits, n, probabilities) : 0;
    for (int32_t i = done; i < n; i++) { probabilities[i] = found[logits[i] - INT8_MIN]; }
}
