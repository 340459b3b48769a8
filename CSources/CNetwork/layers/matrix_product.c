#include "step.h"
#include <string.h>

// Rows of the left matrix times rows of the right one, which is packed as weights are, so that the kernels for these multiply it. Of int8
// its zero point, which weights have not, is taken off each row's sums behind that.

enum { FEWEST = 3 }; // rows that are worth packing a matrix for

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_tensor *output = &layer->output;
    if (layer->source_count != 2 || !gw_multiplier_valid(layer->scales[0])) { return false; }
    const gw_tensor *left = &sources[0], *right = &sources[1];
    return left->type == output->type && right->type == output->type && left->height == output->height && right->height == output->height &&
           left->width == output->width && right->width == output->channels && left->channels == right->channels;
}

static bool once_valid(const gw_layer *layer, const gw_tensor *sources) { return layer->output.type == GW_INT8 && valid(layer, sources); }

static gw_rounding rounding_of(const gw_layer *layer) {
    return layer->operation == GW_MATRIX_PRODUCT_ONCE ? GW_ROUND_ONCE : GW_ROUND_TWICE;
}

// The packed matrix, no biases, and the sums of a row.
static void place_wide(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_multiplier m = layer->scales[0];
    gw_packed packed = {.inputs = step->inputs[0].channels,
        .outputs = layer->output.channels,
        .low = layer->low,
        .high = layer->high,
        .only_right = m.shift <= 0};
    step->row = gw_take(&builder->work, gw_product_extents_wide(GW_INT16, builder->kernel, &packed));
    const size_t padded = (size_t)packed.padded;
    int32_t *multipliers = gw_take(&builder->weights, padded * sizeof *multipliers),
            *shifts = gw_take(&builder->weights, padded * sizeof *shifts);
    int64_t *bias = gw_take(&builder->weights, padded * sizeof *bias);
    step->sums = gw_take(&builder->work, padded * sizeof(int64_t));
    packed.multipliers = multipliers;
    packed.shifts = shifts;
    step->product = (gw_product){.input_type = GW_INT16,
        .rounding = GW_ROUND_REDUCED,
        .packed = packed,
        .kernel = builder->kernel,
        .weight_type = GW_INT16,
        .wide_weights = step->row,
        .wide_bias = bias};
    if (!builder->weights.memory) { return; }
    memset(bias, 0, padded * sizeof *bias);
    for (size_t o = 0; o < padded; o++) { multipliers[o] = m.multiplier, shifts[o] = m.shift; }
}

static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    if (layer->output.type != GW_INT8) { return place_wide(step, layer, builder); }
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
    step->product = (gw_product){.input_type = GW_INT8, .rounding = rounding_of(layer), .kernel = kernel};
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
    gw_packed *packed = &step->product.packed;
    if (step->product.input_type == GW_INT16) {
        memset(step->row, 0, gw_product_extents_wide(GW_INT16, step->kernel, packed));
        return;
    }
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

static int32_t largest_of(const int16_t *values, int32_t count) {
    int16_t low = 0, high = 0;
    for (int32_t i = 0; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return -low > high ? -low : high;
}

// Most rows are so small that their sums stay within int32.
static void run_wide(gw_step *step, const int16_t *left, const int16_t *right, int16_t *output) {
    const gw_packed *packed = &step->product.packed;
    const gw_wide *wide = step->kernel->wide;
    const gw_multiplier m = step->layer.scales[0];
    const int64_t largest = wide->product_short && m.shift <= -2 ? largest_of(right, packed->outputs * packed->inputs) : INT32_MAX;
    gw_product_pack_wide(right, GW_INT16, step->kernel, packed, step->row);
    for (int32_t r = 0; r < step->layer.output.width; r++, left += packed->inputs, output += packed->outputs) {
        if (largest < INT32_MAX && wide->magnitude(left, packed->inputs) * largest <= INT32_MAX) {
            wide->product_short(packed, step->row, left, m, output);
        } else {
            const int8_t *row = (const int8_t *)left;
            gw_product_run_rows(&step->product, &row, 1, step->sums, output);
        }
    }
}

static void run_packed(gw_step *step, const int8_t *left, int8_t *output) {
    const gw_packed *packed = &step->product.packed;
    const int32_t rows = step->layer.output.width, depth = packed->inputs, padded = packed->padded, tile = step->kernel->tile;
    int32_t *sums = step->sums;
    for (int32_t r = 0; r < rows; r += tile) {
        const int8_t *some[GW_TILE_MAX];
        const int32_t count = rows - r < tile ? rows - r : tile, point = step->inputs[1].zero_point;
        // Behind the left matrix lies at least this step's work: a kernel may read on to the end of a group.
        for (int32_t i = 0; i < count; i++) { some[i] = left + (ptrdiff_t)(r + i) * depth; }
        gw_product_accumulate_rows(&step->product, some, count, sums);
        for (int32_t i = 0; i < count && point != 0; i++) {
            const int32_t more = point * (sum_of(some[i], depth) - depth * packed->input_zero_point);
            for (int32_t o = 0; o < padded; o++) { sums[i * padded + o] -= more; }
        }
        gw_product_requantise_rows(&step->product, sums, count, output + (ptrdiff_t)r * packed->outputs);
    }
}

// One by one: of too few rows to pack a matrix for, and where a kernel cannot take the least number as a weight.
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
                value =
                    rounding_of(layer) == GW_ROUND_ONCE ? gw_requantise(sum, layer->scales[0]) : gw_requantise_twice(sum, layer->scales[0]);
            } else {
                const int16_t *x = (const int16_t *)step->sources[0] + a, *y = (const int16_t *)step->sources[1] + b;
                for (int32_t c = 0; c < depth; c++) { value += x[c] * y[c]; }
                value = gw_requantise_reduced(value, layer->scales[0]);
            }
            gw_put(output->type, step->output, at, gw_limit(layer, value + output->zero_point));
        }
    }
}

static bool can_be_packed(const gw_step *step, const void *right, int32_t count) {
    if (step->layer.output.width < FEWEST) { return false; }
    return step->layer.output.type == GW_INT16 || !step->kernel->sums_pairs || !memchr(right, INT8_MIN, (size_t)count);
}

static void run(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    const int32_t depth = step->inputs[0].channels, left = output->width * depth, right = output->channels * depth,
                  made = output->width * output->channels;
    const ptrdiff_t size = (ptrdiff_t)gw_size_of(output->type);
    begin(step);
    for (int32_t h = 0; h < output->height; h++) {
        const uint8_t *a = (const uint8_t *)step->sources[0] + h * left * size, *b = (const uint8_t *)step->sources[1] + h * right * size;
        uint8_t *to = (uint8_t *)step->output + h * made * size;
        if (!can_be_packed(step, b, right)) {
            run_plainly(step, h);
        } else if (output->type == GW_INT16) {
            run_wide(step, (const int16_t *)(const void *)a, (const int16_t *)(const void *)b, (int16_t *)(void *)to);
        } else {
            pack(step, (const int8_t *)b);
            run_packed(step, (const int8_t *)a, (int8_t *)to);
        }
    }
}

static int64_t work(const gw_layer *layer, const gw_tensor *source) { return (int64_t)gw_elements(&layer->output) * source->channels; }

const gw_operator gw_operator_matrix_product = {.valid = valid, .place = place, .run = run, .work = work};
const gw_operator gw_operator_matrix_product_once = {.valid = once_valid, .place = place, .run = run, .work = work};
