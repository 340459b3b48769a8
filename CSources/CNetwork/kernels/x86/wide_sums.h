// Sums of int16 inputs times int16 weights, with a block's outputs in the lanes of a vector. A kernel defines, before it includes this:
// TARGET (an attribute), VECTOR, ROWS (int32 lanes of a vector) and
//   vzero()  vadd(a, b)
//   vspread(pair)                    the same two inputs in every lane
//   vload(weights)                   two weights of each output
//   vadd_products(sums, x, weights)  sums + the products of both inputs
//   vput(to, from, upper, lower)     to[ROWS] = from[ROWS] + 256 upper + lower, in int64
//   vleft(v, bits)  vright(v, count)  vmadd(a, b)  vmulhi(a, b)   of int32 lanes; of pairs of int16; of uint16
//   vput_limited(v, low, high, left, output)  as int16, `left` of them

#include <string.h>

// An input is 256 upper + lower, both with a sign; the upper one of the largest is 128. 254 pairs of products with either stay within
// int32.
enum { ABREAST = 4, MOST = 508 };

typedef struct halves {
    int16_t upper[MOST], lower[MOST];
} halves;

#define INLINE TARGET __attribute__((always_inline)) static inline

INLINE void split(const int16_t *row, int32_t inputs, halves *to) {
    for (int32_t i = 0; i < inputs; i++) {
        to->lower[i] = (int8_t)row[i];
        to->upper[i] = (int16_t)((row[i] - to->lower[i]) >> 8);
    }
    if (inputs % 2 != 0) { to->lower[inputs] = to->upper[inputs] = 0; } // for which there is no weight
}

INLINE VECTOR pair_from(const int16_t *halves) {
    int32_t pair;
    memcpy(&pair, halves, sizeof pair);
    return vspread(pair);
}

// `blocks` is a constant at each call; `line` are the weights of a block.
INLINE void sum_blocks(
    const int16_t *weights, ptrdiff_t line, const halves *row, int32_t inputs, const int64_t *from, int64_t *sums, const int32_t blocks) {
    VECTOR upper[ABREAST], lower[ABREAST];
    for (int32_t b = 0; b < blocks; b++) { upper[b] = lower[b] = vzero(); }
    int32_t i = 0;
    // A block by itself: several pairs add up apart, so that no sum waits for the one before it.
    if (blocks == 1) {
        VECTOR more_upper[ABREAST - 1], more_lower[ABREAST - 1];
        for (int32_t p = 0; p < ABREAST - 1; p++) { more_upper[p] = more_lower[p] = vzero(); }
        for (; i + 2 * ABREAST <= inputs; i += 2 * ABREAST) {
            for (int32_t p = 0; p < ABREAST; p++) {
                const int32_t at = i + 2 * p;
                const VECTOR w = vload(weights + (ptrdiff_t)at * ROWS);
                VECTOR *high = p == 0 ? upper : more_upper + p - 1, *low = p == 0 ? lower : more_lower + p - 1;
                *high = vadd_products(*high, pair_from(row->upper + at), w);
                *low = vadd_products(*low, pair_from(row->lower + at), w);
            }
        }
        for (int32_t p = 0; p < ABREAST - 1; p++) {
            upper[0] = vadd(upper[0], more_upper[p]);
            lower[0] = vadd(lower[0], more_lower[p]);
        }
    }
    for (; i < inputs; i += 2) {
        const VECTOR high = pair_from(row->upper + i), low = pair_from(row->lower + i);
        for (int32_t b = 0; b < blocks; b++) {
            const VECTOR w = vload(weights + b * line + (ptrdiff_t)i * ROWS);
            upper[b] = vadd_products(upper[b], high, w);
            lower[b] = vadd_products(lower[b], low, w);
        }
    }
    for (int32_t b = 0; b < blocks; b++) { vput(sums + (ptrdiff_t)b * ROWS, from + (ptrdiff_t)b * ROWS, upper[b], lower[b]); }
}

TARGET static void sum_all_wide(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 2 * ROWS;
    halves some;
    for (int32_t start = 0; start < packed->inputs; start += MOST, row += MOST, weights += MOST * ROWS, bias = sums) {
        const int32_t left = packed->inputs - start, inputs = left < MOST ? left : MOST;
        split(row, inputs, &some);
        int32_t b = 0;
        for (; b + ABREAST <= packed->blocks; b += ABREAST) {
            sum_blocks(weights + b * line, line, &some, inputs, bias + b * ROWS, sums + b * ROWS, ABREAST);
        }
        for (; b < packed->blocks; b++) { sum_blocks(weights + b * line, line, &some, inputs, bias + b * ROWS, sums + b * ROWS, 1); }
    }
}

// Sums of `blocks`, a constant at each call, that are known to be within int32.
INLINE void short_sums(const int16_t *weights, ptrdiff_t line, const int16_t *row, int32_t inputs, VECTOR *sums, const int32_t blocks) {
    VECTOR more[ABREAST]; // a block by itself: as in sum_blocks
    for (int32_t b = 0; b < ABREAST; b++) { more[b] = vzero(); }
    for (int32_t b = 0; b < blocks; b++) { sums[b] = vzero(); }
    int32_t i = 0;
    for (; blocks == 1 && i + 2 * ABREAST <= inputs; i += 2 * ABREAST) {
        for (int32_t p = 0; p < ABREAST; p++) {
            more[p] = vadd_products(more[p], pair_from(row + i + 2 * p), vload(weights + (ptrdiff_t)(i + 2 * p) * ROWS));
        }
    }
    if (blocks == 1) { sums[0] = vadd(vadd(more[0], more[1]), vadd(more[2], more[3])); }
    // Behind an odd row's last input lies another number, for which there are weights of zero.
    for (; i < inputs; i += 2) {
        const VECTOR x = pair_from(row + i);
        for (int32_t b = 0; b < blocks; b++) { sums[b] = vadd_products(sums[b], x, vload(weights + b * line + (ptrdiff_t)i * ROWS)); }
    }
}

// The upper 15 bits m of a factor, once in the upper and once in the lower half of each lane, half of what the shift leaves out, and the
// limits. With a sum of 2^16 upper + lower, (sum * m + half) >> right is (upper * m + (lower * m >> 16) + (half >> 16)) >> (right - 16).
typedef struct short_factor {
    VECTOR upper, lower, half, low, high;
    __m128i right;
} short_factor;

TARGET static inline short_factor short_factor_of(const gw_packed *packed, gw_multiplier m) {
    const int32_t right = -1 - m.shift; // 1 ... 30
    const VECTOR lower = vspread(gw_reduced_multiplier(m.multiplier));
    return (short_factor){.upper = vleft(lower, 16),
        .lower = lower,
        .half = vspread(1 << (right - 1)),
        .low = vspread(packed->low),
        .high = vspread(packed->high),
        .right = _mm_cvtsi32_si128(right)};
}

INLINE void put_short(const short_factor *f, VECTOR sums, int32_t left, int16_t *output) {
    const VECTOR upper = vadd(vmadd(sums, f->upper), f->half);
    vput_limited(vright(vadd(upper, vmulhi(sums, f->lower)), f->right), f->low, f->high, left, output);
}

TARGET static void product_short(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output) {
    const ptrdiff_t line = (ptrdiff_t)packed->groups * 2 * ROWS;
    const int32_t inputs = packed->inputs, outputs = packed->outputs;
    const short_factor f = short_factor_of(packed, m);
    VECTOR sums[ABREAST];
    int32_t b = 0;
    for (; b + ABREAST <= packed->blocks; b += ABREAST) {
        short_sums(weights + b * line, line, row, inputs, sums, ABREAST);
        for (int32_t p = 0; p < ABREAST; p++) { put_short(&f, sums[p], outputs - (b + p) * ROWS, output + (b + p) * ROWS); }
    }
    for (; b < packed->blocks; b++) {
        short_sums(weights + b * line, line, row, inputs, sums, 1);
        put_short(&f, sums[0], outputs - b * ROWS, output + b * ROWS);
    }
}
