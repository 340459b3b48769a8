#include "depthwise.h"
#include <string.h>

// Output channel o reads input channel o / (output channels / input channels).

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_weights *weights = &layer->weights;
    return layer->source_count == 1 && layer->output.type == sources->type && gw_weights_valid(weights, sources->type) &&
           gw_sliding_valid(&layer->window, sources, &layer->output) &&
           weights->inputs == (int64_t)layer->window.height * layer->window.width && weights->outputs == layer->output.channels &&
           layer->output.channels % sources->channels == 0;
}

// Whether an int32 holds every sum of int8, and each output channel reads its own input channel: then vectors can work on them.
static bool is_plain(const gw_weights *weights, const gw_tensor *input) {
    if (input->type != GW_INT8 || weights->outputs != input->channels) { return false; }
    for (int32_t o = 0; o < weights->outputs; o++) {
        if (gw_largest_sum(weights, o, weights->bias[o]) > INT32_MAX) { return false; }
    }
    return true;
}

// Positions whose sums are made before they are scaled.
static int32_t batch(const gw_packed *packed) { return gw_batch((size_t)packed->padded * sizeof(int32_t), GW_TILE_MAX); }

// What kernels want to scale int32 sums with.
static void place_plain(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_weights *weights = &layer->weights;
    const gw_kernel *kernel = builder->kernel;
    const int32_t n = weights->outputs, taps = weights->inputs, zero_point = step->inputs[0].zero_point;
    const int32_t blocks = (n + GW_DEPTHWISE_CHANNELS - 1) / GW_DEPTHWISE_CHANNELS, padded = blocks * GW_DEPTHWISE_CHANNELS;
    const int32_t groups = kernel->depthwise ? (taps + kernel->depthwise_group - 1) / kernel->depthwise_group : taps;
    const size_t bytes = (size_t)padded * sizeof(int32_t);
    int8_t *values =
        gw_take(&builder->weights, kernel->depthwise ? (size_t)blocks * (size_t)groups * GW_DEPTHWISE_BYTES : (size_t)n * (size_t)taps);
    int32_t *bias = gw_take(&builder->weights, bytes);
    step->product = (gw_product){.input_type = GW_INT8, .rounding = weights->rounding, .kernel = kernel};
    gw_packed *packed = &step->product.packed;
    *packed = (gw_packed){.inputs = taps,
        .outputs = n,
        .groups = groups,
        .blocks = blocks,
        .padded = padded,
        .input_zero_point = zero_point,
        .output_zero_point = layer->output.zero_point,
        .low = layer->low,
        .high = layer->high,
        .weights = values,
        .bias = bias};
    gw_packed_place_factors(packed, weights, padded, &builder->weights);
    // Work lies behind all tensors, so that a block of channels can be read behind the last of them.
    step->sums = gw_take(&builder->work, bytes * (size_t)batch(packed));
    step->row = gw_take(&builder->work, (size_t)padded);
    if (!builder->weights.memory) { return; }
    memset(bias, 0, bytes);
    const int8_t *from = weights->values;
    if (kernel->depthwise) { kernel->pack_depthwise(packed, from, values); }
    for (int32_t o = 0; o < n; o++) {
        for (int32_t t = 0; t < taps && !kernel->depthwise; t++) { values[(ptrdiff_t)t * n + o] = from[(ptrdiff_t)o * taps + t]; }
        bias[o] = kernel->depthwise ? gw_folded_bias(weights, kernel, zero_point, o) : (int32_t)weights->bias[o];
    }
    packed->is_small = gw_packed_is_small(weights, bias);
}

// The weights as [window height x width][output channels], so that the innermost loop runs over channels.
static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    if (is_plain(&layer->weights, &step->inputs[0])) { return place_plain(step, layer, builder); }
    if (gw_depthwise_is_plain(&layer->weights, &step->inputs[0], builder->kernel)) {
        return gw_depthwise_place_plain(step, layer, builder);
    }
    const gw_weights *weights = &layer->weights;
    const int32_t n = weights->outputs, taps = weights->inputs;
    int16_t *values = gw_take(&builder->weights, (size_t)n * (size_t)taps * sizeof *values);
    int64_t *bias = gw_take(&builder->weights, (size_t)n * sizeof *bias);
    step->sums = gw_take(&builder->work, (size_t)n * sizeof(int64_t));
    step->product = (gw_product){.input_type = GW_INT16, .rounding = weights->rounding, .wide_weights = values, .wide_bias = bias};
    step->product.packed = (gw_packed){.inputs = taps, .outputs = n, .low = layer->low, .high = layer->high};
    step->product.kernel = builder->kernel;
    gw_packed_place_factors(&step->product.packed, weights, n, &builder->weights);
    if (!builder->weights.memory) { return; }
    for (int32_t o = 0; o < n; o++) {
        for (int32_t t = 0; t < taps; t++) { values[t * n + o] = (int16_t)gw_get(weights->type, weights->values, o * taps + t); }
        bias[o] = weights->bias[o];
    }
}

// One tap of all outputs: `each` of every channel.
static void add_tap(const gw_tensor *input, const void *source, int32_t first, const int16_t *weights, int32_t each, int64_t *sums) {
    if (each == 1 && input->type == GW_INT16) {
        const int16_t *wide = (const int16_t *)source + first;
        for (int32_t c = 0; c < input->channels; c++) { sums[c] += wide[c] * weights[c]; }
        return;
    }
    for (int32_t c = 0; c < input->channels; c++, weights += each, sums += each) {
        const int32_t value = gw_get(input->type, source, first + c) - input->zero_point;
        for (int32_t e = 0; e < each; e++) { sums[e] += value * weights[e]; }
    }
}

// int8 sums are far below 2^31 (4096 x 255 x 127 and an int32 bias), so that int64 holds what int32 would, unless it wraps.
static void accumulate(const gw_step *step, gw_place place, int64_t *sums) {
    const gw_sliding *window = &step->layer.window;
    const gw_tensor *input = &step->inputs[0];
    const int32_t n = step->product.packed.outputs, each = n / input->channels;
    const int16_t *weights = step->product.wide_weights;
    memcpy(sums, step->product.wide_bias, (size_t)n * sizeof *sums);
    for (int32_t y = 0; y < window->height; y++) {
        for (int32_t x = 0; x < window->width; x++, weights += n) {
            const int32_t position = gw_position(window, place, y, x, input);
            if (position >= 0) { add_tap(input, step->sources[0], position * input->channels, weights, each, sums); }
        }
    }
}

static void sum_positions(const gw_step *step, const int8_t *const *taps, int32_t count, int32_t *sums) {
    const gw_packed *packed = &step->product.packed;
    const gw_kernel *kernel = step->product.kernel;
    const ptrdiff_t stride = (ptrdiff_t)step->layer.window.stride_width * step->inputs[0].channels;
    if (kernel->depthwise) { return kernel->depthwise(packed, taps, stride, count, sums); }
    const int8_t *moved[GW_EXTENT_MAX];
    for (int32_t i = 0; i < count; i++, sums += packed->padded) {
        for (int32_t t = 0; t < packed->inputs; t++) { moved[t] = taps[t] + i * stride; }
        gw_depthwise_reference(packed, moved, sums);
    }
}

static void run_plain(gw_step *step) {
    const gw_tensor *result = &step->layer.output;
    const gw_packed *packed = &step->product.packed;
    const int8_t *taps[GW_EXTENT_MAX];
    int32_t positions[GW_EXTENT_MAX];
    memset(step->row, packed->input_zero_point, (size_t)packed->outputs);
    const int32_t most = batch(packed);
    int32_t *sums = step->sums, waiting = 0;
    int8_t *output = step->output;
    for (int32_t row = 0; row < result->height; row++) {
        for (int32_t column = 0, count; column < result->width; column += count) {
            const int32_t within = gw_positions_within(step, row, column), room = most - waiting;
            count = within == 0 ? 1 : within < room ? within : room;
            gw_positions_under(step, row, column, positions);
            for (int32_t t = 0; t < packed->inputs; t++) { // padding is a row of zero points
                taps[t] = positions[t] < 0 ? step->row : (const int8_t *)step->sources[0] + (ptrdiff_t)positions[t] * packed->outputs;
            }
            sum_positions(step, taps, count, sums + (ptrdiff_t)waiting * packed->padded);
            waiting += count;
            if (waiting == most || (row + 1 == result->height && column + count == result->width)) {
                gw_product_requantise_rows(&step->product, sums, waiting, output);
                output += (ptrdiff_t)waiting * packed->outputs;
                waiting = 0;
            }
        }
    }
}

static void run(gw_step *step) {
    if (step->product.input_type == GW_INT8) { return run_plain(step); }
    if (step->product.packed.padded > 0) { return gw_depthwise_run_plain(step); } // only those are padded
    const gw_tensor *result = &step->layer.output;
    const int32_t n = result->channels;
    int64_t *sums = step->sums;
    int32_t at = 0;
    for (int32_t row = 0; row < result->height; row++) {
        for (int32_t column = 0; column < result->width; column++, at += n) {
            accumulate(step, gw_place_at(&step->layer.window, row, column), sums);
            if (result->type == GW_INT16) {
                gw_product_finish_wide(&step->product, sums, (int16_t *)step->output + at);
                continue;
            }
            for (int32_t o = 0; o < n; o++) {
                int64_t value = (int64_t)gw_product_scaled(&step->product, sums, o) + result->zero_point;
                gw_put(result->type, step->output, at + o, gw_limit(&step->layer, value));
            }
        }
    }
}

const gw_operator gw_operator_depthwise = {
    .valid = valid, .place = place, .run = run, .work = gw_work_of_rows, .overlap = gw_overlap_sliding, .narrow = gw_sliding_narrow};
