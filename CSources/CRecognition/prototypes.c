#include "crecognition.h"

enum {
    SCALED = 16, // bits that scales have beyond a mean's
    PRECISION = 8,
    BLOCK = 64, // squares that an int32 holds
};

int32_t gw_prototypes_distance(const gw_prototypes *prototypes, const void *embedding, gw_type type) {
    int16_t scaled[GW_PROTOTYPES_WIDTH_MAX];
    const int32_t width = prototypes->width;
    for (int32_t i = 0; i < width; i++) {
        const int32_t value = type == GW_INT8 ? ((const int8_t *)embedding)[i] : ((const int16_t *)embedding)[i];
        scaled[i] = gw_saturate16((int64_t)value * prototypes->scales[i] >> SCALED);
    }
    int64_t nearest = INT64_MAX;
    for (int32_t p = 0; p < prototypes->count; p++) {
        const int16_t *mean = prototypes->means + p * width, *precision = prototypes->precisions + p * width;
        int64_t sum = prototypes->offsets[p];
        for (int32_t i = 0; i < width;) {
            int32_t block = 0;
            const int32_t end = i + BLOCK < width ? i + BLOCK : width;
            for (; i < end; i++) {
                int32_t away = (scaled[i] - mean[i]) * precision[i] >> PRECISION;
                away = away > GW_PROTOTYPES_FARTHEST ? GW_PROTOTYPES_FARTHEST : away;
                away = away < -GW_PROTOTYPES_FARTHEST ? -GW_PROTOTYPES_FARTHEST : away;
                block += away * away;
            }
            sum += block;
        }
        nearest = sum < nearest ? sum : nearest;
    }
    return gw_saturate32(nearest >> PRECISION);
}
