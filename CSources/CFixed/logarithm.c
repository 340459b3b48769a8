#include "cfixed.h"

typedef struct middle {
    uint32_t logarithm;  // to base 2, Q32
    uint32_t reciprocal; // Q32
} middle;

static const middle middles[64] = {
#include "logarithm_table.h"
};

// Behind the point in Q16, for 1 <= x < 2 in Q1.31: each squaring gives one more bit.
static int32_t by_squaring(uint64_t x) {
    int32_t result = 0;
    for (int32_t bit = 0; bit < 16; bit++) {
        x = (x * x) >> 31;
        const int32_t above = (int32_t)(x >> 32);
        x >>= above;
        result = result * 2 + above;
    }
    return result;
}

// The same in Q32, within 2^-27: the logarithm of the middle of x's 64th, and three terms of the series for what x is beside it.
static int64_t by_table(uint32_t x) {
    const int32_t from_middle = (int32_t)(x & ((1u << 25) - 1)) - (1 << 24); // Q31
    const middle *near = &middles[(x >> 25) & 63];
    const int64_t t = (from_middle * (int64_t)near->reciprocal) >> 27; // Q36, within +-2^29
    const int64_t square = (t * t) >> 36, cube = (square * t) >> 36;
    const int64_t natural = t - (square >> 1) + ((cube * 1431655765) >> 32);
    return near->logarithm + ((natural * 1549082005) >> 34); // 1 / ln 2 in Q30
}

int32_t gw_log2_q16(uint64_t value) {
    const int32_t whole = 63 - __builtin_clzll(value);
    const uint32_t x = (uint32_t)(whole <= 31 ? value << (31 - whole) : value >> (whole - 31));
    const int64_t near = by_table(x);
    const int32_t low = (int32_t)((near - 32) >> 16), high = (int32_t)((near + 32) >> 16);
    // One in a thousand is too near to a step for the table to say on which side it is.
    return whole * (1 << 16) + (low == high ? low : by_squaring(x));
}

int32_t gw_log2_q9(uint64_t value) { return gw_log2_q16(value) >> 7; }
