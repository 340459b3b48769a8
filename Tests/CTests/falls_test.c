// CFeatures: what is known of a blow beside numpy's float64, when it is told, in blocks of any length, and whether its wearer stays down.
#include "../../CSources/CFeatures/fall_features.h"
#include "../Vectors/falls_vectors.h"
#include "cfeatures.h"
#include "check.h"
#include <math.h>
#include <string.h>

// Of each feature, beside float64: means are of whole numbers cut off, roots of such means.
static double tolerance(int32_t feature, double expected) {
    switch (feature) {
    case GW_FALL_TURNING_BEFORE: return 8 * 3.0;
    case GW_FALL_VARIANCE_LATE: return 24 + 0.01 * fabs(expected);
    case GW_FALL_RESTLESS: return 1;
    default: return 3;
    }
}

static void features(void) {
    static fall_window window;
    for (int c = 0; c < FALL_CASES; c++) {
        memcpy(window.samples, fall_windows[c], sizeof window.samples);
        gw_fall_measure(&window);
        int16_t found[GW_FALLS_FEATURES];
        gw_fall_features(&window, found);
        for (int f = 0; f < GW_FALLS_FEATURES; f++) {
            const double expected = fmin(32767, fmax(-32768, fall_features[c][f]));
            CHECK(fabs(found[f] - expected) <= tolerance(f, expected), "case %d, feature %d: %d, not %g", c, f, found[f], expected);
        }
    }
}

// One tree: down when the means before and after differ by more than 60 degrees.
static const int8_t questions[GW_FALLS_NODES] = {GW_FALL_TURN_AB_EF, GW_FALL_TURN_AB_EF, GW_FALL_TURN_AB_EF, 0, 0, 0, 0};
static const int16_t thresholds[GW_FALLS_NODES] = {2048, 2048, 2048, 32767, 32767, 32767, 32767};
static const int8_t leaves[GW_FALLS_LEAVES] = {100, 100, 100, 100, -100, -100, -100, -100};
static const gw_fall_model model = {.trees = 1, .limit = 1, .features = questions, .thresholds = thresholds, .leaves = leaves};

enum { RATE = 50, SECONDS = 60, MOST = RATE * SECONDS };
static int16_t samples[MOST][GW_AXES];

// Upright, a blow at `blow` seconds, then lying until `up` seconds; upright and moving from then on.
static void make(double blow, double up) {
    const double rate = (int32_t)RATE;
    for (int32_t i = 0; i < MOST; i++) {
        const double t = i / rate, sway = 0.15 * sin(2 * acos(-1) * 1.9 * t);
        const bool lies = t >= blow && t < up;
        samples[i][0] = (int16_t)(lies ? 100 : 4096 * (1 + sway));
        samples[i][1] = (int16_t)(lies ? 4080 : 50);
        samples[i][2] = (int16_t)random_between(-20, 20);
        if (i == (int32_t)(blow * rate)) { samples[i][0] = 14000; }
    }
}

static int32_t play(gw_falls *falls, int32_t block, gw_fall_event *events, int32_t most) {
    int32_t count = 0;
    for (int32_t start = 0; start < MOST; start += block) {
        gw_falls_push(falls, samples[start], start + block > MOST ? MOST - start : block);
        for (gw_fall_event event; gw_falls_take(falls, &event);) {
            if (count < most) { events[count++] = event; }
        }
    }
    return count;
}

static void timing(void) {
    gw_falls falls;
    gw_fall_event events[8] = {0}, other[8] = {0};
    make(20, 45);
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "init");
    const int32_t count = play(&falls, 1, events, 8);
    CHECK(count == 3, "%d events", count);
    CHECK(events[0].kind == GW_FALL_IMPACT && events[0].impact == 1000 && events[0].at == 1076, "impact %d at %d", (int)events[0].impact,
        (int)events[0].at);
    CHECK(events[1].kind == GW_FALL_FALLEN && events[1].at - 1000 >= 500 && events[1].at - 1000 <= 550, "fallen at %d", (int)events[1].at);
    CHECK(events[2].kind == GW_FALL_RECOVERED && events[2].at >= 45 * RATE + 100 && events[2].at <= 45 * RATE + 200, "up at %d",
        (int)events[2].at);
    for (int32_t block = 7; block < 700; block += 97) {
        CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
        CHECK(play(&falls, block, other, 8) == 3 && memcmp(other, events, sizeof events) == 0, "blocks of %d", block);
    }
    // Up again before it is confirmed.
    make(20, 24);
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    CHECK(play(&falls, 50, events, 8) == 2 && events[1].kind == GW_FALL_RECOVERED, "a short fall");
    // Later confirmed, and by a model that asks for more not found at all.
    make(20, 60);
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    gw_falls_configure(&falls, 0, 30 * RATE);
    CHECK(play(&falls, 50, events, 8) == 2 && events[1].at - 1000 >= 1500 && events[1].at - 1000 <= 1550, "a later confirmation");
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    gw_falls_configure(&falls, 200, 500);
    CHECK(play(&falls, 50, events, 8) == 0, "a higher limit");
    // A blow that nobody judges is still there to learn from.
    CHECK(gw_falls_init(&falls, NULL) == GW_OK, "without a model");
    CHECK(play(&falls, 50, events, 8) == 0, "no model");
    gw_fall_candidate candidate;
    CHECK(gw_falls_candidate(&falls, &candidate) && candidate.impact == 1000 && !gw_falls_candidate(&falls, &candidate), "the blow");
}

// A board that has been worn for 500 days: the counter leaves 31 bits in the middle of a fall.
static void beyond_31_bits(void) {
    enum { BEGUN = INT32_MAX - INT32_MAX % GW_FALLS_KEPT - 4 * GW_FALLS_KEPT };
    gw_falls falls;
    gw_fall_event events[8] = {0}, later[8] = {0};
    make(20, 45);
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    const int32_t count = play(&falls, 50, events, 8);
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    falls.samples = falls.first = BEGUN;
    CHECK(play(&falls, 50, later, 8) == count && falls.samples > INT32_MAX, "%lld samples", (long long)falls.samples);
    for (int32_t i = 0; i < count; i++) {
        CHECK(later[i].kind == events[i].kind && later[i].impact == events[i].impact + BEGUN && later[i].at == events[i].at + BEGUN,
            "event %d: impact at %lld, known at %lld", i, (long long)later[i].impact, (long long)later[i].at);
    }
}

// Who is hit again on the floor lies on: as another blow saw them lie is not how they stand.
static void again(void) {
    gw_falls falls;
    gw_fall_event events[8] = {0};
    for (int32_t after = 7; after < 30; after += 11) {
        make(10, 60);
        // From the second blow on they lie on the other side than just before it.
        for (int32_t i = (10 + after - 4) * RATE; i < MOST; i++) {
            if (i < (10 + after) * RATE) { samples[i][0] = 100, samples[i][1] = -2000, samples[i][2] = 3500; }
        }
        samples[(10 + after) * RATE][0] = 14000;
        CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
        gw_falls_configure(&falls, 0, 15 * RATE);
        const int32_t count = play(&falls, 50, events, 8);
        int32_t fallen = 0;
        for (int32_t i = 0; i < count; i++) {
            CHECK(events[i].kind != GW_FALL_RECOVERED, "after %d s: up at %d", (int)after, (int)events[i].at);
            if (events[i].kind != GW_FALL_FALLEN) { continue; }
            CHECK(fallen++ > 0 || events[i].at <= (10 + 16) * RATE, "after %d s: confirmed at %d", (int)after, (int)events[i].at);
        }
        CHECK(fallen > 0, "after %d s: not confirmed", (int)after);
        CHECK(falls.up[0] > falls.up[1] && falls.up[0] > falls.up[2], "which way is up");
    }
}

static void gaps(void) {
    gw_falls falls;
    gw_fall_event event;
    make(20, 60);
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    // A gap between the blow and its judgement: what comes next does not follow it.
    gw_falls_push(&falls, samples[0], 1010);
    gw_falls_interrupt(&falls);
    gw_falls_push(&falls, samples[1500], 500);
    CHECK(!gw_falls_take(&falls, &event), "a blow before a gap");
    // A blow right at the start: what was before is as the first sample.
    make(0.1, 60);
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    gw_falls_push(&falls, samples[0], 500);
    CHECK(gw_falls_take(&falls, &event) && event.impact == 5, "a blow at the start");
}

static void bad_models(void) {
    gw_falls falls;
    gw_fall_model bad = model;
    bad.trees = 0;
    CHECK(gw_falls_init(&falls, &bad) == GW_EINVAL, "no trees");
    bad.trees = GW_FALLS_TREES_MAX + 1;
    CHECK(gw_falls_init(&falls, &bad) == GW_EINVAL, "too many trees");
    int8_t strange[GW_FALLS_NODES] = {0, 0, 0, 0, 0, 0, GW_FALLS_FEATURES};
    bad.trees = 1, bad.features = strange;
    CHECK(gw_falls_init(&falls, &bad) == GW_EINVAL, "a feature that there is not");
    strange[6] = -1;
    CHECK(gw_falls_init(&falls, &bad) == GW_EINVAL, "a negative feature");
}

// Any samples at all: sanitizers watch.
static void anything(void) {
    gw_falls falls;
    CHECK(gw_falls_init(&falls, &model) == GW_OK, "the model");
    int16_t block[37][GW_AXES];
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < 37; i++) {
            for (int a = 0; a < GW_AXES; a++) { block[i][a] = (int16_t)random_between(-32768, 32767); }
        }
        gw_falls_push(&falls, block[0], random_between(0, 37));
        if (round % 100 == 0) { gw_falls_interrupt(&falls); }
    }
    CHECK(falls.event_count <= GW_FALLS_EVENTS, "%d events wait", falls.event_count);
    CHECK(sizeof(gw_falls) + 50 * (GW_FALLS_NODES * 3 + GW_FALLS_LEAVES) <= 6 << 10, "%zu bytes of state", sizeof(gw_falls));
}

int main(void) {
    features();
    timing();
    beyond_31_bits();
    again();
    gaps();
    bad_models();
    anything();
    return finish("falls");
}
