#include "cfixed.h"

uint32_t gw_square_root(uint64_t value) {
    uint64_t root = 0, rest = value, bit = UINT64_C(1) << 62;
    while (bit > rest) { bit >>= 2; }
    for (; bit > 0; bit >>= 2) {
        const bool fits = rest >= root + bit;
        rest -= fits ? root + bit : 0;
        root = (root >> 1) + (fits ? bit : 0);
    }
    // `rest` is value - root^2: above root, the value is beyond (root + 1/2)^2.
    return (uint32_t)(root + (rest > root && root < UINT32_MAX ? 1 : 0));
}

int32_t gw_log2_q16(uint64_t value) {
    int32_t whole = 63;
    while (value >> whole == 0) { whole--; }
    // 1 <= x < 2 in Q1.31; each squaring gives one more bit of its logarithm.
    uint64_t x = whole <= 31 ? value << (31 - whole) : value >> (whole - 31);
    int32_t result = whole;
    for (int32_t bit = 0; bit < 16; bit++) {
        x = (x * x) >> 31;
        const bool above = x >= UINT64_C(1) << 32;
        x >>= above ? 1 : 0;
        result = result * 2 + (above ? 1 : 0);
    }
    return result;
}
