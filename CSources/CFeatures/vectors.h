// Vectors of three numbers, and directions in Q1.14. Private to CFeatures.
#ifndef GW_VECTORS_H
#define GW_VECTORS_H

#include "frame.h"
#include "spectrum.h"

static inline int64_t gw_vector_length(const int64_t *vector) {
    uint64_t square = 0;
    for (int32_t a = 0; a < GW_AXES; a++) { square += (uint64_t)(vector[a] * vector[a]); }
    return (int64_t)gw_square_root(square);
}

// A direction of length 1, Q1.14; components below 2^31. False for nothing.
static inline bool gw_vector_normalise(const int64_t *vector, int16_t *out) {
    const int64_t length = gw_vector_length(vector);
    if (length == 0) { return false; }
    for (int32_t a = 0; a < GW_AXES; a++) { out[a] = (int16_t)gw_divided(vector[a] * (1 << GW_FRAME_UNIT), length); }
    return true;
}

static inline int64_t gw_vector_product(const int16_t *left, const int16_t *right) {
    int64_t sum = 0;
    for (int32_t a = 0; a < GW_AXES; a++) { sum += (int32_t)left[a] * right[a]; }
    return sum;
}

// Takes the part along `up` away.
static inline void gw_vector_flatten(int64_t *vector, const int16_t *up) {
    int64_t along = 0;
    for (int32_t a = 0; a < GW_AXES; a++) { along += vector[a] * up[a]; }
    along = gw_divided(along, 1 << GW_FRAME_UNIT);
    for (int32_t a = 0; a < GW_AXES; a++) { vector[a] -= gw_divided(along * up[a], 1 << GW_FRAME_UNIT); }
}

static inline void gw_vector_cross(const int64_t *left, const int64_t *right, int64_t *out) {
    for (int32_t a = 0; a < GW_AXES; a++) {
        const int32_t b = (a + 1) % GW_AXES, c = (a + 2) % GW_AXES;
        out[a] = left[b] * right[c] - left[c] * right[b];
    }
}

#endif
