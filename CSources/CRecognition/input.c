#include "crecognition.h"
#include <string.h>

int32_t gw_input_count(gw_input input, int32_t length) {
    const bool has_samples = input == GW_INPUT_WINDOW || input == GW_INPUT_SHIFTED;
    const bool fits = length >= (has_samples ? 1 : GW_FEATURES_LENGTH_MIN) && length <= GW_WINDOW_MAX;
    if (!fits) { return 0; }
    const bool is_worn = length >= GW_WEARING_LENGTH_MIN && length <= GW_WEARING_LENGTH_MAX;
    switch (input) {
    case GW_INPUT_WINDOW:
    case GW_INPUT_SHIFTED: return length * GW_AXES;
    case GW_INPUT_FEATURES: return GW_FEATURES;
    case GW_INPUT_RICH: return GW_RICH_FEATURES;
    case GW_INPUT_WINDOW_AND_FEATURES: return length * GW_AXES + GW_FEATURES;
    case GW_INPUT_WORN: return is_worn ? GW_WORN_FEATURES : 0;
    default: return 0;
    }
}

size_t gw_input_work(gw_input input, int32_t length) {
    if (input == GW_INPUT_WORN) { return GW_WEARING_WORK; }
    const size_t row = (size_t)gw_input_count(input, length) * sizeof(int16_t);
    return input == GW_INPUT_WINDOW || row == 0 ? 0 : GW_RICH_WORK + (row + 7) / 8 * 8;
}

// Source: Swift-HAR's "bootstrapper" of 2017, which did so over a whole recording.
static void shift(const int16_t *window, int32_t length, int16_t *row) {
    for (int32_t axis = 0; axis < GW_AXES; axis++) {
        int32_t least = -window[axis], most = least;
        for (int32_t at = axis; at < length * GW_AXES; at += GW_AXES) {
            const int32_t value = -window[at];
            if (value < least) { least = value; }
            if (value > most) { most = value; }
        }
        const int32_t zero = most >= 0 ? least : most;
        for (int32_t at = axis; at < length * GW_AXES; at += GW_AXES) {
            const int32_t value = -window[at] - zero;
            row[at] = (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
        }
    }
}

const int16_t *gw_input_row(gw_input input, const int16_t *window, int32_t length, void *work) {
    if (input == GW_INPUT_WINDOW) { return window; }
    int16_t *row = (int16_t *)((uint8_t *)work + GW_RICH_WORK);
    const int32_t before = input == GW_INPUT_WINDOW_AND_FEATURES ? length * GW_AXES : 0;
    memcpy(row, window, (size_t)before * sizeof *row);
    // The length was checked.
    if (input == GW_INPUT_SHIFTED) {
        shift(window, length, row);
    } else if (input == GW_INPUT_RICH) {
        gw_rich_features(window, length, work, row);
    } else {
        gw_features(window, length, work, row + before);
    }
    return row;
}
