// Directions in Q1.14. Private to CFeatures.
#ifndef GW_FRAME_H
#define GW_FRAME_H

#include "cfeatures.h"

enum { GW_FRAME_UNIT = 14 }; // bits of a direction's fraction

/// The direction at right angles to up and another one: to the left of it.
static inline void gw_frame_left_of(const gw_frame *frame, const int16_t *direction, int16_t *left) {
    for (int32_t a = 0; a < GW_AXES; a++) {
        const int32_t b = (a + 1) % GW_AXES, c = (a + 2) % GW_AXES;
        left[a] = (int16_t)((frame->up[b] * direction[c] - frame->up[c] * direction[b]) >> GW_FRAME_UNIT);
    }
}

/// Makes forward and ahead any horizontal direction: that of the axis which is least upright.
void gw_frame_any_forward(gw_frame *frame);

#endif
