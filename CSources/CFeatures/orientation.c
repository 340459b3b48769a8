#include "frame.h"
#include "spectrum.h"
#include <string.h>

enum {
    UNIT = GW_FRAME_UNIT,
    ENOUGH = GW_ORIENTATION_ENOUGH,
    FULL = 64,       // walking windows that weigh in; older ones fade
    CONTRARY = 20,   // walking windows that show another direction, beyond those that do not, before it is learnt anew
    INVERTED = 40,   // windows in a row, 51 s, upside down before it no longer counts as known
    FINER = 8,       // bits dropped of sums of products
    ITERATIONS = 12, // of the power method; the two horizontal directions differ little where that is not enough
};

static int64_t length_of(const int64_t *vector) {
    uint64_t square = 0;
    for (int32_t a = 0; a < GW_AXES; a++) { square += (uint64_t)(vector[a] * vector[a]); }
    return (int64_t)gw_square_root(square);
}

// A direction of length 1, Q1.14; components below 2^31. False for nothing.
static bool normalise(const int64_t *vector, int16_t *out) {
    const int64_t length = length_of(vector);
    if (length == 0) { return false; }
    for (int32_t a = 0; a < GW_AXES; a++) { out[a] = (int16_t)gw_divided(vector[a] * (1 << UNIT), length); }
    return true;
}

static int64_t dot(const int16_t *left, const int16_t *right) {
    int64_t sum = 0;
    for (int32_t a = 0; a < GW_AXES; a++) { sum += (int32_t)left[a] * right[a]; }
    return sum;
}

// Takes the part along `up` away.
static void flatten(int64_t *vector, const int16_t *up) {
    int64_t along = 0;
    for (int32_t a = 0; a < GW_AXES; a++) { along += vector[a] * up[a]; }
    along = gw_divided(along, 1 << UNIT);
    for (int32_t a = 0; a < GW_AXES; a++) { vector[a] -= gw_divided(along * up[a], 1 << UNIT); }
}

// Any horizontal direction: the axis that is least upright.
static void any_forward(gw_frame *frame) {
    int32_t flattest = 0;
    for (int32_t a = 1; a < GW_AXES; a++) {
        const int32_t now = frame->up[a] < 0 ? -frame->up[a] : frame->up[a], least = frame->up[flattest];
        if (now < (least < 0 ? -least : least)) { flattest = a; }
    }
    int64_t vector[GW_AXES] = {0, 0, 0};
    vector[flattest] = 1 << UNIT;
    flatten(vector, frame->up);
    normalise(vector, frame->forward);
}

gw_status gw_frame_along(gw_frame *frame, int32_t up, int32_t forward) {
    const int32_t up_axis = (up < 0 ? -up : up) - 1, forward_axis = (forward < 0 ? -forward : forward) - 1;
    if (up_axis < 0 || up_axis >= GW_AXES || forward_axis >= GW_AXES || forward_axis == up_axis) { return GW_EINVAL; }
    *frame = (gw_frame){.up = {0, 0, 0}};
    frame->up[up_axis] = up < 0 ? -(1 << UNIT) : 1 << UNIT;
    if (forward_axis < 0) {
        any_forward(frame);
    } else {
        frame->forward[forward_axis] = forward < 0 ? -(1 << UNIT) : 1 << UNIT;
    }
    return GW_OK;
}

void gw_frame_turn(gw_frame *frame, int32_t cosine, int32_t sine) {
    int16_t across[GW_AXES];
    gw_frame_across(frame, across);
    for (int32_t a = 0; a < GW_AXES; a++) { frame->forward[a] = (int16_t)((cosine * frame->forward[a] + sine * across[a]) >> UNIT); }
}

void gw_frame_upright(gw_frame *frame, const int16_t *window, int32_t length) {
    int64_t sum[GW_AXES] = {0, 0, 0};
    for (int32_t i = 0; i < length; i++) {
        for (int32_t a = 0; a < GW_AXES; a++) { sum[a] += window[GW_AXES * i + a]; }
    }
    if (!normalise(sum, frame->up)) { *frame = (gw_frame){.up = {1 << UNIT, 0, 0}}; }
    any_forward(frame);
}

// The horizontal direction with most movement, by the power method from the horizontal axis with most.
static void find_forward(gw_orientation *orientation) {
    static const int32_t place[GW_AXES][GW_AXES] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    gw_frame *frame = &orientation->frame;
    any_forward(frame);
    int64_t scale = 1;
    for (int32_t k = 0; k < 6; k++) {
        const int64_t size = orientation->movement[k] < 0 ? -orientation->movement[k] : orientation->movement[k];
        while (size / scale >= 1 << 24) { scale *= 2; }
    }
    int64_t best = -1;
    int16_t start[2][GW_AXES];
    memcpy(start[0], frame->forward, sizeof start[0]);
    gw_frame_across(frame, start[1]);
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
            flatten(moved, frame->up);
            if (!normalise(moved, direction)) { break; }
        }
        const int64_t power = length_of(moved);
        if (power > best) {
            best = power;
            memcpy(frame->forward, direction, sizeof direction);
        }
    }
}

static void find_frame(gw_orientation *orientation) {
    if (normalise(orientation->gravity, orientation->frame.up)) { find_forward(orientation); }
}

// Whether two directions are more than 30 degrees apart.
static bool differ(const int16_t *left, const int16_t *right) {
    const int64_t cosine = dot(left, right);
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
    if (orientation->profiled >= FULL) {
        for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { orientation->profile[k] /= 2; }
        orientation->profiled /= 2;
    }
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { orientation->profile[k] += features[k]; }
    orientation->profiled += 1;
}

void gw_orientation_take(gw_orientation *orientation, const int16_t *window, int32_t length, const int16_t *features) {
    int64_t sum[GW_AXES] = {0, 0, 0}, products[6] = {0, 0, 0, 0, 0, 0};
    for (int32_t i = 0; i < length; i++) {
        const int16_t *s = window + GW_AXES * i;
        for (int32_t a = 0, k = 0; a < GW_AXES; a++) {
            sum[a] += s[a];
            for (int32_t b = a; b < GW_AXES; b++, k++) { products[k] += (int32_t)s[a] * s[b]; }
        }
    }
    int16_t now[GW_AXES];
    if (!normalise(sum, now)) { return; }
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
    for (int32_t a = 0, k = 0; a < GW_AXES; a++) {
        orientation->gravity[a] += gw_divided(sum[a], length);
        for (int32_t b = a; b < GW_AXES; b++, k++) {
            orientation->movement[k] += (products[k] - gw_divided(sum[a] * sum[b], length)) >> FINER;
        }
    }
    // Features of windows before that were computed in another frame.
    if (orientation->windows >= ENOUGH) { take_features(orientation, features); }
    orientation->windows += 1;
    find_frame(orientation);
}

void gw_orientation_save(const gw_orientation *orientation, int64_t *numbers) {
    *numbers++ = orientation->windows;
    *numbers++ = orientation->profiled;
    for (int32_t a = 0; a < GW_AXES; a++) { *numbers++ = orientation->gravity[a]; }
    for (int32_t k = 0; k < 6; k++) { *numbers++ = orientation->movement[k]; }
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { *numbers++ = orientation->profile[k]; }
}

static bool within(int64_t value, int64_t limit) { return value >= -limit && value <= limit; }

gw_status gw_orientation_restore(gw_orientation *orientation, const int64_t *numbers) {
    const int64_t most = (int64_t)FULL << 15, product = (int64_t)FULL * GW_WINDOW_MAX << (30 - FINER);
    const int64_t windows = numbers[0], profiled = numbers[1];
    memset(orientation, 0, sizeof *orientation);
    bool fits = windows >= 0 && windows <= FULL && profiled >= 0 && profiled <= FULL;
    numbers += 2;
    for (int32_t k = 0; k < GW_AXES; k++) { fits = fits && within(numbers[k], most); }
    for (int32_t k = 0; k < 6; k++) { fits = fits && within(numbers[GW_AXES + k], product); }
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) { fits = fits && within(numbers[GW_AXES + 6 + k], most); }
    if (!fits) { return GW_ERANGE; }
    orientation->windows = (int32_t)windows;
    orientation->profiled = (int32_t)profiled;
    for (int32_t a = 0; a < GW_AXES; a++) { orientation->gravity[a] = *numbers++; }
    for (int32_t k = 0; k < 6; k++) { orientation->movement[k] = *numbers++; }
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
