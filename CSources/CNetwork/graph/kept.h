// What an inference keeps for the next one, where windows move on. Private to CNetwork.
#ifndef GW_KEPT_H
#define GW_KEPT_H

#include "cnetwork.h"
#include "../layers/step.h"

/// What each layer's output keeps, in elements; none where less than a quarter of it stays, or nothing moves on.
///
/// Returns   whether any layer keeps something. The spec has been checked.
bool gw_find_kept(const gw_network_spec *spec, gw_overlap kept[GW_LAYERS_MAX]);

/// Runs a step whose output is still that of the inference before: what is kept moves to its place, the rest is computed.
void gw_run_rest(const gw_step *step);

#endif
