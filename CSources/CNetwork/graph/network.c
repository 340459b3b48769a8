#include "check.h"
#include "kept.h"
#include "plan.h"
#include "tensors.h"
#include <string.h>

struct gw_network {
    const gw_kernel *kernel;
    gw_output output;
    gw_multiplier input_multiplier, output_scale;
    gw_tensor input, last;
    bool is_stateless;
    void *input_values;
    void *previous; // the input of the inference before; NULL where nothing of it is kept
    int32_t advance;
    bool has_previous;
    const void *last_values;
    int32_t *exponentials;     // soft-max of int8
    gw_softmax_curves *curves; // soft-max of int16
    int32_t step_count;
    gw_step *steps;
};

// The parts of the caller's memory, one after the other.
typedef struct gw_parts {
    gw_arena weights, state, work;
    size_t most_work;
    gw_plan plan;
    gw_overlap kept[GW_LAYERS_MAX]; // of each layer's output
    bool keeps;
} gw_parts;

// One layer's step; with no memory in the builder it only counts.
static void place_step(const gw_network_spec *spec, int32_t index, gw_builder *builder, gw_step *step) {
    const gw_layer *layer = &spec->layers[index];
    *step = (gw_step){.operator = gw_operator_of(layer->operation), .kernel = builder->kernel, .layer = *layer};
    for (int32_t s = 0; s < layer->source_count; s++) { step->inputs[s] = *gw_tensor_at(spec, layer->sources[s]); }
    if (step->operator->place) { step->operator->place(step, layer, builder); }
}

// Takes everything that the network needs; `network` is NULL while counting.
static void place_all(const gw_network_spec *spec, const gw_kernel *kernel, gw_parts *parts, gw_network *network) {
    gw_take(&parts->weights, sizeof(gw_network));
    gw_step *steps = gw_take(&parts->weights, (size_t)spec->layer_count * sizeof *steps), counted;
    bool int8 = gw_tensor_at(spec, spec->layer_count)->type == GW_INT8, curves = spec->output != GW_INDEPENDENT;
    int32_t *exponentials = curves && int8 ? gw_take(&parts->weights, GW_SOFTMAX_ENTRIES * sizeof *exponentials) : 0;
    gw_softmax_curves *wide = curves && !int8 ? gw_take(&parts->weights, sizeof *wide) : 0;
    void *previous = parts->keeps ? gw_take(&parts->state, (size_t)gw_elements(&spec->input) * gw_size_of(spec->input.type)) : NULL;
    for (int32_t i = 0; i < spec->layer_count; i++) {
        gw_builder builder = {.kernel = kernel, .weights = parts->weights, .state = parts->state, .work = {parts->work.memory, 0}};
        gw_step *step = network ? &steps[i] : &counted;
        place_step(spec, i, &builder, step);
        step->kept = parts->kept[i];
        parts->weights = builder.weights;
        parts->state = builder.state;
        parts->most_work = builder.work.used > parts->most_work ? builder.work.used : parts->most_work;
    }
    if (!network) { return; }
    network->steps = steps;
    network->exponentials = exponentials;
    network->curves = wide;
    network->previous = previous;
}

static void count(const gw_network_spec *spec, const gw_kernel *kernel, gw_parts *parts) {
    *parts = (gw_parts){.keeps = false};
    parts->keeps = gw_find_kept(spec, parts->kept);
    parts->plan = gw_plan_tensors(spec, parts->kept);
    place_all(spec, kernel, parts, 0);
}

static gw_memory sizes(const gw_parts *parts) {
    // Kernels read four bytes behind the last sum.
    gw_memory memory = {parts->weights.used, parts->state.used, parts->plan.bytes + parts->most_work + GW_ALIGNMENT, 0};
    memory.total = memory.weights + memory.state + memory.scratch;
    return memory;
}

gw_status gw_network_memory(const gw_network_spec *spec, const gw_kernel *kernel, gw_memory *out) {
    if (!gw_spec_valid(spec)) { return GW_EINVAL; }
    gw_parts parts;
    count(spec, kernel, &parts);
    *out = sizes(&parts);
    return GW_OK;
}

static void connect(const gw_network_spec *spec, const gw_plan *plan, uint8_t *tensors, gw_network *network) {
    network->input_values = tensors + plan->offsets[0];
    for (int32_t i = 0; i < spec->layer_count; i++) {
        gw_step *step = &network->steps[i];
        for (int32_t s = 0; s < step->layer.source_count; s++) { step->sources[s] = tensors + plan->offsets[step->layer.sources[s]]; }
        step->output = tensors + plan->offsets[i + 1];
    }
    network->last_values = network->steps[spec->layer_count - 1].output;
}

gw_status gw_network_init(void *memory, size_t size, const gw_network_spec *spec, const gw_kernel *kernel, gw_network **out) {
    if (!gw_spec_valid(spec)) { return GW_EINVAL; }
    gw_parts parts;
    count(spec, kernel, &parts);
    gw_memory needed = sizes(&parts);
    if (!memory || (uintptr_t)memory % GW_ALIGNMENT != 0 || size < needed.total) { return GW_ENOMEM; }
    gw_network *network = memory;
    *network = (gw_network){.kernel = kernel,
        .output = spec->output,
        .input_multiplier = spec->input_multiplier,
        .output_scale = spec->output_scale,
        .input = spec->input,
        .last = *gw_tensor_at(spec, spec->layer_count),
        .advance = spec->advance,
        .is_stateless = spec->is_stateless,
        .step_count = spec->layer_count};
    uint8_t *state = (uint8_t *)memory + needed.weights, *scratch = state + needed.state;
    parts.weights = (gw_arena){memory, 0};
    parts.state = (gw_arena){state, 0};
    parts.work = (gw_arena){scratch + parts.plan.bytes, 0};
    place_all(spec, kernel, &parts, network);
    memset(scratch, 0, needed.scratch);
    connect(spec, &parts.plan, scratch, network);
    if (network->exponentials) { gw_softmax_table(spec->output_scale, network->exponentials); }
    if (network->curves) { gw_softmax_curves_init(network->curves); }
    gw_network_reset(network);
    *out = network;
    return GW_OK;
}

int32_t gw_network_inputs(const gw_network *network) { return gw_elements(&network->input); }

int32_t gw_network_outputs(const gw_network *network) { return gw_elements(&network->last); }

const void *gw_network_embedding(const gw_network *network, gw_type *type, int32_t *count) {
    const gw_step *last = &network->steps[network->step_count - 1];
    *type = last->inputs[0].type;
    *count = gw_elements(&last->inputs[0]);
    return last->sources[0];
}

bool gw_network_remembers(const gw_network *network) {
    for (int32_t i = 0; i < network->step_count && !network->is_stateless; i++) {
        if (network->steps[i].operator->reset) { return true; }
    }
    return false;
}

void gw_network_reset(gw_network *network) {
    for (int32_t i = 0; i < network->step_count; i++) {
        gw_step *step = &network->steps[i];
        if (step->operator->reset) { step->operator->reset(step); }
    }
}

// Whether the input is that of the inference before, moved on; it is the one before from here on.
static bool follow(gw_network *network) {
    if (!network->previous) { return false; }
    const size_t size = gw_size_of(network->input.type), bytes = (size_t)gw_elements(&network->input) * size;
    const size_t gone = (size_t)network->advance * size;
    const bool moved = network->has_previous && memcmp(network->input_values, (const uint8_t *)network->previous + gone, bytes - gone) == 0;
    memcpy(network->previous, network->input_values, bytes);
    network->has_previous = true;
    return moved;
}

// `observer` may be NULL.
static void run(gw_network *network, gw_observer observer, void *context) {
    const bool moved = follow(network);
    if (network->is_stateless) { gw_network_reset(network); }
    for (int32_t i = 0; i < network->step_count; i++) {
        gw_step *step = &network->steps[i];
        if (moved && gw_overlapping(&step->kept) > 0) {
            gw_run_rest(step);
        } else {
            step->operator->run(step);
        }
        if (observer) { observer(context, i + 1, step->layer.output.type, step->output, gw_elements(&step->layer.output)); }
    }
}

static void take_input(gw_network *network, const int16_t *input) {
    const int32_t count = gw_network_inputs(network);
    if (network->input.type == GW_INT16) {
        memcpy(network->input_values, input, (size_t)count * sizeof *input);
        return;
    }
    int8_t *values = network->input_values;
    for (int32_t i = 0; i < count; i++) {
        values[i] = (int8_t)(input[i] < INT8_MIN ? INT8_MIN : input[i] > INT8_MAX ? INT8_MAX : input[i]);
    }
}

void gw_network_infer(gw_network *network, const int16_t *input, int16_t *output) {
    take_input(network, input);
    run(network, NULL, NULL);
    gw_network_outputs_copy(network, output);
}

void gw_network_observe(gw_network *network, const int16_t *input, gw_observer observer, void *context) {
    take_input(network, input);
    observer(context, 0, network->input.type, network->input_values, gw_elements(&network->input));
    run(network, observer, context);
}

static void quantise_input(gw_network *network, const int16_t *input) {
    const int32_t count = gw_network_inputs(network);
    if (network->input.type == GW_INT8) {
        network->kernel->quantise(input, count, network->input_multiplier, network->input.zero_point, network->input_values);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        ((int16_t *)network->input_values)[i] = gw_saturate16(gw_requantise(input[i], network->input_multiplier));
    }
}

static int32_t largest(gw_type type, const void *values, int32_t n) {
    int32_t label = 0;
    for (int32_t i = 1; i < n; i++) { label = gw_get(type, values, i) > gw_get(type, values, label) ? i : label; }
    return label;
}

int32_t gw_network_classify(gw_network *network, const int16_t *input, int16_t *probabilities) {
    quantise_input(network, input);
    run(network, NULL, NULL);
    const int32_t n = gw_network_outputs(network);
    if (network->exponentials) {
        gw_softmax(network->last_values, n, network->exponentials, probabilities);
    } else if (network->curves) {
        gw_softmax_int16(network->last_values, n, network->output_scale, network->curves, probabilities);
    } else {
        for (int32_t i = 0; i < n; i++) {
            int32_t value = gw_get(network->last.type, network->last_values, i);
            probabilities[i] = (int16_t)(network->last.type == GW_INT8 ? (value + 128) * 128 : value < 0 ? 0 : value);
        }
    }
    return largest(network->last.type, network->last_values, n);
}

void gw_network_apply_softmax(const gw_network *network, const int16_t *last, int16_t *finished) {
    const int32_t n = gw_network_outputs(network);
    if (network->output != GW_SOFTMAX) {
        memmove(finished, last, (size_t)n * sizeof *finished);
    } else if (network->curves) {
        gw_softmax_int16(last, n, network->output_scale, network->curves, finished);
    } else {
        int8_t narrow[GW_CLASSES_MAX] = {0};
        for (int32_t i = 0; i < n; i++) { narrow[i] = (int8_t)last[i]; }
        gw_softmax_int8(narrow, n, network->exponentials, narrow);
        for (int32_t i = 0; i < n; i++) { finished[i] = narrow[i]; }
    }
}

void gw_network_outputs_copy(const gw_network *network, int16_t *output) {
    const int32_t n = gw_network_outputs(network);
    for (int32_t i = 0; i < n; i++) { output[i] = (int16_t)gw_get(network->last.type, network->last_values, i); }
}
