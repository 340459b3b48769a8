#include "cfixed.h"

const uint16_t gw_interpolation_table[256] = {
#include "interpolation_table.h"
};

// The table between two entries, `bits` fraction bits in x and in the result; x >= 0.
static inline int32_t between(uint32_t x, int32_t bits, int32_t largest) {
    uint32_t entry = x >> bits;
    if (entry >= 255) { return (int32_t)((uint32_t)largest << bits); }
    uint32_t low = gw_interpolation_table[entry], high = gw_interpolation_table[entry + 1];
    return (int32_t)((low << bits) + (x & ((1u << bits) - 1)) * (high - low));
}

int16_t gw_sigmoid_interpolated(int32_t x) {
    int32_t above = between((uint32_t)(x < 0 ? -x : x), 9, 0x7fff * 2); // x in 1/24 of 1/512
    return (int16_t)((x >= 0 ? above + (1 << 9) : (1 << 25) - above + (1 << 9) - 1) >> 10);
}

int16_t gw_tanh_interpolated(int32_t x) {
    int32_t above = between((uint32_t)(x < 0 ? -x : x), 8, 0xffff); // tanh(x) = 2 sigmoid(2 x) - 1
    return (int16_t)((x >= 0 ? above - (1 << 23) + (1 << 7) : -above + (1 << 23) + (1 << 7) - 1) >> 8);
}
