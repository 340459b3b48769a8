#include "sliding.h"

static bool extent_valid(int32_t size, int32_t stride, int32_t dilation, int32_t before, int32_t input, int32_t output) {
    if (size < 1 || size > GW_EXTENT_MAX || stride < 1 || stride > GW_EXTENT_MAX || dilation < 1 || dilation > GW_EXTENT_MAX) {
        return false;
    }
    int64_t reach = (int64_t)(size - 1) * dilation; // from the window's first element to its last
    if (before < 0 || before > reach) { return false; }
    int64_t last = (int64_t)(output - 1) * stride - before; // first element at the last position
    return last <= input - 1;
}

bool gw_sliding_valid(const gw_sliding *w, const gw_tensor *input, const gw_tensor *output) {
    return extent_valid(w->height, w->stride_height, w->dilation_height, w->top, input->height, output->height) &&
           extent_valid(w->width, w->stride_width, w->dilation_width, w->left, input->width, output->width);
}

gw_axis gw_axis_of(const gw_sliding *w, const gw_tensor *input, const gw_tensor *output) {
    if (input->height == 1) {
        const int32_t extent = output->height == 1 ? output->width : 0;
        return (gw_axis){true, input->channels, output->channels, w->stride_width, w->left, (w->width - 1) * w->dilation_width, extent};
    }
    return (gw_axis){false, input->width * input->channels, output->width * output->channels, w->stride_height, w->top,
        (w->height - 1) * w->dilation_height, output->height};
}

void gw_sliding_narrow(gw_step *step, int32_t first, int32_t end) {
    gw_layer *layer = &step->layer;
    const gw_axis axis = gw_axis_of(&layer->window, &step->inputs[0], &layer->output);
    const int32_t row = first / axis.output_row, count = (end - first) / axis.output_row;
    if (axis.is_along_width) {
        layer->output.width = count;
        layer->window.left -= row * axis.stride;
    } else {
        layer->output.height = count;
        layer->window.top -= row * axis.stride;
    }
    step->output = (uint8_t *)step->output + (size_t)first * gw_size_of(layer->output.type);
}

void gw_positions_under(const gw_step *step, int32_t row, int32_t column, int32_t *positions) {
    const gw_sliding *window = &step->layer.window;
    const gw_place place = gw_place_at(window, row, column);
    for (int32_t y = 0; y < window->height; y++) {
        for (int32_t x = 0; x < window->width; x++) { *positions++ = gw_position(window, place, y, x, &step->inputs[0]); }
    }
}

int32_t gw_positions_within(const gw_step *step, int32_t row, int32_t column) {
    const gw_sliding *window = &step->layer.window;
    const gw_tensor *input = &step->inputs[0];
    const gw_place place = gw_place_at(window, row, column);
    const int32_t bottom = place.top + (window->height - 1) * window->dilation_height;
    const int32_t right = place.left + (window->width - 1) * window->dilation_width;
    if (place.top < 0 || bottom >= input->height || place.left < 0 || right >= input->width) { return 0; }
    const int32_t further = (input->width - 1 - right) / window->stride_width, left = step->layer.output.width - column;
    return further + 1 < left ? further + 1 : left;
}
