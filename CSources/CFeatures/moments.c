#include "moments.h"
#include "spectrum.h"

static const int32_t pairs[GW_AXES][2] = {{0, 1}, {0, 2}, {1, 2}};

gw_moments gw_moments_of(const int16_t *window, int32_t length) {
    gw_moments m = {.length = length};
    for (int32_t i = 0; i < length; i++) {
        const int16_t *sample = window + GW_AXES * i;
        for (int32_t a = 0; a < GW_AXES; a++) {
            m.sum[a] += sample[a];
            m.square[a] += (int64_t)sample[a] * sample[a];
            m.product[a] += (int64_t)sample[pairs[a][0]] * sample[pairs[a][1]];
        }
    }
    for (int32_t a = 0; a < GW_AXES; a++) {
        m.square[a] = m.square[a] * length - m.sum[a] * m.sum[a];
        m.product[a] = m.product[a] * length - m.sum[pairs[a][0]] * m.sum[pairs[a][1]];
    }
    return m;
}

int32_t gw_moments_mean(const gw_moments *moments, int32_t axis) { return (int32_t)gw_divided(moments->sum[axis], moments->length); }

int16_t gw_moments_deviation(const gw_moments *moments, int32_t axis) {
    return gw_saturate16(gw_divided(gw_square_root((uint64_t)moments->square[axis]), moments->length));
}

int16_t gw_moments_correlation(const gw_moments *moments, int32_t pair) {
    const int64_t left = gw_square_root((uint64_t)moments->square[pairs[pair][0]]),
                  right = gw_square_root((uint64_t)moments->square[pairs[pair][1]]);
    if (left * right == 0) { return 0; }
    const int64_t r = gw_divided(moments->product[pair] * 4096, left * right);
    return (int16_t)(r > 4096 ? 4096 : r < -4096 ? -4096 : r);
}
