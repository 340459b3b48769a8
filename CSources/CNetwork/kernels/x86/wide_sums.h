// Sums of products of int16 inputs, with the outputs of a block in the lanes of a vector. Weights lie as kernel.h has it: two inputs of
// each output side by side. A kernel defines, before it includes this: TARGET (an attribute), VECTOR, ROWS (int32 lanes of a vector) and
//   vzero()  vspread(pair)           the same two inputs in every lane
//   vadd_products(sums, x, weights)  sums + the products of both inputs
//   vnarrow(p)  vwide(p)             int8 weights as int16; int16 weights
//   vadd_to(to, sums)                to[ROWS], int64, grows by the sums
//   vadd_halves_to(to, upper, lower) likewise, by 256 upper + lower

#include <string.h>

// No weight is -128, so that 256 pairs of products stay within int32. Those of int16 weights are made of the inputs' upper and lower bytes,
// whose products are as small.
enum { ABREAST = 4, MOST = 512 };

#define INLINE TARGET __attribute__((always_inline)) static inline

// Two of the row's inputs, and where it ends behind the first, that one alone: there is no weight for the other.
INLINE VECTOR inputs_from(const int16_t *row, int32_t left) {
    int32_t pair = (uint16_t)*row;
    if (left > 1) { memcpy(&pair, row, sizeof pair); }
    return vspread(pair);
}

// `blocks` is a constant at each call; `line` are the weights of a block.
INLINE void add_narrow(const int8_t *weights, ptrdiff_t line, const int16_t *row, int32_t inputs, int64_t *sums, const int32_t blocks) {
    for (int32_t start = 0; start < inputs; start += MOST) {
        const int32_t end = inputs - start < MOST ? inputs : start + MOST;
        VECTOR parts[ABREAST];
        for (int32_t b = 0; b < blocks; b++) { parts[b] = vzero(); }
        int32_t i = start;
        for (; i + 2 <= end; i += 2) {
            const VECTOR x = inputs_from(row + i, 2);
            for (int32_t b = 0; b < blocks; b++) {
                parts[b] = vadd_products(parts[b], x, vnarrow(weights + b * line + (ptrdiff_t)i * ROWS));
            }
        }
        if (i < end) {
            const VECTOR x = inputs_from(row + i, 1);
            for (int32_t b = 0; b < blocks; b++) {
                parts[b] = vadd_products(parts[b], x, vnarrow(weights + b * line + (ptrdiff_t)i * ROWS));
            }
        }
        for (int32_t b = 0; b < blocks; b++) { vadd_to(sums + (ptrdiff_t)b * ROWS, parts[b]); }
    }
}

// upper * 256 + lower, both with a sign; the upper one of the largest inputs is 128.
typedef struct halves {
    int16_t upper[MOST], lower[MOST];
} halves;

INLINE void split(const int16_t *row, int32_t inputs, halves *to) {
    for (int32_t i = 0; i < inputs; i++) {
        to->lower[i] = (int8_t)row[i];
        to->upper[i] = (int16_t)((row[i] - to->lower[i]) >> 8);
    }
}

INLINE void add_wide(const int16_t *weights, ptrdiff_t line, const halves *row, int32_t inputs, int64_t *sums, const int32_t blocks) {
    VECTOR upper[ABREAST], lower[ABREAST];
    for (int32_t b = 0; b < blocks; b++) { upper[b] = lower[b] = vzero(); }
    for (int32_t i = 0; i < inputs; i += 2) {
        const VECTOR high = inputs_from(row->upper + i, inputs - i), low = inputs_from(row->lower + i, inputs - i);
        for (int32_t b = 0; b < blocks; b++) {
            const VECTOR w = vwide(weights + b * line + (ptrdiff_t)i * ROWS);
            upper[b] = vadd_products(upper[b], high, w);
            lower[b] = vadd_products(lower[b], low, w);
        }
    }
    for (int32_t b = 0; b < blocks; b++) { vadd_halves_to(sums + (ptrdiff_t)b * ROWS, upper[b], lower[b]); }
}

TARGET static void add_all_narrow(const gw_packed *packed, const int8_t *weights, const int16_t *row, int64_t *sums) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 2 * ROWS;
    int32_t b = 0;
    for (; b + ABREAST <= packed->blocks; b += ABREAST) {
        add_narrow(weights + b * line, line, row, packed->inputs, sums + b * ROWS, ABREAST);
    }
    for (; b < packed->blocks; b++) { add_narrow(weights + b * line, line, row, packed->inputs, sums + b * ROWS, 1); }
}

TARGET static void add_all_wide(const gw_packed *packed, const int16_t *weights, const int16_t *row, int64_t *sums) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 2 * ROWS;
    halves some;
    for (int32_t start = 0; start < packed->inputs; start += MOST, row += MOST, weights += MOST * ROWS) {
        const int32_t left = packed->inputs - start, inputs = left < MOST ? left : MOST;
        split(row, inputs, &some);
        int32_t b = 0;
        for (; b + ABREAST <= packed->blocks; b += ABREAST) { add_wide(weights + b * line, line, &some, inputs, sums + b * ROWS, ABREAST); }
        for (; b < packed->blocks; b++) { add_wide(weights + b * line, line, &some, inputs, sums + b * ROWS, 1); }
    }
}
