#include "step.h"
#include <string.h>

// Everything that only moves numbers: transposing, reversing, padding, repeating, cutting out.

static bool gather_valid(const gw_layer *layer, const gw_tensor *sources) {
    if (layer->source_count != 1 || !layer->table || sources->type != layer->output.type ||
        sources->zero_point != layer->output.zero_point) {
        return false;
    }
    const int32_t *places = layer->table, count = gw_elements(&layer->output), most = gw_elements(sources);
    for (int32_t i = 0; i < count; i++) {
        if (places[i] < -1 || places[i] >= most) { return false; }
    }
    return true;
}

static void place_table(gw_step *step, const gw_layer *layer, gw_builder *builder, size_t size) {
    step->table = gw_take_copy(&builder->weights, layer->table, (size_t)gw_elements(&layer->output) * size);
}

static void place_gather(gw_step *step, const gw_layer *layer, gw_builder *builder) { place_table(step, layer, builder, sizeof(int32_t)); }

static void run_gather(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    const int32_t *places = step->table, count = gw_elements(output);
    if (output->type == GW_INT8) {
        const int8_t *source = step->sources[0];
        int8_t *values = step->output;
        for (int32_t i = 0; i < count; i++) { values[i] = places[i] < 0 ? (int8_t)output->zero_point : source[places[i]]; }
    } else {
        const int16_t *source = step->sources[0];
        int16_t *values = step->output;
        for (int32_t i = 0; i < count; i++) { values[i] = places[i] < 0 ? 0 : source[places[i]]; }
    }
}

static bool constant_valid(const gw_layer *layer, const gw_tensor *sources) {
    (void)sources;
    return layer->source_count == 1 && layer->table;
}

static void place_constant(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    place_table(step, layer, builder, gw_size_of(layer->output.type));
}

static void run_constant(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    memcpy(step->output, step->table, (size_t)gw_elements(output) * gw_size_of(output->type));
}

const gw_operator gw_operator_gather = {.valid = gather_valid, .place = place_gather, .run = run_gather};
const gw_operator gw_operator_constant = {.valid = constant_valid, .place = place_constant, .run = run_constant};
