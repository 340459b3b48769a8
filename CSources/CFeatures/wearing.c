#include "signals.h"
#include "spectrum.h"

typedef struct wearing_work {
    gw_complex values[GW_FFT_MAX];
    uint64_t powers[3][GW_FFT_MAX / 2 + 1]; // vertical, horizontal, length
    gw_signal signals[GW_SIGNALS];          // which become theirs less the mean
} wearing_work;

_Static_assert(sizeof(wearing_work) <= GW_WEARING_WORK, "gw_wearing_features' work");

// Tenths of Hz at which one band ends and the next begins.
static const int16_t edges[GW_WEARING_BANDS + 1] = {3, 7, 11, 15, 19, 23, 27, 32, 40, 50, 65, 85, 110, 140, 190};
// Samples.
static const int16_t vertical_lags[GW_UPRIGHT_LAGS] = {6, 10, 14, 18, 22, 26, 30, 36, 44, 54};
static const int16_t length_lags[GW_GAIT_LAGS] = {10, 14, 18, 22, 26, 30, 36, 44, 54};
static const int16_t directed_lags[GW_DIRECTED_LAGS] = {-12, -8, -4, 0, 4, 8, 12};

// log2 / 8 in Q3.12 of a sum of squares, on a floor far below any sensor's noise.
static int16_t level(uint64_t sum, uint64_t floor) { return gw_saturate16(gw_log2_q9(sum + floor)); }

// A quarter of the third standardised moment; 4 LSB beside the deviation, so that noise at rest has none.
static int16_t skewness(const int16_t *signal, int64_t square, int32_t length) {
    const int64_t deviation = gw_square_root((uint64_t)square / (uint64_t)length) + 4;
    return gw_saturate16(gw_divided(gw_signal_cubes(signal, length) / length * 1024, deviation * deviation * deviation));
}

static void correlate(const int16_t *signal, int32_t length, int64_t square, const int16_t *lags, int32_t count, int16_t *features) {
    const int64_t whole = square + 16 * length;
    for (int32_t k = 0; k < count; k++) {
        const int32_t rest = length - lags[k];
        const int64_t sum = gw_signal_product(signal, signal + lags[k], rest);
        features[k] = gw_saturate16(gw_divided(sum / rest * length * 4096 / 16, whole / 16 + 1));
    }
}

// Two real signals in one transform: `first` and `second`, whose powers are told apart or, where they share a place, added up.
static void transform(
    wearing_work *work, const int16_t *first, const int16_t *second, int32_t length, int32_t size, uint64_t *powers, uint64_t *other) {
    gw_complex *values = work->values;
    for (int32_t i = 0; i < size; i++) {
        values[i] = (gw_complex){0, 0};
        if (i < length) { values[i] = (gw_complex){first[i] * (1 << GW_SPECTRUM_FINER), second[i] * (1 << GW_SPECTRUM_FINER)}; }
    }
    gw_fft(values, size);
    for (int32_t k = 0; k <= size / 2; k++) {
        const gw_complex here = values[k], there = values[(size - k) % size];
        const int64_t a = ((int64_t)here.re + there.re) / 2, b = ((int64_t)here.im - there.im) / 2;
        const int64_t c = ((int64_t)here.im + there.im) / 2, d = ((int64_t)there.re - here.re) / 2;
        powers[k] = (uint64_t)(a * a + b * b);
        if (other) {
            other[k] = (uint64_t)(c * c + d * d);
        } else {
            powers[k] += (uint64_t)(c * c + d * d);
        }
    }
}

static void bands(const uint64_t *powers, const uint64_t *others, int32_t size, int32_t length, int16_t *features) {
    const uint64_t floor = (uint64_t)length * 16 << (2 * GW_SPECTRUM_FINER);
    int32_t k = 1;
    while (k * 500 < edges[0] * size) { k++; }
    for (int32_t band = 0; band < GW_WEARING_BANDS; band++) {
        uint64_t sum = 0;
        for (; k <= size / 2 && k * 500 < edges[band + 1] * size; k++) { sum += powers[k] + (others ? others[k] : 0); }
        features[band] = level(sum, floor);
    }
}

// Of the horizontal movement: along the direction in which it is largest and across; sums of squares.
static void principal(int64_t forward, int64_t lateral, int64_t both, uint64_t *most, uint64_t *least) {
    int32_t shift = 0;
    while ((forward + lateral) >> shift > 1 << 29) { shift++; }
    const int64_t f = forward >> shift, l = lateral >> shift, b = both >> shift;
    const uint64_t difference = gw_square_root((uint64_t)((f - l) * (f - l) + 4 * b * b)), sum = (uint64_t)(f + l);
    *most = (sum + difference) / 2 << shift;
    *least = (sum > difference ? sum - difference : 0) / 2 << shift;
}

// Two signals without their means, and what their products are divided by.
typedef struct pair {
    const int16_t *left, *right;
    int64_t roots;
} pair;

static pair pair_of(const gw_signal *signals, const int64_t *root, int32_t left, int32_t right) {
    return (pair){signals[left], signals[right], root[left] * root[right]};
}

// With the right signal `lag` samples later.
static int16_t correlation(const pair *pair, int32_t length, int32_t lag) {
    const int32_t early = lag < 0 ? -lag : 0, late = lag > 0 ? lag : 0;
    const int64_t product = gw_signal_product(pair->left + early, pair->right + late, length - early - late);
    return gw_saturate16(gw_divided(product * 4096, pair->roots));
}

static int16_t magnitude(int16_t number) { return number < 0 ? gw_saturate16(-(int32_t)number) : number; }

static void correlate_pair(const pair *pair, int32_t length, const int16_t *lags, int32_t count, int16_t *features) {
    for (int32_t k = 0; k < count; k++) { features[k] = correlation(pair, length, lags[k]); }
}

static void directed_features(
    const gw_signal *signals, const gw_signal_sums *each, const int64_t *root, int32_t length, int16_t *features) {
    for (int32_t a = GW_AHEAD; a <= GW_LEFT; a++) {
        const int32_t k = a - GW_AHEAD;
        features[GW_DIRECTED_MEAN + k] = gw_saturate16(each[a].mean);
        features[GW_DIRECTED_SKEWNESS + k] = skewness(signals[a], each[a].square, length);
        features[GW_DIRECTED_PEAK + 2 * k] = (int16_t)each[a].most;
        features[GW_DIRECTED_PEAK + 2 * k + 1] = (int16_t)each[a].least;
    }
    const pair ahead = pair_of(signals, root, GW_VERTICAL, GW_AHEAD), left = pair_of(signals, root, GW_VERTICAL, GW_LEFT),
               across = pair_of(signals, root, GW_AHEAD, GW_LEFT);
    correlate_pair(&ahead, length, directed_lags, GW_DIRECTED_LAGS, features + GW_DIRECTED_AHEAD);
    correlate_pair(&left, length, directed_lags, GW_DIRECTED_LAGS, features + GW_DIRECTED_LATERAL);
    correlate_pair(&across, length, directed_lags + 1, GW_DIRECTED_LAGS_ACROSS, features + GW_DIRECTED_ACROSS);
}

// From the first half to the second.
static int64_t movement_of_mean(const int16_t *signal, int32_t length) {
    const int32_t half = (length + 1) / 2;
    return gw_divided(gw_signal_total(signal + half, length - half), length - half) - gw_divided(gw_signal_total(signal, half), half);
}

gw_status gw_wearing_features(const int16_t *window, int32_t length, const gw_frame *frame, void *memory, int16_t *features) {
    if (length < GW_WEARING_LENGTH_MIN || length > GW_WEARING_LENGTH_MAX) { return GW_EINVAL; }
    wearing_work *work = memory;
    int16_t *upright = features, *gait = upright + GW_UPRIGHT_FEATURES, *directed = gait + GW_GAIT_FEATURES;
    int32_t size = 128;
    while (size < length) { size *= 2; }
    gw_signal *signals = work->signals;
    gw_signals_take(window, length, frame, signals);

    // What changes from sample to sample, and from the first half to the second.
    uint64_t jerk = 0, jerk_up = 0, turn = 0;
    for (int32_t a = 0; a < GW_AXES; a++) {
        jerk += gw_signal_changes(signals[a], length);
        if (a == GW_VERTICAL) { jerk_up = jerk; }
        const int64_t between = movement_of_mean(signals[a], length);
        turn += (uint64_t)(between * between);
        if (a == GW_VERTICAL) { upright[GW_UPRIGHT_RISE] = gw_saturate16(between); }
    }
    upright[GW_UPRIGHT_TURN] = gw_saturate16(gw_square_root(turn));
    directed[GW_DIRECTED_TURN] = gw_saturate16(movement_of_mean(signals[GW_AHEAD], length));
    directed[GW_DIRECTED_TURN + 1] = gw_saturate16(movement_of_mean(signals[GW_LEFT], length));

    gw_signal_sums each[GW_SIGNALS];
    for (int32_t s = 0; s < GW_SIGNALS; s++) { each[s] = gw_signal_centre(signals[s], length); }
    const uint64_t floor = (uint64_t)length * 16;
    const int64_t ff = each[GW_FORWARD].square, ll = each[GW_LATERAL].square, vv = each[GW_VERTICAL].square;
    uint64_t most, least;
    principal(ff, ll, gw_signal_product(signals[GW_FORWARD], signals[GW_LATERAL], length), &most, &least);
    const int64_t a = each[GW_FORWARD].mean, l = each[GW_LATERAL].mean;
    upright[GW_UPRIGHT_MEAN] = gw_saturate16(each[GW_VERTICAL].mean);
    upright[GW_UPRIGHT_MEAN + 1] = gw_saturate16(gw_square_root((uint64_t)(a * a + l * l)));
    upright[GW_UPRIGHT_MEAN + 2] = gw_saturate16(a < 0 ? -a : a);
    upright[GW_UPRIGHT_MEAN + 3] = gw_saturate16(l < 0 ? -l : l);
    upright[GW_UPRIGHT_LEVEL] = level(most, floor);
    upright[GW_UPRIGHT_LEVEL + 1] = level(least, floor);
    upright[GW_UPRIGHT_LEVEL + 2] = level((uint64_t)ff, floor);
    upright[GW_UPRIGHT_LEVEL + 3] = level((uint64_t)ll, floor);
    upright[GW_UPRIGHT_LEVEL + 4] = level((uint64_t)vv, floor);
    upright[GW_UPRIGHT_LEVEL + 5] = level(jerk_up, floor);
    upright[GW_UPRIGHT_SKEWNESS] = skewness(signals[GW_VERTICAL], vv, length);
    upright[GW_UPRIGHT_PEAK] = (int16_t)each[GW_VERTICAL].most;
    upright[GW_UPRIGHT_PEAK + 1] = (int16_t)each[GW_VERTICAL].least;
    int64_t root[GW_SIGNALS];
    for (int32_t a = 0; a < GW_SIGNALS; a++) { root[a] = gw_square_root((uint64_t)(each[a].square + 16 * length)); }
    const pair forward = pair_of(signals, root, GW_VERTICAL, GW_FORWARD), lateral = pair_of(signals, root, GW_VERTICAL, GW_LATERAL);
    upright[GW_UPRIGHT_TOGETHER] = magnitude(correlation(&forward, length, 0));
    upright[GW_UPRIGHT_TOGETHER + 1] = magnitude(correlation(&lateral, length, 0));
    directed_features(signals, each, root, length, directed);
    correlate(signals[GW_VERTICAL], length, vv, vertical_lags, GW_UPRIGHT_LAGS, upright + GW_UPRIGHT_AGAIN);

    gait[GW_GAIT_LEVEL] = level((uint64_t)each[GW_LENGTH].square, floor);
    gait[GW_GAIT_LEVEL + 1] = level((uint64_t)(vv + ff + ll), floor);
    gait[GW_GAIT_LEVEL + 2] = level(jerk, floor);
    gait[GW_GAIT_SKEWNESS] = skewness(signals[GW_LENGTH], each[GW_LENGTH].square, length);
    gait[GW_GAIT_PEAK] = gw_saturate16(each[GW_LENGTH].mean + each[GW_LENGTH].most - GW_ONE_G);
    gait[GW_GAIT_PEAK + 1] = gw_saturate16(each[GW_LENGTH].mean + each[GW_LENGTH].least - GW_ONE_G);
    correlate(signals[GW_LENGTH], length, each[GW_LENGTH].square, length_lags, GW_GAIT_LAGS, gait + GW_GAIT_AGAIN);

    transform(work, signals[GW_VERTICAL], signals[GW_LENGTH], length, size, work->powers[0], work->powers[2]);
    transform(work, signals[GW_FORWARD], signals[GW_LATERAL], length, size, work->powers[1], NULL);
    bands(work->powers[0], NULL, size, length, upright + GW_UPRIGHT_VERTICAL);
    bands(work->powers[1], NULL, size, length, upright + GW_UPRIGHT_HORIZONTAL);
    bands(work->powers[2], NULL, size, length, gait + GW_GAIT_LENGTH);
    bands(work->powers[0], work->powers[1], size, length, gait + GW_GAIT_ALL);
    return GW_OK;
}
