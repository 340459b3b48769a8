#include "check.h"
#include "tensors.h"
#include "../layers/step.h"

static bool is_within(int32_t value, int32_t low, int32_t high) { return value >= low && value <= high; }

static bool tensor_valid(const gw_tensor *t) {
    bool extents =
        is_within(t->height, 1, GW_EXTENT_MAX) && is_within(t->width, 1, GW_EXTENT_MAX) && is_within(t->channels, 1, GW_EXTENT_MAX);
    if (!extents || (int64_t)t->height * t->width * t->channels > GW_ELEMENTS_MAX) { return false; }
    return t->type == GW_INT8 ? is_within(t->zero_point, INT8_MIN, INT8_MAX) : t->type == GW_INT16 && t->zero_point == 0;
}

static bool limits_valid(const gw_layer *layer) {
    int32_t least = layer->output.type == GW_INT8 ? INT8_MIN : INT16_MIN, most = layer->output.type == GW_INT8 ? INT8_MAX : INT16_MAX;
    return is_within(layer->low, least, most) && is_within(layer->high, layer->low, most);
}

// Layer number `index` from 0; it may read the input and the layers before it.
static bool layer_valid(const gw_network_spec *spec, int32_t index) {
    const gw_layer *layer = &spec->layers[index];
    const gw_operator *operator = gw_operator_of(layer->operation);
    if (!operator || !tensor_valid(&layer->output) || !limits_valid(layer) || !is_within(layer->source_count, 1, GW_SOURCES_MAX)) {
        return false;
    }
    gw_tensor sources[GW_SOURCES_MAX];
    for (int32_t s = 0; s < layer->source_count; s++) {
        if (!is_within(layer->sources[s], 0, index)) { return false; }
        sources[s] = *gw_tensor_at(spec, layer->sources[s]);
    }
    return operator->valid(layer, sources);
}

static bool output_valid(const gw_network_spec *spec) {
    const gw_tensor *last = &spec->layers[spec->layer_count - 1].output;
    if (gw_elements(last) > GW_CLASSES_MAX || !gw_multiplier_valid(spec->output_scale)) { return false; }
    if (spec->output == GW_INDEPENDENT) { return last->type == GW_INT16 || last->zero_point == INT8_MIN; }
    if (spec->output != GW_SOFTMAX && spec->output != GW_LOGITS) { return false; }
    return spec->output_scale.multiplier != 0 && (last->type == GW_INT16 || spec->output_scale.shift >= -26);
}

static int64_t work_of(const gw_network_spec *spec, const gw_layer *layer) {
    const gw_tensor *source = gw_tensor_at(spec, layer->sources[0]);
    const gw_operator *operator = gw_operator_of(layer->operation);
    return operator && operator->work ? operator->work(layer, source) : gw_elements(&layer->output);
}

int64_t gw_network_work(const gw_network_spec *spec) {
    int64_t work = 0;
    for (int32_t i = 0; i < spec->layer_count; i++) { work += work_of(spec, &spec->layers[i]); } // at most 256 times 2^42
    return work;
}

bool gw_network_fits(const gw_network_spec *spec) {
    if (!is_within(spec->layer_count, 1, GW_LAYERS_MAX) || !tensor_valid(&spec->input) || !gw_multiplier_valid(spec->input_multiplier)) {
        return false;
    }
    if (!is_within(spec->advance, 0, gw_elements(&spec->input))) { return false; }
    for (int32_t i = 0; i < spec->layer_count; i++) {
        if (!layer_valid(spec, i)) { return false; }
    }
    return output_valid(spec);
}

bool gw_spec_valid(const gw_network_spec *spec) { return gw_network_fits(spec) && gw_network_work(spec) <= GW_WORK_MAX; }
