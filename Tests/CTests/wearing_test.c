// CFeatures: features in the wearer's own directions beside numpy's, and how the directions are learnt from walking.
#include "check.h"
#include "cfeatures.h"
#include "../../CSources/CFeatures/signals.h"
#include "../Vectors/wearing_vectors.h"
#include <math.h>
#include <string.h>

enum { WINDOW = 128, NEEDED = 12 }; // windows of walking until the orientation is known

static uint64_t work[GW_WEARING_WORK / 8];

// Directions and lengths are rounded to Q3.12 before anything is summed up.
static double bound(int32_t feature, bool is_at_rest) {
    const double lsb = 1.0 / 4096;
    const bool is_mean = feature < GW_UPRIGHT_LEVEL, is_peak = feature == GW_UPRIGHT_PEAK || feature == GW_UPRIGHT_PEAK + 1;
    if (is_mean || is_peak || feature == GW_UPRIGHT_TURN || feature == GW_UPRIGHT_RISE) { return 4 * lsb; }
    const int32_t gait = feature - GW_UPRIGHT_FEATURES;
    if (gait == GW_GAIT_PEAK || gait == GW_GAIT_PEAK + 1) { return 4 * lsb; }
    return is_at_rest ? 0.03 : 0.01;
}

static void features_are_numpys(void) {
    int16_t got[GW_WEARING_FEATURES];
    for (size_t v = 0; v < sizeof wearing_vectors / sizeof *wearing_vectors; v++) {
        const wearing_vector *expected = &wearing_vectors[v];
        memset(work, 0xa5, sizeof work);
        CHECK(gw_wearing_features(expected->window, expected->length, &expected->frame, work, got) == GW_OK, "window %zu", v);
        for (int32_t f = 0; f < GW_WEARING_FEATURES; f++) {
            const double wanted = fmax(-8, fmin(32767.0 / 4096, expected->features[f])), value = got[f] / 4096.0;
            CHECK(fabs(value - wanted) <= bound(f, v % 3 == 0), "window %zu (%d samples), feature %d: %g, not %g", v, expected->length, f,
                value, wanted);
        }
    }
    CHECK(gw_wearing_features(wearing_window_0, 63, &wearing_vectors[0].frame, work, got) == GW_EINVAL &&
              gw_wearing_features(wearing_window_0, 257, &wearing_vectors[0].frame, work, got) == GW_EINVAL,
        "lengths");
    static int16_t loud[WINDOW * 3];
    for (int32_t i = 0; i < WINDOW * 3; i++) { loud[i] = i / 3 % 2 ? INT16_MAX : INT16_MIN; }
    CHECK(gw_wearing_features(loud, WINDOW, &wearing_vectors[0].frame, work, got) == GW_OK, "the loudest window");
}

// Directions of any length: those of a file are not always unit vectors.
static void signals_are_exact(void) {
    static int16_t window[WINDOW * GW_AXES];
    static gw_signal signals[GW_SIGNALS];
    for (int32_t round = 0; round < 400; round++) {
        const int32_t length = random_between(GW_WEARING_LENGTH_MIN, WINDOW), most = round % 2 ? 32767 : 20000;
        const bool is_wild = round % 4 >= 2;
        gw_frame frame;
        for (int32_t a = 0; a < GW_AXES; a++) {
            frame.up[a] = (int16_t)random_between(-most, most);
            frame.forward[a] = (int16_t)random_between(-16384, 16384);
        }
        for (int32_t i = 0; i < length * GW_AXES; i++) {
            window[i] = is_wild ? (random_bits() % 2 ? INT16_MAX : INT16_MIN) : (int16_t)random_bits();
        }
        gw_signals_take(window, length, &frame, signals);
        int64_t total = 0, changes = 0, cubes = 0, squares = 0;
        int16_t most_of_all = INT16_MIN;
        for (int32_t i = 0; i < length; i++) {
            const int16_t *sample = window + GW_AXES * i;
            int64_t sum = 1 << (GW_FRAME_UNIT - 1), square = 0;
            for (int32_t a = 0; a < GW_AXES; a++) {
                sum += (int32_t)sample[a] * frame.up[a];
                square += (int32_t)sample[a] * sample[a];
            }
            CHECK(signals[GW_VERTICAL][i] == gw_saturate16(sum >> GW_FRAME_UNIT), "sample %d", i);
            CHECK(signals[GW_LENGTH][i] == gw_saturate16(gw_square_root((uint64_t)square)), "length of sample %d", i);
            total += signals[GW_VERTICAL][i];
            const int64_t change = i > 0 ? signals[GW_VERTICAL][i] - signals[GW_VERTICAL][i - 1] : 0;
            changes += change * change;
        }
        CHECK(
            gw_signal_total(signals[GW_VERTICAL], length) == total && gw_signal_changes(signals[GW_VERTICAL], length) == (uint64_t)changes,
            "total and changes");
        static int16_t before[WINDOW];
        memcpy(before, signals[GW_VERTICAL], sizeof before);
        const gw_signal_sums sums = gw_signal_centre(signals[GW_VERTICAL], length);
        for (int32_t i = 0; i < length; i++) {
            const int64_t value = gw_saturate16(before[i] - sums.mean);
            CHECK(signals[GW_VERTICAL][i] == value, "less the mean, sample %d", i);
            squares += value * value;
            cubes += value * value * value;
            most_of_all = value > most_of_all ? (int16_t)value : most_of_all;
        }
        CHECK(sums.square == squares && gw_signal_cubes(signals[GW_VERTICAL], length) == cubes && sums.most == most_of_all, "sums");
    }
}

// Somebody walks with the sensor's axis `up` upwards, `sign` of it, and `ahead` forwards: two steps a second.
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
        gw_orientation_take(orientation, window, WINDOW, features);
    }
}

static void check_frame(const gw_frame *frame, int32_t up, int32_t sign, int32_t ahead) {
    // cos 5 degrees; 300 of 4096 lean forward.
    CHECK(sign * frame->up[up] > 16322, "up is %d %d %d", frame->up[0], frame->up[1], frame->up[2]);
    CHECK(frame->forward[ahead] > 16200 || frame->forward[ahead] < -16200, "forward is %d %d %d", frame->forward[0], frame->forward[1],
        frame->forward[2]);
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
            CHECK(orientation.windows <= 64 && orientation.profiled <= 64, "%d windows", orientation.windows);
            check_frame(&orientation.frame, up, sign, ahead);
        }
    }
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
    CHECK(gw_frame_along(&frame, -2, 3) == GW_OK && frame.up[1] == -16384 && frame.forward[2] == 16384, "-y up, z forward");
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
}

static void what_is_learnt_can_be_kept(void) {
    gw_orientation orientation = {.windows = 0}, back;
    int64_t numbers[GW_ORIENTATION_NUMBERS];
    take(&orientation, 30, 2, -1, 0);
    gw_orientation_save(&orientation, numbers);
    CHECK(gw_orientation_restore(&back, numbers) == GW_OK && memcmp(&back, &orientation, sizeof back) == 0, "it comes back as it was");
    const int64_t good = numbers[3];
    numbers[3] = INT64_C(1) << 40;
    CHECK(gw_orientation_restore(&back, numbers) == GW_ERANGE && !gw_orientation_known(&back), "damaged numbers");
    numbers[3] = good;
    numbers[0] = -1;
    CHECK(gw_orientation_restore(&back, numbers) == GW_ERANGE, "a negative count");
    memset(numbers, 0, sizeof numbers);
    CHECK(gw_orientation_restore(&back, numbers) == GW_OK && !gw_orientation_known(&back), "nothing learnt");
}

static void nothing_is_no_direction(void) {
    gw_orientation orientation = {.windows = 0};
    int16_t window[WINDOW * 3] = {0}, features[GW_WEARING_FEATURES] = {0};
    gw_frame frame;
    gw_orientation_take(&orientation, window, WINDOW, features);
    CHECK(orientation.windows == 0, "a window of zeros");
    gw_frame_upright(&frame, window, WINDOW);
    CHECK(frame.up[0] == 1 << 14, "some direction");
}

int main(void) {
    features_are_numpys();
    signals_are_exact();
    directions_are_learnt();
    a_turned_sensor_is_learnt_anew();
    nobody_is_upside_down_for_long();
    axes_make_a_frame();
    what_is_learnt_can_be_kept();
    nothing_is_no_direction();
    return finish("CFeatures, worn");
}
