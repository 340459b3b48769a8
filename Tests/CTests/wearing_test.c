// CFeatures: features in the wearer's own directions beside numpy's.
#include "check.h"
#include "cfeatures.h"
#include "../../CSources/CFeatures/signals.h"
#include "../Vectors/wearing_vectors.h"
#include <math.h>
#include <string.h>

enum { WINDOW = 128 };

static uint64_t work[GW_WEARING_WORK / 8];

// Directions and lengths are rounded to Q3.12 before anything is summed up.
static double bound(int32_t feature, bool is_at_rest) {
    const double lsb = 1.0 / 4096;
    const bool is_mean = feature < GW_UPRIGHT_LEVEL, is_peak = feature == GW_UPRIGHT_PEAK || feature == GW_UPRIGHT_PEAK + 1;
    if (is_mean || is_peak || feature == GW_UPRIGHT_TURN || feature == GW_UPRIGHT_RISE) { return 4 * lsb; }
    const int32_t gait = feature - GW_UPRIGHT_FEATURES, directed = gait - GW_GAIT_FEATURES;
    if (gait == GW_GAIT_PEAK || gait == GW_GAIT_PEAK + 1) { return 4 * lsb; }
    const bool is_directed_mean = directed >= GW_DIRECTED_MEAN && directed < GW_DIRECTED_SKEWNESS;
    const bool is_directed_peak = directed >= GW_DIRECTED_PEAK && directed < GW_DIRECTED_AHEAD;
    if (is_directed_mean || is_directed_peak || directed >= GW_DIRECTED_TURN) { return 4 * lsb; }
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
        const int32_t quieter = round / 4 % 16; // bits
        gw_frame frame;
        for (int32_t a = 0; a < GW_AXES; a++) {
            frame.up[a] = (int16_t)random_between(-most, most);
            frame.forward[a] = (int16_t)random_between(-16384, 16384);
            frame.ahead[a] = (int16_t)random_between(-16384, 16384);
        }
        for (int32_t i = 0; i < length * GW_AXES; i++) {
            window[i] = is_wild ? (random_bits() % 2 ? INT16_MAX : INT16_MIN) : (int16_t)((int16_t)random_bits() >> quieter);
        }
        gw_signals_take(window, length, &frame, signals);
        int64_t total = 0, changes = 0, cubes = 0, squares = 0;
        int16_t most_of_all = INT16_MIN, least_of_all = INT16_MAX;
        for (int32_t i = 0; i < length; i++) {
            const int16_t *sample = window + GW_AXES * i;
            int64_t sum = 1 << (GW_FRAME_UNIT - 1), ahead = sum, square = 0;
            for (int32_t a = 0; a < GW_AXES; a++) {
                sum += (int32_t)sample[a] * frame.up[a];
                ahead += (int32_t)sample[a] * frame.ahead[a];
                square += (int32_t)sample[a] * sample[a];
            }
            CHECK(signals[GW_VERTICAL][i] == gw_saturate16(sum >> GW_FRAME_UNIT), "sample %d", i);
            CHECK(signals[GW_AHEAD][i] == gw_saturate16(ahead >> GW_FRAME_UNIT), "sample %d ahead", i);
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
            least_of_all = value < least_of_all ? (int16_t)value : least_of_all;
        }
        CHECK(sums.square == squares && gw_signal_cubes(signals[GW_VERTICAL], length) == cubes && sums.most == most_of_all &&
                  sums.least == least_of_all,
            "sums");
        const int32_t lag = random_between(0, 60);
        int64_t products = 0;
        for (int32_t i = 0; i + lag < length; i++) { products += signals[GW_AHEAD][i] * signals[GW_LEFT][i + lag]; }
        CHECK(gw_signal_product(signals[GW_AHEAD], signals[GW_LEFT] + lag, length - lag) == products, "products, %d samples later", lag);
    }
}

int main(void) {
    features_are_numpys();
    signals_are_exact();
    return finish("CFeatures, worn");
}
