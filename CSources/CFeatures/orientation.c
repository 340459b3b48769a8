#include "forward.h"
#include "vectors.h"
#include <string.h>

enum {
    UNIT = GW_FRAME_UNIT,
    ENOUGH = GW_ORIENTATION_ENOUGH,
    FULL = 64,      // walking windows that weigh in; older ones fade
    PROFILED = 256, // the same of the profile, 5.5 minutes: other exercises that pass for walking must not change what it says
    CONTRARY = 20,  // walking windows that show another direction, beyond those that do not, before it is learnt anew
    INVERTED = 40,  // windows in a row, 51 s, upside down before it no longer counts as known
};

static void find_frame(gw_orientation *orientation) {
    if (gw_vector_normalise(orientation->gravity, orientation->frame.up)) { gw_forward_find(orientation); }
}

// Whether two directions are more than 30 degrees apart.
static bool differ(const int16_t *left, const int16_t *right) {
    const int64_t cosine = gw_vector_product(left, right);
    return cosine < 0 || cosine * cosine < 3 * ((int64_t)1 << (4 * UNIT - 2));
}

static void restart(gw_orientation *orientation) {
    const gw_frame frame = orientation->frame;
    memset(orientation, 0, sizeof *orientation);
    orientation->frame = frame;
}

void gw_orientation_check(gw_orientation *orientation, const int16_t *features) {
    const bool is_inverted = orientation->windows >= ENOUGH && features[GW_UPRIGHT_MEAN] < -GW_ONE_G / 2;
    if (!is_inverted) {
        orientation->inverted = 0;
    } else if (orientation->inverted < INVERTED) {
        orientation->inverted += 1;
    }
}

void gw_orientation_rest(gw_orientation *orientation) { orientation->contrary -= orientation->contrary > 0 ? 1 : 0; }

static void take_features(gw_orientation *orientation, const int16_t *features) {
    if (orientation->profiled >= PROFILED) {
        for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { orientation->profile[k] /= 2; }
        orientation->profiled /= 2;
    }
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { orientation->profile[k] += features[k]; }
    orientation->profiled += 1;
}

// What the profile says of a wearer whose front turns out to be his back.
static void turn_profile(gw_orientation *orientation) {
    int32_t *directed = orientation->profile + GW_UPRIGHT_FEATURES + GW_GAIT_FEATURES;
    for (int32_t k = 0; k < GW_DIRECTED_FEATURES; k++) {
        if (k < GW_DIRECTED_ACROSS || k >= GW_DIRECTED_TURN) { directed[k] = -directed[k]; }
    }
    for (int32_t k = GW_DIRECTED_PEAK; k < GW_DIRECTED_AHEAD; k += 2) { // the largest and the least
        const int32_t most = directed[k];
        directed[k] = directed[k + 1];
        directed[k + 1] = most;
    }
}

void gw_orientation_take(gw_orientation *orientation, const int16_t *window, int32_t length, const int16_t *features, bool is_sure) {
    int64_t sum[GW_AXES] = {0, 0, 0}, products[6] = {0, 0, 0, 0, 0, 0};
    for (int32_t i = 0; i < length; i++) {
        const int16_t *s = window + GW_AXES * i;
        for (int32_t a = 0, k = 0; a < GW_AXES; a++) {
            sum[a] += s[a];
            for (int32_t b = a; b < GW_AXES; b++, k++) { products[k] += (int32_t)s[a] * s[b]; }
        }
    }
    int16_t now[GW_AXES];
    if (!gw_vector_normalise(sum, now)) { return; }
    if (orientation->windows >= ENOUGH && differ(now, orientation->frame.up)) {
        orientation->contrary += 1;
        if (orientation->contrary < CONTRARY) { return; }
        restart(orientation);
    }
    orientation->contrary -= orientation->contrary > 0 ? 1 : 0;
    if (orientation->windows >= FULL) {
        for (int32_t a = 0; a < GW_AXES; a++) { orientation->gravity[a] /= 2; }
        for (int32_t k = 0; k < 6; k++) { orientation->movement[k] /= 2; }
        orientation->windows /= 2;
    }
    int64_t energy = 0;
    for (int32_t a = 0, k = 0; a < GW_AXES; a++) {
        orientation->gravity[a] += gw_divided(sum[a], length);
        for (int32_t b = a; b < GW_AXES; b++, k++) {
            const int64_t moved = (products[k] - gw_divided(sum[a] * sum[b], length)) >> GW_FORWARD_FINER;
            orientation->movement[k] += moved;
            energy += a == b ? moved : 0;
        }
    }
    // Features of windows before that were computed in another frame.
    if (orientation->windows >= ENOUGH) { take_features(orientation, features); }
    gw_forward_take(orientation, window, length, sum, energy, is_sure);
    orientation->windows += 1;
    int16_t before[GW_AXES];
    memcpy(before, orientation->frame.ahead, sizeof before);
    find_frame(orientation);
    if (gw_vector_product(before, orientation->frame.ahead) < 0) { turn_profile(orientation); }
}

void gw_orientation_save(const gw_orientation *orientation, int64_t *numbers) {
    *numbers++ = orientation->windows;
    *numbers++ = orientation->profiled;
    *numbers++ = orientation->rolled;
    *numbers++ = orientation->energy;
    for (int32_t a = 0; a < GW_AXES; a++) { *numbers++ = orientation->gravity[a]; }
    for (int32_t k = 0; k < 6; k++) { *numbers++ = orientation->movement[k]; }
    for (int32_t a = 0; a < GW_AXES; a++) { *numbers++ = orientation->rolling[a]; }
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { *numbers++ = orientation->profile[k]; }
}

static bool within(int64_t value, int64_t limit) { return value >= -limit && value <= limit; }

gw_status gw_orientation_restore(gw_orientation *orientation, const int64_t *numbers) {
    const int64_t most = (int64_t)FULL << 15, each = (int64_t)PROFILED << 15,
                  product = (int64_t)FULL * GW_WINDOW_MAX << (30 - GW_FORWARD_FINER);
    const int64_t windows = numbers[0], profiled = numbers[1], rolled = numbers[2], energy = numbers[3];
    memset(orientation, 0, sizeof *orientation);
    bool fits = windows >= 0 && windows <= FULL && profiled >= 0 && profiled <= PROFILED && rolled >= 0 &&
                rolled < GW_FORWARD_MOST + GW_FORWARD_SURE;
    // Each axis moves by 2^30 Q6.24 at most, and no sample rolls further than both that make it are long.
    fits = fits && energy >= 0 && energy <= GW_AXES * product / FULL * (GW_FORWARD_MOST / GW_FORWARD_SURE + 1);
    numbers += 4;
    for (int32_t k = 0; k < GW_AXES; k++) { fits = fits && within(numbers[k], most); }
    for (int32_t k = 0; k < 6; k++) { fits = fits && within(numbers[GW_AXES + k], product); }
    for (int32_t a = 0; a < GW_AXES; a++) {
        fits = fits && within(numbers[GW_AXES + 6 + a], GW_FORWARD_LAGS * energy + GW_FORWARD_LAGS * GW_FORWARD_MOST);
    }
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { fits = fits && within(numbers[GW_AXES + 6 + GW_AXES + k], each); }
    if (!fits) { return GW_ERANGE; }
    orientation->windows = (int32_t)windows;
    orientation->profiled = (int32_t)profiled;
    orientation->rolled = (int32_t)rolled;
    orientation->energy = energy;
    for (int32_t a = 0; a < GW_AXES; a++) { orientation->gravity[a] = *numbers++; }
    for (int32_t k = 0; k < 6; k++) { orientation->movement[k] = *numbers++; }
    for (int32_t a = 0; a < GW_AXES; a++) { orientation->rolling[a] = *numbers++; }
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { orientation->profile[k] = (int32_t)*numbers++; }
    find_frame(orientation);
    return GW_OK;
}

bool gw_orientation_known(const gw_orientation *orientation) { return orientation->profiled >= ENOUGH && orientation->inverted < INVERTED; }

void gw_orientation_profile(const gw_orientation *orientation, int16_t *profile) {
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) {
        profile[k] = orientation->profiled > 0 ? (int16_t)gw_divided(orientation->profile[k], orientation->profiled) : 0;
    }
}
