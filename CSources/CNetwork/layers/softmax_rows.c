#include "softmax.h"
#include "step.h"

// Soft-max inside a network, as attention has it.

static bool rows_valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_tensor *output = &layer->output;
    if (layer->source_count != 1 || sources->type != output->type || !gw_same_shape(sources, output)) { return false; }
    if (!gw_multiplier_valid(layer->scales[0]) || layer->scales[0].multiplier == 0 || output->channels > GW_SOFTMAX_MAX) { return false; }
    return output->type == GW_INT16 || layer->scales[0].shift >= -26;
}

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    return rows_valid(layer, sources) && (layer->output.type == GW_INT16 || layer->output.zero_point == INT8_MIN);
}

static bool scaled_valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_multiplier scale = layer->scales[1];
    return rows_valid(layer, sources) && layer->output.type == GW_INT8 && gw_multiplier_valid(scale) && scale.multiplier != 0 &&
           scale.shift <= GW_SOFTMAX_FINEST;
}

static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const bool is_narrow = layer->output.type == GW_INT8;
    void *table = gw_take(&builder->weights, is_narrow ? sizeof(gw_softmax_tables) : sizeof(gw_softmax_curves));
    step->table = table;
    if (!builder->weights.memory) { return; }
    if (is_narrow) {
        const gw_multiplier own = {0, 0};
        gw_softmax_tables_init(
            layer->scales[0], layer->operation == GW_SCALED_SOFTMAX ? layer->scales[1] : own, (int8_t)layer->output.zero_point, table);
    } else {
        gw_softmax_curves_init(table);
    }
}

static void run(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    const int32_t n = output->channels, positions = gw_positions(output);
    for (int32_t p = 0; p < positions; p++) {
        if (output->type == GW_INT8) {
            gw_softmax_int8_by(step->kernel, (const int8_t *)step->sources[0] + p * n, n, step->table, (int8_t *)step->output + p * n);
        } else {
            gw_softmax_int16_by(step->kernel, (const int16_t *)step->sources[0] + p * n, n, step->layer.scales[0], step->table,
                (int16_t *)step->output + p * n);
        }
    }
}

const gw_operator gw_operator_softmax_rows = {.valid = valid, .place = place, .run = run, .overlap = gw_overlap_positions};
const gw_operator gw_operator_scaled_softmax = {.valid = scaled_valid, .place = place, .run = run, .overlap = gw_overlap_positions};
