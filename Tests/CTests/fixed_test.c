// CFixed against exact integers and the C library's float64.
#include "cfixed.h"
#include "check.h"
#include <math.h>
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

static void sigmoids(void) {
    for (int i = 0; i < 200; i++) {
        gw_multiplier scale;
        int64_t numerator = random_between(1, 5000);
        gw_multiplier_from_ratio(numerator, 10000, &scale);
        int32_t zero = random_between(-128, 127);
        int8_t table[256];
        CHECK(gw_sigmoid_table(scale, zero, table) == GW_OK, "scale %lld", (long long)numerator);
        for (int32_t q = -128; q <= 127; q++) {
            double exact = 256 / (1 + exp(-(q - zero) * (double)numerator / 10000)) - 128;
            double distance = fabs(fmin(exact, 127) - table[q + 128]);
            CHECK(distance <= 0.50001, "sigmoid((%d - %d) * %g) = %g, got %d", q, zero, (double)numerator / 10000, exact, table[q + 128]);
        }
    }
    int8_t table[256];
    CHECK(gw_sigmoid_table((gw_multiplier){1 << 30, 30}, 5, table) == GW_OK, "a huge scale");
    CHECK(table[5 + 128] == 0 && table[4 + 128] == -128 && table[6 + 128] == 127, "is a step");
    CHECK(gw_sigmoid_table((gw_multiplier){5, 0}, 0, table) == GW_EINVAL, "not normalised");
}

int main(void) {
    rounding();
    multipliers();
    decimals();
    exponentials();
    sigmoids();
    return finish("CFixed");
}
