#include "cfixed.h"

#define GW_DECIMAL_LIMIT INT64_C(1000000000000000000) // 10^18

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads [+-]digits after an 'e'; NULL when there is none or it is absurd.
static const char *read_exponent(const char *p, int32_t *exponent) {
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') { p++; }
    if (!is_digit(*p)) { return 0; }
    int32_t value = 0;
    for (; is_digit(*p); p++) {
        value = value * 10 + (*p - '0');
        if (value > 1000) { return 0; }
    }
    *exponent = negative ? -value : value;
    return p;
}

gw_status gw_decimal_parse(const char *text, gw_decimal *out) {
    const char *p = text;
    while (is_blank(*p)) { p++; }
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') { p++; }

    int64_t mantissa = 0;
    int32_t places = 0, pending_zeros = 0;
    bool any = false, point = false;
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        places += point ? 1 : 0;
        if (places > 1000 || pending_zeros > 1000) { return GW_ERANGE; }
        if (*p == '0') {
            pending_zeros += mantissa != 0 ? 1 : 0; // written out only when another digit follows
            continue;
        }
        for (; pending_zeros > 0; pending_zeros--) {
            if (mantissa >= GW_DECIMAL_LIMIT / 10) { return GW_ERANGE; }
            mantissa *= 10;
        }
        if (mantissa >= GW_DECIMAL_LIMIT / 10) { return GW_ERANGE; }
        mantissa = mantissa * 10 + (*p - '0');
    }
    if (!any) { return GW_ESYNTAX; }
    int32_t exponent = 0;
    if (*p == 'e' || *p == 'E') {
        p = read_exponent(p + 1, &exponent);
        if (!p) { return GW_ESYNTAX; }
    }
    while (is_blank(*p)) { p++; }
    if (*p != '\0') { return GW_ESYNTAX; }

    int32_t total = places - pending_zeros - exponent;
    if (mantissa == 0) { total = 0; }
    for (; total < 0; total++) {
        if (mantissa >= GW_DECIMAL_LIMIT / 10) { return GW_ERANGE; }
        mantissa *= 10;
    }
    if (total > 18) { return GW_ERANGE; }
    out->mantissa = negative ? -mantissa : mantissa;
    out->exponent = total;
    return GW_OK;
}

gw_status gw_decimal_to_fixed(gw_decimal d, int32_t fraction_bits, int32_t *out) {
    if (fraction_bits < 0 || fraction_bits > 30) { return GW_EINVAL; }
    uint64_t denominator = 1;
    for (int32_t i = 0; i < d.exponent; i++) { denominator *= 10; }
    uint64_t magnitude = d.mantissa < 0 ? 0 - (uint64_t)d.mantissa : (uint64_t)d.mantissa;
    uint64_t whole = magnitude / denominator, rest = magnitude % denominator;
    if (whole > UINT64_C(1) << 31) { return GW_ERANGE; }
    // One bit a step: the remainder stays below 10^18, so doubling it cannot overflow.
    for (int32_t i = 0; i < fraction_bits; i++) {
        rest *= 2;
        whole = whole * 2 + (rest >= denominator ? 1 : 0);
        rest -= rest >= denominator ? denominator : 0;
    }
    whole += rest * 2 >= denominator ? 1 : 0;
    if (whole > (uint64_t)INT32_MAX + (d.mantissa < 0 ? 1 : 0)) { return GW_ERANGE; }
    *out = (int32_t)(d.mantissa < 0 ? -(int64_t)whole : (int64_t)whole);
    return GW_OK;
}
