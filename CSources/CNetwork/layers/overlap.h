// What is as it was in the inference before, when the input is a window that has moved on. Private to CNetwork.
#ifndef GW_OVERLAP_H
#define GW_OVERLAP_H

#include "gw_layer.h"

/// Elements of a tensor: i, from <= i < to, is what i + shift was in the inference before.
typedef struct gw_overlap {
    int32_t shift, from, to;
    const void *constant; ///< CONSTANT: its elements, of which any may be equal; otherwise NULL
} gw_overlap;

/// How many elements are as they were.
static inline int32_t gw_overlapping(const gw_overlap *overlap) { return overlap->to > overlap->from ? overlap->to - overlap->from : 0; }

/* The overlap of a layer's output out of those of its sources. Each fits gw_operator.overlap. */

/// Every element of the output is made of the same element of the sources.
gw_overlap gw_overlap_elements(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);

/// The channels of every position of the output are made of those of the same position.
gw_overlap gw_overlap_positions(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);

/// weights.outputs elements of the output are made of weights.inputs elements of the source.
gw_overlap gw_overlap_rows(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);

/// A window slides over the source.
gw_overlap gw_overlap_sliding(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);

/// GATHER, SLICE and CONCATENATE.
gw_overlap gw_overlap_gathered(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);
gw_overlap gw_overlap_sliced(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);
gw_overlap gw_overlap_concatenated(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);

/// CONSTANT.
gw_overlap gw_overlap_constant(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);

#endif
