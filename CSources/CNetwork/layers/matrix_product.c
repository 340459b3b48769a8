#include "step.h"
#include <string.h>

// Rows of the left matrix times rows of the right one. Of int8 the right one is packed as weights are, so that the kernels for these
// multiply it; its zero point, which weights have not, is taken off each row's sums behind that.

enum { FEWEST = 3 }; // rows that are worth packing a matrix for

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_tensor *output = &layer->output;
    if (layer->source_count != 2 || !gw_multiplier_valid(layer->scales[0])) { return false; }
    const gw_tensor *left = &sources[0], *right = &sources[1];
    return left->type == output->type && right->type == output->type && left->height == output->height && right->height == output->height &&
           left->width == output->width && right->width == output->channels && left->channels == right->channels;
}

static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    if (layer->output.type != GW_INT8) { return; }
    const gw_kernel *kernel = builder->kernel;
    const gw_multiplier m = layer->scales[0];
    const int32_t depth = step->inputs[0].channels, outputs = layer->output.channels;
    const int32_t groups = gw_pieces(depth, kernel->group), blocks = gw_pieces(outputs, kernel->rows), padded = blocks * kernel->rows;
    const size_t bytes = (size_t)padded * sizeof(int32_t);
    int32_t *multipliers = gw_take(&builder->weights, bytes), *shifts = gw_take(&builder->weights, bytes);
    // The packed matrix, its biases, and the sums of a tile of rows.
    step->row = gw_take(&builder->work, (size_t)padded * (size_t)groups * (size_t)kernel->group);
    step->recurrent_sums = gw_take(&builder->work, bytes);
    step->sums = gw_take(&builder->work, bytes * (size_t)kernel->tile);
    step->product = (gw_product){.input_type = GW_INT8, .rounding = GW_ROUND_TWICE, .kernel = kernel};
    step->product.packed = (gw_packed){.inputs = depth,
        .outputs = outputs,
        .groups = groups,
        .blocks = blocks,
        .padded = padded,
        .input_zero_point = step->inputs[0].zero_point,
        .output_zero_point = layer->output.zero_point,
        .low = layer->low,
        .high = layer->high,
        .only_right = m.shift <= 0,
        .always_shifts = m.shift < 0,
        .is_small = m.shift <= 0 && m.shift >= -20, // a sum of GW_EXTENT_MAX products is below 2^28
        .weights = step->row,
        .bias = step->recurrent_sums,
        .multipliers = multipliers,
        .shifts = shifts};
    if (!builder->weights.memory) { return; }
    for (int32_t o = 0; o < padded; o++) { multipliers[o] = m.multiplier, shifts[o] = m.shift; }
}

static int32_t sum_of(const int8_t *values, int32_t count) {
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) { sum += values[i]; }
    return sum;
}

// What lies behind the last input and output is zero for all matrices.
static void begin(gw_step *step) {
    const gw_packed *packed = &step->product.packed;
    memset(step->row, 0, (size_t)packed->padded * (size_t)packed->groups * (size_t)step->kernel->group);
    memset(step->recurrent_sums, 0, (size_t)packed->padded * sizeof(int32_t));
}

// The right matrix as weights; the left one's zero point goes into the bias where the kernel wants it there.
static void pack(gw_step *step, const int8_t *right) {
    const gw_kernel *kernel = step->kernel;
    const gw_packed *packed = &step->product.packed;
    int32_t *bias = step->recurrent_sums;
    gw_product_pack(right, kernel, packed, step->row);
    for (int32_t o = 0; kernel->folds && o < packed->outputs; o++) {
        bias[o] = -(packed->input_zero_point + kernel->input_offset) * sum_of(right + (ptrdiff_t)o * packed->inputs, packed->inputs);
    }
}

static void run_packed(gw_step *step, const int8_t *left, int8_t *output) {
    const gw_packed *packed = &step->product.packed;
    const int32_t rows = step->layer.output.width, depth = packed->inputs, tile = step->kernel->tile;
    int32_t *sums = step->sums;
    for (int32_t r = 0; r < rows; r += tile) {
        const int8_t *some[GW_TILE_MAX];
        const int32_t count = rows - r < tile ? rows - r : tile, point = step->inputs[1].zero_point;
        // Behind the left matrix lies at least this step's work: a kernel may read on to the end of a group.
        for (int32_t i = 0; i < count; i++) { some[i] = left + (ptrdiff_t)(r + i) * depth; }
        gw_product_accumulate_rows(&step->product, some, count, sums);
        for (int32_t i = 0; i < count && point != 0; i++) {
            const int32_t more = point * (sum_of(some[i], depth) - depth * packed->input_zero_point);
            for (int32_t o = 0; o < packed->padded; o++) { sums[i * packed->padded + o] -= more; }
        }
        gw_product_requantise_rows(&step->product, sums, count, output + (ptrdiff_t)r * packed->outputs);
    }
}

// One by one: of int16, of too few rows to pack a matrix for, and where a kernel cannot take the least number as a weight.
static void run_plainly(gw_step *step, int32_t matrix) {
    const gw_layer *layer = &step->layer;
    const gw_tensor *left = &step->inputs[0], *right = &step->inputs[1], *output = &layer->output;
    const int32_t depth = left->channels;
    int32_t at = matrix * output->width * output->channels;
    for (int32_t l = 0; l < output->width; l++) {
        for (int32_t r = 0; r < output->channels; r++, at++) {
            const ptrdiff_t a = (ptrdiff_t)(matrix * left->width + l) * depth, b = (ptrdiff_t)(matrix * right->width + r) * depth;
            int64_t value = 0; // of int16 at most 2^42
            if (output->type == GW_INT8) {
                const int8_t *x = (const int8_t *)step->sources[0] + a, *y = (const int8_t *)step->sources[1] + b;
                int32_t sum = 0; // at most GW_EXTENT_MAX products of 2^16
                for (int32_t c = 0; c < depth; c++) { sum += (x[c] - left->zero_point) * (y[c] - right->zero_point); }
                value = gw_requantise_twice(sum, layer->scales[0]);
            } else {
                const int16_t *x = (const int16_t *)step->sources[0] + a, *y = (const int16_t *)step->sources[1] + b;
                for (int32_t c = 0; c < depth; c++) { value += x[c] * y[c]; }
                value = gw_requantise_reduced(value, layer->scales[0]);
            }
            gw_put(output->type, step->output, at, gw_limit(layer, value + output->zero_point));
        }
    }
}

static void run(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    const int32_t depth = step->inputs[0].channels;
    const ptrdiff_t left = (ptrdiff_t)output->width * depth, right = (ptrdiff_t)output->channels * depth;
    const bool is_packed = output->type == GW_INT8 && output->width >= FEWEST;
    if (is_packed) { begin(step); }
    for (int32_t h = 0; h < output->height; h++) {
        const int8_t *matrix = (const int8_t *)step->sources[1] + h * right;
        if (!is_packed || (step->kernel->sums_pairs && memchr(matrix, INT8_MIN, (size_t)right))) {
            run_plainly(step, h);
            continue;
        }
        pack(step, matrix);
        run_packed(step, (const int8_t *)step->sources[0] + h * left, (int8_t *)step->output + h * output->width * output->channels);
    }
}

static int64_t work(const gw_layer *layer, const gw_tensor *source) { return (int64_t)gw_elements(&layer->output) * source->channels; }

const gw_operator gw_operator_matrix_product = {.valid = valid, .place = place, .run = run, .work = work};
