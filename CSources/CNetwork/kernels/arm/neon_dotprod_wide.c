#include "../kernel.h"
#include "dotprod.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

enum { ROWS = 4, STEP = 16 };

// int16 inputs as 256 high + low, both int8, so that an instruction takes sixteen products of each. Zeros behind the last input.
typedef struct halves {
    int8_t low[GW_EXTENT_MAX], high[GW_EXTENT_MAX];
} halves;

// Returns false where an input is so large that its upper half would be 128.
DOTPROD static bool split(const int16_t *row, int32_t inputs, halves *to) {
    int16x8_t most = vdupq_n_s16(INT16_MIN);
    for (int32_t i = 0; i < inputs; i += STEP) {
        int16_t last[STEP] = {0};
        const int16_t *from = row + i;
        if (i + STEP > inputs) {
            memcpy(last, from, (size_t)(inputs - i) * sizeof *last);
            from = last;
        }
        const int16x8_t a = vld1q_s16(from), b = vld1q_s16(from + 8);
        most = vmaxq_s16(most, vmaxq_s16(a, b));
        // The lower byte with its sign; what that takes away the upper one has, rounded.
        vst1q_s8(to->low + i, vuzp1q_s8(vreinterpretq_s8_s16(a), vreinterpretq_s8_s16(b)));
        vst1q_s8(to->high + i, vrshrn_high_n_s16(vrshrn_n_s16(a, 8), b, 8));
    }
    return vmaxvq_s16(most) < 32640;
}

typedef struct sums_of_row {
    int32x4_t low, high;
} sums_of_row;

DOTPROD static inline void add(sums_of_row *sums, int8x16_t low, int8x16_t high, const int8_t *weights) {
    const int8x16_t w = vld1q_s8(weights);
    sums->low = vdotq_s32(sums->low, w, low);
    sums->high = vdotq_s32(sums->high, w, high);
}

static inline int32x4_t four_totals(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) {
    return vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d));
}

// Four outputs read each input once. What lies behind a row of weights meets zeros; behind the last one it must not be read.
DOTPROD static void four(const halves *x, const int8_t *weights, int32_t inputs, bool is_last, int64_t *sums) {
    const int32x4_t zero = vdupq_n_s32(0);
    sums_of_row a = {zero, zero}, b = a, c = a, d = a;
    const int8_t *w = weights;
    int32_t i = 0;
    for (; i + STEP <= inputs || (i < inputs && !is_last); i += STEP, w += STEP) {
        const int8x16_t low = vld1q_s8(x->low + i), high = vld1q_s8(x->high + i);
        add(&a, low, high, w);
        add(&b, low, high, w + inputs);
        add(&c, low, high, w + 2 * (ptrdiff_t)inputs);
        add(&d, low, high, w + 3 * (ptrdiff_t)inputs);
    }
    if (i < inputs) {
        int8_t rest[ROWS][STEP] = {{0}};
        for (int32_t r = 0; r < ROWS; r++) { memcpy(rest[r], w + r * (ptrdiff_t)inputs, (size_t)(inputs - i)); }
        const int8x16_t low = vld1q_s8(x->low + i), high = vld1q_s8(x->high + i);
        add(&a, low, high, rest[0]);
        add(&b, low, high, rest[1]);
        add(&c, low, high, rest[2]);
        add(&d, low, high, rest[3]);
    }
    // At most 4096 * 128 * 127: int32.
    const int32x4_t low = four_totals(a.low, b.low, c.low, d.low), high = four_totals(a.high, b.high, c.high, d.high);
    vst1q_s64(sums, vaddq_s64(vld1q_s64(sums), vaddw_s32(vshll_n_s32(vget_low_s32(high), 8), vget_low_s32(low))));
    vst1q_s64(sums + 2, vaddq_s64(vld1q_s64(sums + 2), vaddw_s32(vshll_n_s32(vget_high_s32(high), 8), vget_high_s32(low))));
}

void gw_sum_narrow_dotprod(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    memcpy(sums, bias, (size_t)packed->outputs * sizeof *sums);
    const int32_t inputs = packed->inputs, outputs = packed->outputs;
    halves x; // only as much of it as there are inputs is written and read
    // A vector that begins at a row's last weights ends within the next row.
    if (inputs < STEP || !split(row, inputs, &x)) {
        gw_sum_narrow_neon(packed, weights, bias, row, sums);
        return;
    }
    int32_t o = 0;
    for (; o + ROWS <= outputs; o += ROWS) { four(&x, weights + (ptrdiff_t)o * inputs, inputs, o + ROWS == outputs, sums + o); }
    for (; o < outputs; o++) { sums[o] += gw_dot_narrow_reference(row, weights + (ptrdiff_t)o * inputs, inputs); }
}
#endif
