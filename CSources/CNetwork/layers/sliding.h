// A window that slides over a tensor's height and width. Private to CNetwork.
#ifndef GW_SLIDING_H
#define GW_SLIDING_H

#include "step.h"

/// Whether the window's numbers are in range and it stays over some part of the input wherever the output has a position.
bool gw_sliding_valid(const gw_sliding *window, const gw_tensor *input, const gw_tensor *output);

/// Where the window lies at one position of the output.
typedef struct gw_place {
    int32_t top, left; // may be outside the input
} gw_place;

static inline gw_place gw_place_at(const gw_sliding *window, int32_t row, int32_t column) {
    return (gw_place){row * window->stride_height - window->top, column * window->stride_width - window->left};
}

/// The index of the window's element (y, x) among the input's positions, or -1 where that is padding.
static inline int32_t gw_position(const gw_sliding *window, gw_place place, int32_t y, int32_t x, const gw_tensor *input) {
    int32_t row = place.top + y * window->dilation_height, column = place.left + x * window->dilation_width;
    bool inside = row >= 0 && row < input->height && column >= 0 && column < input->width;
    return inside ? row * input->width + column : -1;
}

#endif
