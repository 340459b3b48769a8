// Soft-max of int16 with a kernel's vectors. Private to CNetwork.
#ifndef GW_SOFTMAX_PRIVATE_H
#define GW_SOFTMAX_PRIVATE_H

#include "../kernels/wide.h"

/// gw_softmax_int16 of 1 ... GW_SOFTMAX_MAX numbers; the probabilities may take the logits' place.
void gw_softmax_int16_by(const gw_kernel *kernel, const int16_t *logits, int32_t n, gw_multiplier scale, const gw_softmax_curves *curves,
    int16_t *probabilities);

#endif
