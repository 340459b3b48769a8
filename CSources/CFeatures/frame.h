// Directions in Q1.14. Private to CFeatures.
#ifndef GW_FRAME_H
#define GW_FRAME_H

#include "cfeatures.h"

enum { GW_FRAME_UNIT = 14 }; // bits of a direction's fraction

/// The direction at right angles to up and forward.
static inline void gw_frame_across(const gw_frame *frame, int16_t *across) {
    for (int32_t a = 0; a < GW_AXES; a++) {
        const int32_t b = (a + 1) % GW_AXES, c = (a + 2) % GW_AXES;
        across[a] = (int16_t)((frame->up[b] * frame->forward[c] - frame->up[c] * frame->forward[b]) >> GW_FRAME_UNIT);
    }
}

/// Makes forward any horizontal direction: that of the axis which is least upright.
void gw_frame_any_forward(gw_frame *frame);

#endif
