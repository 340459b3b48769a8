#include "depthwise.h"
#include <string.h>

bool gw_depthwise_is_plain(const gw_weights *weights, const gw_tensor *input, const gw_kernel *kernel) {
    return kernel->wide->depthwise_wide && input->type == GW_INT16 && weights->outputs == input->channels && gw_weights_are_short(weights);
}

void gw_depthwise_place_plain(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_weights *weights = &layer->weights;
    const int32_t n = weights->outputs, taps = weights->inputs;
    const int32_t blocks = (n + GW_DEPTHWISE_CHANNELS - 1) / GW_DEPTHWISE_CHANNELS, padded = blocks * GW_DEPTHWISE_CHANNELS;
    const size_t bytes = (size_t)padded * sizeof(int32_t), all = (size_t)padded * (size_t)taps * sizeof(int16_t);
    int16_t *values = gw_take(&builder->weights, all);
    int32_t *bias = gw_take(&builder->weights, bytes);
    step->row = gw_take(&builder->work, (size_t)padded * sizeof(int16_t));
    step->product = (gw_product){.input_type = GW_INT16, .rounding = weights->rounding, .kernel = builder->kernel};
    step->product.packed = (gw_packed){.inputs = taps,
        .outputs = n,
        .blocks = blocks,
        .padded = padded,
        .low = layer->low,
        .high = layer->high,
        .weights = (const int8_t *)values,
        .bias = bias};
    gw_packed_place_factors(&step->product.packed, weights, padded, &builder->weights);
    if (!builder->weights.memory) { return; }
    memset(values, 0, all), memset(bias, 0, bytes);
    for (int32_t o = 0; o < n; o++) {
        for (int32_t t = 0; t < taps; t++) { values[t * padded + o] = (int16_t)gw_get(weights->type, weights->values, o * taps + t); }
        bias[o] = (int32_t)weights->bias[o];
    }
}

void gw_depthwise_run_plain(gw_step *step) {
    const gw_tensor *result = &step->layer.output;
    const gw_product *product = &step->product;
    const int32_t n = result->channels;
    const ptrdiff_t stride = (ptrdiff_t)step->layer.window.stride_width * n;
    const int16_t *taps[GW_EXTENT_MAX];
    int32_t positions[GW_EXTENT_MAX];
    memset(step->row, 0, (size_t)product->packed.padded * sizeof(int16_t));
    int16_t *output = step->output;
    for (int32_t row = 0; row < result->height; row++) {
        for (int32_t column = 0, count; column < result->width; column += count, output += (ptrdiff_t)count * n) {
            const int32_t within = gw_positions_within(step, row, column);
            count = within == 0 ? 1 : within;
            gw_positions_under(step, row, column, positions);
            for (int32_t t = 0; t < product->packed.inputs; t++) { // padding is a row of zeros
                taps[t] = positions[t] < 0 ? step->row : (const int16_t *)step->sources[0] + (ptrdiff_t)positions[t] * n;
            }
            product->kernel->wide->depthwise_wide(&product->packed, taps, stride, count, product->rounding, output);
        }
    }
}
