#include "sliding.h"
#include <string.h>

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_weights *weights = &layer->weights;
    return layer->source_count == 1 && layer->output.type == sources->type && gw_weights_valid(weights, sources->type) &&
           gw_sliding_valid(&layer->window, sources, &layer->output) && weights->outputs == layer->output.channels &&
           weights->inputs == (int64_t)layer->window.height * layer->window.width * sources->channels;
}

// Copies the window's elements to the row; padding is the zero point.
static void gather(const gw_step *step, gw_place place) {
    const gw_sliding *window = &step->layer.window;
    const gw_tensor *input = &step->inputs[0];
    const size_t bytes = (size_t)input->channels * gw_size_of(input->type);
    const uint8_t *source = step->sources[0];
    uint8_t *to = step->row;
    bool whole = window->dilation_width == 1 && place.left >= 0 && place.left + window->width <= input->width;
    for (int32_t y = 0; y < window->height; y++) {
        int32_t first = gw_position(window, place, y, 0, input);
        if (whole && first >= 0) {
            memcpy(to, source + (size_t)first * bytes, bytes * (size_t)window->width);
            to += bytes * (size_t)window->width;
            continue;
        }
        for (int32_t x = 0; x < window->width; x++, to += bytes) {
            int32_t position = gw_position(window, place, y, x, input);
            if (position >= 0) {
                memcpy(to, source + (size_t)position * bytes, bytes);
            } else {
                memset(to, (uint8_t)input->zero_point, bytes); // int16 has zero point 0
            }
        }
    }
}

static void run(gw_step *step) {
    const gw_tensor *result = &step->layer.output;
    const size_t bytes = (size_t)result->channels * gw_size_of(result->type);
    uint8_t *output = step->output;
    for (int32_t row = 0; row < result->height; row++) {
        for (int32_t column = 0; column < result->width; column++, output += bytes) {
            gather(step, gw_place_at(&step->layer.window, row, column));
            step->backwards = !step->backwards;
            gw_product_run(&step->product, step->row, step->sums, output, step->backwards);
        }
    }
}

const gw_operator gw_operator_convolution = {.valid = valid, .place = gw_step_place_product, .run = run};
