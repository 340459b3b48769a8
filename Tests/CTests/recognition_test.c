// CRecognition: a long made-up movement through the whole C part; prints a hash that must be equal on every processor.
#include "check.h"
#include "crecognition.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60000, WINDOW = 128, HOP = 64, HIDDEN = 240, CLASSES = 6 };

static int16_t samples[SAMPLES * 3];
static int8_t weights[2][WINDOW * 3 * HIDDEN];
static int64_t bias[2][HIDDEN];
static gw_multiplier multipliers[2][HIDDEN];

// Steps, a triangle for a gait, noise: only integers, so that every platform sees the same.
static void make_movement(void) {
    for (int i = 0; i < SAMPLES; i++) {
        int phase = i % 25, triangle = phase < 12 ? phase : 24 - phase, posture = i / 4000 % 3;
        for (int axis = 0; axis < 3; axis++) {
            int value = (posture == axis ? 4096 : 300) + (i / 2000 % 2) * triangle * 200 + random_between(-150, 150);
            samples[i * 3 + axis] = (int16_t)value;
        }
    }
}

static gw_network_spec make_network(gw_layer layers[2]) {
    for (int l = 0; l < 2; l++) {
        for (int i = 0; i < (l == 0 ? WINDOW * 3 * HIDDEN : HIDDEN * CLASSES); i++) { weights[l][i] = (int8_t)random_between(-127, 127); }
        for (int o = 0; o < HIDDEN; o++) {
            bias[l][o] = random_between(-3000, 3000);
            multipliers[l][o] = (gw_multiplier){random_between(1 << 30, INT32_MAX), l == 0 ? -9 : -8};
        }
    }
    layers[0] = (gw_layer){.operation = GW_DENSE,
        .source_count = 1,
        .sources = {0},
        .output = {GW_INT8, 1, 1, HIDDEN, -128},
        .low = -128,
        .high = 127,
        .weights = {GW_INT8, WINDOW * 3, HIDDEN, weights[0], bias[0], multipliers[0], GW_ROUND_ONCE}};
    layers[1] = (gw_layer){.operation = GW_DENSE,
        .source_count = 1,
        .sources = {1},
        .output = {GW_INT8, 1, 1, CLASSES, 3},
        .low = -128,
        .high = 127,
        .weights = {GW_INT8, HIDDEN, CLASSES, weights[1], bias[1], multipliers[1], GW_ROUND_ONCE}};
    return (gw_network_spec){{GW_INT8, 1, 1, WINDOW * 3, -43}, 2, layers, {1538225647, -5}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
}

static uint64_t replay(gw_network *network, int32_t block, int32_t *count) {
    gw_frontend_config config = {.rate = 50000, .length = WINDOW, .hop = HOP, .kernel = GW_FILTER_BEST, .early = true};
    static uint64_t memory[4096];
    static gw_decision decisions[SAMPLES / HOP + 2];
    static int16_t windows[SAMPLES / HOP + 2][WINDOW * 3], last[WINDOW * 3];
    gw_frontend *frontend = NULL;
    gw_recogniser recogniser;
    CHECK(gw_frontend_size(WINDOW) <= sizeof memory && gw_frontend_init(memory, sizeof memory, &config, &frontend) == GW_OK, "front end");
    CHECK(gw_recogniser_init(&recogniser, frontend, network, GW_INPUT_WINDOW, NULL, NULL) == GW_OK, "recogniser");
    void *watched = malloc(gw_movement_size());
    gw_movement *movement = NULL;
    CHECK(gw_movement_init(watched, gw_movement_size(), 50000, NULL, &movement) == GW_OK, "movement");
    gw_recogniser_watch(&recogniser, movement);
    uint64_t hash = UINT64_C(14695981039346656037);
    *count = 0;
    for (int32_t start = 0; start < SAMPLES; start += block) {
        int32_t n = SAMPLES - start < block ? SAMPLES - start : block;
        int32_t made = gw_recogniser_push(&recogniser, samples + start * 3, n, decisions, windows[0]);
        CHECK(made <= gw_frontend_capacity(frontend, n), "%d decisions from %d samples", made, n);
        for (int32_t i = 0; i < made; i++) {
            CHECK(decisions[i].samples == WINDOW + (int64_t)(*count + i) * HOP, "a window ends at %lld", (long long)decisions[i].samples);
            hash = (hash ^ (uint64_t)decisions[i].label) * UINT64_C(1099511628211);
            for (int32_t c = 0; c < CLASSES; c++) { hash = (hash ^ (uint64_t)decisions[i].probabilities[c]) * UINT64_C(1099511628211); }
            for (int32_t s = 0; s < WINDOW * 3; s++) { hash = (hash ^ (uint64_t)windows[i][s]) * UINT64_C(1099511628211); }
            CHECK(decisions[i].moved.samples == decisions[i].samples, "counted to a window's end");
            hash = (hash ^ (uint64_t)decisions[i].moved.steps) * UINT64_C(1099511628211);
            hash = (hash ^ (uint64_t)decisions[i].moved.squares) * UINT64_C(1099511628211);
            bool follows = *count + i == 0 || memcmp(last + HOP * 3, windows[i], (WINDOW - HOP) * 3 * sizeof *last) == 0;
            CHECK(follows, "window %d does not begin where the one before overlaps it", *count + i);
            memcpy(last, windows[i], sizeof last);
        }
        *count += made;
    }
    CHECK(gw_movement_so_far(movement).steps > 100, "%lld steps", (long long)gw_movement_so_far(movement).steps);
    free(watched);
    return hash;
}

// The density's exponent in floating point: what the integers mean.
static double exact_distance(const gw_prototypes *prototypes, const int16_t *embedding) {
    double nearest = INFINITY;
    for (int32_t p = 0; p < prototypes->count; p++) {
        double sum = prototypes->offsets[p] / 65536.0;
        for (int32_t i = 0; i < prototypes->width; i++) {
            const double scaled = embedding[i] * (double)prototypes->scales[i] / 65536;
            const double away =
                (scaled - prototypes->means[p * prototypes->width + i]) / 256 * prototypes->precisions[p * prototypes->width + i] / 256;
            sum += away * away;
        }
        nearest = fmin(nearest, sum);
    }
    return nearest;
}

static void prototypes_test(void) {
    enum { WIDTH = 100, COUNT = 7 };
    static int32_t scales[WIDTH], offsets[COUNT];
    static int16_t means[COUNT * WIDTH], precisions[COUNT * WIDTH], embedding[WIDTH];
    static int8_t narrow[WIDTH];
    const gw_prototypes prototypes = {COUNT, WIDTH, scales, means, precisions, offsets};
    uint32_t random = 5;
    for (int32_t i = 0; i < WIDTH; i++) { scales[i] = 1 << (14 + i % 3); }
    for (int32_t i = 0; i < COUNT * WIDTH; i++) {
        random = random * 1664525 + 1013904223;
        means[i] = (int16_t)((int32_t)(random >> 22) - 512);
        precisions[i] = (int16_t)(128 + (random >> 10) % 384);
    }
    for (int32_t p = 0; p < COUNT; p++) { offsets[p] = (p - 3) * 100000; }
    for (int32_t n = 0; n < 200; n++) {
        for (int32_t i = 0; i < WIDTH; i++) {
            random = random * 1664525 + 1013904223;
            embedding[i] = (int16_t)((int32_t)(random >> 21) - 1024);
            narrow[i] = (int8_t)(embedding[i] >> 4);
        }
        const double exact = exact_distance(&prototypes, embedding), got = gw_prototypes_distance(&prototypes, embedding, GW_INT16) / 256.0;
        CHECK(fabs(got - exact) < 0.01 * exact + 1, "distance %g, not %g", got, exact);
        for (int32_t i = 0; i < WIDTH; i++) { embedding[i] = narrow[i]; }
        CHECK(gw_prototypes_distance(&prototypes, embedding, GW_INT16) == gw_prototypes_distance(&prototypes, narrow, GW_INT8), "int8");
    }
    // What is as far as numbers go is limited, and does not overflow.
    for (int32_t i = 0; i < WIDTH; i++) {
        scales[i] = INT32_MAX;
        embedding[i] = i % 2 ? INT16_MIN : INT16_MAX;
    }
    const int64_t most = (int64_t)WIDTH * GW_PROTOTYPES_FARTHEST * GW_PROTOTYPES_FARTHEST;
    CHECK(gw_prototypes_distance(&prototypes, embedding, GW_INT16) == (most - 300000) >> 8, "the farthest");
}

// A board that has been worn for 500 days: decisions go on, and their times with them.
static void beyond_31_bits(gw_network *network) {
    enum { BEFORE = INT32_MAX - 700, BEGINNING = 20 * HOP };
    gw_frontend_config config = {.rate = 50000, .length = WINDOW, .hop = HOP, .kernel = GW_FILTER_BEST, .early = true};
    static uint64_t memory[2][4096];
    gw_frontend *frontends[2];
    gw_recogniser recognisers[2];
    int32_t seen = 0;
    for (int32_t i = 0; i < 2; i++) { CHECK(gw_frontend_init(memory[i], sizeof memory[i], &config, &frontends[i]) == GW_OK, "front end"); }
    // No program can: the window is the front end's own.
    ((gw_window *)(uintptr_t)gw_frontend_window(frontends[1]))->count = BEFORE;
    for (int32_t start = 0; start + HOP <= BEGINNING; start += HOP) {
        gw_decision decisions[2][2];
        int32_t made[2];
        for (int32_t i = 0; i < 2; i++) {
            // One network's state serves one recogniser at a time; this one has none.
            if (start == 0) {
                CHECK(gw_recogniser_init(&recognisers[i], frontends[i], network, GW_INPUT_WINDOW, NULL, NULL) == GW_OK, "recogniser");
            }
            made[i] = gw_recogniser_push(&recognisers[i], samples + start * 3, HOP, decisions[i], NULL);
        }
        CHECK(made[0] == made[1], "%d and %d decisions", made[0], made[1]);
        for (int32_t d = 0; d < made[0] && d < made[1]; d++, seen++) {
            CHECK(decisions[1][d].samples == decisions[0][d].samples + BEFORE, "ends at %lld", (long long)decisions[1][d].samples);
            CHECK(memcmp(decisions[0][d].probabilities, decisions[1][d].probabilities, CLASSES * sizeof(int16_t)) == 0, "probabilities");
        }
    }
    CHECK(seen == BEGINNING / HOP - 1 && gw_frontend_window(frontends[1])->count > INT32_MAX, "%d decisions", seen);
}

// Before it is known which way is up, the probability of walking is given whatever it is; the class from 0.6 on.
static void walking_is_told_without_knowing_up(void) {
    gw_wearing wearing = {.walking = 2};
    int16_t probabilities[5];
    static const int16_t walks[] = {0, 9000, 19660, 19661, INT16_MAX};
    for (size_t k = 0; k < sizeof walks / sizeof *walks; k++) {
        wearing.walks = walks[k];
        CHECK(gw_wearing_walks(&wearing, 5, probabilities) == (k < 3 ? -1 : 2), "walking with %d", walks[k]);
        for (int32_t c = 0; c < 5; c++) {
            CHECK(probabilities[c] == (c == 2 ? walks[k] : (INT16_MAX - walks[k]) / 4), "class %d with %d: %d", c, walks[k],
                probabilities[c]);
        }
    }
    wearing.walking = -1;
    CHECK(gw_wearing_walks(&wearing, 5, probabilities) == -1 && probabilities[0] == INT16_MAX / 5, "a network without walking");
    wearing.walking = 0;
    CHECK(gw_wearing_walks(&wearing, 1, probabilities) == 0 && probabilities[0] == INT16_MAX, "a network of walking alone");
}

int main(void) {
    walking_is_told_without_knowing_up();
    make_movement();
    prototypes_test();
    gw_layer layers[2];
    gw_network_spec spec = make_network(layers);
    uint64_t first = 0;
    int32_t decisions = 0;
    for (int32_t k = 0; gw_kernel_at(k); k++) {
        if (!gw_kernel_available(gw_kernel_at(k))) { continue; }
        gw_memory sizes = {0};
        CHECK(gw_network_memory(&spec, gw_kernel_at(k), &sizes) == GW_OK, "memory");
        void *memory = aligned_alloc(64, sizes.total);
        gw_network *network;
        CHECK(gw_network_init(memory, sizes.total, &spec, gw_kernel_at(k), &network) == GW_OK, "network");
        static const int32_t blocks[] = {1, 7, 64, 1000};
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            uint64_t hash = replay(network, blocks[b], &decisions);
            if (k == 0 && b == 0) { first = hash; }
            CHECK(hash == first, "kernel %s, blocks of %d", gw_kernel_name(gw_kernel_at(k)), blocks[b]);
        }
        beyond_31_bits(network);
        gw_frontend_config config = {.rate = 50000, .length = WINDOW - 1, .hop = HOP, .kernel = GW_FILTER_BEST};
        static uint64_t small[4096];
        gw_frontend *frontend = NULL;
        gw_recogniser recogniser;
        CHECK(gw_frontend_init(small, sizeof small, &config, &frontend) == GW_OK, "the front end");
        CHECK(gw_recogniser_init(&recogniser, frontend, network, GW_INPUT_WINDOW, NULL, NULL) == GW_EINVAL,
            "a window that the network does not take");
        const gw_prototypes narrow = {.count = 1, .width = 1}, none = {.count = 0, .width = 1};
        gw_frontend_config fitting = config;
        fitting.length = WINDOW;
        CHECK(gw_frontend_init(small, sizeof small, &fitting, &frontend) == GW_OK &&
                  gw_recogniser_init(&recogniser, frontend, network, GW_INPUT_WINDOW, NULL, NULL) == GW_OK,
            "a window that it takes");
        CHECK(gw_recogniser_use_prototypes(&recogniser, &narrow) == GW_EINVAL &&
                  gw_recogniser_use_prototypes(&recogniser, &none) == GW_EINVAL && gw_recogniser_use_prototypes(&recogniser, NULL) == GW_OK,
            "prototypes that do not fit");
        gw_first unsure = {network, GW_INPUT_WINDOW, NULL, GW_PROBABILITY_ONE}, narrower = {network, GW_INPUT_FEATURES, NULL, 1};
        CHECK(gw_recogniser_use_first(&recogniser, &unsure) == GW_OK && gw_recogniser_use_first(&recogniser, &narrower) == GW_EINVAL &&
                  gw_recogniser_use_first(&recogniser, NULL) == GW_OK,
            "a first network that does not fit");
        free(memory);
    }
    printf("decisions %d, hash %016llx\n", decisions, (unsigned long long)first);
    return finish("CRecognition");
}
