// Sums over a window of three axes and what follows from them. Private to CSignal.
#ifndef GW_MOMENTS_H
#define GW_MOMENTS_H

#include "cfeatures.h"

typedef struct gw_moments {
    int32_t length;
    int64_t sum[GW_AXES], square[GW_AXES]; // square: length x the sum of squares about the mean
    int64_t product[GW_AXES];              // the same for x y, x z, y z
} gw_moments;

/// Shapes    window[length][3], length at most GW_WINDOW_MAX: no sum overflows.
gw_moments gw_moments_of(const int16_t *window, int32_t length);

/// Halves away from zero.
int32_t gw_moments_mean(const gw_moments *moments, int32_t axis);

int16_t gw_moments_deviation(const gw_moments *moments, int32_t axis);

/// Of x y, x z, y z; Q3.12, 0 where an axis is at rest.
int16_t gw_moments_correlation(const gw_moments *moments, int32_t pair);

#endif
