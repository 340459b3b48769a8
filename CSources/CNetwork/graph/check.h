// Whether a network can be run at all. Private to CNetwork.
#ifndef GW_CHECK_H
#define GW_CHECK_H

#include "cnetwork.h"

/// Whether every number is in range and the layers fit each other.
bool gw_spec_valid(const gw_network_spec *spec);

#endif
