// Soft-max with a kernel's vectors. Private to CNetwork.
#ifndef GW_SOFTMAX_PRIVATE_H
#define GW_SOFTMAX_PRIVATE_H

#include "../kernels/wide.h"

/// gw_softmax_int16 of 1 ... GW_SOFTMAX_MAX numbers; the probabilities may take the logits' place.
void gw_softmax_int16_by(const gw_kernel *kernel, const int16_t *logits, int32_t n, gw_multiplier scale, const gw_softmax_curves *curves,
    int16_t *probabilities);

/// Of int8, by how far a number is below the largest: its exponential, and what that adds to a sum, also in planes of bytes.
typedef struct gw_softmax_tables {
    int32_t exponentials[GW_SOFTMAX_ENTRIES], terms[GW_SOFTMAX_ENTRIES];
    uint8_t planes[GW_PLANES][GW_SOFTMAX_ENTRIES];
    gw_multiplier output; ///< what gw_softmax_scaled calls scale; 0: the probabilities' scale is 1/256
    int8_t zero_point;
    int32_t count; ///< of the first entries, in whole vectors: the others' probability is zero whatever the sum is
} gw_softmax_tables;

void gw_softmax_tables_init(gw_multiplier scale, gw_multiplier output, int8_t zero_point, gw_softmax_tables *tables);

/// gw_softmax_int8, or gw_softmax_scaled, of 1 ... GW_SOFTMAX_MAX numbers; the probabilities may take the logits' place.
void gw_softmax_int8_by(const gw_kernel *kernel, const int8_t *logits, int32_t n, const gw_softmax_tables *tables, int8_t *probabilities);

#endif
