#include "sliding.h"

static bool same_numbers(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && layer->output.type == sources->type && layer->output.zero_point == sources->zero_point &&
           layer->output.channels == sources->channels;
}

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    return same_numbers(layer, sources) && gw_sliding_valid(&layer->window, sources, &layer->output);
}

// What a window holds of one channel.
typedef struct gw_held {
    int32_t count, sum, largest;
} gw_held;

static gw_held held(const gw_step *step, gw_place place, int32_t channel) {
    const gw_sliding *window = &step->layer.window;
    const gw_tensor *input = &step->inputs[0];
    gw_held h = {0, 0, INT32_MIN};
    for (int32_t y = 0; y < window->height; y++) {
        for (int32_t x = 0; x < window->width; x++) {
            int32_t position = gw_position(window, place, y, x, input);
            if (position < 0) { continue; }
            int32_t value = gw_get(input->type, step->sources[0], position * input->channels + channel);
            h.count++;
            h.sum = gw_saturate32((int64_t)h.sum + value);
            h.largest = value > h.largest ? value : h.largest;
        }
    }
    return h;
}

// Halves away from zero, as TFLite's AVERAGE_POOL_2D.
static int32_t average(gw_held h) {
    if (h.count == 0) { return 0; }
    return h.sum > 0 ? (h.sum + h.count / 2) / h.count : (h.sum - h.count / 2) / h.count;
}

static int32_t largest(gw_held h) { return h.count == 0 ? 0 : h.largest; }

static void pool(gw_step *step, int32_t (*of)(gw_held)) {
    const gw_tensor *result = &step->layer.output;
    int32_t at = 0;
    for (int32_t row = 0; row < result->height; row++) {
        for (int32_t column = 0; column < result->width; column++) {
            gw_place place = gw_place_at(&step->layer.window, row, column);
            for (int32_t c = 0; c < result->channels; c++) {
                gw_put(result->type, step->output, at++, gw_limit(&step->layer, of(held(step, place, c))));
            }
        }
    }
}

static void run_average(gw_step *step) { pool(step, average); }

static void run_largest(gw_step *step) { pool(step, largest); }

static bool mean_valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && layer->output.type == sources->type && gw_elements(&layer->output) == sources->channels &&
           gw_multiplier_valid(layer->scales[0]);
}

// The factor of the scales is divided by the count first, with as many bits as it has room for: TFLite's integer MEAN.
static void run_mean(gw_step *step) {
    const gw_tensor *input = &step->inputs[0];
    const int32_t count = gw_positions(input), channels = input->channels;
    gw_multiplier m = step->layer.scales[0];
    int32_t room = 31 - __builtin_clz((uint32_t)count);
    if (room > 31 + m.shift) { room = 31 + m.shift; }
    m.multiplier = (int32_t)(((int64_t)m.multiplier << room) / count);
    m.shift -= room;
    for (int32_t c = 0; c < channels; c++) {
        int32_t sum = 0; // at most 2^17 x 2^15
        for (int32_t i = 0; i < count; i++) {
            sum = gw_saturate32((int64_t)sum + gw_get(input->type, step->sources[0], i * channels + c) - input->zero_point);
        }
        int64_t value = (int64_t)gw_requantise_twice(sum, m) + step->layer.output.zero_point;
        gw_put(step->layer.output.type, step->output, c, gw_limit(&step->layer, value));
    }
}

const gw_operator gw_operator_average_pool = {.valid = valid, .run = run_average};
const gw_operator gw_operator_max_pool = {.valid = valid, .run = run_largest};
const gw_operator gw_operator_mean = {.valid = mean_valid, .run = run_mean};
