#include "kernel.h"
#include <string.h>

enum { ALIGNMENT = 64 };

struct gw_network {
    const gw_kernel *kernel;
    int32_t layer_count;
    gw_output output;
    gw_multiplier input_multiplier;
    int32_t *exponentials; // of soft-max
    int8_t *even, *odd; // layers read one and write the other
    int32_t *sums;
    bool backwards;     // alternates from one inference to the next
    gw_packed layers[GW_LAYERS_MAX];
};

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static int32_t parts(int32_t count, int32_t size) { return (count + size - 1) / size; }

// Hands out the caller's memory piece by piece; with no memory it only counts.
typedef struct arena {
    uint8_t *memory;
    size_t used;
} arena;

static void *take(arena *a, size_t bytes) {
    void *piece = a->memory ? a->memory + a->used : 0;
    a->used += aligned(bytes);
    return piece;
}

static bool counts_fit(const gw_network_spec *spec) {
    if (spec->layer_count < 1 || spec->layer_count > GW_LAYERS_MAX) { return false; }
    for (int32_t i = 0; i < spec->layer_count; i++) {
        const gw_dense *layer = &spec->layers[i];
        if (layer->inputs < 1 || layer->inputs > GW_UNITS_MAX || layer->outputs < 1 || layer->outputs > GW_UNITS_MAX) { return false; }
        if (i > 0 && layer->inputs != spec->layers[i - 1].outputs) { return false; }
    }
    return spec->layers[spec->layer_count - 1].outputs <= GW_CLASSES_MAX;
}

static bool is_int8(int32_t value) { return value >= INT8_MIN && value <= INT8_MAX; }

static bool layer_valid(const gw_dense *layer) {
    if (!is_int8(layer->input_zero_point) || !is_int8(layer->output_zero_point)) { return false; }
    if (!gw_multiplier_valid(layer->output_scale) || layer->output_scale.multiplier == 0) { return false; }
    if (layer->activation != GW_LINEAR && layer->activation != GW_RELU && layer->activation != GW_SIGMOID) { return false; }
    for (int32_t o = 0; o < layer->outputs; o++) {
        if (!gw_multiplier_valid(layer->multipliers[o])) { return false; }
    }
    for (int64_t i = 0; i < (int64_t)layer->inputs * layer->outputs; i++) {
        if (layer->weights[i] == INT8_MIN) { return false; } // the NEON kernel's int16 sums rely on it
    }
    return true;
}

// What a layer's successor sees as its input's zero point.
static int32_t visible_zero_point(const gw_dense *layer) {
    return layer->activation == GW_SIGMOID ? INT8_MIN : layer->output_zero_point;
}

static bool spec_valid(const gw_network_spec *spec) {
    for (int32_t i = 0; i < spec->layer_count; i++) {
        if (!layer_valid(&spec->layers[i])) { return false; }
        if (i > 0 && spec->layers[i].input_zero_point != visible_zero_point(&spec->layers[i - 1])) { return false; }
    }
    const gw_dense *last = &spec->layers[spec->layer_count - 1];
    bool softmax = spec->output == GW_SOFTMAX && last->activation != GW_SIGMOID && last->output_scale.shift >= -26;
    bool independent = spec->output == GW_INDEPENDENT && last->activation == GW_SIGMOID;
    return gw_multiplier_valid(spec->input_multiplier) && (softmax || independent);
}

static void pack_weights(const gw_dense *layer, const gw_kernel *kernel, const gw_packed *packed, int8_t *weights) {
    for (int32_t o = 0; o < layer->outputs; o++) {
        for (int32_t i = 0; i < layer->inputs; i++) {
            int64_t block = o / kernel->rows, row = o % kernel->rows, group = i / kernel->group, place = i % kernel->group;
            int64_t first = block / kernel->batch * kernel->batch; // of the batch
            int64_t together = packed->blocks - first < kernel->batch ? packed->blocks - first : kernel->batch;
            int64_t line = first * packed->groups + group * together + (block - first); // blocks of one group before it
            int64_t at = (line * kernel->rows + row) * kernel->group + place;
            weights[at] = layer->weights[(int64_t)o * layer->inputs + i];
        }
    }
}

static int32_t folded_bias(const gw_dense *layer, const gw_kernel *kernel, int32_t o) {
    if (!kernel->folds) { return layer->bias[o]; }
    int32_t sum = 0; // at most 4096 * 127
    for (int32_t i = 0; i < layer->inputs; i++) { sum += layer->weights[(int64_t)o * layer->inputs + i]; }
    return (int32_t)((uint32_t)layer->bias[o] - (uint32_t)((layer->input_zero_point + kernel->input_offset) * sum));
}

// Places a layer; with no memory in the arena it only counts.
static void pack_layer(const gw_dense *layer, const gw_kernel *kernel, arena *a, gw_packed *packed) {
    packed->inputs = layer->inputs;
    packed->outputs = layer->outputs;
    packed->groups = parts(layer->inputs, kernel->group);
    packed->blocks = parts(layer->outputs, kernel->rows);
    size_t rows = (size_t)packed->blocks * (size_t)kernel->rows;
    size_t weight_bytes = rows * (size_t)packed->groups * (size_t)kernel->group;
    int8_t *weights = take(a, weight_bytes);
    int32_t *bias = take(a, rows * sizeof *bias), *multipliers = take(a, rows * sizeof *multipliers);
    int32_t *shifts = take(a, rows * sizeof *shifts);
    int8_t *table = layer->activation == GW_SIGMOID ? take(a, 256) : 0;
    if (!a->memory) { return; }

    memset(weights, 0, weight_bytes);
    memset(bias, 0, rows * sizeof *bias);
    memset(multipliers, 0, rows * sizeof *multipliers);
    memset(shifts, 0, rows * sizeof *shifts);
    pack_weights(layer, kernel, packed, weights);
    for (int32_t o = 0; o < layer->outputs; o++) {
        bias[o] = folded_bias(layer, kernel, o);
        multipliers[o] = layer->multipliers[o].multiplier;
        shifts[o] = layer->multipliers[o].shift;
    }
    if (table) { gw_sigmoid_table(layer->output_scale, layer->output_zero_point, table); }
    packed->weights = weights;
    packed->bias = bias;
    packed->multipliers = multipliers;
    packed->shifts = shifts;
    packed->table = table;
    packed->input_zero_point = layer->input_zero_point;
    packed->output_zero_point = layer->output_zero_point;
    packed->low = layer->activation == GW_RELU ? layer->output_zero_point : INT8_MIN;
    packed->high = INT8_MAX;
}

static void place(const gw_network_spec *spec, const gw_kernel *kernel, arena *a, gw_network *network) {
    size_t widest = 0;
    gw_packed counted;
    for (int32_t i = 0; i < spec->layer_count; i++) {
        const gw_dense *layer = &spec->layers[i];
        pack_layer(layer, kernel, a, network ? &network->layers[i] : &counted);
        size_t wider = (size_t)(layer->inputs > layer->outputs ? layer->inputs : layer->outputs);
        widest = wider > widest ? wider : widest;
    }
    widest = aligned(widest);
    int8_t *even = take(a, widest), *odd = take(a, widest);
    int32_t *sums = take(a, widest * sizeof *sums);
    int32_t *exponentials = spec->output == GW_SOFTMAX ? take(a, GW_SOFTMAX_ENTRIES * sizeof *exponentials) : 0;
    if (network) {
        network->even = even;
        network->odd = odd;
        network->sums = sums;
        network->exponentials = exponentials;
    }
}

size_t gw_network_size(const gw_network_spec *spec, const gw_kernel *kernel) {
    if (!counts_fit(spec)) { return 0; }
    arena counting = {0, aligned(sizeof(gw_network))};
    place(spec, kernel, &counting, 0);
    return counting.used;
}

gw_status gw_network_init(void *memory, size_t size, const gw_network_spec *spec, const gw_kernel *kernel, gw_network **out) {
    if (!counts_fit(spec) || !spec_valid(spec)) { return GW_EINVAL; }
    if (!memory || (uintptr_t)memory % ALIGNMENT != 0 || size < gw_network_size(spec, kernel)) { return GW_ENOMEM; }
    gw_network *network = memory;
    network->kernel = kernel;
    network->backwards = false;
    network->layer_count = spec->layer_count;
    network->output = spec->output;
    network->input_multiplier = spec->input_multiplier;
    arena a = {memory, aligned(sizeof(gw_network))};
    place(spec, kernel, &a, network);
    if (network->output == GW_SOFTMAX) { gw_softmax_table(spec->layers[spec->layer_count - 1].output_scale, network->exponentials); }
    *out = network;
    return GW_OK;
}

int32_t gw_network_inputs(const gw_network *network) { return network->layers[0].inputs; }

int32_t gw_network_outputs(const gw_network *network) { return network->layers[network->layer_count - 1].outputs; }

// Runs the layers over network->even; the result is where this points.
static const int8_t *run_layers(gw_network *network) {
    int8_t *input = network->even, *output = network->odd;
    network->backwards = !network->backwards;
    for (int32_t i = 0; i < network->layer_count; i++) {
        const gw_packed *layer = &network->layers[i];
        int32_t padded = layer->groups * network->kernel->group;
        memset(input + layer->inputs, 0, (size_t)(padded - layer->inputs));
        network->kernel->accumulate(layer, input, network->sums, network->backwards);
        network->kernel->requantise(layer, network->sums, output);
        if (layer->table) {
            for (int32_t o = 0; o < layer->outputs; o++) { output[o] = layer->table[output[o] + 128]; }
        }
        int8_t *free_again = input;
        input = output;
        output = free_again;
    }
    return input;
}

void gw_network_infer(gw_network *network, const int8_t *input, int8_t *output) {
    memcpy(network->even, input, (size_t)gw_network_inputs(network));
    memcpy(output, run_layers(network), (size_t)gw_network_outputs(network));
}

int32_t gw_network_classify(gw_network *network, const int16_t *input, int16_t *probabilities) {
    const gw_packed *first = &network->layers[0];
    network->kernel->quantise(input, first->inputs, network->input_multiplier, first->input_zero_point, network->even);
    const int8_t *logits = run_layers(network);
    int32_t n = gw_network_outputs(network), label = 0;
    for (int32_t i = 1; i < n; i++) { label = logits[i] > logits[label] ? i : label; }
    if (network->output == GW_SOFTMAX) {
        gw_softmax(logits, n, network->exponentials, probabilities);
    } else {
        for (int32_t i = 0; i < n; i++) { probabilities[i] = (int16_t)((logits[i] + 128) * 128); }
    }
    return label;
}

void gw_network_finish(const gw_network *network, const int8_t *logits, int8_t *probabilities) {
    if (network->output == GW_SOFTMAX) {
        gw_softmax_int8(logits, gw_network_outputs(network), network->exponentials, probabilities);
    } else {
        memmove(probabilities, logits, (size_t)gw_network_outputs(network));
    }
}

void gw_network_outputs_copy(const gw_network *network, int8_t *output) {
    // Layers alternate between both buffers, starting from `even`.
    const int8_t *last = network->layer_count % 2 == 0 ? network->even : network->odd;
    memcpy(output, last, (size_t)gw_network_outputs(network));
}
