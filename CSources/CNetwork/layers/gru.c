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

// Q3.12 of all of a product's outputs, limited to int16.
static void run_product(const gw_product *product, const void *row, void *sums, int16_t *output) {
    const gw_packed *packed = &product->packed;
    if (product->input_type == GW_INT16) {
        gw_product_run_wide(product, row, sums, output);
        return;
    }
    product->kernel->accumulate(packed, row, sums);
    for (int32_t o = 0; o < packed->outputs; o++) {
        const gw_multiplier m = {packed->multipliers[o], packed->shifts[o]};
        output[o] = gw_saturate16(gw_requantise_twice(((const int32_t *)sums)[o], m));
    }
}

// Products of two Q0.15, or sums of such, at the output's scale.
static void put_at_output_scale(const gw_step *step, int32_t *values, void *to) {
    const gw_layer *layer = &step->layer;
    const int32_t n = layer->output.channels, zero_point = layer->output.zero_point, low = layer->low, high = layer->high;
    step->product.kernel->twice(values, n, layer->scales[0]);
    if (layer->output.type == GW_INT8) {
        for (int32_t u = 0; u < n; u++) { ((int8_t *)to)[u] = (int8_t)gw_limit(layer, (int64_t)values[u] + zero_point); }
        return;
    }
    int16_t *output = to;
    for (int32_t u = 0; u < n; u++) { output[u] = (int16_t)(values[u] < low ? low : values[u] > high ? high : values[u]); }
}

static void run_one(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_kernel *kernel = step->product.kernel;
    const int32_t n = layer->output.channels;
    const int16_t *update = step->gates, *reset_gate = step->gates + n;
    int16_t *candidate = step->gates + FROM_HIDDEN * n;
    run_product(&step->product, step->row, step->sums, step->gates);
    int16_t *from_hidden = step->sums; // whose sums are done with
    run_product(step->recurrent, step->hidden, step->recurrent_sums, from_hidden);
    kernel->wide->add_limited(step->gates, from_hidden, FROM_HIDDEN * n);
    kernel->sigmoid(step->gates, FROM_HIDDEN * n);
    if (layer->reset_after) {
        from_hidden += FROM_HIDDEN * n;
        kernel->wide->multiply_q15(reset_gate, from_hidden, n, from_hidden);
    } else {
        int32_t *kept = step->recurrent_sums;
        for (int32_t u = 0; u < n; u++) { kept[u] = reset_gate[u] * step->cell[u]; }
        put_at_output_scale(step, kept, step->row);
        run_product(step->candidate, step->row, step->recurrent_sums, from_hidden);
    }
    kernel->wide->add_limited(candidate, from_hidden, n);
    kernel->tanh(candidate, n, 3);
    int32_t *hidden = step->recurrent_sums; // whose sums are done with
    kernel->wide->mix(update, candidate, n, step->cell, hidden);
    put_at_output_scale(step, hidden, step->hidden);
}

static void run(gw_step *step) { gw_recurrent_run(step, run_one); }

const gw_operator gw_operator_gru = {.valid = valid, .place = place, .run = run, .reset = gw_recurrent_reset, .work = gw_recurrent_work};
