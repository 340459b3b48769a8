#if defined(__arm__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("fpu=neon") // Debian's armhf compiler does not assume it
#endif
#include "../wide.h"

#if GW_HAVE_NEON
#include <arm_neon.h>
#include <string.h>

enum { ROWS = 4, GROUP = 16 };

static inline int32x4_t pairwise_add(int32x4_t a, int32x4_t b) {
#if defined(__aarch64__)
    return vpaddq_s32(a, b);
#else
    return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)), vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
#endif
}

// Sixteen inputs times one row's weights: two products meet in an int16 lane, which |weight| <= 127 keeps in range
// (2 * 128 * 127 < 2^15).
static inline int16x8_t sixteen_products(int8x16_t x, int8x16_t w) {
    int16x8_t products = vmull_s8(vget_low_s8(x), vget_low_s8(w));
#if defined(__aarch64__)
    return vmlal_high_s8(products, x, w);
#else
    return vmlal_s8(products, vget_high_s8(x), vget_high_s8(w));
#endif
}

static void accumulate(const gw_packed *packed, const int8_t *input, int32_t *sums) {
    const int8_t *w = packed->weights;
    const int32_t *biases = packed->bias;
    for (int32_t b = packed->blocks; b > 0; b--, sums += ROWS, biases += ROWS) {
        int32x4_t acc[ROWS];
        const int8_t *from = input + GROUP;
        int8x16_t x = vld1q_s8(input);
#pragma GCC unroll 4
        for (int32_t r = 0; r < ROWS; r++, w += GROUP) { acc[r] = vpaddlq_s16(sixteen_products(x, vld1q_s8(w))); }
        for (int32_t g = packed->groups - 1; g > 0; g--, from += GROUP) {
            x = vld1q_s8(from);
#pragma GCC unroll 4
            for (int32_t r = 0; r < ROWS; r++, w += GROUP) { acc[r] = vpadalq_s16(acc[r], sixteen_products(x, vld1q_s8(w))); }
        }
        int32x4_t sum = pairwise_add(pairwise_add(acc[0], acc[1]), pairwise_add(acc[2], acc[3]));
        vst1q_s32(sums, vaddq_s32(sum, vld1q_s32(biases)));
    }
}

// As many rows of inputs as the processor has registers for their sums.
#if defined(__aarch64__)
enum { ABREAST = 4 };
#else
enum { ABREAST = 2 };
#endif

// One group of every row abreast against ROWS rows of weights: added to the sums, or, of the first group, the sums.
static inline void add_group(int32x4_t acc[ABREAST][ROWS], const int8x16_t x[ABREAST], const int8_t *w, bool is_first) {
#pragma GCC unroll 4
    for (int32_t r = 0; r < ROWS; r++) {
        const int8x16_t weights = vld1q_s8(w + r * GROUP);
#pragma GCC unroll 4
        for (int32_t i = 0; i < ABREAST; i++) {
            const int16x8_t products = sixteen_products(x[i], weights);
            acc[i][r] = is_first ? vpaddlq_s16(products) : vpadalq_s16(acc[i][r], products);
        }
#if defined(__arm__)
        // One row of weights after the other: with the products of several in flight, sixteen registers do not hold the sums.
        __asm__ volatile("" : "+w"(acc[0][r]), "+w"(acc[1][r]));
#endif
    }
}

static inline void accumulate_abreast(const gw_packed *packed, const int8_t *const inputs[ABREAST], int32_t *sums) {
    const int32_t padded = packed->padded, blocks = packed->blocks, groups = packed->groups;
    const int8_t *w = packed->weights;
    const int32_t *biases = packed->bias;
    for (int32_t b = blocks; b > 0; b--, sums += ROWS, biases += ROWS) {
        int32x4_t acc[ABREAST][ROWS];
        int8x16_t x[ABREAST];
        const int8_t *from[ABREAST];
#pragma GCC unroll 4
        for (int32_t i = 0; i < ABREAST; i++) {
            from[i] = inputs[i] + GROUP;
            x[i] = vld1q_s8(inputs[i]);
        }
        add_group(acc, x, w, true);
        w += ROWS * GROUP;
        for (int32_t g = groups - 1; g > 0; g--, w += ROWS * GROUP) {
#pragma GCC unroll 4
            for (int32_t i = 0; i < ABREAST; i++, from[i - 1] += GROUP) { x[i] = vld1q_s8(from[i]); }
            add_group(acc, x, w, false);
        }
        const int32x4_t bias = vld1q_s32(biases);
#pragma GCC unroll 4
        for (int32_t i = 0; i < ABREAST; i++) {
            int32x4_t sum = pairwise_add(pairwise_add(acc[i][0], acc[i][1]), pairwise_add(acc[i][2], acc[i][3]));
            vst1q_s32(sums + i * padded, vaddq_s32(sum, bias));
        }
    }
}

static void accumulate_tile(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums) {
    for (int32_t i = 0; i < GW_TILE; i += ABREAST) { accumulate_abreast(packed, inputs + i, sums + i * packed->padded); }
}

// Two products, shifted right (to the left by a negative amount), halves up, limited to int32.
static inline int32x2_t scale_pair(int32x2_t v, int32x2_t multiplier, int32x2_t left) {
    return vqmovn_s64(vrshlq_s64(vmull_s32(v, multiplier), vmovl_s32(left)));
}

// Four values times their factors, plus the zero point, limited, in the low four bytes.
static inline int8x8_t scale_and_limit(int32x4_t v, int32x4_t multiplier, int32x4_t shift, int32x4_t point, int32x4_t low, int32x4_t high) {
    int32x4_t left = vsubq_s32(shift, vdupq_n_s32(31)); // -1 ... -62
    v = vcombine_s32(scale_pair(vget_low_s32(v), vget_low_s32(multiplier), vget_low_s32(left)),
        scale_pair(vget_high_s32(v), vget_high_s32(multiplier), vget_high_s32(left)));
    v = vminq_s32(vmaxq_s32(vqaddq_s32(v, point), low), high);
    int16x4_t narrow = vmovn_s32(v);
    return vmovn_s16(vcombine_s16(narrow, narrow));
}

void gw_quantise_neon(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output) {
    const int32x4_t multiplier = vdupq_n_s32(m.multiplier), shift = vdupq_n_s32(m.shift), point = vdupq_n_s32(zero_point);
    const int32x4_t low = vdupq_n_s32(INT8_MIN), high = vdupq_n_s32(INT8_MAX);
    int32_t i = 0;
    for (; i + ROWS <= count; i += ROWS) {
        int8_t four[8];
        vst1_s8(four, scale_and_limit(vmovl_s16(vld1_s16(input + i)), multiplier, shift, point, low, high));
        memcpy(output + i, four, ROWS);
    }
    gw_quantise_reference(input + i, count - i, m, zero_point, output + i);
}

void gw_requantise_neon(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    const int32x4_t point = vdupq_n_s32(packed->output_zero_point);
    const int32x4_t low = vdupq_n_s32(packed->low), high = vdupq_n_s32(packed->high);
    for (int32_t o = 0; o < packed->outputs; o += ROWS) {
        int8_t four[8];
        vst1_s8(four,
            scale_and_limit(vld1q_s32(sums + o), vld1q_s32(packed->multipliers + o), vld1q_s32(packed->shifts + o), point, low, high));
        int32_t count = packed->outputs - o < ROWS ? packed->outputs - o : ROWS;
        memcpy(output + o, four, (size_t)count);
    }
}

#if defined(__aarch64__)
static bool available(void) { return true; }
#else
#include <sys/auxv.h>
static bool available(void) { return (getauxval(AT_HWCAP) & (1UL << 12)) != 0; } // HWCAP_NEON
#endif

const gw_kernel gw_kernel_neon = {
    .name = "neon",
    .rows = ROWS,
    .group = GROUP,
    GW_NEON_SHARED,
    .sums_pairs = true,
    .available = available,
    .accumulate = accumulate,
    .accumulate_tile = accumulate_tile,
#if defined(__aarch64__)
    .look_up = gw_look_up_neon,
#endif
    .wide = &gw_wide_neon,
};
#endif
