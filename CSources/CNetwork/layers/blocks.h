// Elements in blocks that stay in the fastest cache: widened, worked on in vectors, and narrowed again. Private to CNetwork.
#ifndef GW_BLOCKS_H
#define GW_BLOCKS_H

#include "step.h"

enum { GW_BLOCK = 64 };

/// Elements from `first` on as int32, without the zero point.
static inline void gw_widen(const gw_tensor *tensor, const void *values, int32_t first, int32_t count, int32_t *to) {
    const int32_t point = tensor->zero_point;
    if (tensor->type == GW_INT8) {
        const int8_t *from = (const int8_t *)values + first;
        for (int32_t i = 0; i < count; i++) { to[i] = from[i] - point; }
    } else {
        const int16_t *from = (const int16_t *)values + first;
        for (int32_t i = 0; i < count; i++) { to[i] = from[i] - point; }
    }
}

/// The same back: plus a zero point, within the layer's limits.
static inline void gw_narrow(const gw_layer *layer, int32_t point, const int32_t *values, int32_t first, int32_t count, void *output) {
    const int32_t low = layer->low - point, high = layer->high - point;
    if (layer->output.type == GW_INT8) {
        int8_t *to = (int8_t *)output + first;
        for (int32_t i = 0; i < count; i++) { to[i] = (int8_t)((values[i] < low ? low : values[i] > high ? high : values[i]) + point); }
    } else {
        int16_t *to = (int16_t *)output + first;
        for (int32_t i = 0; i < count; i++) { to[i] = (int16_t)((values[i] < low ? low : values[i] > high ? high : values[i]) + point); }
    }
}

#endif
