#include "cfixed.h"

gw_status gw_multiplier_from_ratio(int64_t numerator, int64_t denominator, gw_multiplier *out) {
    const int64_t limit = INT64_C(1) << 62;
    if (numerator <= 0 || denominator <= 0) { return GW_EINVAL; }
    if (numerator > limit || denominator > limit) { return GW_ERANGE; }
    uint64_t n = (uint64_t)numerator, d = (uint64_t)denominator;
    int32_t shift = 1;   // with n in d ... 2d the quotient's first bit is worth 2^(shift-1)
    while (n >= d * 2) { // at most 2^63
        d *= 2;
        shift++;
    }
    while (n < d) {
        n *= 2;
        shift--;
    }
    uint64_t quotient = 0;
    for (int32_t i = 0; i < 31; i++) {
        quotient = quotient * 2 + (n >= d ? 1 : 0);
        n = (n >= d ? n - d : n) * 2;
    }
    quotient += n >= d ? 1 : 0;
    if (quotient == UINT64_C(1) << 31) {
        quotient >>= 1;
        shift++;
    }
    if (shift < -31 || shift > 30) { return GW_ERANGE; }
    out->multiplier = (int32_t)quotient;
    out->shift = shift;
    return GW_OK;
}
