// The tensors of a network by their numbers. Private to CNetwork.
#ifndef GW_TENSORS_H
#define GW_TENSORS_H

#include "cnetwork.h"

/// 0: the input; n: the output of layer n - 1.
static inline const gw_tensor *gw_tensor_at(const gw_network_spec *spec, int32_t index) {
    return index == 0 ? &spec->input : &spec->layers[index - 1].output;
}

#endif
