// Depthwise convolutions of int16 in a kernel's vectors. Private to CNetwork.
#ifndef GW_DEPTHWISE_H
#define GW_DEPTHWISE_H

#include "sliding.h"

/// Whether vectors can work on it: the kernel has them, each output channel reads its own input channel, no sum leaves int32, and no
/// shift is to the left.
bool gw_depthwise_is_plain(const gw_weights *weights, const gw_tensor *input, const gw_kernel *kernel);

/// gw_operator.place and gw_operator.run of those.
void gw_depthwise_place_plain(gw_step *step, const gw_layer *layer, gw_builder *builder);
void gw_depthwise_run_plain(gw_step *step);

#endif
