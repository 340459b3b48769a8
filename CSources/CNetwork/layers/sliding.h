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

/// The axis along which time runs: height, or width where the input has one row.
typedef struct gw_axis {
    bool is_along_width;
    int32_t input_row, output_row; ///< elements of one step in time
    int32_t stride, before, reach; ///< of the window; from its first element to its last
    int32_t extent;                ///< of the output; 0 where time would run along more than one row
} gw_axis;

gw_axis gw_axis_of(const gw_sliding *window, const gw_tensor *input, const gw_tensor *output);

/// Fits gw_operator.narrow.
void gw_sliding_narrow(gw_step *step, int32_t first, int32_t end);

/// The input's positions under the window of an output position, tap by tap; -1 outside.
void gw_positions_under(const gw_step *step, int32_t row, int32_t column, int32_t *positions);

/// How many of the output's positions in a row, from `column` on, have their window wholly within the input: they lie at equal distances.
int32_t gw_positions_within(const gw_step *step, int32_t row, int32_t column);

#endif
