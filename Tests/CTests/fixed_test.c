// CFixed against exact integers and the C library's float64.
#include "cfixed.h"
#include "check.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void rounding(void) {
    CHECK(gw_multiply_q31(INT32_MIN, INT32_MIN) == INT32_MAX, "the one overflow saturates");
    CHECK(gw_multiply_q31(1 << 30, 1) == 1, "0.5 rounds up");
    CHECK(gw_multiply_q31(-(1 << 30), 1) == 0, "-0.5 rounds up");
    CHECK(gw_divide_by_power(3, 1) == 2 && gw_divide_by_power(-3, 1) == -2, "halves go away from zero");
    CHECK(gw_divide_by_power(INT32_MIN, 31) == -1 && gw_divide_by_power(INT32_MAX, 0) == INT32_MAX, "ends of the range");
    for (int i = 0; i < 100000; i++) {
        int32_t value = (int32_t)random_bits(), power = random_between(0, 31);
        double exact = (double)value / ldexp(1, power);
        CHECK(gw_divide_by_power(value, power) == (int32_t)(exact < 0 ? ceil(exact - 0.5) : floor(exact + 0.5)), "%d / 2^%d", value, power);
    }
}

static void multipliers(void) {
    for (int i = 0; i < 20000; i++) {
        int64_t n = (int64_t)(random_bits() >> random_between(3, 40)) + 1, d = (int64_t)(random_bits() >> random_between(3, 40)) + 1;
        gw_multiplier m;
        double exact = (double)n / (double)d;
        gw_status status = gw_multiplier_from_ratio(n, d, &m);
        if (exact < ldexp(1, -31) || exact > ldexp(1, 29)) { continue; }
        double got = ldexp((double)m.multiplier, m.shift - 31);
        CHECK(status == GW_OK && gw_multiplier_valid(m) && fabs(got / exact - 1) < ldexp(1, -30), "%lld/%lld", (long long)n, (long long)d);
    }
    gw_multiplier m;
    CHECK(gw_multiplier_from_ratio(0, 1, &m) == GW_EINVAL && gw_multiplier_from_ratio(1, -1, &m) == GW_EINVAL, "signs");
    CHECK(gw_multiplier_from_ratio(INT64_MAX, 1, &m) == GW_ERANGE, "too large");
    CHECK(gw_multiplier_from_ratio(1, INT64_C(1) << 62, &m) == GW_ERANGE, "too small");
}

static void decimal(const char *text, gw_status status, int64_t mantissa, int32_t exponent) {
    gw_decimal d = {12345, 6};
    gw_status got = gw_decimal_parse(text, &d);
    CHECK(got == status, "\"%s\": status %d", text, got);
    if (status == GW_OK) {
        CHECK(d.mantissa == mantissa && d.exponent == exponent, "\"%s\": %lld e-%d", text, (long long)d.mantissa, d.exponent);
    } else {
        CHECK(d.mantissa == 12345 && d.exponent == 6, "\"%s\": untouched", text);
    }
}

static void decimals(void) {
    decimal("0.009582", GW_OK, 9582, 6);
    decimal("-2048", GW_OK, -2048, 0);
    decimal(" 1.500\n", GW_OK, 15, 1);
    decimal("9.8e-3", GW_OK, 98, 4);
    decimal("12E2", GW_OK, 1200, 0);
    decimal("0.0000", GW_OK, 0, 0);
    decimal("1000000", GW_OK, 1000000, 0);
    decimal("+.5", GW_OK, 5, 1);
    decimal("", GW_ESYNTAX, 0, 0);
    decimal(".", GW_ESYNTAX, 0, 0);
    decimal("1.2.3", GW_ESYNTAX, 0, 0);
    decimal("1e", GW_ESYNTAX, 0, 0);
    decimal("0x10", GW_ESYNTAX, 0, 0);
    decimal("nan", GW_ESYNTAX, 0, 0);
    decimal("1234567890123456789012", GW_ERANGE, 0, 0);
    decimal("0.00000000000000000001", GW_ERANGE, 0, 0);
    decimal("1e400", GW_ERANGE, 0, 0);
    int32_t fixed = 7;
    CHECK(gw_decimal_to_fixed((gw_decimal){-15, 1}, 12, &fixed) == GW_OK && fixed == -6144, "-1.5 in Q.12");
    CHECK(gw_decimal_to_fixed((gw_decimal){1, 4}, 12, &fixed) == GW_OK && fixed == 0, "0.0001 rounds to 0");
    CHECK(gw_decimal_to_fixed((gw_decimal){3, 0}, 30, &fixed) == GW_ERANGE && fixed == 0, "3 leaves Q1.30");
    CHECK(gw_decimal_to_fixed((gw_decimal){3, 0}, 31, &fixed) == GW_EINVAL, "fraction bits");
}

static void exponentials(void) {
    double worst = 0;
    for (int i = 0; i < 100000; i++) {
        int32_t x = -(int32_t)(random_bits() >> random_between(33, 50));
        worst = fmax(worst, fabs(ldexp(gw_exp_q5_26(x), -31) - exp(ldexp(x, -26))));
    }
    CHECK(worst < 4e-7, "exp is off by %g", worst);
    CHECK(gw_exp_q5_26(0) == INT32_MAX && gw_exp_q5_26(INT32_MIN) == 0, "ends of exp");
    worst = 0;
    for (int i = 0; i < 100000; i++) {
        int32_t x = (int32_t)(random_bits() >> 33);
        worst = fmax(worst, fabs(ldexp(gw_reciprocal_q31(x), -31) - 1 / (1 + ldexp(x, -31))));
    }
    CHECK(worst < 1e-8, "the reciprocal is off by %g", worst);
}

// Every int16; bounds in Q0.15 are the methods' own.
static void curves(void) {
    double sigmoid = 0, tangent[8] = {0}, interpolated[2] = {0};
    for (int32_t x = INT16_MIN; x <= INT16_MAX; x++) {
        double exact = 32768 / (1 + exp(-ldexp(x, -12)));
        sigmoid = fmax(sigmoid, fabs(gw_sigmoid_q3_12((int16_t)x) - exact));
        interpolated[0] = fmax(interpolated[0], fabs(gw_sigmoid_interpolated(x * 3) - exact));
        interpolated[1] = fmax(interpolated[1], fabs(gw_tanh_interpolated(x * 3) - 32768 * tanh(ldexp(x, -12))));
        for (int32_t bits = 0; bits < 8; bits++) {
            tangent[bits] = fmax(tangent[bits], fabs(gw_tanh_q15((int16_t)x, bits) - 32768 * tanh(ldexp(x, bits - 15))));
        }
    }
    CHECK(sigmoid < 8, "sigmoid is off by %g", sigmoid);
    CHECK(interpolated[0] < 2 && interpolated[1] < 4, "interpolation is off by %g and %g", interpolated[0], interpolated[1]);
    for (int32_t bits = 0; bits < 8; bits++) { CHECK(tangent[bits] < 32, "tanh with %d integer bits is off by %g", bits, tangent[bits]); }
    CHECK(gw_sigmoid_q3_12(0) == 1 << 14 && gw_tanh_q15(0, 3) == 0, "at zero");
    CHECK(gw_sigmoid_interpolated(1 << 29) == INT16_MAX && gw_sigmoid_interpolated(-(1 << 29)) == 1, "far out, as TFLite has it");
    CHECK(gw_tanh_interpolated(1 << 29) == INT16_MAX && gw_tanh_interpolated(-(1 << 29)) == -INT16_MAX, "far out");
}

// The three ways to round, against long double and each other.
static void requantisations(void) {
    for (int i = 0; i < 200000; i++) {
        gw_multiplier m = {(int32_t)((1u << 30) + random_bits() % (1u << 30)), random_between(-31, 30)};
        int32_t value = (int32_t)(random_bits() >> 32) >> random_between(0, 31);
        CHECK(gw_requantise_wide(value, m) == gw_requantise(value, m), "%d: wide and narrow", value);
        long double exact = (long double)value * m.multiplier * powl(2, m.shift - 31);
        if (fabsl(exact) < 1e9L && m.shift <= 0) { CHECK(fabsl(gw_requantise_twice(value, m) - exact) <= 1.0L, "%d twice", value); }
        int64_t large = (int64_t)random_bits() >> random_between(3, 40);
        exact = floorl((long double)large * m.multiplier * powl(2, m.shift - 31) + 0.5L);
        int32_t limited = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : (int32_t)exact;
        if (LDBL_MANT_DIG >= 64 && llabs(large) < INT64_C(1) << 32) {
            CHECK(gw_requantise_wide(large, m) == limited, "%lld wide", (long long)large);
        }
    }
    const gw_multiplier half = {1 << 30, 0}, quarter = {1 << 30, -1};
    CHECK(gw_requantise(3, half) == 2 && gw_requantise(-3, half) == -1, "once: halves up");
    CHECK(gw_requantise_twice(3, half) == 2 && gw_requantise_twice(-3, half) == -1, "twice: the first halves up as well");
    CHECK(gw_requantise_twice(5, quarter) == 2 && gw_requantise(5, quarter) == 1, "5 / 4: 2.5 and 1.5 round twice");
    CHECK(gw_requantise_wide(INT64_C(1) << 60, half) == INT32_MAX && gw_requantise_wide(-(INT64_C(1) << 60), half) == INT32_MIN, "limits");
    CHECK(gw_requantise_wide(INT64_C(3) << 40, (gw_multiplier){1 << 30, -30}) == 1536, "a large sum by a small factor");
    CHECK(gw_requantise_reduced(1000, half) == 500 && gw_requantise_reduced(INT64_C(1) << 45, (gw_multiplier){1 << 30, 30}) == INT32_MAX,
        "16 bits of the multiplier");
}

// The definition: each squaring of 1 <= x < 2 gives one more bit of its logarithm.
static int32_t log2_by_squaring(uint64_t value) {
    int32_t result = 63 - __builtin_clzll(value);
    uint64_t x = result <= 31 ? value << (31 - result) : value >> (result - 31);
    for (int32_t bit = 0; bit < 16; bit++) {
        x = (x * x) >> 31;
        result = result * 2 + (int32_t)(x >> 32);
        x >>= x >> 32;
    }
    return result;
}

static void logarithms(void) {
    for (int i = 0; i < 200000; i++) {
        // On both sides of the table's 64ths and of powers of two, and anywhere.
        const uint64_t step = (UINT64_C(1) << 31) + ((uint64_t)random_between(1, 64) << 25) + (uint64_t)random_between(-3, 3);
        const uint64_t any = (uint64_t)(uint32_t)random_bits() << 32 | (uint32_t)random_bits();
        const uint64_t value = (i % 2 ? step << 31 : any | 1) >> random_between(0, 63);
        if (value == 0) { continue; }
        CHECK(gw_log2_q16(value) == log2_by_squaring(value), "log2 of %llu: %d, not %d", (unsigned long long)value, gw_log2_q16(value),
            log2_by_squaring(value));
    }
}

static void roots(void) {
    for (int i = 0; i < 20000; i++) {
        const uint64_t value = ((uint64_t)(uint32_t)random_bits() << 32 | (uint32_t)random_bits()) >> random_between(0, 63);
        const uint64_t root = gw_square_root(value);
        // (root - 1/2)^2 < value < (root + 1/2)^2, without the quarter.
        CHECK((root == 0 || value >= root * root - root) && (root == UINT32_MAX || value <= root * root + root), "the root of %llu",
            (unsigned long long)value);
        if (value > 0) {
            const double exact = log2((double)value) * 65536, got = gw_log2_q16(value);
            CHECK(got <= exact + 1e-3 && got >= exact - 2, "log2 of %llu: %g, not %g", (unsigned long long)value, got, exact);
            CHECK(gw_log2_q9(value) == gw_log2_q16(value) >> 7, "log2 of %llu in Q9", (unsigned long long)value);
        }
    }
    CHECK(gw_square_root(0) == 0 && gw_square_root(1) == 1 && gw_square_root(2) == 1 && gw_square_root(3) == 2 &&
              gw_square_root(UINT64_MAX) == UINT32_MAX,
        "small and large");
    // Around every square, and half-way between two, of what fits 32 bits.
    for (uint64_t root = 1; root < UINT16_MAX; root++) {
        CHECK(gw_square_root(root * root) == root && gw_square_root(root * root + 1) == root, "root of %llu",
            (unsigned long long)(root * root));
        CHECK(gw_square_root(root * root + root) == root && gw_square_root(root * root + root + 1) == root + 1, "half-way behind %llu",
            (unsigned long long)root);
    }
    CHECK(gw_square_root(UINT32_MAX) == 65536 && gw_square_root(UINT64_C(1) << 32) == 65536, "beside 2^32");
    CHECK(gw_log2_q16(1) == 0 && gw_log2_q16(1 << 20) == 20 << 16, "powers");
}

int main(void) {
    rounding();
    multipliers();
    decimals();
    exponentials();
    curves();
    requantisations();
    roots();
    logarithms();
    return finish("CFixed");
}
