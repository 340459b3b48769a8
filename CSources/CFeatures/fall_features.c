#include "fall_features.h"
#include <stdlib.h>

enum {
    P = GW_FALLS_BEFORE, // the blow's place in its window
    ONE = 1 << 12,
};

typedef struct vector {
    int64_t v[GW_AXES];
} vector;

static vector sum_of(const fall_window *w, int32_t from, int32_t to) {
    vector sum = {{0}};
    for (int32_t i = P + from; i < P + to; i++) {
        for (int32_t a = 0; a < GW_AXES; a++) { sum.v[a] += w->samples[i][a]; }
    }
    return sum;
}

static vector both(vector a, vector b) {
    for (int32_t i = 0; i < GW_AXES; i++) { a.v[i] += b.v[i]; }
    return a;
}

static int64_t dot(vector a, vector b) { return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2]; }

static int64_t length(vector a) { return gw_square_root((uint64_t)dot(a, a)); }

static int64_t cosine(vector a, vector b) { return dot(a, b) * ONE / (length(a) * length(b) + 1); }

// The greatest (or least) cosine of windows of 9 samples, three apart, with `up`.
static int64_t extreme(const fall_window *w, int32_t from, int32_t to, vector up, int64_t sign) {
    int64_t best = -sign * 2 * ONE;
    for (int32_t i = from; i < to; i += 3) {
        const int64_t found = cosine(sum_of(w, i, i + 9), up);
        if (sign * found > sign * best) { best = found; }
    }
    return best;
}

static int64_t total(const int32_t *values, int32_t from, int32_t to) {
    int64_t sum = 0;
    for (int32_t i = P + from; i < P + to; i++) { sum += values[i]; }
    return sum;
}

static int64_t longest(const fall_window *w, int32_t from, int32_t to) {
    int32_t best = 0;
    for (int32_t i = P + from; i < P + to; i++) { best = w->lengths[i] > best ? w->lengths[i] : best; }
    return best;
}

static int64_t square(const int16_t *s) { return (int64_t)s[0] * s[0] + (int64_t)s[1] * s[1] + (int64_t)s[2] * s[2]; }

static int64_t force(const fall_window *w) {
    int64_t best = 0;
    for (int32_t k = -11; k < 9; k++) {
        const vector sum = sum_of(w, k, k + 5);
        best = dot(sum, sum) > best ? dot(sum, sum) : best;
    }
    return gw_square_root((uint64_t)best) / 5;
}

static int64_t horizontal(const fall_window *w, vector up) {
    int64_t best = 0;
    const int64_t size = length(up) + 1;
    for (int32_t i = P - 25; i < P + 26; i++) {
        const vector s = {{w->samples[i][0], w->samples[i][1], w->samples[i][2]}};
        const int64_t along = dot(s, up) / size, rest = square(w->samples[i]) - along * along;
        best = rest > best ? rest : best;
    }
    return gw_square_root((uint64_t)best);
}

static int64_t mean_length(const fall_window *w) {
    int64_t best = 0;
    for (int32_t k = -13; k < 7; k++) {
        const int64_t sum = total(w->lengths, k, k + 9);
        best = sum > best ? sum : best;
    }
    return best / 9;
}

static int64_t variance(const fall_window *w, vector f) {
    int64_t sum = 0, mean = 0;
    for (int32_t i = P + 50; i < P + 75; i++) { sum += square(w->samples[i]); }
    for (int32_t a = 0; a < GW_AXES; a++) { mean += (f.v[a] / 25) * (f.v[a] / 25); }
    const int64_t left = sum / 25 - mean;
    return left > 0 ? left >> 10 : 0;
}

static int64_t turning(const fall_window *w) {
    int64_t sum = 0;
    for (int32_t i = -114; i < -44; i += 10) { sum += ONE - cosine(sum_of(w, i, i + 10), sum_of(w, i - 10, i)); }
    return sum;
}

void gw_fall_measure(fall_window *w) {
    w->changes[0] = 0;
    for (int32_t i = 0; i < GW_FALLS_SEEN; i++) {
        w->lengths[i] = (int32_t)gw_square_root((uint64_t)square(w->samples[i]));
        w->distances[i] = abs(w->lengths[i] - ONE);
        if (i == 0) { continue; }
        int64_t change = 0;
        for (int32_t a = 0; a < GW_AXES; a++) {
            const int64_t d = w->samples[i][a] - w->samples[i - 1][a];
            change += d * d;
        }
        w->changes[i] = (int32_t)gw_square_root((uint64_t)change);
    }
}

void gw_fall_features(const fall_window *w, int16_t features[GW_FALLS_FEATURES]) {
    const vector a = sum_of(w, -125, -75), b = sum_of(w, -75, -25), d = sum_of(w, 6, 25), e = sum_of(w, 25, 50), f = sum_of(w, 50, 75);
    const vector ab = both(a, b), ef = both(e, f);
    const int64_t peak = w->lengths[P];
    int64_t restless = 0;
    for (int32_t i = P + 10; i < P + 76; i++) { restless += w->distances[i] > ONE / 4; }
    const int64_t found[GW_FALLS_FEATURES] = {
        [GW_FALL_UPRIGHT_AGAIN] = extreme(w, 11, 68, ab, 1),
        [GW_FALL_FORCE] = force(w),
        [GW_FALL_TURN_AE] = cosine(a, e),
        [GW_FALL_TURN_AB_EF] = cosine(ab, ef),
        [GW_FALL_TURN_A_LAST] = cosine(a, sum_of(w, 55, 75)),
        [GW_FALL_RATIO_BEFORE] = longest(w, -124, -12) * ONE / peak,
        [GW_FALL_RATIO_AFTER] = longest(w, 12, 76) * ONE / peak,
        [GW_FALL_DOWN] = dot(a, ef) / (length(ef) + 1) / 50,
        [GW_FALL_HORIZONTAL] = horizontal(w, ab),
        [GW_FALL_RESTLESS] = restless,
        [GW_FALL_LONGEST_LATE] = longest(w, 50, 75),
        [GW_FALL_CHANGE_LATE] = total(w->changes, 55, 75) / 20,
        [GW_FALL_LEAST_BEFORE] = extreme(w, -124, -34, ab, -1),
        [GW_FALL_LENGTH] = mean_length(w),
        [GW_FALL_TURN_DF] = cosine(d, f),
        [GW_FALL_VARIANCE_LATE] = variance(w, f),
        [GW_FALL_JERK] = total(w->changes, -6, 7) / 13,
        [GW_FALL_IMPULSE] = total(w->lengths, -8, 13) / 21 - ONE,
        [GW_FALL_CHANGE_BEFORE] = total(w->changes, -125, -75) / 50,
        [GW_FALL_RESTLESS_BEFORE] = total(w->distances, -125, -75) / 50,
        [GW_FALL_TURN_AB] = cosine(a, b),
        [GW_FALL_TURNING_BEFORE] = turning(w),
    };
    for (int32_t i = 0; i < GW_FALLS_FEATURES; i++) { features[i] = gw_saturate16(found[i] > INT32_MAX ? INT32_MAX : (int32_t)found[i]); }
}

void gw_fall_before(const fall_window *w, int32_t up[GW_AXES]) {
    const vector ab = sum_of(w, -125, -25);
    for (int32_t i = 0; i < GW_AXES; i++) { up[i] = (int32_t)ab.v[i]; }
}

int32_t gw_fall_cosine(const int32_t a[GW_AXES], const int32_t b[GW_AXES]) {
    const vector u = {{a[0], a[1], a[2]}}, v = {{b[0], b[1], b[2]}};
    return (int32_t)cosine(u, v);
}
