#include "forward.h"
#include "vectors.h"
#include <string.h>

enum {
    UNIT = GW_FRAME_UNIT,
    ITERATIONS = 12, // of the power method; the two horizontal directions differ little where that is not enough
    LAGS = GW_FORWARD_LAGS,
    SWING = 1638, // Q1.14: how much the direction of the most movement counts beside the one in which the acceleration rolls
};

// Samples, 0.08 to 0.24 s: parts of a step.
static const int32_t lags[LAGS] = {4, 8, 12};

static const int32_t place[GW_AXES][GW_AXES] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; // in `movement`

static int64_t size_of(int64_t number) { return number < 0 ? -number : number; }

// By which `count` numbers fit into `bits` bits.
static int64_t scale_of(const int64_t *numbers, int32_t count, int32_t bits) {
    int64_t scale = 1;
    for (int32_t k = 0; k < count; k++) {
        while (size_of(numbers[k]) / scale >= (int64_t)1 << bits) { scale *= 2; }
    }
    return scale;
}

// The horizontal direction with most movement, by the power method from both horizontal axes.
static void find_swing(gw_orientation *orientation) {
    gw_frame *frame = &orientation->frame;
    const int64_t scale = scale_of(orientation->movement, 6, 24);
    gw_frame_any_forward(frame);
    int64_t best = -1;
    int16_t start[2][GW_AXES];
    memcpy(start[0], frame->forward, sizeof start[0]);
    gw_frame_left_of(frame, start[0], start[1]);
    for (int32_t s = 0; s < 2; s++) {
        int16_t direction[GW_AXES];
        int64_t moved[GW_AXES] = {0, 0, 0};
        memcpy(direction, start[s], sizeof direction);
        for (int32_t n = 0; n < ITERATIONS; n++) {
            for (int32_t a = 0; a < GW_AXES; a++) {
                moved[a] = 0;
                for (int32_t b = 0; b < GW_AXES; b++) { moved[a] += orientation->movement[place[a][b]] / scale * direction[b]; }
                moved[a] >>= UNIT;
            }
            gw_vector_flatten(moved, frame->up);
            if (!gw_vector_normalise(moved, direction)) { break; }
        }
        const int64_t power = gw_vector_length(moved);
        if (power > best) {
            best = power;
            memcpy(frame->forward, direction, sizeof direction);
        }
    }
}

// While somebody walks, the acceleration swings ahead, rises, swings back and falls: it rolls in the plane of up and ahead, always the
// same way round, which tells ahead from back. Where it hardly rolls, most movement tells the direction and rolling the sign alone.
void gw_forward_find(gw_orientation *orientation) {
    gw_frame *frame = &orientation->frame;
    find_swing(orientation);
    const int64_t scale = scale_of(&orientation->energy, 1, 28), energy = orientation->energy / scale + 1;
    int64_t up[GW_AXES], rolling[GW_AXES], ahead[GW_AXES], along = 0;
    for (int32_t a = 0; a < GW_AXES; a++) {
        up[a] = frame->up[a];
        rolling[a] = orientation->rolling[a] / scale;
    }
    gw_vector_cross(rolling, up, ahead);
    // Q1.14: 1 for what swings as much ahead as upwards, a quarter of a turn apart.
    for (int32_t a = 0; a < GW_AXES; a++) { ahead[a] = gw_divided(2 * ahead[a], LAGS * energy); }
    const int64_t beyond = scale_of(ahead, GW_AXES, UNIT + 1); // more than 1 where next to nothing moved
    for (int32_t a = 0; a < GW_AXES; a++) {
        ahead[a] /= beyond;
        along += ahead[a] * frame->forward[a];
    }
    for (int32_t a = 0; a < GW_AXES; a++) {
        const int32_t swing = SWING * frame->forward[a] / (1 << UNIT);
        ahead[a] = (ahead[a] + (along < 0 ? -swing : swing)) * (1 << UNIT); // finer, for what follows rounds
    }
    gw_vector_flatten(ahead, frame->up);
    gw_vector_normalise(ahead, frame->ahead);
}

// Adds the vector products, less the mean, of samples that are `lag` apart.
static void add_rolling(const int16_t *window, int32_t length, int32_t lag, const int64_t *sum, int64_t *rolling) {
    int64_t ends[GW_AXES] = {0, 0, 0}, products[GW_AXES] = {0, 0, 0}, means[GW_AXES];
    for (int32_t i = 0; i + lag < length; i++) {
        const int16_t *early = window + GW_AXES * i, *late = early + GW_AXES * lag;
        for (int32_t a = 0; a < GW_AXES; a++) {
            const int32_t b = (a + 1) % GW_AXES, c = (a + 2) % GW_AXES;
            products[a] += (int64_t)late[b] * early[c] - (int64_t)late[c] * early[b];
            ends[a] += early[a] - late[a];
        }
    }
    gw_vector_cross(ends, sum, means);
    for (int32_t a = 0; a < GW_AXES; a++) { rolling[a] += (products[a] + gw_divided(means[a], length)) >> GW_FORWARD_FINER; }
}

void gw_forward_take(gw_orientation *orientation, const int16_t *window, int32_t length, const int64_t *sum, int64_t energy, bool is_sure) {
    int64_t rolling[GW_AXES] = {0, 0, 0};
    const int32_t share = is_sure ? 1 : GW_FORWARD_SURE;
    for (int32_t k = 0; k < LAGS; k++) { add_rolling(window, length, lags[k], sum, rolling); }
    if (orientation->rolled >= GW_FORWARD_MOST) {
        for (int32_t a = 0; a < GW_AXES; a++) { orientation->rolling[a] /= 2; }
        orientation->energy /= 2;
        orientation->rolled /= 2;
    }
    for (int32_t a = 0; a < GW_AXES; a++) { orientation->rolling[a] += rolling[a] / share; }
    orientation->energy += energy / share;
    orientation->rolled += GW_FORWARD_SURE / share;
}
