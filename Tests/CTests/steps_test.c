// CFeatures: steps of made-up gaits, at every place and rate, and none of what is no gait.
#include "cfeatures.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 * 120 };
static int16_t samples[MOST][GW_AXES];

// A gait of `period` seconds a step, `one_leg` from 0 (both legs alike) to 1 (every other step alone), in any direction.
static int32_t make(double rate, double seconds, double period, double one_leg, double size, const double up[GW_AXES]) {
    const int32_t count = (int32_t)(rate * seconds);
    for (int32_t i = 0; i < count; i++) {
        const double phase = i / rate / period, step = floor(phase);
        const double bounce = size * sin(2 * acos(-1) * (phase - step)) * (fmod(step, 2) == 0 ? 1 : 1 - one_leg);
        for (int axis = 0; axis < GW_AXES; axis++) {
            const double g = up[axis] * (1 + bounce) + 0.01 * (random_between(-100, 100) / 100.0);
            samples[i][axis] = (int16_t)lrint(g * 4096);
        }
    }
    return count;
}

static int64_t counted(double rate, int32_t count) {
    void *memory = malloc(gw_movement_size());
    gw_movement *counter = 0;
    CHECK(gw_movement_init(memory, gw_movement_size(), (int32_t)(rate * 1000), 0, &counter) == GW_OK, "%g Hz", rate);
    // In blocks of any length.
    for (int32_t start = 0; start < count;) {
        const int32_t block = random_between(1, 300), n = start + block > count ? count - start : block;
        gw_movement_push(counter, samples[start], n);
        start += n;
    }
    const int64_t steps = gw_steps_count(gw_movement_steps(counter));
    free(memory);
    return steps;
}

static void gaits(void) {
    static const double directions[][GW_AXES] = {{1, 0, 0}, {0, -1, 0}, {0.6, 0, -0.8}, {0.577, 0.577, 0.577}};
    static const double rates[] = {50, 25, 52, 100, 104, 200, 400};
    for (int d = 0; d < 4; d++) {
        for (int r = 0; r < 7; r++) {
            for (double period = 0.34; period < 0.8; period += 0.09) {
                for (double one_leg = 0; one_leg <= 0.8; one_leg += 0.4) {
                    const double seconds = 60, expected = seconds / period;
                    const double size = period < 0.43 ? 1.2 : 0.25; // who takes more than two steps a second runs
                    const int64_t found = counted(rates[r], make(rates[r], seconds, period, one_leg, size, directions[d]));
                    CHECK(fabs((double)found - expected) <= 2 + 0.03 * expected, "%g s a step, %g on one leg, %g Hz: %d of %g", period,
                        one_leg, rates[r], (int)found, expected);
                }
            }
        }
    }
}

static void no_gait(void) {
    static const double up[GW_AXES] = {0, 0, 1};
    CHECK(counted(50, make(50, 100, 0.5, 0, 0, up)) == 0, "at rest");
    // Turned over slowly, and put down hard now and then.
    for (int32_t i = 0; i < 5000; i++) {
        const double angle = i / 5000.0 * 6;
        samples[i][0] = (int16_t)lrint(4096 * sin(angle)), samples[i][1] = 0, samples[i][2] = (int16_t)lrint(4096 * cos(angle));
        if (i % 977 < 5) { samples[i][2] = INT16_MAX; }
    }
    CHECK(counted(50, 5000) == 0, "turned over");
    // Driving: noise without a rhythm.
    for (int32_t i = 0; i < 5000; i++) {
        for (int axis = 0; axis < GW_AXES; axis++) { samples[i][axis] = (int16_t)((axis == 2) * 4096 + random_between(-600, 600)); }
    }
    CHECK(counted(50, 5000) <= 40, "noise without a rhythm: %d", (int)counted(50, 5000));
    // The largest numbers that there are overflow nothing.
    for (int32_t i = 0; i < 5000; i++) {
        for (int axis = 0; axis < GW_AXES; axis++) { samples[i][axis] = i / 25 % 2 ? INT16_MAX : INT16_MIN; }
    }
    CHECK(counted(50, 5000) >= 0, "extremes");
}

static void what_it_keeps(void) {
    static const double up[GW_AXES] = {0, 1, 0};
    gw_steps steps;
    gw_steps_init(&steps);
    const int32_t count = make(50, 30, 0.5, 0.2, 0.3, up);
    gw_steps_push(&steps, samples[0], count);
    const int64_t before = gw_steps_count(&steps);
    CHECK(before >= 58 && before <= 62, "%d", (int)before);
    CHECK(abs((gw_steps_cadence(&steps) >> 8) - 120) <= 2, "cadence %d", gw_steps_cadence(&steps) >> 8);
    gw_steps_interrupt(&steps);
    CHECK(gw_steps_count(&steps) == before && gw_steps_cadence(&steps) == 0, "an interruption keeps the count");
    gw_movement *counter;
    CHECK(gw_movement_init(&steps, 8, 50000, 0, &counter) == GW_ENOMEM, "too little memory");
    void *memory = malloc(gw_movement_size());
    CHECK(gw_movement_init(memory, gw_movement_size(), 9000, 0, &counter) == GW_EINVAL, "9 Hz");
    free(memory);
}

// The same bits on every processor.
static void digest(void) {
    gw_steps steps;
    gw_steps_init(&steps);
    random_state = 42;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int32_t level = 0;
    for (int32_t i = 0; i < 30000; i++) {
        level += random_between(-300, 300) - level / 16;
        const int16_t sample[GW_AXES] = {(int16_t)(i % 27 * 60 + level), (int16_t)(4096 - i % 54 * 20), (int16_t)random_between(-200, 200)};
        gw_steps_push(&steps, sample, 1);
        hash = (hash ^ (uint64_t)steps.total ^ (uint64_t)steps.stride << 32) * UINT64_C(0x100000001b3);
    }
    printf("steps %lld, hash %016llx\n", (long long)gw_steps_count(&steps), (unsigned long long)hash);
}

// Two years of walking: neither samples nor steps stop at 31 bits.
static void beyond_31_bits(void) {
    enum { BEFORE = INT32_MAX - 500 };
    gw_steps steps, later;
    gw_steps_init(&steps);
    gw_steps_init(&later);
    later.samples = BEFORE;
    later.total = (int64_t)BEFORE * 65536;
    for (int32_t i = 0; i < 3000; i++) {
        const int16_t sample[GW_AXES] = {(int16_t)(4096 + (i % 27 < 13 ? i % 27 : 26 - i % 27) * 150 - 900), 100, -50};
        gw_steps_push(&steps, sample, 1);
        gw_steps_push(&later, sample, 1);
        CHECK(steps.instant_count == later.instant_count, "instants at sample %d", i);
        for (int32_t k = 0; k < steps.instant_count; k++) {
            CHECK(later.instants[k] == steps.instants[k] + BEFORE, "instant %lld", (long long)later.instants[k]);
        }
    }
    CHECK(gw_steps_count(&steps) > 50 && later.samples == steps.samples + BEFORE, "%lld samples", (long long)later.samples);
    CHECK(gw_steps_count(&later) == gw_steps_count(&steps) + BEFORE, "%lld steps", (long long)gw_steps_count(&later));
}

int main(void) {
    gaits();
    no_gait();
    what_it_keeps();
    digest();
    beyond_31_bits();
    return finish("steps");
}
