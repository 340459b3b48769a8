#include "crecognition.h"
#include <string.h>

enum {
    SURELY = 29491, // Q0.15: such windows count more where the direction ahead is learnt
    STILL = 10700,  // of a window's level: 0.03 g root mean square
    AGAIN = 16,     // windows of walking from one look at the placement to the next
    BELIEVED = 2,   // windows of walking that tell more than an axis that was configured
};

static bool fits(gw_network *network, int32_t inputs) { return network && gw_network_inputs(network) == inputs; }

gw_status gw_wearing_init(gw_wearing *wearing, gw_network *gait, gw_network *placement, int32_t walking) {
    if (!fits(gait, GW_GAIT_FEATURES) || gw_network_outputs(gait) != 2 || !fits(placement, GW_WEARING_FEATURES) ||
        gw_network_outputs(placement) > GW_PLACEMENTS_MAX) {
        return GW_EINVAL;
    }
    memset(wearing, 0, sizeof *wearing);
    wearing->gait = gait;
    wearing->placement = placement;
    wearing->place = -1;
    wearing->configured_place = -1;
    wearing->joined[0] = wearing->joined[1] = -1;
    wearing->walking = walking;
    return GW_OK;
}

static void place(gw_wearing *wearing, int32_t place) {
    int16_t *places = wearing->row + GW_WEARING_FEATURES;
    memset(places, 0, GW_PLACEMENTS_MAX * sizeof *places);
    if (place >= 0) { places[place] = GW_ONE_G; }
    wearing->place = place;
}

gw_status gw_wearing_join(gw_wearing *wearing, int32_t one, int32_t other) {
    const int32_t count = gw_network_outputs(wearing->placement);
    if (one < 0 || other < 0 || one >= count || other >= count || one == other) { return GW_EINVAL; }
    wearing->joined[0] = one;
    wearing->joined[1] = other;
    return GW_OK;
}

gw_status gw_wearing_limb(gw_wearing *wearing, int32_t place) {
    if (place < 0 || place >= gw_network_outputs(wearing->placement)) { return GW_EINVAL; }
    wearing->limbs |= (uint32_t)1 << place;
    return GW_OK;
}

// The more probable of the joined classes where both together are more probable than `best`.
static int32_t among_joined(const gw_wearing *wearing, const int16_t *probabilities, int32_t best) {
    const int32_t one = wearing->joined[0], other = wearing->joined[1];
    if (one < 0 || probabilities[one] + probabilities[other] <= probabilities[best]) { return best; }
    return probabilities[one] >= probabilities[other] ? one : other;
}

static void find_place(gw_wearing *wearing) {
    if (wearing->configured_place >= 0) {
        place(wearing, wearing->configured_place);
        return;
    }
    int16_t profile[GW_WEARING_FEATURES], probabilities[GW_CLASSES_MAX];
    gw_orientation_profile(&wearing->orientation, profile);
    const int32_t best = gw_network_classify(wearing->placement, profile, probabilities);
    place(wearing, among_joined(wearing, probabilities, best));
    // Where two are nearly as probable, as one's pocket and thigh, a network that knows only the first errs more often.
    int16_t *places = wearing->row + GW_WEARING_FEATURES;
    for (int32_t i = 0; i < gw_network_outputs(wearing->placement); i++) { places[i] = (int16_t)(probabilities[i] >> 3); }
}

gw_status gw_wearing_configure(gw_wearing *wearing, const gw_frame *frame, int32_t at) {
    if (at >= gw_network_outputs(wearing->placement)) { return GW_EINVAL; }
    wearing->is_configured = frame != NULL;
    if (frame) { wearing->configured = *frame; }
    wearing->configured_place = at < 0 ? -1 : at;
    place(wearing, wearing->configured_place);
    if (gw_orientation_known(&wearing->orientation)) { find_place(wearing); }
    return GW_OK;
}

void gw_wearing_use(gw_wearing *wearing, const gw_orientation *orientation) {
    wearing->orientation = *orientation;
    place(wearing, wearing->configured_place);
    if (gw_orientation_known(orientation)) { find_place(wearing); }
}

gw_oriented gw_wearing_oriented(const gw_wearing *wearing) {
    const gw_orientation *orientation = &wearing->orientation;
    if (gw_orientation_known(orientation)) { return GW_ORIENTED_LEARNT; }
    return wearing->is_configured && orientation->profiled < GW_ORIENTATION_ENOUGH ? GW_ORIENTED_CONFIGURED : GW_ORIENTED_UNKNOWN;
}

const int16_t *gw_wearing_row(gw_wearing *wearing, const int16_t *window, int32_t length, void *work, bool *became_known) {
    gw_orientation *orientation = &wearing->orientation;
    const gw_oriented before = gw_wearing_oriented(wearing);
    gw_frame frame = orientation->frame;
    if (wearing->is_configured && orientation->windows < BELIEVED) {
        frame = wearing->configured;
    } else if (orientation->windows == 0) {
        gw_frame_upright(&frame, window, length);
    }
    gw_wearing_features(window, length, &frame, work, wearing->row); // the length was checked
    int16_t probabilities[GW_CLASSES_MAX];
    gw_network_classify(wearing->gait, wearing->row + GW_UPRIGHT_FEATURES, probabilities);
    wearing->walks = probabilities[1];
    const bool is_on_limb = wearing->place >= 0 && (wearing->limbs >> wearing->place & 1) != 0;
    if (is_on_limb) {
        orientation->inverted = 0;
    } else {
        gw_orientation_check(orientation, wearing->row);
    }
    if (wearing->walks >= GW_WALKING_PROBABLE) {
        gw_orientation_take(orientation, window, length, wearing->row, wearing->walks >= SURELY);
    } else if (wearing->row[GW_UPRIGHT_FEATURES + GW_GAIT_LEVEL + 1] < STILL) {
        gw_orientation_rest(orientation);
    }
    // A sensor that was turned is no longer as it was configured.
    if (before == GW_ORIENTED_LEARNT && orientation->profiled == 0) { wearing->is_configured = false; }
    const gw_oriented now = gw_wearing_oriented(wearing);
    *became_known = now > before;
    if (now != GW_ORIENTED_LEARNT) {
        place(wearing, wearing->configured_place);
    } else if (*became_known || (wearing->walks >= GW_WALKING_PROBABLE && orientation->profiled % AGAIN == 0)) {
        find_place(wearing);
    }
    return wearing->row;
}

int32_t gw_wearing_walks(const gw_wearing *wearing, int32_t classes, int16_t *probabilities) {
    const bool has_walking = wearing->walking >= 0;
    const int32_t rest = !has_walking ? INT16_MAX / classes : classes > 1 ? (INT16_MAX - wearing->walks) / (classes - 1) : 0;
    for (int32_t k = 0; k < classes; k++) { probabilities[k] = (int16_t)rest; }
    if (!has_walking) { return -1; }
    probabilities[wearing->walking] = wearing->walks;
    return wearing->walks >= GW_WALKING_PROBABLE ? wearing->walking : -1;
}
