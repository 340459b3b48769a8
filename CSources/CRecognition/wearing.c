#include "crecognition.h"
#include <string.h>

enum { WALKING = 19661, AGAIN = 16 }; // Q0.15; windows of walking from one look at the placement to the next

static bool fits(gw_network *network, int32_t inputs) { return network && gw_network_inputs(network) == inputs; }

gw_status gw_wearing_init(gw_wearing *wearing, gw_network *gait, gw_network *placement) {
    if (!fits(gait, GW_GAIT_FEATURES) || gw_network_outputs(gait) != 2 || !fits(placement, GW_WEARING_FEATURES) ||
        gw_network_outputs(placement) > GW_PLACEMENTS_MAX) {
        return GW_EINVAL;
    }
    memset(wearing, 0, sizeof *wearing);
    wearing->gait = gait;
    wearing->placement = placement;
    wearing->place = -1;
    return GW_OK;
}

static void place(gw_wearing *wearing, int32_t place) {
    int16_t *places = wearing->row + GW_WEARING_FEATURES;
    memset(places, 0, GW_PLACEMENTS_MAX * sizeof *places);
    if (place >= 0) { places[place] = GW_ONE_G; }
    wearing->place = place;
}

static void find_place(gw_wearing *wearing) {
    int16_t profile[GW_WEARING_FEATURES], probabilities[GW_CLASSES_MAX];
    gw_orientation_profile(&wearing->orientation, profile);
    place(wearing, gw_network_classify(wearing->placement, profile, probabilities));
}

void gw_wearing_use(gw_wearing *wearing, const gw_orientation *orientation) {
    wearing->orientation = *orientation;
    place(wearing, -1);
    if (gw_orientation_known(orientation)) { find_place(wearing); }
}

const int16_t *gw_wearing_row(gw_wearing *wearing, const int16_t *window, int32_t length, void *work, bool *became_known) {
    gw_orientation *orientation = &wearing->orientation;
    const bool was_known = gw_orientation_known(orientation);
    gw_frame frame = orientation->frame;
    if (orientation->windows == 0) { gw_frame_upright(&frame, window, length); }
    gw_wearing_features(window, length, &frame, work, wearing->row); // the length was checked
    int16_t probabilities[GW_CLASSES_MAX];
    gw_network_classify(wearing->gait, wearing->row + GW_UPRIGHT_FEATURES, probabilities);
    const bool is_walking = probabilities[1] >= WALKING;
    gw_orientation_check(orientation, wearing->row);
    if (is_walking) { gw_orientation_take(orientation, window, length, wearing->row); }
    const bool known = gw_orientation_known(orientation);
    *became_known = known && !was_known;
    if (!known) {
        place(wearing, -1);
    } else if (*became_known || (is_walking && orientation->profiled % AGAIN == 0)) {
        find_place(wearing);
    }
    return wearing->row;
}
