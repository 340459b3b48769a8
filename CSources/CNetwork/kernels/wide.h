// What a kernel for int16 numbers is given and must give; private to CNetwork.
#ifndef GW_WIDE_H
#define GW_WIDE_H

#include "kernel.h"

enum { GW_NARROW_MOST = 256 };

struct gw_wide {
    /// Outputs of a block beside int16 inputs, and inputs of a group of int8 and of int16 weights, which lie as
    /// weights[block][group][output of the block][input of the group], zeros where there is none.
    int32_t rows, narrow_group, group;
    int32_t narrow_offset; // added to every int16 input beside int8 weights; the bias has it
    /// sums[o] = bias[o] + the sum of row[i] * weights of o, for the outputs of whole blocks: bias and sums[blocks * rows]. No int8
    /// weight is -128, and there are at most GW_EXTENT_MAX inputs.
    void (*sum_narrow)(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
    void (*sum_wide)(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
    /// output[i] = gw_sigmoid_interpolated, or gw_tanh_interpolated, of input[i] * factor, which is below 2^30, over 2^shift (0 ... 31),
    /// halves up.
    void (*sigmoid_interpolated)(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
    void (*tanh_interpolated)(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
    /// output[i]: between two entries of table[513], which has one for every 128th int16, rounded with halves up. In place, too.
    void (*look_up_wide)(const int16_t *table, const int16_t *source, int32_t count, int16_t *output);
    /// output[i] = gw_requantise_twice(input[i] - maximum, m) + 2^15 - 1, limited to int16; no input is above the maximum.
    void (*below_maximum)(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output);
    /// output[i] = gw_requantise_twice(input[i], m), limited to low ... high, both int16.
    void (*rescale_wide)(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
    /// values[i] = values[i] * factor, which is below 2^15, over 2^shift (1 ... 31), halves up, limited to 0 ... 2^15 - 1.
    void (*share)(int16_t *values, int32_t count, int16_t factor, int32_t shift);
    /// output[i] = gw_requantise_twice(a[i] * 2^15 to the first scale, plus or minus b[i] * 2^15 to the second, limited to int32, to
    /// the third), limited to low ... high, both int16. The first two shifts are at most 1.
    void (*add_wide)(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
        int32_t high, int16_t *output);
    /// values[i] += others[i], limited to int16.
    void (*add_limited)(int16_t *values, const int16_t *others, int32_t count);
    /// cell[u] = f[u] * cell[u] + i[u] * z[u] of an int16 LSTM, with its gates in Q0.15 and cells of `fraction` bits (8 ... 15): each
    /// product is halved, halves up, then divided, halves away from zero, and limited to int16; their sum to +-clip, or to int16 where
    /// that is zero.
    void (*update_cells)(
        const int16_t *i, const int16_t *f, const int16_t *z, int32_t units, int32_t fraction, int32_t clip, int16_t *cell);
    /// output[i] = a[i] * b[i] over 2^15, halves away from zero.
    void (*multiply_q15)(const int16_t *a, const int16_t *b, int32_t count, int16_t *output);
    /// mixed[u] = (2^15 - update[u]) * candidate[u] + update[u] * cell[u] of a GRU, whose update is in 0 ... 2^15 - 1; cell[u] is that over
    /// 2^15 then, halves away from zero.
    void (*mix)(const int16_t *update, const int16_t *candidate, int32_t units, int16_t *cell, int32_t *mixed);
    /// output[i] = gw_requantise_twice(a[i] * b[i], m), limited to low ... high, both int16.
    void (*multiply_twice)(const int16_t *a, const int16_t *b, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
    /// output[o] = sums[o] scaled and rounded so, limited to int16. Returns how many were made: from the first on, in whole vectors; none
    /// of a rounding that the kernel has not, or where a sum is beyond int32. NULL: none.
    int32_t (*scale)(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output);
    /// The sum of |row[i]|.
    int32_t (*magnitude)(const int16_t *row, int32_t count);
    /// output[o] = gw_requantise_reduced(the sum of row[i] * weights of o, m) within the limits, where the magnitude times the largest
    /// weight is within int32 and the shift at least 2 to the right. NULL: by way of int64.
    void (*product_short)(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output);
    /// output[o] = packed->bias[o], with what narrow_offset makes of the weights, + the sum of row[i] * weights of o, scaled and rounded
    /// so, within the limits. There are at most GW_NARROW_MOST inputs, no sum leaves int32, no shift is to the left, and the rounding is
    /// not GW_ROUND_TWICE. Biases and factors are [blocks * rows]. NULL: by way of int64.
    void (*product_narrow)(const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output);
    /// output[i][c] = bias[c] + the sum over `inputs` taps of taps[tap][i * stride + c] * weights[tap][c], scaled and rounded so, within
    /// the limits, for `count` positions and each of `outputs` channels. Here weights are int16, [taps][padded], padded to
    /// GW_DEPTHWISE_CHANNELS as biases and factors are; no sum leaves int32, no shift is to the left, and the rounding is not
    /// GW_ROUND_TWICE. Behind a position's channels lie bytes that can be read, up to a whole block. NULL: in plain C.
    void (*depthwise_wide)(
        const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output);
};

extern const gw_wide gw_wide_reference;
int32_t gw_magnitude_reference(const int16_t *row, int32_t count);
int64_t gw_dot_wide_reference(const int16_t *row, const int16_t *weights, int32_t count);
int64_t gw_dot_narrow_reference(const int16_t *row, const int8_t *weights, int32_t count);
void gw_sum_narrow_reference(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sum_wide_reference(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sigmoid_interpolated_reference(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_tanh_interpolated_reference(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_look_up_wide_reference(const int16_t *table, const int16_t *source, int32_t count, int16_t *output);
void gw_below_maximum_reference(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output);
void gw_rescale_wide_reference(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
void gw_add_wide_reference(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
    int32_t high, int16_t *output);
void gw_share_reference(int16_t *values, int32_t count, int16_t factor, int32_t shift);
void gw_add_limited_reference(int16_t *values, const int16_t *others, int32_t count);
void gw_update_cells_reference(
    const int16_t *i, const int16_t *f, const int16_t *z, int32_t units, int32_t fraction, int32_t clip, int16_t *cell);
void gw_multiply_q15_reference(const int16_t *a, const int16_t *b, int32_t count, int16_t *output);
void gw_mix_reference(const int16_t *update, const int16_t *candidate, int32_t units, int16_t *cell, int32_t *mixed);
void gw_multiply_twice_reference(
    const int16_t *a, const int16_t *b, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);

#if defined(__x86_64__)
extern const gw_wide gw_wide_avx2, gw_wide_vnni;
void gw_sum_narrow_avx2(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sum_narrow_vnni(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sum_wide_avx2(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sum_wide_vnni(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sigmoid_interpolated_avx2(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_sigmoid_interpolated_avx512(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_tanh_interpolated_avx2(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_tanh_interpolated_avx512(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_below_maximum_avx512(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output);
void gw_add_wide_avx512(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
    int32_t high, int16_t *output);
void gw_depthwise_wide_avx512(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output);
void gw_rescale_wide_avx512(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
void gw_look_up_wide_avx2(const int16_t *table, const int16_t *source, int32_t count, int16_t *output);
void gw_below_maximum_avx2(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output);
void gw_rescale_wide_avx2(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
void gw_add_wide_avx2(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
    int32_t high, int16_t *output);
void gw_depthwise_wide_avx2(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output);
void gw_share_avx2(int16_t *values, int32_t count, int16_t factor, int32_t shift);
void gw_add_limited_avx2(int16_t *values, const int16_t *others, int32_t count);
void gw_update_cells_avx2(
    const int16_t *i, const int16_t *f, const int16_t *z, int32_t units, int32_t fraction, int32_t clip, int16_t *cell);
void gw_multiply_q15_avx2(const int16_t *a, const int16_t *b, int32_t count, int16_t *output);
void gw_mix_avx2(const int16_t *update, const int16_t *candidate, int32_t units, int16_t *cell, int32_t *mixed);
void gw_multiply_twice_avx2(const int16_t *a, const int16_t *b, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
void gw_product_narrow_avx2(const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output);
int32_t gw_magnitude_avx2(const int16_t *row, int32_t count);
void gw_product_short_avx2(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output);
int32_t gw_scale_avx2(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output);
void gw_product_narrow_vnni(const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output);
int32_t gw_magnitude_vnni(const int16_t *row, int32_t count);
void gw_product_short_vnni(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output);
int32_t gw_scale_vnni(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output);
#endif

#if GW_HAVE_NEON
extern const gw_wide gw_wide_neon;
void gw_sum_narrow_neon(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sum_narrow_dotprod(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sum_wide_neon(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums);
void gw_sigmoid_interpolated_neon(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_tanh_interpolated_neon(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output);
void gw_look_up_wide_neon(const int16_t *table, const int16_t *source, int32_t count, int16_t *output);
void gw_below_maximum_neon(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output);
void gw_rescale_wide_neon(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
void gw_add_wide_neon(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
    int32_t high, int16_t *output);
void gw_depthwise_wide_neon(
    const gw_packed *packed, const int16_t *const *taps, ptrdiff_t stride, int32_t count, gw_rounding rounding, int16_t *output);
void gw_share_neon(int16_t *values, int32_t count, int16_t factor, int32_t shift);
void gw_add_limited_neon(int16_t *values, const int16_t *others, int32_t count);
void gw_update_cells_neon(
    const int16_t *i, const int16_t *f, const int16_t *z, int32_t units, int32_t fraction, int32_t clip, int16_t *cell);
void gw_multiply_q15_neon(const int16_t *a, const int16_t *b, int32_t count, int16_t *output);
void gw_mix_neon(const int16_t *update, const int16_t *candidate, int32_t units, int16_t *cell, int32_t *mixed);
void gw_multiply_twice_neon(const int16_t *a, const int16_t *b, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output);
void gw_product_narrow_neon(const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output);
int32_t gw_magnitude_neon(const int16_t *row, int32_t count);
void gw_product_short_neon(const gw_packed *packed, const int16_t *weights, const int16_t *row, gw_multiplier m, int16_t *output);
int32_t gw_scale_neon(const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output);
#endif

#if defined(__aarch64__)
extern const gw_wide gw_wide_dotprod;
void gw_product_narrow_dotprod(const gw_packed *packed, const int8_t *weights, const int16_t *row, gw_rounding rounding, int16_t *output);
#endif

#endif
