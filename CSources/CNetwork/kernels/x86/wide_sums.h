// Sums of products of int16 inputs, with the outputs of a block in the lanes of a vector. Weights lie as kernel.h has it: two inputs of
// each output side by side. A kernel defines, before it includes this: TARGET (an attribute), VECTOR, ROWS (int32 lanes of a vector) and
//   vzero()  vadd(a, b)
//   vspread(pair)                    the same two inputs in every lane
//   vadd_narrow(sums, x, weights)    sums + the products of both, of int8 weights
//   vpairs(x, weights)               the products of both together, of int16 weights
//   vupper(v)  vlower(v)             the upper 16 bits of each lane, with their sign; the lower ones, without
//   vadd_to(to, sums)                to[ROWS], int64, grows by the sums
//   vadd_halves_to(to, upper, lower) likewise, by 65536 upper + lower

#include <string.h>

// No weight is -128, so that 256 pairs of products stay within int32; of int16 products 2048 halves do, as many as the longest row has.
enum { ABREAST = 4, NARROW_MOST = 512 };

#define INLINE TARGET __attribute__((always_inline)) static inline

// Two of the row's inputs, and where it ends behind the first, that one alone: there is no weight for the other.
INLINE VECTOR inputs_from(const int16_t *row, int32_t left) {
    int32_t pair = (uint16_t)*row;
    if (left > 1) { memcpy(&pair, row, sizeof pair); }
    return vspread(pair);
}

// `blocks` is a constant at each call; `line` are the weights of a block.
INLINE void add_narrow(const int8_t *weights, ptrdiff_t line, const int16_t *row, int32_t inputs, int64_t *sums, const int32_t blocks) {
    for (int32_t start = 0; start < inputs; start += NARROW_MOST) {
        const int32_t end = inputs - start < NARROW_MOST ? inputs : start + NARROW_MOST;
        VECTOR parts[ABREAST];
        for (int32_t b = 0; b < blocks; b++) { parts[b] = vzero(); }
        int32_t i = start;
        for (; i + 2 <= end; i += 2) {
            const VECTOR x = inputs_from(row + i, 2);
            for (int32_t b = 0; b < blocks; b++) { parts[b] = vadd_narrow(parts[b], x, weights + b * line + (ptrdiff_t)i * ROWS); }
        }
        if (i < end) {
            const VECTOR x = inputs_from(row + i, 1);
            for (int32_t b = 0; b < blocks; b++) { parts[b] = vadd_narrow(parts[b], x, weights + b * line + (ptrdiff_t)i * ROWS); }
        }
        for (int32_t b = 0; b < blocks; b++) { vadd_to(sums + (ptrdiff_t)b * ROWS, parts[b]); }
    }
}

INLINE void add_wide(const int16_t *weights, ptrdiff_t line, const int16_t *row, int32_t inputs, int64_t *sums, const int32_t blocks) {
    VECTOR upper[ABREAST], lower[ABREAST];
    for (int32_t b = 0; b < blocks; b++) { upper[b] = lower[b] = vzero(); }
    for (int32_t i = 0; i < inputs; i += 2) {
        const VECTOR x = inputs_from(row + i, inputs - i);
        for (int32_t b = 0; b < blocks; b++) {
            const VECTOR pairs = vpairs(x, weights + b * line + (ptrdiff_t)i * ROWS);
            upper[b] = vadd(upper[b], vupper(pairs));
            lower[b] = vadd(lower[b], vlower(pairs));
        }
    }
    for (int32_t b = 0; b < blocks; b++) { vadd_halves_to(sums + (ptrdiff_t)b * ROWS, upper[b], lower[b]); }
}

#define ADD_ALL(add, weights)                                                                                                              \
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 2 * ROWS;                                                                           \
    const int32_t inputs = packed->inputs;                                                                                                 \
    int32_t b = 0;                                                                                                                         \
    for (; b + ABREAST <= packed->blocks; b += ABREAST, (weights) += ABREAST * line, sums += ABREAST * ROWS) {                             \
        add(weights, line, row, inputs, sums, ABREAST);                                                                                    \
    }                                                                                                                                      \
    for (; b < packed->blocks; b++, (weights) += line, sums += ROWS) { add(weights, line, row, inputs, sums, 1); }

TARGET static void add_all_narrow(const gw_packed *packed, const int8_t *weights, const int16_t *row, int64_t *sums){
    ADD_ALL(add_narrow, weights)}

TARGET static void add_all_wide(const gw_packed *packed, const int16_t *weights, const int16_t *row, int64_t *sums) {
    ADD_ALL(add_wide, weights)
}
