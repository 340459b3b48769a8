#include "gw_steps.h"
#include <stdlib.h>
#include <string.h>

enum {
    ACTIVE = 60,        // root of the mean square of a window with a gait, Q3.12 g: 15 mg
    ACTIVE_SECOND = 45, // of a second that counts
    RUNNING = 1640,     // of a window in which nobody walks slowly any more: 0.4 g
    RUNNING_LEAST = 30, // and how long a stride lasts then: else two strides could be taken for one
    RUNNING_MOST = 60,
    ALIKE = 11469,     // the least correlation, Q15: 0.35
    ALIKE_STRIDES = 6, // share of a stride by which the next one may differ
    BITS = 11,         // of the numbers that are correlated
    FIRST = RUNNING_LEAST / 2 - 1,
};

static void average_init(gw_steps_average *average, int32_t length, int32_t value) {
    average->length = length, average->next = 0, average->sum = (int64_t)value * length;
    for (int32_t i = 0; i < length; i++) { average->values[i] = value; }
}

static int32_t average_take(gw_steps_average *average, int32_t value) {
    average->sum += value - average->values[average->next];
    average->values[average->next] = value;
    average->next = average->next + 1 == average->length ? 0 : average->next + 1;
    return (int32_t)(average->sum / average->length); // magnitudes: not negative
}

void gw_steps_init(gw_steps *steps) { memset(steps, 0, sizeof *steps); }

void gw_steps_interrupt(gw_steps *steps) {
    const int64_t total = steps->total, samples = steps->samples, squares = steps->squares;
    gw_steps_init(steps);
    steps->total = total, steps->samples = samples, steps->squares = squares;
}

int64_t gw_steps_count(const gw_steps *steps) { return (steps->total + (1 << 15)) >> 16; }

int32_t gw_steps_cadence(const gw_steps *steps) {
    // two steps a stride: 2 * 60 * 50 / stride, Q8 over Q8
    return steps->stride ? (6000 << 16) / steps->stride : 0;
}

// The window in order, about its mean, in BITS bits. Returns the sum of its squares before that.
static int64_t arrange(const gw_steps *steps, int32_t *w) {
    int32_t sum = 0, largest = 1, shift = 0;
    int64_t square = 0;
    for (int32_t i = 0; i < GW_STEPS_WINDOW; i++) {
        w[i] = steps->history[(steps->next + i) % GW_STEPS_WINDOW];
        sum += w[i];
    }
    const int32_t mean = sum / GW_STEPS_WINDOW;
    for (int32_t i = 0; i < GW_STEPS_WINDOW; i++) {
        w[i] -= mean;
        square += (int64_t)w[i] * w[i];
        const int32_t size = w[i] < 0 ? -w[i] : w[i];
        largest = size > largest ? size : largest;
    }
    while (largest >> shift >= 1 << BITS) { shift++; }
    for (int32_t i = 0; i < GW_STEPS_WINDOW; i++) { w[i] /= 1 << shift; }
    return square;
}

// Correlation with itself, Q15, at lags FIRST ... GW_STEPS_MOST + 1.
static void correlate(const int32_t *w, int32_t *r) {
    int32_t squares[GW_STEPS_WINDOW + 1] = {0};
    for (int32_t i = 0; i < GW_STEPS_WINDOW; i++) { squares[i + 1] = squares[i] + w[i] * w[i]; }
    for (int32_t lag = FIRST; lag <= GW_STEPS_MOST + 1; lag++) {
        int32_t product = 0;
        for (int32_t i = 0; i + lag < GW_STEPS_WINDOW; i++) { product += w[i] * w[i + lag]; }
        const int64_t late = squares[GW_STEPS_WINDOW] - squares[lag], early = squares[GW_STEPS_WINDOW - lag];
        const uint32_t norm = gw_square_root((uint64_t)late * (uint64_t)early);
        r[lag] = norm ? (int32_t)((int64_t)product * 32768 / norm) : 0;
    }
}

// Samples of a stride in Q8; 0 where nothing repeats.
static int32_t find_stride(const int32_t *r, int32_t least, int32_t most) {
    int32_t best = 0, best_score = 0;
    for (int32_t lag = least; lag <= most; lag++) {
        if (r[lag] < r[lag - 1] || r[lag] < r[lag + 1] || r[lag] <= ALIKE) { continue; }
        const int32_t step = lag % 2 == 0 ? r[lag / 2] : (r[lag / 2] + r[lag / 2 + 1]) / 2;
        const int32_t score = r[lag] + step / 2;
        if (!best || score > best_score) { best = lag, best_score = score; }
    }
    if (!best) { return 0; }
    const int32_t bend = r[best - 1] - 2 * r[best] + r[best + 1];
    return best * 256 + (bend ? (r[best - 1] - r[best + 1]) * 128 / bend : 0);
}

// Whole steps of a second that began at sample `start`: evenly, since nothing but the stride is known of them.
static void place(gw_steps *steps, int64_t start, int64_t share) {
    const int64_t end = steps->total + share;
    for (int64_t whole = (steps->total >> 16) + 1; whole << 16 <= end; whole++) {
        if (steps->instant_count == GW_STEPS_INSTANTS) { break; }
        steps->instants[steps->instant_count++] = start + ((whole << 16) - steps->total) * GW_STEPS_SECOND / share;
    }
    steps->total = end;
}

static void look(gw_steps *steps) {
    int32_t w[GW_STEPS_WINDOW], r[GW_STEPS_MOST + 2] = {0};
    int32_t stride = 0;
    const int64_t square = arrange(steps, w);
    if (square >= (int64_t)ACTIVE * ACTIVE * GW_STEPS_WINDOW) {
        correlate(w, r);
        const bool runs = square >= (int64_t)RUNNING * RUNNING * GW_STEPS_WINDOW;
        stride = find_stride(r, runs ? RUNNING_LEAST : GW_STEPS_LEAST, runs ? RUNNING_MOST : GW_STEPS_MOST);
    }
    // What is no gait repeats by chance, and otherwise the next time.
    const bool goes_on = steps->last && abs(stride - steps->last) <= steps->last / ALIKE_STRIDES;
    steps->found = !stride ? 0 : goes_on ? steps->found + 1 : 1;
    steps->last = stride;
    steps->stride = steps->found >= GW_STEPS_ENOUGH ? stride : 0;
    if (!steps->stride) { return; }
    for (int32_t i = 0; i < GW_STEPS_PARTS; i++) {
        if (steps->is_counted[i] || steps->energy[i] < (int64_t)ACTIVE_SECOND * ACTIVE_SECOND * GW_STEPS_SECOND) { continue; }
        steps->is_counted[i] = true;
        place(steps, steps->samples - GW_STEPS_SECOND * (GW_STEPS_PARTS - i), (int64_t)(2 * GW_STEPS_SECOND) * (1 << 24) / steps->stride);
    }
}

static void take(gw_steps *steps, int32_t value) {
    const int16_t kept = gw_saturate16(value);
    steps->history[steps->next] = kept;
    steps->next = (steps->next + 1) % GW_STEPS_WINDOW;
    if (steps->filled < GW_STEPS_WINDOW) { steps->filled++; }
    steps->energy[GW_STEPS_PARTS - 1] += (int64_t)kept * kept;
    steps->squares += (int64_t)kept * kept;
    steps->samples++;
    if (++steps->in_second < GW_STEPS_SECOND) { return; }
    steps->in_second = 0;
    if (steps->filled == GW_STEPS_WINDOW) { look(steps); }
    for (int32_t i = 1; i < GW_STEPS_PARTS; i++) {
        steps->energy[i - 1] = steps->energy[i];
        steps->is_counted[i - 1] = steps->is_counted[i];
    }
    steps->energy[GW_STEPS_PARTS - 1] = 0;
    steps->is_counted[GW_STEPS_PARTS - 1] = false;
}

void gw_steps_push(gw_steps *steps, const int16_t *samples, int32_t count) {
    steps->instant_count = 0;
    for (int32_t i = 0; i < count; i++) {
        const int16_t *s = samples + i * GW_AXES;
        const uint64_t square = (uint64_t)((int64_t)s[0] * s[0] + (int64_t)s[1] * s[1] + (int64_t)s[2] * s[2]);
        const int32_t magnitude = (int32_t)gw_square_root(square);
        if (!steps->started) {
            for (int32_t a = 0; a < 2; a++) { average_init(&steps->smooth[a], GW_STEPS_NARROW, magnitude); }
            average_init(&steps->slow, GW_STEPS_WIDE, magnitude);
            steps->started = true;
        }
        const int32_t smooth = average_take(&steps->smooth[1], average_take(&steps->smooth[0], magnitude));
        take(steps, smooth - average_take(&steps->slow, smooth));
    }
}
