#include "softmax.h"
#include <string.h>

enum { DIFFERENCE_BITS = 26, SUM_BITS = 31 - 12, PROBABILITY_BITS = 15, INT8_PROBABILITY_BITS = 8, VECTOR = 16 };

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

// Shares in steps of another scale than a power of two.
static share scaled(share s, gw_multiplier scale) {
    s.reciprocal = gw_multiply_q31(s.reciprocal, scale.multiplier);
    s.headroom += scale.shift;
    return s;
}

static int8_t limited(int32_t steps, int8_t zero_point) { return (int8_t)(steps > INT8_MAX - zero_point ? INT8_MAX : steps + zero_point); }

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

static void write_steps(
    const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], share s, int8_t zero_point, int8_t *steps) {
    for (int32_t i = 0; i < n; i++) { steps[i] = limited(probability(s, logits[i], table, INT8_PROBABILITY_BITS), zero_point); }
}

gw_status gw_softmax_int8(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], int8_t *probabilities) {
    if (n < 1 || n > GW_SOFTMAX_MAX) { return GW_EINVAL; }
    write_steps(logits, n, table, common(logits, n, table), INT8_MIN, probabilities);
    return GW_OK;
}

gw_status gw_softmax_scaled(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], gw_multiplier scale,
    int8_t zero_point, int8_t *probabilities) {
    if (n < 1 || n > GW_SOFTMAX_MAX || !gw_multiplier_valid(scale) || scale.shift > GW_SOFTMAX_FINEST) { return GW_EINVAL; }
    write_steps(logits, n, table, scaled(common(logits, n, table), scale), zero_point, probabilities);
    return GW_OK;
}

void gw_softmax_tables_init(gw_multiplier scale, gw_multiplier output, int8_t zero_point, gw_softmax_tables *tables) {
    (void)gw_softmax_table(scale, tables->exponentials);
    tables->output = output;
    tables->zero_point = zero_point;
    const int32_t finer = output.shift > 0 ? output.shift : 0; // steps of 2^-8 / 2^finer or more
    tables->count = 0;
    for (int32_t below = 0; below < GW_SOFTMAX_ENTRIES; below++) {
        const int32_t exponential = tables->exponentials[below], term = gw_divide_by_power(exponential, 12);
        tables->terms[below] = term;
        for (int32_t p = 0; p < GW_PLANES; p++) { tables->planes[p][below] = (uint8_t)(term >> 8 * p); }
        // The largest number's share is one at most, and this one's below half a step where it is less than 2^-10 / 2^finer of it.
        if (exponential >> (31 - 10 - finer) > 0) { tables->count = (below / VECTOR + 1) * VECTOR; }
    }
}

// Numbers from which on it is quicker to make every probability that there can be.
enum { MANY = 32 };

// Steps above -128, of `count` exponentials.
static void find_steps(const gw_kernel *kernel, share s, const int32_t *exponentials, int32_t count, int8_t *found) {
    const int32_t exponent = exponent_of(s, INT8_PROBABILITY_BITS);
    if (exponent > 31) { // of so many every share is below a half
        memset(found, INT8_MIN, (size_t)count);
        return;
    }
    const gw_multiplier m = {s.reciprocal, -exponent};
    if (kernel->shares) {
        kernel->shares(exponentials, count, m, found);
        return;
    }
    int32_t shares[GW_SOFTMAX_ENTRIES];
    memcpy(shares, exponentials, (size_t)count * sizeof *shares);
    kernel->twice(shares, count, m);
    for (int32_t i = 0; i < count; i++) { found[i] = (int8_t)((shares[i] > UINT8_MAX ? UINT8_MAX : shares[i]) + INT8_MIN); }
}

// The probabilities of `count` exponentials, whole vectors of them, that have the sum `sum`.
static void find_shares(
    const gw_kernel *kernel, const gw_softmax_tables *tables, int32_t sum, const int32_t *exponentials, int32_t count, int8_t *found) {
    const share s = share_of(0, sum);
    find_steps(kernel, tables->output.multiplier ? scaled(s, tables->output) : s, exponentials, count, found);
    if (tables->zero_point == INT8_MIN) { return; }
    for (int32_t i = 0; i < count; i++) { found[i] = limited(found[i] - INT8_MIN, tables->zero_point); }
}

static void softmax_of_few(
    const gw_kernel *kernel, const int8_t *logits, int32_t n, const gw_softmax_tables *tables, int8_t *probabilities) {
    const int32_t maximum = largest_of(logits, n);
    int32_t exponentials[MANY] = {0}, sum = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t below = maximum - logits[i];
        exponentials[i] = tables->exponentials[below];
        sum += tables->terms[below];
    }
    int8_t found[MANY];
    find_shares(kernel, tables, sum, exponentials, (n + VECTOR - 1) / VECTOR * VECTOR, found);
    for (int32_t i = 0; i < n; i++) { probabilities[i] = found[i]; }
}

void gw_softmax_int8_by(const gw_kernel *kernel, const int8_t *logits, int32_t n, const gw_softmax_tables *tables, int8_t *probabilities) {
    if (kernel == &gw_kernel_reference) {
        if (tables->output.multiplier) {
            (void)gw_softmax_scaled(logits, n, tables->exponentials, tables->output, tables->zero_point, probabilities);
        } else {
            (void)gw_softmax_int8(logits, n, tables->exponentials, probabilities);
        }
        return;
    }
    if (n < MANY) { return softmax_of_few(kernel, logits, n, tables, probabilities); }
    const int32_t maximum = largest_of(logits, n);
    for (int32_t i = 0; i < n; i++) { probabilities[i] = (int8_t)(maximum - logits[i] + INT8_MIN); } // entries of the tables, less 128
    int32_t sum = 0, added = kernel->add_up ? kernel->add_up(tables->planes, probabilities, n, &sum) : 0;
    for (int32_t i = added; i < n; i++) { sum += tables->terms[probabilities[i] - INT8_MIN]; }
    int8_t found[GW_SOFTMAX_ENTRIES];
    find_shares(kernel, tables, sum, tables->exponentials, tables->count, found);
    memset(found + tables->count, tables->zero_point, (size_t)(GW_SOFTMAX_ENTRIES - tables->count));
    const int32_t done = kernel->look_up ? kernel->look_up(found, probabilities, n, probabilities) : 0;
    for (int32_t i = done; i < n; i++) { probabilities[i] = found[probabilities[i] - INT8_MIN]; }
}
