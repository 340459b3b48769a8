#include "step.h"

enum { KERNEL_BITS = 27, POWER_BITS = 30, SUM_SHIFT = 16, SIGMOID = -1 };

#define SUM_LIMIT (INT64_C(1) << 60)
#define COEFFICIENTS_LIMIT (INT64_C(1) << 33)

static bool is_within_sums(int64_t value) { return value >= -SUM_LIMIT && value <= SUM_LIMIT; }

static bool is_row_valid(const gw_support_vectors *s, int32_t output) {
    int64_t magnitudes = 0;
    for (int32_t v = 0; v < s->count; v++) {
        const int64_t value = s->coefficients[(size_t)output * (size_t)s->count + (size_t)v];
        magnitudes += value < 0 ? -value : value;
    }
    return magnitudes <= COEFFICIENTS_LIMIT && is_within_sums(s->bias[output]) && gw_multiplier_valid(s->multipliers[output]);
}

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_support_vectors *s = &layer->support;
    if (layer->source_count != 1 || !s->vectors || !s->added || !s->coefficients || !s->bias || !s->multipliers) { return false; }
    if (s->inputs != gw_elements(sources) || s->outputs != gw_elements(&layer->output)) { return false; }
    if (s->inputs > GW_EXTENT_MAX || s->count < 1 || s->count > GW_EXTENT_MAX || s->outputs > GW_EXTENT_MAX) { return false; }
    if (s->degree < SIGMOID || s->degree > GW_DEGREE_MAX || s->fraction < 0 || s->fraction > 15) { return false; }
    if (!gw_multiplier_valid(s->argument)) { return false; }
    for (int32_t v = 0; v < s->count; v++) {
        if (!is_within_sums(s->added[v])) { return false; }
    }
    for (int32_t o = 0; o < s->outputs; o++) {
        if (!is_row_valid(s, o)) { return false; }
    }
    return true;
}

static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_support_vectors *s = &layer->support;
    const size_t count = (size_t)s->count, inputs = (size_t)s->inputs, outputs = (size_t)s->outputs;
    step->support = *s;
    step->support.vectors = gw_take_copy(&builder->weights, s->vectors, count * inputs * sizeof *s->vectors);
    step->support.added = gw_take_copy(&builder->weights, s->added, count * sizeof *s->added);
    step->support.coefficients = gw_take_copy(&builder->weights, s->coefficients, outputs * count * sizeof *s->coefficients);
    step->support.bias = gw_take_copy(&builder->weights, s->bias, outputs * sizeof *s->bias);
    step->support.multipliers = gw_take_copy(&builder->weights, s->multipliers, outputs * sizeof *s->multipliers);
    step->row = gw_take(&builder->work, inputs * sizeof(int32_t));
    step->sums = gw_take(&builder->work, count * sizeof(int32_t));
}

static const int32_t *vector(const gw_support_vectors *s, int32_t index) { return s->vectors + (size_t)index * (size_t)s->inputs; }

// Of at most 2^12 numbers of 2^15 and 2^31, or of the kernel's values and their coefficients.
static int64_t product(const int32_t *left, const int32_t *right, int32_t count) {
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) { sum += (int64_t)left[i] * right[i]; }
    return sum;
}

// exp(-|x - v|^2 * argument) of each vector: |x|^2 - 2 x . v + |v|^2 is at most 2^57 + 2^59 + 2^60, and below zero by rounding alone.
static void radial_values(const gw_support_vectors *s, const int32_t *row, int32_t *values) {
    const int64_t square = product(row, row, s->inputs) * (INT64_C(1) << s->fraction);
    for (int32_t v = 0; v < s->count; v++) {
        const int64_t distance = square - 2 * product(row, vector(s, v), s->inputs) + s->added[v];
        const int32_t argument = gw_requantise_wide(distance > 0 ? distance : 0, s->argument);
        values[v] = (int32_t)gw_round_shift(gw_exp_q5_26(-argument), 31 - KERNEL_BITS);
    }
}

// tanh by e^-2|x|, of each vector's product.
static void sigmoid_values(const gw_support_vectors *s, const int32_t *row, int32_t *values) {
    const int32_t most = INT32_MAX / 2;
    for (int32_t v = 0; v < s->count; v++) {
        const int32_t argument = gw_requantise_wide(product(row, vector(s, v), s->inputs) + s->added[v], s->argument);
        const int32_t nearest = argument > most ? most : argument < -most ? -most : argument;
        const int32_t power = gw_exp_q5_26(-2 * (nearest < 0 ? -nearest : nearest));
        const int32_t magnitude = gw_multiply_q31(INT32_MAX - power, gw_reciprocal_q31(power));
        const int32_t value = (int32_t)gw_round_shift(magnitude, 31 - KERNEL_BITS);
        values[v] = nearest < 0 ? -value : value;
    }
}

// The powers of each vector's product, times 2^result.
static int32_t polynomial_values(const gw_support_vectors *s, const int32_t *row, int32_t *values) {
    const int32_t one = 1 << POWER_BITS;
    int32_t largest = 1, spare = 0;
    for (int32_t v = 0; v < s->count; v++) {
        const int32_t base = gw_requantise_wide(product(row, vector(s, v), s->inputs) + s->added[v], s->argument);
        values[v] = base > one ? one : base < -one ? -one : base;
        const int32_t magnitude = values[v] < 0 ? -values[v] : values[v];
        largest = magnitude > largest ? magnitude : largest;
    }
    while (largest <= one / 2) {
        largest *= 2;
        spare++;
    }
    for (int32_t v = 0; v < s->count; v++) {
        const int32_t base = values[v] * (1 << spare);
        int32_t power = base;
        for (int32_t d = 1; d < s->degree; d++) { power = (int32_t)gw_round_shift((int64_t)power * base, POWER_BITS); }
        values[v] = (int32_t)gw_round_shift(power, POWER_BITS - KERNEL_BITS);
    }
    return spare * s->degree;
}

static void run(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_support_vectors *s = &step->support;
    const gw_tensor *source = &step->inputs[0];
    int32_t *row = step->row, *values = step->sums, shift = 0;
    for (int32_t i = 0; i < s->inputs; i++) { row[i] = gw_get(source->type, step->sources[0], i) - source->zero_point; }
    if (s->degree == 0) {
        radial_values(s, row, values);
    } else if (s->degree == SIGMOID) {
        sigmoid_values(s, row, values);
    } else {
        shift = polynomial_values(s, row, values);
    }
    for (int32_t o = 0; o < s->outputs; o++) {
        int64_t sum = product(values, s->coefficients + (size_t)o * (size_t)s->count, s->count); // at most 2^60
        sum = shift == 0 ? sum : shift > 61 ? 0 : gw_round_shift(sum, shift);
        sum = gw_round_shift(sum + s->bias[o], SUM_SHIFT);
        const int64_t result = (int64_t)gw_requantise_wide(sum, s->multipliers[o]) + layer->output.zero_point;
        gw_put(layer->output.type, step->output, o, gw_limit(layer, result));
    }
}

static int64_t work(const gw_layer *layer, const gw_tensor *source) {
    (void)source;
    return (int64_t)layer->support.count * (layer->support.inputs + layer->support.outputs);
}

const gw_operator gw_operator_support_vectors = {.valid = valid, .place = place, .run = run, .work = work};
