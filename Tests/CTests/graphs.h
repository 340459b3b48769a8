// Random graphs of every operation of CNetwork, and every tensor of their inferences.
#ifndef GRAPHS_H
#define GRAPHS_H

#include "check.h"
#include "cnetwork.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LAYERS = 9, MOST_ELEMENTS = 2048, POOL = 1 << 19, TREES = 3, NODES = 7, VECTORS = 5, SUMS = 12 };

#define ONE(number, operator) +1
enum { OPERATIONS = 0 GW_OPERATIONS(ONE) };

// What the layers of one graph point to.
static int16_t numbers[POOL];
static int64_t biases[POOL / 16];
static gw_multiplier multipliers[POOL / 16];
static int32_t gathered[(MOST_LAYERS + 1) * MOST_ELEMENTS];
static gw_tree_node nodes[MOST_LAYERS + 1][TREES * NODES];
static int32_t vectors[MOST_LAYERS + 1][VECTORS * MOST_ELEMENTS], coefficients[MOST_LAYERS + 1][SUMS * VECTORS];
static int64_t added[MOST_LAYERS + 1][VECTORS];
static const int32_t roots[TREES] = {0, NODES, 2 * NODES};
// Graphs over windows that move on: padding in place of anything, constants that repeat, a longer input of one or several columns.
static bool is_moving;
static int32_t used_numbers, used_rows, used_places, counted[OPERATIONS];

typedef struct graph {
    gw_layer layers[MOST_LAYERS + 1];
    gw_network_spec spec;
} graph;

static int32_t at_random(int32_t count) { return random_between(0, count - 1); }
static int32_t least_of(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t elements(const gw_tensor *t) { return t->height * t->width * t->channels; }
static int32_t zero_of(gw_type type) {
    if (type == GW_INT16) { return 0; }
    return at_random(4) ? random_between(-128, 127) : at_random(2) ? 127 : -128;
}
static int32_t least_value(gw_type type) { return type == GW_INT8 ? INT8_MIN : INT16_MIN; }
static int32_t most_value(gw_type type) { return type == GW_INT8 ? INT8_MAX : INT16_MAX; }

static gw_multiplier factor(int32_t low, int32_t high) {
    return (gw_multiplier){at_random(30) == 0 ? 0 : (int32_t)((1u << 30) + random_bits() % (1u << 30)), random_between(low, high)};
}

static const gw_tensor *tensor_at(const graph *g, int32_t index) { return index == 0 ? &g->spec.input : &g->layers[index - 1].output; }

static const void *random_numbers(gw_type type, int32_t count) {
    void *made = numbers + used_numbers;
    used_numbers += count;
    for (int32_t i = 0; i < count; i++) {
        if (type == GW_INT8) {
            ((int8_t *)made)[i] = (int8_t)random_between(-127, 127);
        } else {
            ((int16_t *)made)[i] = (int16_t)random_between(-32767, 32767);
        }
    }
    return made;
}

static const void *random_signs(int32_t count) {
    int16_t *made = numbers + used_numbers;
    used_numbers += count;
    for (int32_t i = 0; i < count; i++) { ((int8_t *)made)[i] = (int8_t)random_between(-1, 1); }
    return made;
}

static gw_weights random_weights(gw_type input, bool may_be_wide, int32_t inputs, int32_t outputs, int32_t low, int32_t high) {
    const gw_type type = input == GW_INT16 && may_be_wide && at_random(2) ? GW_INT16 : GW_INT8;
    gw_weights w = {.type = type,
        .inputs = inputs,
        .outputs = outputs,
        .bias = biases + used_rows,
        .multipliers = multipliers + used_rows,
        .rounding = (gw_rounding)at_random(input == GW_INT8 ? 2 : 3)};
    for (int32_t o = 0; o < outputs; o++) {
        biases[used_rows] = random_between(-20000, 20000);
        multipliers[used_rows++] = factor(low, high);
    }
    w.values = random_numbers(type, inputs * outputs);
    return w;
}

// One extent of a window that fits an input, and how many positions it has.
static int32_t random_window(int32_t extent, int32_t *size, int32_t *stride, int32_t *dilation, int32_t *before) {
    if (is_moving && at_random(2)) { // as many positions as before
        *size = extent > 1 ? 3 : 1, *before = *size / 2, *stride = *dilation = 1;
        return extent;
    }
    *size = random_between(1, least_of(extent + 2, 6)), *stride = random_between(1, is_moving ? 2 : 3), *dilation = random_between(1, 2);
    *before = at_random((*size - 1) * *dilation + 1);
    return random_between(1, (extent - 1 + *before) / *stride + 1);
}

static void slide(gw_layer *layer, const gw_tensor *input) {
    gw_sliding *w = &layer->window;
    layer->output = *input;
    layer->output.height = random_window(input->height, &w->height, &w->stride_height, &w->dilation_height, &w->top);
    layer->output.width = random_window(input->width, &w->width, &w->stride_width, &w->dilation_width, &w->left);
}

static void recur(gw_layer *layer, const gw_tensor *input, int32_t gates) {
    const int32_t units = random_between(1, 24);
    layer->output.channels = units;
    layer->weights = random_weights(input->type, true, input->channels, gates * units, -12, 1);
    layer->recurrent = random_weights(input->type, true, units, gates * units, -12, 1);
    layer->scales[0] = factor(-24, -14), layer->reset_after = layer->operation == GW_GRU && at_random(2);
    if (layer->operation == GW_LSTM) {
        layer->cell_fraction = random_between(8, 15), layer->cell_clip = at_random(2) * random_between(1, INT16_MAX);
    }
}

// Padding before and behind time; or the channels in another order.
static void pad(gw_layer *layer, const gw_tensor *input) {
    const bool pads = at_random(2), is_along_width = input->height == 1;
    const int32_t row = is_along_width ? input->channels : input->width * input->channels;
    const int32_t before = pads ? at_random(4) : 0, behind = pads ? at_random(4) : 0;
    *(is_along_width ? &layer->output.width : &layer->output.height) += before + behind;
    int32_t *places = gathered + used_places;
    used_places += elements(&layer->output);
    for (int32_t i = 0; i < elements(&layer->output); i++) {
        const int32_t from = i - before * row, channel = i % input->channels;
        const int32_t other = pads ? from : from - channel + input->channels - 1 - channel;
        places[i] = from < 0 || from >= elements(input) ? -1 : other;
    }
    layer->table = places;
}

// The numbers of one position, over and over.
static const void *repeated_numbers(const gw_tensor *tensor) {
    int16_t *made = numbers + used_numbers;
    const int32_t count = elements(tensor);
    (void)random_numbers(tensor->type, count);
    int8_t *narrow = (int8_t *)made;
    for (int32_t i = tensor->channels; i < count; i++) {
        if (tensor->type == GW_INT8) {
            narrow[i] = narrow[i - tensor->channels];
        } else {
            made[i] = made[i - tensor->channels];
        }
    }
    return made;
}

// Another shape, out of elements anywhere in the input.
static void gather(gw_layer *layer, const gw_tensor *input) {
    layer->output.height = random_between(1, 4), layer->output.width = random_between(1, 16);
    layer->output.channels = random_between(1, 12);
    int32_t *places = gathered + used_places;
    used_places += elements(&layer->output);
    // One by one, or in stretches as slices and paddings have them.
    const int32_t longest = at_random(2) ? 1 : 24, count = elements(&layer->output);
    for (int32_t i = 0, left = 0; i < count; i++, left--) {
        if (left == 0) {
            left = random_between(1, longest);
            places[i] = at_random(elements(input) + 1) - 1;
        } else {
            places[i] = places[i - 1] < 0 ? -1 : places[i - 1] + 1 < elements(input) ? places[i - 1] + 1 : 0;
        }
    }
    layer->table = places;
}

// Trees of two levels.
static void plant(gw_layer *layer, const gw_tensor *input, int32_t place) {
    layer->output = (gw_tensor){input->type, 1, 1, random_between(1, 12), zero_of(input->type)};
    for (int32_t n = 0; n < TREES * NODES; n++) {
        const int32_t in_tree = n % NODES;
        const bool asks = in_tree < 3;
        nodes[place][n] = (gw_tree_node){.feature = (int16_t)(asks ? at_random(least_of(elements(input), INT16_MAX)) : -1),
            .threshold = (int16_t)random_between(least_value(input->type), most_value(input->type)),
            .child = asks ? n - in_tree + 2 * in_tree + 1 : at_random(5)};
    }
    layer->forest = (gw_forest){TREES, TREES * NODES, 5, roots, nodes[place], random_numbers(GW_INT16, 5 * layer->output.channels)};
    layer->scales[0] = input->type == GW_INT8 ? factor(-10, -7) : factor(-2, 0);
}

// Vectors near numbers of the input, and far from any.
static void support(gw_layer *layer, const gw_tensor *input, int32_t place) {
    const int32_t inputs = elements(input), reach = at_random(2) ? most_value(input->type) << 15 : INT32_MAX;
    layer->output = (gw_tensor){input->type, 1, 1, random_between(1, SUMS), zero_of(input->type)};
    for (int32_t i = 0; i < VECTORS * inputs; i++) { vectors[place][i] = random_between(-reach, reach); }
    for (int32_t v = 0; v < VECTORS; v++) { added[place][v] = (int64_t)random_between(0, INT32_MAX) << random_between(0, 29); }
    for (int32_t i = 0; i < layer->output.channels * VECTORS; i++) {
        coefficients[place][i] = random_between(-(INT32_MAX / 2), INT32_MAX / 2);
    }
    layer->support = (gw_support_vectors){.inputs = inputs,
        .count = VECTORS,
        .outputs = layer->output.channels,
        .degree = random_between(-1, GW_DEGREE_MAX),
        .fraction = at_random(16),
        .vectors = vectors[place],
        .added = added[place],
        .argument = factor(-31, 2),
        .coefficients = coefficients[place],
        .bias = biases + used_rows,
        .multipliers = multipliers + used_rows};
    for (int32_t o = 0; o < layer->output.channels; o++) {
        biases[used_rows] = random_between(-(1 << 30), 1 << 30) * (INT64_C(1) << random_between(0, 30));
        multipliers[used_rows++] = factor(-31, -20);
    }
}

// Sources of one shape and type; the same one twice where there is no other.
static int32_t alike(const graph *g, int32_t index, int32_t count) {
    const gw_tensor *wanted = tensor_at(g, index);
    for (int32_t tries = 0; tries < 8; tries++) {
        const int32_t other = at_random(count);
        const gw_tensor *t = tensor_at(g, other);
        const bool same_shape = t->height == wanted->height && t->width == wanted->width && t->channels == wanted->channels;
        if (t->type == wanted->type && same_shape) { return other; }
    }
    return index;
}

static void join(graph *g, gw_layer *layer, const gw_tensor *input, int32_t place) {
    layer->source_count = random_between(1, GW_SOURCES_MAX);
    layer->axis = at_random(3);
    for (int32_t s = 1; s < layer->source_count; s++) {
        const int32_t other = alike(g, layer->sources[0], place + 1);
        layer->sources[s] = tensor_at(g, other)->zero_point == input->zero_point ? other : layer->sources[0];
    }
    int32_t *extent = layer->axis == 0 ? &layer->output.height : layer->axis == 1 ? &layer->output.width : &layer->output.channels;
    *extent *= layer->source_count;
}

// A constant of a moving graph is added to what it is like.
static bool follows_constant(const graph *g, int32_t place) {
    return is_moving && place > 0 && g->layers[place - 1].operation == GW_CONSTANT;
}

// Layer number `place`, which reads tensors up to number `place`.
static void add_layer(graph *g, int32_t place, gw_operation operation) {
    gw_layer *layer = &g->layers[place];
    *layer =
        (gw_layer){.operation = operation, .source_count = 1, .sources = {random_between(at_random(is_moving ? 6 : 2) ? place : 0, place)}};
    if (follows_constant(g, place)) { layer->sources[0] = place; }
    const gw_tensor *input = tensor_at(g, layer->sources[0]);
    layer->output = *input;
    const bool pools = operation == GW_AVERAGE_POOL || operation == GW_MAX_POOL;
    const bool moves = operation == GW_CONCATENATE || operation == GW_SLICE || operation == GW_GATHER || operation == GW_MAXIMUM ||
                       operation == GW_MINIMUM;
    if (!pools && !moves && operation != GW_FOREST && operation != GW_SUPPORT_VECTORS) { layer->output.zero_point = zero_of(input->type); }
    const int32_t zero = layer->output.zero_point;
    switch (operation) {
    case GW_DENSE: {
        const bool whole = at_random(2) && !is_moving;
        const int32_t outputs = random_between(1, 48), inputs = whole ? elements(input) : input->channels;
        if (whole) { layer->output.height = layer->output.width = 1; }
        layer->output.channels = outputs;
        layer->weights = random_weights(input->type, true, inputs, outputs, -14, -5);
        break;
    }
    case GW_CONVOLUTION:
        slide(layer, input);
        layer->output.zero_point = zero, layer->output.channels = random_between(1, 40);
        layer->weights = random_weights(
            input->type, true, layer->window.height * layer->window.width * input->channels, layer->output.channels, -14, -5);
        break;
    case GW_DEPTHWISE:
        slide(layer, input);
        layer->output.zero_point = zero, layer->output.channels *= random_between(1, 3);
        layer->weights = random_weights(input->type, true, layer->window.height * layer->window.width, layer->output.channels, -12, -4);
        break;
    case GW_LSTM: recur(layer, input, 4); break;
    case GW_GRU: recur(layer, input, 3); break;
    case GW_AVERAGE_POOL:
    case GW_MAX_POOL: slide(layer, input); break;
    case GW_MEAN: layer->output.height = layer->output.width = 1, layer->scales[0] = factor(-3, 3); break;
    case GW_ADD:
    case GW_SUBTRACT:
        layer->source_count = 2, layer->sources[1] = alike(g, layer->sources[0], place + 1);
        if (follows_constant(g, place)) { layer->sources[1] = g->layers[place - 1].sources[0]; }
        layer->scales[0] = factor(-3, 1), layer->scales[1] = factor(-3, 1), layer->scales[2] = factor(-22, -12);
        break;
    case GW_CONCATENATE: join(g, layer, input, place); break;
    case GW_SLICE: {
        const int32_t positions = input->height * input->width, kept = random_between(1, positions);
        layer->output.height = 1, layer->output.width = kept, layer->first = at_random(positions - kept + 1);
        break;
    }
    case GW_LOOKUP: layer->table = random_numbers(input->type, input->type == GW_INT8 ? GW_TABLE_NARROW : GW_TABLE_WIDE); break;
    case GW_SIGMOID:
    case GW_TANH: layer->factor = at_random(INT16_MAX + 1), layer->shift = random_between(4, 20); break;
    case GW_GATHER: is_moving &&at_random(3) ? pad(layer, input) : gather(layer, input); break;
    case GW_CONSTANT:
        layer->table = is_moving && at_random(2) ? repeated_numbers(input) : random_numbers(input->type, elements(input));
        break;
    case GW_MULTIPLY:
    case GW_MULTIPLY_ONCE:
        layer->source_count = 2, layer->sources[1] = alike(g, layer->sources[0], place + 1);
        layer->scales[0] = input->type == GW_INT8 ? factor(-10, -3) : factor(-18, -12);
        break;
    case GW_DIVIDE:
        layer->source_count = 2, layer->sources[1] = alike(g, layer->sources[0], place + 1);
        layer->scales[0] = factor(0, 8);
        break;
    case GW_MAXIMUM:
    case GW_MINIMUM: {
        const int32_t other = alike(g, layer->sources[0], place + 1);
        layer->source_count = 2;
        layer->sources[1] = tensor_at(g, other)->zero_point == input->zero_point ? other : layer->sources[0];
        break;
    }
    case GW_MATRIX_PRODUCT_ONCE: // of int8 alone
        if (input->type == GW_INT16) { layer->operation = GW_MATRIX_PRODUCT; }
        __attribute__((fallthrough));
    case GW_MATRIX_PRODUCT: // a tensor with itself always fits
        layer->source_count = 2, layer->sources[1] = alike(g, layer->sources[0], place + 1);
        layer->output.channels = input->width;
        layer->scales[0] = input->type == GW_INT8 ? factor(-12, -4) : factor(-20, -12);
        if (at_random(4) == 0) { layer->scales[0].shift = random_between(-31, 3); }
        break;
    case GW_SCALED_SOFTMAX:
        if (input->type == GW_INT8) {
            layer->scales[0] = (gw_multiplier){(1 << 30) + at_random(1 << 30), random_between(-8, 0)};
            layer->scales[1] = (gw_multiplier){(1 << 30) + at_random(1 << 30), random_between(-4, at_random(2) ? 2 : GW_SOFTMAX_FINEST)};
            break;
        }
        layer->operation = GW_SOFTMAX_ROWS; // int16 has one scale
        __attribute__((fallthrough));
    case GW_SOFTMAX_ROWS:
        layer->output.zero_point = input->type == GW_INT8 ? INT8_MIN : 0;
        layer->scales[0] =
            (gw_multiplier){(1 << 30) + at_random(1 << 30), input->type == GW_INT8 ? random_between(-8, 0) : random_between(-6, 2)};
        break;
    case GW_SCALED_NORMALISATION:
        if (input->type == GW_INT8) {
            layer->scales[0] = (gw_multiplier){1 << 30, random_between(0, 23)}, layer->scales[1] = factor(-31, 10);
            layer->weights = random_weights(GW_INT8, false, 1, input->channels, -24, -12);
            layer->weights.rounding = GW_ROUND_ONCE, layer->weights.values = random_signs(input->channels);
            break;
        }
        layer->operation = GW_NORMALISE; // int16 has a layer for the scale
        __attribute__((fallthrough));
    case GW_NORMALISE:
    case GW_ROOT_MEAN_SQUARE:
        layer->scales[0] = (gw_multiplier){(1 << 30) + at_random(1 << 30), random_between(0, 13)}, layer->scales[1] = factor(-31, 10);
        break;
    case GW_FOREST: plant(layer, input, place); break;
    case GW_SUPPORT_VECTORS: support(layer, input, place); break;
    case GW_RESCALE:
        layer->output.type = (gw_type)at_random(2), layer->output.zero_point = zero_of(layer->output.type);
        layer->scales[0] = layer->output.type == input->type ? factor(-2, 2) : input->type == GW_INT8 ? factor(0, 8) : factor(-8, 0);
        if (layer->output.type == input->type && at_random(3) == 0) { // another shape and nothing else
            layer->output.zero_point = input->zero_point;
            layer->scales[0] = (gw_multiplier){1 << 30, 1};
        }
        break;
    }
    const int32_t least = least_value(layer->output.type), most = most_value(layer->output.type);
    layer->low = at_random(3) ? least : random_between(least, most / 2);
    layer->high = at_random(3) ? most : random_between(layer->low, most);
}

// Mostly one whose output moves on as its sources do.
static gw_operation moving_operation(void) {
    static const gw_operation moving[] = {GW_DENSE, GW_ADD, GW_SUBTRACT, GW_MULTIPLY, GW_MINIMUM, GW_CONCATENATE, GW_CONCATENATE, GW_SLICE,
        GW_SLICE, GW_LOOKUP, GW_GATHER, GW_GATHER, GW_CONSTANT, GW_RESCALE, GW_SOFTMAX_ROWS};
    static const gw_operation sliding[] = {GW_CONVOLUTION, GW_DEPTHWISE, GW_AVERAGE_POOL, GW_MAX_POOL};
    if (at_random(8) == 0) { return (gw_operation)at_random(OPERATIONS); }
    return at_random(3) ? moving[at_random(sizeof moving / sizeof moving[0])] : sliding[at_random(4)];
}

static bool has_room(const graph *g, int32_t place) {
    const int32_t size = elements(&g->layers[place].output);
    return size <= MOST_ELEMENTS && used_numbers < POOL / 4 && used_rows < POOL / 64;
}

static void make_graph(graph *g) {
    used_numbers = used_rows = used_places = 0;
    const gw_type type = at_random(3) ? GW_INT8 : GW_INT16;
    gw_tensor input = {type, random_between(1, at_random(2) ? 1 : 8), random_between(1, 24), random_between(1, 10), zero_of(type)};
    if (is_moving) {
        const bool is_along_width = at_random(2);
        input.height = is_along_width ? 1 : random_between(12, 64);
        input.width = is_along_width ? random_between(12, 64) : random_between(1, 3);
        input.channels = random_between(1, 6);
    }
    g->spec = (gw_network_spec){.input = input,
        .layers = g->layers,
        .input_multiplier = factor(-9, 0),
        .output = GW_LOGITS,
        .output_scale = {1 << 30, -3},
        .is_stateless = at_random(2)};
    int32_t place = 0;
    const int32_t wanted = random_between(1, MOST_LAYERS);
    while (place < wanted) {
        const gw_operation any = is_moving ? moving_operation() : (gw_operation)at_random(OPERATIONS);
        const gw_operation operation = follows_constant(g, place) ? GW_ADD : any;
        if ((operation == GW_SIGMOID || operation == GW_TANH) && tensor_at(g, place)->type != GW_INT16) { continue; }
        add_layer(g, place, operation);
        if ((operation == GW_SIGMOID || operation == GW_TANH) && g->layers[place].output.type != GW_INT16) { continue; }
        if (!has_room(g, place)) { break; }
        counted[operation]++;
        place++;
    }
    // A last layer that a network may have.
    const gw_tensor *last = tensor_at(g, place);
    g->layers[place] = (gw_layer){.operation = GW_DENSE,
        .source_count = 1,
        .sources = {place},
        .output = {last->type, 1, 1, random_between(1, 12), zero_of(last->type)},
        .low = least_value(last->type),
        .high = most_value(last->type)};
    g->layers[place].weights = random_weights(last->type, true, elements(last), g->layers[place].output.channels, -14, -7);
    g->spec.layer_count = place + 1;
}

// Every tensor of one inference, one after the other.
typedef struct seen {
    int16_t values[(MOST_LAYERS + 2) * MOST_ELEMENTS];
    int32_t count, ends[MOST_LAYERS + 2];
} seen;

static void note(void *context, int32_t tensor, gw_type type, const void *values, int32_t count) {
    seen *s = context;
    for (int32_t i = 0; i < count; i++) {
        s->values[s->count++] = type == GW_INT8 ? ((const int8_t *)values)[i] : ((const int16_t *)values)[i];
    }
    s->ends[tensor] = s->count;
}

static gw_network *placed(const graph *g, const gw_kernel *kernel, void **memory) {
    gw_memory sizes = {0};
    gw_network *network = 0;
    if (gw_network_memory(&g->spec, kernel, &sizes) != GW_OK) { return 0; }
    *memory = aligned_alloc(64, (sizes.total + 63) / 64 * 64);
    memset(*memory, 0xa5, sizes.total);
    return gw_network_init(*memory, sizes.total, &g->spec, kernel, &network) == GW_OK ? network : 0;
}

// The first tensor that differs; -1 if none does.
static int32_t first_difference(const graph *g, const seen *expected, const seen *got) {
    int32_t wrong = -1;
    for (int32_t t = g->spec.layer_count; t >= 0; t--) {
        const int32_t first = t == 0 ? 0 : got->ends[t - 1];
        if (memcmp(got->values + first, expected->values + first, (size_t)(got->ends[t] - first) * 2) != 0) { wrong = t; }
    }
    return got->count == expected->count ? wrong : g->spec.layer_count;
}

#endif
