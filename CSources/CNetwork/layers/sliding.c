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
