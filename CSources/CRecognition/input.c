#include "crecognition.h"
#include <string.h>

int32_t gw_input_count(gw_input input, int32_t length) {
    const bool fits = length >= (input == GW_INPUT_WINDOW ? 1 : GW_FEATURES_LENGTH_MIN) && length <= GW_WINDOW_MAX;
    if (!fits) { return 0; }
    const bool is_worn = length >= GW_WEARING_LENGTH_MIN && length <= GW_WEARING_LENGTH_MAX;
    switch (input) {
    case GW_INPUT_WINDOW: return length * GW_AXES;
    case GW_INPUT_FEATURES: return GW_FEATURES;
    case GW_INPUT_RICH: return GW_RICH_FEATURES;
    case GW_INPUT_BOTH: return length * GW_AXES + GW_FEATURES;
    case GW_INPUT_WORN: return is_worn ? GW_WORN_FEATURES : 0;
    default: return 0;
    }
}

size_t gw_input_work(gw_input input, int32_t length) {
    if (input == GW_INPUT_WORN) { return GW_WEARING_WORK; }
    const size_t row = (size_t)gw_input_count(input, length) * sizeof(int16_t);
    return input == GW_INPUT_WINDOW || row == 0 ? 0 : GW_RICH_WORK + (row + 7) / 8 * 8;
}

const int16_t *gw_input_row(gw_input input, const int16_t *window, int32_t length, void *work) {
    if (input == GW_INPUT_WINDOW) { return window; }
    int16_t *row = (int16_t *)((uint8_t *)work + GW_RICH_WORK);
    const int32_t before = input == GW_INPUT_BOTH ? length * GW_AXES : 0;
    memcpy(row, window, (size_t)before * sizeof *row);
    // The length was checked.
    if (input == GW_INPUT_RICH) {
        gw_rich_features(window, length, work, row);
    } else {
        gw_features(window, length, work, row + before);
    }
    return row;
}
