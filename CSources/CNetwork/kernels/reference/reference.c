#include "../wide.h"

// Rows one by one, inputs one by one, the zero point subtracted where the specification has it.
static void accumulate(const gw_packed *packed, const int8_t *input, int32_t *sums) {
    for (int32_t o = 0; o < packed->outputs; o++) {
        const int8_t *row = packed->weights + (int64_t)o * packed->inputs;
        uint32_t sum = (uint32_t)packed->bias[o];
        for (int32_t i = 0; i < packed->inputs; i++) { sum += (uint32_t)((input[i] - packed->input_zero_point) * row[i]); }
        sums[o] = (int32_t)sum;
    }
}

// With the zero point, within the limits.
static inline int8_t finished(const gw_packed *packed, int32_t scaled) {
    int64_t value = (int64_t)scaled + packed->output_zero_point;
    return (int8_t)(value < packed->low ? packed->low : value > packed->high ? packed->high : value);
}

void gw_requantise_reference(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    for (int32_t o = 0; o < packed->outputs; o++) {
        gw_multiplier m = {packed->multipliers[o], packed->shifts[o]};
        output[o] = finished(packed, gw_requantise(sums[o], m));
    }
}

void gw_quantise_reference(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output) {
    for (int32_t i = 0; i < count; i++) {
        int64_t value = (int64_t)gw_requantise(input[i], m) + zero_point;
        output[i] = (int8_t)(value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value);
    }
}

void gw_twice_reference(int32_t *values, int32_t count, gw_multiplier m) {
    for (int32_t i = 0; i < count; i++) { values[i] = gw_requantise_twice(values[i], m); }
}

void gw_requantise_twice_reference_from(int32_t first, const gw_packed *packed, const int32_t *sums, int8_t *output) {
    for (int32_t o = first; o < packed->outputs; o++) {
        gw_multiplier m = {packed->multipliers[o], packed->shifts[o]};
        output[o] = finished(packed, gw_requantise_twice(sums[o], m));
    }
}

static void requantise_twice(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    gw_requantise_twice_reference_from(0, packed, sums, output);
}

void gw_gates_reference_from(
    int32_t first, const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates) {
    for (int32_t o = first; o < input->outputs; o++) {
        gw_multiplier from_input = {input->multipliers[o], input->shifts[o]}, from_hidden = {hidden->multipliers[o], hidden->shifts[o]};
        int64_t sum = gw_saturate16(gw_requantise_twice(sums[o], from_input));
        gates[o] = gw_saturate16(sum + gw_requantise_twice(recurrent[o], from_hidden));
    }
}

static void gates_of(const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates) {
    gw_gates_reference_from(0, input, sums, hidden, recurrent, gates);
}

static void sigmoid(int16_t *values, int32_t count) {
    for (int32_t i = 0; i < count; i++) { values[i] = gw_sigmoid_q3_12(values[i]); }
}

static void tanh_of_all(int16_t *values, int32_t count, int32_t integer_bits) {
    for (int32_t i = 0; i < count; i++) { values[i] = gw_tanh_q15(values[i], integer_bits); }
}

static bool available(void) { return true; }

static void add_tap(
    int32_t *restrict sums, const int8_t *restrict inputs, const int8_t *restrict weights, int32_t count, int32_t zero_point) {
    for (int32_t c = 0; c < count; c++) { sums[c] += (int16_t)(inputs[c] - zero_point) * (int16_t)weights[c]; }
}

void gw_depthwise_reference(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums) {
    const int32_t n = packed->outputs;
    for (int32_t c = 0; c < n; c++) { sums[c] = packed->bias[c]; }
    for (int32_t t = 0; t < packed->inputs; t++) {
        add_tap(sums, inputs[t], packed->weights + (ptrdiff_t)t * n, n, packed->input_zero_point);
    }
}

const gw_kernel gw_kernel_reference = {
    .name = "reference",
    .rows = 1,
    .group = 1,
    .panel = 1,
    .tile = GW_TILE,
    .folds = false,
    .input_offset = 0,
    .available = available,
    .accumulate = accumulate,
    .requantise = gw_requantise_reference,
    .quantise = gw_quantise_reference,
    .requantise_twice = requantise_twice,
    .twice = gw_twice_reference,
    .gates = gates_of,
    .sigmoid = sigmoid,
    .tanh = tanh_of_all,
    .wide = &gw_wide_reference,
};
