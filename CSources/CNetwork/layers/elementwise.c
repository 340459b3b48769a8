#include "blocks.h"

static bool rescale_valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && gw_elements(sources) == gw_elements(&layer->output) && gw_multiplier_valid(layer->scales[0]);
}

static int32_t rescaled(const gw_layer *layer, const gw_tensor *input, int32_t value) {
    return gw_limit(layer, (int64_t)gw_requantise_twice(value - input->zero_point, layer->scales[0]) + layer->output.zero_point);
}

static void look_up(gw_step *step, int32_t count) {
    const int8_t *table = step->table, *source = step->sources[0];
    int8_t *output = step->output;
    const int32_t done = step->kernel->look_up ? step->kernel->look_up(table, source, count, output) : 0;
    for (int32_t i = done; i < count; i++) { output[i] = table[source[i] + 128]; }
}

// Another shape and nothing else: a factor of one between two tensors of one kind.
static bool is_copy(const gw_layer *layer, const gw_tensor *input) {
    const bool narrow = input->type == GW_INT8;
    return input->type == layer->output.type && input->zero_point == layer->output.zero_point && layer->scales[0].multiplier == 1 << 30 &&
           layer->scales[0].shift == 1 && layer->low == (narrow ? INT8_MIN : INT16_MIN) && layer->high == (narrow ? INT8_MAX : INT16_MAX);
}

// Of int8 there are 256 values: they are computed once.
static void place_rescale(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_tensor *input = &step->inputs[0];
    if (input->type != GW_INT8 || layer->output.type != GW_INT8 || is_copy(layer, input)) { return; }
    int8_t *table = gw_take(&builder->weights, GW_TABLE_NARROW);
    step->table = table;
    for (int32_t i = 0; builder->weights.memory && i < GW_TABLE_NARROW; i++) { table[i] = (int8_t)rescaled(layer, input, i - 128); }
}

static void run_rescale(gw_step *step) {
    const gw_tensor *input = &step->inputs[0];
    const int32_t count = gw_elements(input);
    if (step->table) { return look_up(step, count); }
    if (is_copy(&step->layer, input)) { return; } // it lies in the source's place
    if (input->type == GW_INT16 && step->layer.output.type == GW_INT16) {
        step->kernel->wide->rescale_wide(step->sources[0], count, step->layer.scales[0], step->layer.low, step->layer.high, step->output);
        return;
    }
    for (int32_t i = 0; i < count; i += GW_BLOCK) {
        int32_t values[GW_BLOCK];
        const int32_t some = count - i < GW_BLOCK ? count - i : GW_BLOCK;
        gw_widen(input, step->sources[0], i, some, values);
        step->kernel->twice(values, some, step->layer.scales[0]);
        gw_narrow(&step->layer, step->layer.output.zero_point, values, i, some, step->output);
    }
}

static bool lookup_valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && sources->type == layer->output.type && layer->table &&
           gw_elements(sources) == gw_elements(&layer->output);
}

static void place_lookup(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const size_t size = layer->output.type == GW_INT8 ? GW_TABLE_NARROW : GW_TABLE_WIDE * sizeof(int16_t);
    step->table = gw_take_copy(&builder->weights, layer->table, size);
}

static void run_lookup(gw_step *step) {
    const int32_t count = gw_elements(&step->layer.output);
    if (step->layer.output.type == GW_INT8) {
        look_up(step, count);
    } else {
        step->kernel->wide->look_up_wide(step->table, step->sources[0], count, step->output);
    }
}

static bool curve_valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && sources->type == GW_INT16 && layer->output.type == GW_INT16 &&
           gw_elements(sources) == gw_elements(&layer->output) && layer->factor >= 0 && layer->factor <= INT16_MAX && layer->shift >= 0 &&
           layer->shift <= 31;
}

static void run_sigmoid(gw_step *step) {
    const gw_layer *layer = &step->layer;
    step->kernel->wide->sigmoid_interpolated(step->sources[0], gw_elements(&layer->output), layer->factor, layer->shift, step->output);
}

static void run_tanh(gw_step *step) {
    const gw_layer *layer = &step->layer;
    step->kernel->wide->tanh_interpolated(step->sources[0], gw_elements(&layer->output), layer->factor, layer->shift, step->output);
}

const gw_operator gw_operator_rescale = {
    .valid = rescale_valid, .place = place_rescale, .run = run_rescale, .overlap = gw_overlap_elements, .is_copy = is_copy};
const gw_operator gw_operator_lookup = {.valid = lookup_valid, .place = place_lookup, .run = run_lookup, .overlap = gw_overlap_elements};
const gw_operator gw_operator_sigmoid = {.valid = curve_valid, .run = run_sigmoid, .overlap = gw_overlap_elements};
const gw_operator gw_operator_tanh = {.valid = curve_valid, .run = run_tanh, .overlap = gw_overlap_elements};
