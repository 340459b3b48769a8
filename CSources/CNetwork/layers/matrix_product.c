#include "step.h"

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_tensor *output = &layer->output;
    if (layer->source_count != 2 || !gw_multiplier_valid(layer->scales[0])) { return false; }
    const gw_tensor *left = &sources[0], *right = &sources[1];
    return left->type == output->type && right->type == output->type && left->height == output->height && right->height == output->height &&
           left->width == output->width && right->width == output->channels && left->channels == right->channels;
}

// At most GW_EXTENT_MAX products of 2^16.
static int32_t product_int8(const int8_t *a, const int8_t *b, int32_t count, int32_t zero_a, int32_t zero_b) {
    int32_t sum = 0;
    for (int32_t c = 0; c < count; c++) { sum += (a[c] - zero_a) * (b[c] - zero_b); }
    return sum;
}

static int64_t product_int16(const int16_t *a, const int16_t *b, int32_t count) {
    int64_t sum = 0;
    for (int32_t c = 0; c < count; c++) { sum += a[c] * b[c]; }
    return sum;
}

static void run(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_tensor *left = &step->inputs[0], *right = &step->inputs[1], *output = &layer->output;
    const int32_t depth = left->channels;
    int32_t at = 0;
    for (int32_t h = 0; h < output->height; h++) {
        for (int32_t l = 0; l < output->width; l++) {
            for (int32_t r = 0; r < output->channels; r++) {
                const int32_t a = (h * left->width + l) * depth, b = (h * right->width + r) * depth;
                int64_t value;
                if (output->type == GW_INT8) {
                    const int32_t sum = product_int8((const int8_t *)step->sources[0] + a, (const int8_t *)step->sources[1] + b, depth,
                        left->zero_point, right->zero_point);
                    value = gw_requantise_twice(sum, layer->scales[0]);
                } else {
                    value = gw_requantise_reduced(
                        product_int16((const int16_t *)step->sources[0] + a, (const int16_t *)step->sources[1] + b, depth),
                        layer->scales[0]);
                }
                gw_put(output->type, step->output, at++, gw_limit(layer, value + output->zero_point));
            }
        }
    }
}

static int64_t work(const gw_layer *layer, const gw_tensor *source) { return (int64_t)gw_elements(&layer->output) * source->channels; }

const gw_operator gw_operator_matrix_product = {.valid = valid, .run = run, .work = work};
