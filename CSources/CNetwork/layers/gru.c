#include "recurrent.h"

// z, r = sigmoid (W x + R h + b); o = tanh(W x + R (r h) + b); h = (1 - z) o + z h, as Core ML has it. Gates are Q3.12 before and
// Q0.15 after their curve; h is kept in Q0.15, and R reads it at the output's scale. With the reset behind the product, as PyTorch and
// Keras have it: o = tanh(W x + b + r (R h + c)).

enum { GATES = 3, FROM_HIDDEN = 2 };

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_weights *weights = &layer->weights, *recurrent = &layer->recurrent;
    const int32_t units = layer->output.channels;
    return layer->source_count == 1 && layer->output.type == sources->type && gw_positions(sources) == gw_positions(&layer->output) &&
           gw_weights_valid(weights, sources->type) && gw_weights_valid(recurrent, sources->type) && weights->inputs == sources->channels &&
           recurrent->inputs == units && weights->outputs == GATES * units && recurrent->outputs == GATES * units &&
           gw_multiplier_valid(layer->scales[0]);
}

// Rows `first` and the following of some weights.
static gw_weights rows(const gw_weights *weights, int32_t first, int32_t count) {
    gw_weights part = *weights;
    part.outputs = count;
    part.values = (const uint8_t *)weights->values + (size_t)first * (size_t)weights->inputs * gw_size_of(weights->type);
    part.bias += first;
    part.multipliers += first;
    return part;
}

static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_tensor gates = {.type = GW_INT16};
    gw_ends from_input = {step->inputs[0], gates, INT16_MIN, INT16_MAX}, from_hidden = {layer->output, gates, INT16_MIN, INT16_MAX};
    const int32_t units = layer->output.channels;
    const gw_weights gated = rows(&layer->recurrent, 0, FROM_HIDDEN * units),
                     candidate = rows(&layer->recurrent, FROM_HIDDEN * units, units);
    gw_product_place(&layer->weights, &from_input, builder->kernel, &builder->weights, &step->product);
    step->recurrent = gw_place_recurrent(layer->reset_after ? &layer->recurrent : &gated, &from_hidden, builder, 0);
    if (!layer->reset_after) { step->candidate = gw_place_recurrent(&candidate, &from_hidden, builder, 1); }
    const size_t input_row = gw_product_row(&step->product), hidden_row = gw_product_row(step->recurrent);
    step->row = gw_take(&builder->work, input_row > hidden_row ? input_row : hidden_row);
    step->sums = gw_take(&builder->work, gw_product_sums(&step->product));
    step->recurrent_sums = gw_take(&builder->work, gw_product_sums(step->recurrent)); // of the candidate after the gates
    step->gates = gw_take(&builder->work, GATES * (size_t)units * sizeof *step->gates);
    step->hidden = gw_take(&builder->state, gw_product_row(step->recurrent));
    step->cell = gw_take(&builder->state, (size_t)units * sizeof *step->cell);
}

static int32_t scaled(const gw_product *product, const void *sums, int32_t output) {
    if (product->input_type == GW_INT16) { return gw_product_scaled(product, sums, output); }
    return gw_requantise_twice(
        ((const int32_t *)sums)[output], (gw_multiplier){product->packed.multipliers[output], product->packed.shifts[output]});
}

// Q3.12 of `count` gates from `first` on, of which `recurrent` gives the first part.
static void add_gates(gw_step *step, int32_t first, int32_t count, const gw_product *recurrent) {
    for (int32_t g = 0; g < count; g++) {
        const int32_t from_input = gw_saturate16(scaled(&step->product, step->sums, first + g));
        step->gates[first + g] = gw_saturate16(from_input + gw_saturate16(scaled(recurrent, step->recurrent_sums, g)));
    }
}

// A product of two Q0.15, or a sum of such, at the output's scale.
static int32_t at_output_scale(const gw_layer *layer, int32_t value) {
    return gw_limit(layer, (int64_t)gw_requantise_twice(value, layer->scales[0]) + layer->output.zero_point);
}

static void run_one(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_type type = layer->output.type;
    const gw_kernel *kernel = step->product.kernel;
    const int32_t n = layer->output.channels;
    const int16_t *update = step->gates, *reset_gate = step->gates + n;
    int16_t *candidate = step->gates + FROM_HIDDEN * n;
    gw_product_accumulate(&step->product, step->row, step->sums);
    gw_product_accumulate(step->recurrent, step->hidden, step->recurrent_sums);
    add_gates(step, 0, FROM_HIDDEN * n, step->recurrent);
    kernel->sigmoid(step->gates, FROM_HIDDEN * n);
    if (layer->reset_after) {
        for (int32_t u = 0; u < n; u++) {
            const int32_t from_input = gw_saturate16(scaled(&step->product, step->sums, FROM_HIDDEN * n + u)),
                          from_hidden = gw_saturate16(scaled(step->recurrent, step->recurrent_sums, FROM_HIDDEN * n + u));
            candidate[u] = gw_saturate16(from_input + gw_divide_by_power(reset_gate[u] * from_hidden, 15));
        }
    } else {
        for (int32_t u = 0; u < n; u++) { gw_put(type, step->row, u, at_output_scale(layer, reset_gate[u] * step->cell[u])); }
        gw_product_accumulate(step->candidate, step->row, step->recurrent_sums);
        add_gates(step, FROM_HIDDEN * n, n, step->candidate);
    }
    kernel->tanh(candidate, n, 3);
    for (int32_t u = 0; u < n; u++) {
        const int32_t sum = (32768 - update[u]) * candidate[u] + update[u] * step->cell[u]; // at most 2^30
        step->cell[u] = gw_saturate16(gw_divide_by_power(sum, 15));
        gw_put(type, step->hidden, u, at_output_scale(layer, sum));
    }
}

static void run(gw_step *step) { gw_recurrent_run(step, run_one); }

const gw_operator gw_operator_gru = {.valid = valid, .place = place, .run = run, .reset = gw_recurrent_reset, .work = gw_recurrent_work};
