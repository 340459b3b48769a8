#include "cfixed.h"

// Of what is not 0.
static int32_t highest_bit(uint64_t value) { return 63 - __builtin_clzll(value); }

// With two divisions, in the registers of a 32-bit processor.
static uint32_t square_root_32(uint32_t value) {
    if (value == 0) { return 0; }
    // 2^30 <= x < 2^32; its root lies between 2^15 and 2^16, and (x / 2^30 + 2) / 3 is within 6 % of that of x / 2^30.
    const int32_t shift = __builtin_clz(value) & ~1;
    const uint32_t x = value << shift;
    uint32_t root = (x >> 15) / 3 + 21845;
    root = (root + x / root) >> 1;
    root = (root + x / root) >> 1;
    root >>= shift / 2;
    // Newton's steps come from above and are rounded down: at most one off.
    while ((uint64_t)root * root > value) { root--; }
    while ((uint64_t)(root + 1) * (root + 1) <= value) { root++; }
    return root + (value - root * root > root ? 1 : 0);
}

uint32_t gw_square_root(uint64_t value) {
    if (value <= UINT32_MAX) { return square_root_32((uint32_t)value); }
    uint64_t root = 0, rest = value, bit = UINT64_C(1) << (highest_bit(value) & ~1);
    for (; bit > 0; bit >>= 2) {
        const bool fits = rest >= root + bit;
        rest -= fits ? root + bit : 0;
        root = (root >> 1) + (fits ? bit : 0);
    }
    // `rest` is value - root^2: above root, the value is beyond (root + 1/2)^2.
    return (uint32_t)(root + (rest > root && root < UINT32_MAX ? 1 : 0));
}
