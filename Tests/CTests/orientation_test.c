// CFeatures: how a wearer's directions are learnt from walking, and kept.
#include "check.h"
#include "cfeatures.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 128, NEEDED = 12 }; // windows of walking until the orientation is known

static uint64_t work[GW_WEARING_WORK / 8];

// Somebody walks with the sensor's axis `up` upwards, `sign` of it, and `ahead` forwards: two steps a second. The acceleration swings ahead
// before it rises.
static void walk(int16_t *window, int32_t up, int32_t sign, int32_t ahead) {
    for (int32_t i = 0; i < WINDOW; i++) {
        const double phase = 2 * 3.14159265 * i / 25;
        for (int32_t a = 0; a < 3; a++) { window[3 * i + a] = (int16_t)random_between(-60, 60); }
        window[3 * i + up] = (int16_t)(sign * (4096 + 1200 * sin(phase)));
        window[3 * i + ahead] = (int16_t)(700 * cos(phase) + 300);
    }
}

static void take(gw_orientation *orientation, int32_t count, int32_t up, int32_t sign, int32_t ahead) {
    int16_t window[WINDOW * 3], features[GW_WEARING_FEATURES];
    for (int32_t n = 0; n < count; n++) {
        walk(window, up, sign, ahead);
        gw_wearing_features(window, WINDOW, &orientation->frame, work, features);
        gw_orientation_take(orientation, window, WINDOW, features, true);
    }
}

static void check_frame(const gw_frame *frame, int32_t up, int32_t sign, int32_t ahead) {
    // cos 5 degrees; 300 of 4096 lean forward.
    CHECK(sign * frame->up[up] > 16322, "up is %d %d %d", frame->up[0], frame->up[1], frame->up[2]);
    CHECK(frame->ahead[ahead] > 16200, "ahead is %d %d %d", frame->ahead[0], frame->ahead[1], frame->ahead[2]);
}

static void directions_are_learnt(void) {
    for (int32_t up = 0; up < 3; up++) {
        for (int32_t sign = -1; sign <= 1; sign += 2) {
            gw_orientation orientation = {.windows = 0};
            const int32_t ahead = (up + 1) % 3;
            take(&orientation, NEEDED - 1, up, sign, ahead);
            CHECK(!gw_orientation_known(&orientation), "known after %d windows", NEEDED - 1);
            take(&orientation, 1, up, sign, ahead);
            CHECK(gw_orientation_known(&orientation), "not known after %d windows", NEEDED);
            check_frame(&orientation.frame, up, sign, ahead);
            take(&orientation, 1000, up, sign, ahead);
            CHECK(orientation.windows <= 64 && orientation.profiled <= 256 && orientation.rolled < 513 * 8, "%d windows, %d eighths",
                orientation.windows, orientation.rolled);
            check_frame(&orientation.frame, up, sign, ahead);
        }
    }
}

// Whoever sways from side to side more than ahead has that as the line of most movement, and yet another direction ahead.
static void the_line_of_most_movement_is_another(void) {
    gw_orientation orientation = {.windows = 0};
    int16_t window[WINDOW * 3], features[GW_WEARING_FEATURES];
    for (int32_t n = 0; n < 100; n++) {
        walk(window, 0, 1, 1);
        for (int32_t i = 0; i < WINDOW; i++) { window[3 * i + 2] += (int16_t)(1500 * sin(3.14159265 * i / 25 + n)); }
        gw_wearing_features(window, WINDOW, &orientation.frame, work, features);
        gw_orientation_take(&orientation, window, WINDOW, features, true);
    }
    const gw_frame *frame = &orientation.frame;
    CHECK(abs(frame->forward[2]) > 16200, "forward is %d %d %d", frame->forward[0], frame->forward[1], frame->forward[2]);
    CHECK(frame->ahead[1] > 15800, "ahead is %d %d %d", frame->ahead[0], frame->ahead[1], frame->ahead[2]);
}

// What resembles walking and rolls the other way round, as pedalling backwards does, turns nothing while surer windows say otherwise.
static void forward_rests_on_what_is_surely_walking(void) {
    gw_orientation orientation = {.windows = 0};
    int16_t window[WINDOW * 3], features[GW_WEARING_FEATURES];
    take(&orientation, 100, 0, 1, 2);
    for (int32_t n = 0; n < 700; n++) {
        walk(window, 0, 1, 2);
        for (int32_t i = 0; i < WINDOW; i++) { window[3 * i + 2] = (int16_t)(600 - window[3 * i + 2]); }
        gw_wearing_features(window, WINDOW, &orientation.frame, work, features);
        gw_orientation_take(&orientation, window, WINDOW, features, n >= 600);
        if (n == 599) { check_frame(&orientation.frame, 0, 1, 2); }
    }
    CHECK(orientation.frame.ahead[2] < -16200, "surely the other way: ahead is %d", orientation.frame.ahead[2]);
}

// The profile of somebody whose front turns out to be his back is the one that he has.
static void the_profile_turns_with_its_wearer(void) {
    gw_orientation orientation = {.windows = 0};
    int16_t profile[GW_WEARING_FEATURES], wanted[GW_WEARING_FEATURES];
    take(&orientation, 40, 0, 1, 2);
    gw_orientation_profile(&orientation, wanted);
    for (int32_t a = 0; a < 3; a++) {
        orientation.rolling[a] = -orientation.rolling[a];
        orientation.frame.ahead[a] = (int16_t)-orientation.frame.ahead[a];
    }
    int32_t *directed = orientation.profile + GW_UPRIGHT_FEATURES + GW_GAIT_FEATURES;
    for (int32_t k = 0; k < GW_DIRECTED_FEATURES; k++) {
        if (k < GW_DIRECTED_ACROSS || k >= GW_DIRECTED_TURN) { directed[k] = -directed[k]; }
    }
    for (int32_t k = GW_DIRECTED_PEAK; k < GW_DIRECTED_AHEAD; k += 2) {
        const int32_t most = directed[k];
        directed[k] = directed[k + 1];
        directed[k + 1] = most;
    }
    // Until more windows say otherwise than what was learnt the wrong way round.
    take(&orientation, 60, 0, 1, 2);
    check_frame(&orientation.frame, 0, 1, 2);
    gw_orientation_profile(&orientation, profile);
    for (int32_t k = 0; k < GW_WEARING_FEATURES; k++) {
        CHECK(profile[k] - wanted[k] < 1300 && profile[k] - wanted[k] > -1300, "feature %d is %d, not %d", k, profile[k], wanted[k]);
    }
}

// A minute of something that passes for walking changes little of what minutes of walking have shown.
static void a_profile_rests_on_minutes(void) {
    gw_orientation orientation = {.windows = 0};
    int16_t window[WINDOW * 3], features[GW_WEARING_FEATURES], before[GW_WEARING_FEATURES], after[GW_WEARING_FEATURES];
    take(&orientation, 200, 0, 1, 2);
    gw_orientation_profile(&orientation, before);
    for (int32_t n = 0; n < 47; n++) {
        walk(window, 0, 1, 2);
        gw_wearing_features(window, WINDOW, &orientation.frame, work, features);
        features[GW_UPRIGHT_FEATURES + GW_GAIT_LEVEL] += 2000;
        gw_orientation_take(&orientation, window, WINDOW, features, true);
    }
    gw_orientation_profile(&orientation, after);
    const int32_t moved = after[GW_UPRIGHT_FEATURES + GW_GAIT_LEVEL] - before[GW_UPRIGHT_FEATURES + GW_GAIT_LEVEL];
    CHECK(moved > 300 && moved < 500, "moved by %d of 2000", moved);
}

// The largest samples that there are, window after window.
static void the_loudest_walk_overflows_nothing(void) {
    static int16_t window[GW_WEARING_LENGTH_MAX * 3];
    int16_t features[GW_WEARING_FEATURES];
    int64_t numbers[GW_ORIENTATION_NUMBERS];
    for (int32_t length = GW_WEARING_LENGTH_MIN; length <= GW_WEARING_LENGTH_MAX; length *= 2) {
        gw_orientation orientation = {.windows = 0}, back;
        for (int32_t i = 0; i < length; i++) {
            window[3 * i] = i % 24 < 18 ? INT16_MAX : INT16_MIN;
            window[3 * i + 1] = (i + 6) % 24 < 12 ? INT16_MAX : INT16_MIN;
            window[3 * i + 2] = (i + 12) % 24 < 12 ? INT16_MAX : INT16_MIN;
        }
        for (int32_t n = 0; n < 1100; n++) {
            gw_wearing_features(window, length, &orientation.frame, work, features);
            gw_orientation_take(&orientation, window, length, features, true);
        }
        gw_orientation_save(&orientation, numbers);
        CHECK(gw_orientation_restore(&back, numbers) == GW_OK && memcmp(&back.frame, &orientation.frame, sizeof back.frame) == 0,
            "windows of %d samples come back", length);
    }
}

// Anything that a file may hold makes directions of length 1 at right angles, or is refused.
static void kept_numbers_make_a_frame(void) {
    int64_t numbers[GW_ORIENTATION_NUMBERS];
    gw_orientation orientation;
    int32_t taken = 0;
    for (int32_t round = 0; round < 20000; round++) {
        memset(numbers, 0, sizeof numbers);
        numbers[0] = random_between(0, 64);
        numbers[2] = random_between(0, 512 * 8);
        const int32_t large = random_between(0, 46);
        numbers[3] = INT64_C(1) << random_between(0, 44);
        for (int32_t a = 0; a < 3; a++) {
            numbers[4 + a] = random_between(-(1 << 20), 1 << 20);
            numbers[13 + a] = (int64_t)random_between(-1024, 1024) * (INT64_C(1) << large) / 1024;
        }
        for (int32_t k = 0; k < 6; k++) { numbers[7 + k] = random_between(-1024, 1024) * (INT64_C(1) << random_between(0, 28)); }
        if (gw_orientation_restore(&orientation, numbers) != GW_OK) { continue; }
        taken += 1;
        int64_t up = 0, ahead = 0, forward = 0, both = 0, level = 0;
        for (int32_t a = 0; a < 3; a++) {
            up += orientation.frame.up[a] * orientation.frame.up[a];
            ahead += orientation.frame.ahead[a] * orientation.frame.ahead[a];
            both += orientation.frame.up[a] * orientation.frame.ahead[a];
            forward += orientation.frame.forward[a] * orientation.frame.forward[a];
            level += orientation.frame.up[a] * orientation.frame.forward[a];
        }
        // Of 2^28; within two thousandths.
        CHECK(up > 268000000 && up < 268900000 && ahead > 267900000 && ahead < 268970000 && both < 540000 && both > -540000,
            "lengths %lld, %lld, product %lld", (long long)up, (long long)ahead, (long long)both);
        CHECK(forward > 267900000 && forward < 268970000 && level < 540000 && level > -540000, "forward: length %lld, product %lld",
            (long long)forward, (long long)level);
    }
    CHECK(taken > 10000, "%d of 20000 were taken", taken);
}

static void a_turned_sensor_is_learnt_anew(void) {
    gw_orientation orientation = {.windows = 0};
    take(&orientation, 40, 0, 1, 2);
    take(&orientation, 19, 1, -1, 2);
    check_frame(&orientation.frame, 0, 1, 2);
    take(&orientation, 19, 0, 1, 2);
    CHECK(orientation.contrary == 0 && gw_orientation_known(&orientation), "nineteen odd windows change nothing");
    // A step now and then while lying for hours is not walking with a turned sensor.
    for (int32_t n = 0; n < 1000; n++) {
        take(&orientation, 2, 1, -1, 2);
        for (int32_t rest = 0; rest < 2; rest++) { gw_orientation_rest(&orientation); }
    }
    check_frame(&orientation.frame, 0, 1, 2);
    CHECK(orientation.contrary == 0 && gw_orientation_known(&orientation), "steps while lying change nothing");
    take(&orientation, 19 + NEEDED, 1, -1, 2);
    CHECK(gw_orientation_known(&orientation), "known again");
    check_frame(&orientation.frame, 1, -1, 2);
}

static void nobody_is_upside_down_for_long(void) {
    gw_orientation orientation = {.windows = 0};
    int16_t window[WINDOW * 3], features[GW_WEARING_FEATURES];
    take(&orientation, 40, 0, 1, 2);
    for (int32_t n = 0; n < 79; n++) {
        walk(window, 0, n == 39 ? 1 : -1, 2);
        gw_wearing_features(window, WINDOW, &orientation.frame, work, features);
        gw_orientation_check(&orientation, features);
        CHECK(gw_orientation_known(&orientation), "unknown after %d windows", n);
    }
    gw_orientation_check(&orientation, features);
    CHECK(!gw_orientation_known(&orientation), "forty in a row");
    walk(window, 0, 1, 2);
    gw_wearing_features(window, WINDOW, &orientation.frame, work, features);
    gw_orientation_check(&orientation, features);
    CHECK(gw_orientation_known(&orientation), "upright again");
    check_frame(&orientation.frame, 0, 1, 2);
}

static void axes_make_a_frame(void) {
    gw_frame frame;
    CHECK(gw_frame_along(&frame, -2, 3) == GW_OK && frame.up[1] == -16384 && frame.forward[2] == 16384 && frame.ahead[2] == 16384,
        "-y up, z forward");
    CHECK(gw_frame_along(&frame, 3, 0) == GW_OK && frame.up[2] == 16384 && frame.forward[2] == 0, "any forward");
    CHECK(frame.forward[0] == 16384 || frame.forward[1] == 16384, "a unit vector");
    static const int32_t wrong[][2] = {{0, 1}, {4, 1}, {-4, 1}, {1, 4}, {1, 1}, {2, -2}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CHECK(gw_frame_along(&frame, wrong[k][0], wrong[k][1]) == GW_EINVAL, "up %d, forward %d", wrong[k][0], wrong[k][1]);
    }
    gw_frame_along(&frame, 1, 2);
    gw_frame_turn(&frame, 0, 1 << 14);
    CHECK(frame.up[0] == 16384 && frame.forward[2] == 16384, "a quarter turn: forward is %d %d %d", frame.forward[0], frame.forward[1],
        frame.forward[2]);
    gw_frame_turn_ahead(&frame, 0, 1 << 14);
    CHECK(frame.up[0] == 16384 && frame.ahead[2] == 16384 && frame.ahead[1] == 0, "ahead is %d %d %d", frame.ahead[0], frame.ahead[1],
        frame.ahead[2]);
}

static void what_is_learnt_can_be_kept(void) {
    gw_orientation orientation = {.windows = 0}, back;
    int64_t numbers[GW_ORIENTATION_NUMBERS];
    take(&orientation, 700, 2, -1, 0);
    gw_orientation_save(&orientation, numbers);
    CHECK(gw_orientation_restore(&back, numbers) == GW_OK && memcmp(&back, &orientation, sizeof back) == 0, "it comes back as it was");
    const int64_t good = numbers[4];
    numbers[4] = INT64_C(1) << 40;
    CHECK(gw_orientation_restore(&back, numbers) == GW_ERANGE && !gw_orientation_known(&back), "damaged numbers");
    numbers[4] = good;
    const int64_t windows = numbers[0], profiled = numbers[1];
    numbers[0] = -1;
    CHECK(gw_orientation_restore(&back, numbers) == GW_ERANGE, "a negative count");
    numbers[0] = windows;
    numbers[1] = 257;
    CHECK(gw_orientation_restore(&back, numbers) == GW_ERANGE, "a profile of too many windows");
    numbers[1] = profiled;
    numbers[GW_ORIENTATION_NUMBERS - 1] = (INT64_C(256) << 15) + 1;
    CHECK(gw_orientation_restore(&back, numbers) == GW_ERANGE, "a profile that is too large");
    memset(numbers, 0, sizeof numbers);
    CHECK(gw_orientation_restore(&back, numbers) == GW_OK && !gw_orientation_known(&back), "nothing learnt");
}

static void nothing_is_no_direction(void) {
    gw_orientation orientation = {.windows = 0};
    int16_t window[WINDOW * 3] = {0}, features[GW_WEARING_FEATURES] = {0};
    gw_frame frame;
    gw_orientation_take(&orientation, window, WINDOW, features, true);
    CHECK(orientation.windows == 0, "a window of zeros");
    gw_frame_upright(&frame, window, WINDOW);
    CHECK(frame.up[0] == 1 << 14, "some direction");
}

int main(void) {
    directions_are_learnt();
    the_line_of_most_movement_is_another();
    forward_rests_on_what_is_surely_walking();
    the_profile_turns_with_its_wearer();
    a_profile_rests_on_minutes();
    the_loudest_walk_overflows_nothing();
    kept_numbers_make_a_frame();
    a_turned_sensor_is_learnt_anew();
    nobody_is_upside_down_for_long();
    axes_make_a_frame();
    what_is_learnt_can_be_kept();
    nothing_is_no_direction();
    return finish("CFeatures, orientation");
}
