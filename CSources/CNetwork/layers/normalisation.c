#include "blocks.h"
#include <string.h>

// (x - mean) / sqrt(variance + epsilon) over the n channels of each position. With their sum S and the sum of their squares Q that is
// (n x - S) / sqrt(n Q - S^2 + n^2 epsilon): in integers, and exact but for the root. With a mean of zero in the place of theirs it is
// x / sqrt(mean of the squares + epsilon).

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && sources->type == layer->output.type && gw_same_shape(sources, &layer->output) &&
           gw_multiplier_valid(layer->scales[0]) && layer->scales[0].multiplier != 0 && layer->scales[0].shift >= 0 &&
           gw_multiplier_valid(layer->scales[1]);
}

// By how much a number below 2^61 can be moved to the left; a power of two is as well in `exponent`.
static int32_t room(uint64_t value, int32_t exponent) { return value == 0 ? 60 : __builtin_clzll(value) - 3 - exponent; }

static uint64_t moved(uint64_t value, int32_t left) {
    if (value == 0 || left < -62) { return 0; }
    return left >= 0 ? value << left : (uint64_t)gw_round_shift((int64_t)value, -left);
}

// factor / sqrt(n^2 variance + n^2 epsilon), to 30 bits; n^2 variance is not zero.
static gw_multiplier over_deviation(gw_multiplier factor, uint64_t variance, int32_t n, gw_multiplier epsilon) {
    const uint64_t added = (uint64_t)((int64_t)n * n * epsilon.multiplier); // below 2^55, times 2^exponent
    const int32_t exponent = epsilon.shift - 15, first = room(variance, 0), second = room(added, exponent);
    // Both as far to the left as they have room for, by an even number of bits: half of it is the root's.
    const int32_t half = (first < second ? first : second) >> 1;
    const uint64_t value = moved(variance, 2 * half) + moved(added, exponent + 2 * half);
    const uint64_t root = gw_square_root(value);                          // 2^29 ... 2^31
    const uint64_t inverse = ((UINT64_C(1) << 62) + root / 2) / root;     // 2^62 / root: 2^31 ... 2^33
    const uint64_t product = (inverse / 2) * (uint32_t)factor.multiplier; // 2^60 ... 2^63
    const int32_t right = 33 - __builtin_clzll(product), shift = factor.shift + half + right - 61;
    if (shift < -31) { return (gw_multiplier){0, 0}; } // no number is large enough
    const int32_t multiplier = gw_saturate32((int64_t)((product + (UINT64_C(1) << (right - 1))) >> right));
    return (gw_multiplier){multiplier, shift > 30 ? 30 : shift};
}

typedef struct gw_sums {
    int64_t values, squares; // at most 2^27, 2^42
} gw_sums;

static gw_sums sums_of(const gw_tensor *input, const void *source, int32_t first, int32_t n) {
    gw_sums sums = {0, 0};
    for (int32_t i = 0; i < n; i += GW_BLOCK) {
        int32_t values[GW_BLOCK];
        const int32_t some = n - i < GW_BLOCK ? n - i : GW_BLOCK;
        gw_widen(input, source, first + i, some, values);
        for (int32_t c = 0; c < some; c++) {
            sums.values += values[c];
            sums.squares += (int64_t)values[c] * values[c];
        }
    }
    return sums;
}

// What the numbers of a position have in common: n times their mean, and 1 / n of the factor over their deviation.
typedef struct shared {
    int32_t sum;
    gw_multiplier factor;
} shared;

static shared shared_of(const gw_step *step, int32_t first) {
    const gw_layer *layer = &step->layer;
    const int32_t n = step->inputs[0].channels;
    gw_sums sums = sums_of(&step->inputs[0], step->sources[0], first, n);
    if (layer->operation == GW_ROOT_MEAN_SQUARE) { sums.values = 0; }
    const uint64_t variance = (uint64_t)(n * sums.squares - sums.values * sums.values);
    const gw_multiplier none = {0, 0};
    return (shared){(int32_t)sums.values, variance > 0 ? over_deviation(layer->scales[0], variance, n, layer->scales[1]) : none};
}

// Some of them, from element `first` on.
static void normalise(const gw_step *step, shared all, int32_t first, int32_t some, int32_t *values) {
    const int32_t n = step->inputs[0].channels;
    gw_widen(&step->inputs[0], step->sources[0], first, some, values);
    for (int32_t c = 0; c < some; c++) { values[c] = n * values[c] - all.sum; } // within 2^28
    step->kernel->twice(values, some, all.factor);
}

static void run(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const int32_t n = step->inputs[0].channels, count = gw_elements(&step->inputs[0]);
    for (int32_t first = 0; first < count; first += n) {
        const shared all = shared_of(step, first);
        for (int32_t i = 0; i < n; i += GW_BLOCK) {
            int32_t values[GW_BLOCK];
            const int32_t some = n - i < GW_BLOCK ? n - i : GW_BLOCK;
            normalise(step, all, first + i, some, values);
            gw_narrow(layer, layer->output.zero_point, values, first + i, some, step->output);
        }
    }
}

enum { FINEST = 23, LARGEST_BIAS = 1 << 30 }; // sums are below 2^29 + 2^30: the numbers are within +-64, the root of GW_EXTENT_MAX

static bool scaled_valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_weights *weights = &layer->weights;
    if (!valid(layer, sources) || layer->output.type != GW_INT8 || layer->scales[0].shift > FINEST) { return false; }
    if (!gw_weights_valid(weights, GW_INT8) || weights->rounding != GW_ROUND_ONCE) { return false; }
    if (weights->inputs != 1 || weights->outputs != layer->output.channels) { return false; }
    const int8_t *values = weights->values;
    for (int32_t c = 0; c < weights->outputs; c++) {
        if (values[c] < -1 || values[c] > 1 || weights->bias[c] > LARGEST_BIAS || weights->bias[c] < -LARGEST_BIAS) { return false; }
    }
    return true;
}

// The numbers of one position as sums of a product, whose requantisation makes the output of them.
static void place_scaled(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_weights *weights = &layer->weights;
    const gw_kernel *kernel = builder->kernel;
    const int32_t n = weights->outputs, blocks = gw_pieces(n, kernel->rows), padded = blocks * kernel->rows;
    const size_t bytes = (size_t)padded * sizeof(int32_t);
    int8_t *values = gw_take_copy(&builder->weights, weights->values, (size_t)n);
    int32_t *bias = gw_take(&builder->weights, bytes);
    step->sums = gw_take(&builder->work, bytes);
    step->product = (gw_product){.input_type = GW_INT8, .rounding = GW_ROUND_ONCE, .kernel = kernel};
    step->product.packed = (gw_packed){.inputs = 1,
        .outputs = n,
        .blocks = blocks,
        .padded = padded,
        .output_zero_point = layer->output.zero_point,
        .low = layer->low,
        .high = layer->high,
        .weights = values,
        .bias = bias};
    gw_packed_place_factors(&step->product.packed, weights, padded, &builder->weights);
    for (int32_t c = 0; c < n && builder->weights.memory; c++) { bias[c] = (int32_t)weights->bias[c]; }
}

static void run_scaled(gw_step *step) {
    const gw_packed *packed = &step->product.packed;
    const int32_t n = packed->outputs, count = gw_elements(&step->inputs[0]);
    int32_t *sums = step->sums;
    memset(sums + n, 0, (size_t)(packed->padded - n) * sizeof *sums);
    for (int32_t first = 0; first < count; first += n) {
        const shared all = shared_of(step, first);
        normalise(step, all, first, n, sums);
        for (int32_t c = 0; c < n; c++) { sums[c] = sums[c] * packed->weights[c] + packed->bias[c]; }
        gw_product_requantise_rows(&step->product, sums, 1, (int8_t *)step->output + first);
    }
}

const gw_operator gw_operator_normalisation = {.valid = valid, .run = run, .overlap = gw_overlap_positions};
const gw_operator gw_operator_scaled_normalisation = {
    .valid = scaled_valid, .place = place_scaled, .run = run_scaled, .overlap = gw_overlap_positions};
const gw_operator gw_operator_root_mean_square = {.valid = valid, .run = run, .overlap = gw_overlap_positions};
