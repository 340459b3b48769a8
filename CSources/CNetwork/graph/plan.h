// Which tensors lie where during an inference. Private to CNetwork.
#ifndef GW_PLAN_H
#define GW_PLAN_H

#include "cnetwork.h"
#include "../layers/overlap.h"

typedef struct gw_plan {
    size_t offsets[GW_LAYERS_MAX + 1]; ///< of the input and of each layer's output
    size_t bytes;                      ///< the most that is in use at once
} gw_plan;

/// Gives each tensor a place from when it is made until it is last read; the last layer's output stays, and so does that of each layer that
/// keeps something. The spec has been checked.
gw_plan gw_plan_tensors(const gw_network_spec *spec, const gw_overlap kept[]);

#endif
