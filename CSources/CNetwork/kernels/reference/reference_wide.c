#include "../wide.h"

// int16 by int8, in pieces whose sums fit int32, which compilers have vector instructions for.
int64_t gw_dot_narrow_reference(const int16_t *row, const int8_t *weights, int32_t count) {
    enum { PIECE = 256 };
    int64_t sum = 0;
    for (int32_t start = 0; start < count; start += PIECE) {
        int32_t end = count - start < PIECE ? count : start + PIECE, piece = 0;
        for (int32_t i = start; i < end; i++) { piece += row[i] * weights[i]; }
        sum += piece;
    }
    return sum;
}

int64_t gw_dot_wide_reference(const int16_t *row, const int16_t *weights, int32_t count) {
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) { sum += row[i] * weights[i]; }
    return sum;
}

int32_t gw_magnitude_reference(const int16_t *row, int32_t count) {
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) { sum += row[i] < 0 ? -row[i] : row[i]; }
    return sum;
}

void gw_sum_narrow_reference(const gw_packed *packed, const int8_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    const int32_t inputs = packed->inputs;
    for (int32_t o = 0; o < packed->outputs; o++) {
        sums[o] = bias[o] + gw_dot_narrow_reference(row, weights + (ptrdiff_t)o * inputs, inputs);
    }
}

void gw_sum_wide_reference(const gw_packed *packed, const int16_t *weights, const int64_t *bias, const int16_t *row, int64_t *sums) {
    const int32_t inputs = packed->inputs;
    for (int32_t o = 0; o < packed->outputs; o++) {
        sums[o] = bias[o] + gw_dot_wide_reference(row, weights + (ptrdiff_t)o * inputs, inputs);
    }
}

static inline int32_t times(int16_t value, int32_t factor, int32_t shift) {
    return shift > 0 ? (int32_t)gw_round_shift((int64_t)value * factor, shift) : value * factor;
}

void gw_sigmoid_interpolated_reference(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output) {
    for (int32_t i = 0; i < count; i++) { output[i] = gw_sigmoid_interpolated(times(input[i], factor, shift)); }
}

void gw_tanh_interpolated_reference(const int16_t *input, int32_t count, int32_t factor, int32_t shift, int16_t *output) {
    for (int32_t i = 0; i < count; i++) { output[i] = gw_tanh_interpolated(times(input[i], factor, shift)); }
}

void gw_look_up_wide_reference(const int16_t *table, const int16_t *source, int32_t count, int16_t *output) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t place = source[i] + 32768, at = place >> 7, low = table[at];
        output[i] = (int16_t)(low + (((table[at + 1] - low) * (place & 127) + 64) >> 7));
    }
}

void gw_below_maximum_reference(const int16_t *input, int32_t count, int16_t maximum, gw_multiplier m, int16_t *output) {
    for (int32_t i = 0; i < count; i++) { output[i] = gw_saturate16((int64_t)gw_requantise_twice(input[i] - maximum, m) + INT16_MAX); }
}

void gw_rescale_wide_reference(const int16_t *input, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t value = gw_requantise_twice(input[i], m);
        output[i] = (int16_t)(value < low ? low : value > high ? high : value);
    }
}

void gw_add_wide_reference(const int16_t *a, const int16_t *b, int32_t count, const gw_multiplier scales[3], bool subtracts, int32_t low,
    int32_t high, int16_t *output) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t left = gw_requantise_twice(a[i] * (1 << 15), scales[0]), right = gw_requantise_twice(b[i] * (1 << 15), scales[1]);
        const int32_t sum = gw_saturate32(subtracts ? (int64_t)left - right : (int64_t)left + right);
        const int32_t value = gw_requantise_twice(sum, scales[2]);
        output[i] = (int16_t)(value < low ? low : value > high ? high : value);
    }
}

void gw_share_reference(int16_t *values, int32_t count, int16_t factor, int32_t shift) {
    for (int32_t i = 0; i < count; i++) {
        const int64_t part = gw_round_shift((int64_t)values[i] * factor, shift);
        values[i] = gw_saturate16(part < 0 ? 0 : part);
    }
}

void gw_add_limited_reference(int16_t *values, const int16_t *others, int32_t count) {
    for (int32_t i = 0; i < count; i++) { values[i] = gw_saturate32_to_16(values[i] + others[i]); }
}

// value / 2^(1 + right): halves up, then away from zero, as LiteRT's kernel rounds twice. |value| <= 2^30.
static inline int32_t halved_and_divided(int32_t value, int32_t right) { return gw_divide_by_power((value + 1) >> 1, right); }

static inline int16_t limited(int32_t cell, int32_t clip) {
    const int32_t within = gw_saturate32_to_16(cell);
    return (int16_t)(clip == 0 ? within : within > clip ? clip : within < -clip ? -clip : within);
}

void gw_update_cells_reference(
    const int16_t *i, const int16_t *f, const int16_t *z, int32_t units, int32_t fraction, int32_t clip, int16_t *cell) {
    for (int32_t u = 0; u < units; u++) {
        const int32_t kept = gw_saturate32_to_16(halved_and_divided(f[u] * cell[u], 14));
        const int32_t added = gw_saturate32_to_16(halved_and_divided(i[u] * z[u], 29 - fraction));
        cell[u] = limited(kept + added, clip);
    }
}

void gw_multiply_q15_reference(const int16_t *a, const int16_t *b, int32_t count, int16_t *output) {
    for (int32_t i = 0; i < count; i++) { output[i] = gw_saturate32_to_16(gw_divide_by_power(a[i] * b[i], 15)); }
}

void gw_mix_reference(const int16_t *update, const int16_t *candidate, int32_t units, int16_t *cell, int32_t *mixed) {
    for (int32_t u = 0; u < units; u++) {
        mixed[u] = (32768 - update[u]) * candidate[u] + update[u] * cell[u]; // at most 2^30
        cell[u] = gw_saturate32_to_16(gw_divide_by_power(mixed[u], 15));
    }
}

void gw_multiply_twice_reference(
    const int16_t *a, const int16_t *b, int32_t count, gw_multiplier m, int32_t low, int32_t high, int16_t *output) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t value = gw_requantise_twice(a[i] * b[i], m);
        output[i] = (int16_t)(value < low ? low : value > high ? high : value);
    }
}

const gw_wide gw_wide_reference = {
    .rows = 1,
    .narrow_group = 1,
    .group = 1,
    .sum_narrow = gw_sum_narrow_reference,
    .sum_wide = gw_sum_wide_reference,
    .sigmoid_interpolated = gw_sigmoid_interpolated_reference,
    .tanh_interpolated = gw_tanh_interpolated_reference,
    .look_up_wide = gw_look_up_wide_reference,
    .below_maximum = gw_below_maximum_reference,
    .rescale_wide = gw_rescale_wide_reference,
    .add_wide = gw_add_wide_reference,
    .share = gw_share_reference,
    .add_limited = gw_add_limited_reference,
    .update_cells = gw_update_cells_reference,
    .multiply_q15 = gw_multiply_q15_reference,
    .mix = gw_mix_reference,
    .multiply_twice = gw_multiply_twice_reference,
    .magnitude = gw_magnitude_reference,
};
