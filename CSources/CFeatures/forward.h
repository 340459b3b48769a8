// The line of most movement, and which way along it is ahead, from how the acceleration rolls while somebody walks. Private to CFeatures.
#ifndef GW_FORWARD_H
#define GW_FORWARD_H

#include "cfeatures.h"

enum {
    GW_FORWARD_LAGS = 3,
    GW_FORWARD_FINER = 8, // bits dropped of sums of products
    GW_FORWARD_SURE = 8,  // how much more a window that is surely of walking counts
    // What weighs in, eleven minutes of sure windows: an hour of rowing must not turn the direction.
    GW_FORWARD_MOST = 512 * GW_FORWARD_SURE,
};

/// Takes a window of walking, of which `sum` is the sum of its samples and `energy` that of their squares about the mean.
void gw_forward_take(gw_orientation *orientation, const int16_t *window, int32_t length, const int64_t *sum, int64_t energy, bool is_sure);

/// Finds the directions forward and ahead, both at right angles to the one upwards.
void gw_forward_find(gw_orientation *orientation);

#endif
