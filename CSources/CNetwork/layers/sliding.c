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
