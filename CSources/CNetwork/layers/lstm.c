#include "recurrent.h"

// i, f, o = sigmoid, z = tanh (W x + R h + b); cell = f cell + i z; h = o tanh(cell). Gates are Q3.12 before and Q0.15 after
// their curve. LiteRT's int8 kernel and tflite-micro's int16 kernel differ in how they round, limit and draw the curves.

enum { GATES = 4, FORGET = 1, MODULATION = 2, OUTPUT = 3, CELL_BITS_LEAST = 8, CELL_BITS_MOST = 15 };

// Fraction bits of gates before their curve, and the interpolation's steps in one of theirs.
enum { FRACTION = 12, STEPS = 3 };

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_weights *weights = &layer->weights, *recurrent = &layer->recurrent;
    const int32_t units = layer->output.channels;
    return layer->source_count == 1 && layer->output.type == sources->type && gw_positions(sources) == gw_positions(&layer->output) &&
           gw_weights_valid(weights, sources->type) && gw_weights_valid(recurrent, sources->type) && weights->inputs == sources->channels &&
           recurrent->inputs == units && weights->outputs == GATES * units && recurrent->outputs == GATES * units &&
           gw_multiplier_valid(layer->scales[0]) && layer->cell_fraction >= CELL_BITS_LEAST && layer->cell_fraction <= CELL_BITS_MOST &&
           layer->cell_clip >= 0 && layer->cell_clip <= INT16_MAX;
}

static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_tensor gates = {.type = GW_INT16};
    gw_ends from_input = {step->inputs[0], gates, INT16_MIN, INT16_MAX}, from_hidden = {layer->output, gates, INT16_MIN, INT16_MAX};
    const size_t units = (size_t)layer->output.channels;
    gw_product_place(&layer->weights, &from_input, builder->kernel, &builder->weights, &step->product);
    step->recurrent = gw_place_recurrent(&layer->recurrent, &from_hidden, builder, 0);
    step->row = gw_take(&builder->work, gw_product_row(&step->product));
    step->sums = gw_take(&builder->work, gw_product_sums(&step->product));
    step->recurrent_sums = gw_take(&builder->work, gw_product_sums(step->recurrent));
    step->gates = gw_take(&builder->work, GATES * units * sizeof *step->gates);
    step->hidden = gw_take(&builder->state, gw_product_row(step->recurrent));
    step->cell = gw_take(&builder->state, units * sizeof *step->cell);
}

// The gates' sums, then their curves in the same place. int16 inputs: what comes from the hidden state is limited before it is added.
static void run_gates(gw_step *step) {
    const int32_t n = step->layer.output.channels;
    int16_t *gates = step->gates;
    const gw_kernel *kernel = step->product.kernel;
    if (step->inputs[0].type == GW_INT8) {
        kernel->accumulate(&step->product.packed, step->row, step->sums);
        kernel->accumulate(&step->recurrent->packed, step->hidden, step->recurrent_sums);
        kernel->gates(&step->product.packed, step->sums, &step->recurrent->packed, step->recurrent_sums, gates);
        kernel->sigmoid(gates, MODULATION * n);
        kernel->tanh(gates + MODULATION * n, n, 3);
        kernel->sigmoid(gates + OUTPUT * n, n);
        return;
    }
    gw_product_run_wide(&step->product, step->row, step->sums, gates);
    int16_t *recurrent = step->sums; // whose sums are done with
    gw_product_run_wide(step->recurrent, step->hidden, step->recurrent_sums, recurrent);
    kernel->wide->add_limited(gates, recurrent, GATES * n);
    int16_t *modulation = gates + MODULATION * n, *output = gates + OUTPUT * n;
    kernel->wide->sigmoid_interpolated(gates, MODULATION * n, STEPS, 0, gates);
    kernel->wide->tanh_interpolated(modulation, n, STEPS, 0, modulation);
    kernel->wide->sigmoid_interpolated(output, n, STEPS, 0, output);
}

static inline int16_t limited_cell(const gw_layer *layer, int32_t cell) {
    int32_t limited = gw_saturate32_to_16(cell), clip = layer->cell_clip;
    return (int16_t)(clip == 0 ? limited : limited > clip ? clip : limited < -clip ? -clip : limited);
}

static void update_narrow(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const int32_t n = layer->output.channels, bits = layer->cell_fraction;
    int16_t *curves = step->gates; // of the cell, where the input gate was
    int8_t *hidden = step->hidden;
    for (int32_t u = 0; u < n; u++) {
        int32_t kept = gw_divide_by_power(step->gates[FORGET * n + u] * step->cell[u], 15);
        int32_t added = gw_divide_by_power(step->gates[u] * step->gates[MODULATION * n + u], 30 - bits);
        curves[u] = step->cell[u] = limited_cell(layer, kept + added);
    }
    step->product.kernel->tanh(curves, n, 15 - bits);
    for (int32_t u = 0; u < n; u++) {
        const int64_t value =
            (int64_t)gw_requantise_twice(step->gates[OUTPUT * n + u] * curves[u], layer->scales[0]) + layer->output.zero_point;
        hidden[u] = (int8_t)gw_limit(layer, value);
    }
}

static void update_wide(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_kernel *kernel = step->product.kernel;
    const int32_t n = layer->output.channels, bits = layer->cell_fraction;
    const int32_t left = bits < FRACTION ? FRACTION - bits : 0, right = bits > FRACTION ? bits - FRACTION : 0;
    const int16_t *i = step->gates, *f = i + FORGET * n, *z = i + MODULATION * n, *o = i + OUTPUT * n;
    int16_t *curves = step->sums; // of the cell; the sums are done with
    kernel->wide->update_cells(i, f, z, n, bits, layer->cell_clip, step->cell);
    kernel->wide->tanh_interpolated(step->cell, n, STEPS << left, right, curves);
    kernel->wide->multiply_twice(o, curves, n, layer->scales[0], layer->low, layer->high, step->hidden);
}

static void run_one(gw_step *step) {
    run_gates(step);
    if (step->inputs[0].type == GW_INT8) {
        update_narrow(step);
    } else {
        update_wide(step);
    }
}

static void run(gw_step *step) { gw_recurrent_run(step, run_one); }

const gw_operator gw_operator_lstm = {.valid = valid, .place = place, .run = run, .reset = gw_recurrent_reset, .work = gw_recurrent_work};
