#include "csignal.h"

void gw_mount_apply(const gw_mount *mount, int16_t *samples, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int16_t *s = samples + i * GW_AXES;
        int16_t rotated[GW_AXES];
        for (int32_t row = 0; row < GW_AXES; row++) {
            int64_t sum = 0;
            for (int32_t axis = 0; axis < GW_AXES; axis++) { sum += (int64_t)mount->rows[row][axis] * s[axis]; }
            rotated[row] = gw_saturate16(gw_round_shift(sum, 30));
        }
        for (int32_t axis = 0; axis < GW_AXES; axis++) { s[axis] = rotated[axis]; }
    }
}
