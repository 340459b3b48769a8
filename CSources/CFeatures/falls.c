#include "fall_features.h"
#include <stdlib.h>
#include <string.h>

enum {
    BLOW = 42949673, // square of a length that may be a blow, Q6.24 g^2: 1.6 g
    GAP = 25,        // samples after a judged blow at which the next one may be
    SECOND = 50,
    UPRIGHT = 3277,      // cosine with how it was before, Q3.12: 0.8, 37 degrees
    UPRIGHT_SECONDS = 2, // in a row
    WALKING = 400,       // mean distance of a sample's length from a second's mean length, Q3.12 g: 0.1 g; of who walks
    WALKING_SECONDS = 5, // in a row: the sensor may have slipped
    GIVEN_UP = 60 * 60 * SECOND,
};

gw_status gw_falls_init(gw_falls *falls, const gw_fall_model *model) {
    if (model && (model->trees < 1 || model->trees > GW_FALLS_TREES_MAX)) { return GW_EINVAL; }
    for (int32_t i = 0; model && i < model->trees * GW_FALLS_NODES; i++) {
        if (model->features[i] < 0 || model->features[i] >= GW_FALLS_FEATURES) { return GW_EINVAL; }
    }
    memset(falls, 0, sizeof *falls);
    falls->model = model;
    falls->confirm = 10 * SECOND;
    falls->last_fall = -1;
    return GW_OK;
}

void gw_falls_configure(gw_falls *falls, int32_t extra, int32_t confirm) {
    falls->extra = extra;
    falls->confirm = confirm > 0 ? confirm : 1;
}

void gw_falls_interrupt(gw_falls *falls) {
    falls->first = falls->samples;
    falls->peak = 0;
    falls->in_second = 0;
}

int32_t gw_fall_model_sum(const gw_fall_model *model, const int16_t features[GW_FALLS_FEATURES]) {
    int32_t sum = 0;
    for (int32_t tree = 0; tree < model->trees; tree++) {
        const int8_t *feature = model->features + tree * GW_FALLS_NODES;
        const int16_t *threshold = model->thresholds + tree * GW_FALLS_NODES;
        int32_t node = 0;
        while (node < GW_FALLS_NODES) { node = 2 * node + 1 + (features[feature[node]] > threshold[node]); }
        sum += model->leaves[tree * GW_FALLS_LEAVES + node - GW_FALLS_NODES];
    }
    return sum;
}

static void emit(gw_falls *falls, gw_fall_kind kind) {
    // Nobody takes them: the oldest goes.
    if (falls->event_count == GW_FALLS_EVENTS) {
        falls->event_count--;
        memmove(falls->events, falls->events + 1, (size_t)falls->event_count * sizeof *falls->events);
    }
    falls->events[falls->event_count++] = (gw_fall_event){.kind = kind, .impact = falls->last_fall, .at = falls->samples};
}

bool gw_falls_take(gw_falls *falls, gw_fall_event *event) {
    if (falls->event_count == 0) { return false; }
    *event = falls->events[0];
    falls->event_count--;
    memmove(falls->events, falls->events + 1, (size_t)falls->event_count * sizeof *falls->events);
    return true;
}

bool gw_falls_candidate(gw_falls *falls, gw_fall_candidate *candidate) {
    if (!falls->has_candidate) { return false; }
    *candidate = falls->candidate;
    falls->has_candidate = false;
    return true;
}

static uint32_t square(const int16_t *s) { return (uint32_t)(s[0] * s[0]) + (uint32_t)(s[1] * s[1]) + (uint32_t)(s[2] * s[2]); }

static const int16_t *kept(const gw_falls *falls, int64_t sample) {
    return falls->kept[(sample < falls->first ? falls->first : sample) % GW_FALLS_KEPT];
}

// A blow to somebody who is watched already says nothing of which way is up: before it they lay. Nor does it put off what is to be
// confirmed; what is confirmed is confirmed again, since somebody may have cancelled it meanwhile.
static void begin_watch(gw_falls *falls, const fall_window *window) {
    if (falls->is_watched) {
        if (!falls->is_confirmed) { return; }
    } else {
        gw_fall_before(window, falls->up);
    }
    falls->down_since = falls->last_fall;
    memset(falls->second, 0, sizeof falls->second);
    falls->in_second = 0, falls->upright = 0, falls->walking = 0;
    falls->is_watched = true, falls->is_confirmed = false;
}

// Of the blow `age` samples ago.
static void judge(gw_falls *falls) {
    fall_window window;
    const int64_t blow = falls->samples - 1 - falls->age;
    for (int32_t i = 0; i < GW_FALLS_SEEN; i++) {
        memcpy(window.samples[i], kept(falls, blow - GW_FALLS_BEFORE + i), sizeof *window.samples);
    }
    gw_fall_measure(&window);
    gw_fall_features(&window, falls->candidate.features);
    falls->candidate.impact = blow;
    falls->candidate.peak = window.lengths[GW_FALLS_BEFORE];
    falls->has_candidate = true;
    if (!falls->model || gw_fall_model_sum(falls->model, falls->candidate.features) < falls->model->limit + falls->extra) { return; }
    if (falls->last_fall >= 0 && blow - falls->last_fall < GW_FALLS_REST) { return; }
    falls->last_fall = blow;
    emit(falls, GW_FALL_IMPACT);
    begin_watch(falls, &window);
}

// The next blow may have been within the time that the last one was waited for.
static void look_back(gw_falls *falls) {
    const int64_t now = falls->samples - 1, blow = now - falls->age;
    uint32_t best = BLOW;
    falls->peak = 0;
    for (int64_t i = blow + GAP; i <= now; i++) {
        const uint32_t size = square(kept(falls, i));
        if (size > best) { best = falls->peak = size, falls->age = (int32_t)(now - i); }
    }
}

// Of the latest second, the mean distance of a sample's length from their mean, Q3.12 g.
static int32_t restlessness(const gw_falls *falls) {
    int32_t lengths[SECOND], mean = 0, sum = 0;
    for (int32_t i = 0; i < SECOND; i++) {
        lengths[i] = (int32_t)gw_square_root(square(kept(falls, falls->samples - SECOND + i)));
        mean += lengths[i];
    }
    mean /= SECOND;
    for (int32_t i = 0; i < SECOND; i++) { sum += abs(lengths[i] - mean); }
    return sum / SECOND;
}

static void watch(gw_falls *falls, const int16_t *sample) {
    for (int32_t a = 0; a < GW_AXES; a++) { falls->second[a] += sample[a]; }
    if (++falls->in_second < SECOND) { return; }
    falls->upright = gw_fall_cosine(falls->second, falls->up) > UPRIGHT ? falls->upright + 1 : 0;
    falls->walking = restlessness(falls) > WALKING ? falls->walking + 1 : 0;
    memset(falls->second, 0, sizeof falls->second);
    falls->in_second = 0;
    const int64_t down = falls->samples - falls->down_since;
    if (falls->upright >= UPRIGHT_SECONDS || falls->walking >= WALKING_SECONDS) {
        falls->is_watched = false;
        emit(falls, GW_FALL_RECOVERED);
    } else if (!falls->is_confirmed && down >= falls->confirm) {
        falls->is_confirmed = true;
        emit(falls, GW_FALL_FALLEN);
    } else if (down > GIVEN_UP) {
        falls->is_watched = false;
    }
}

// Where something happens: a blow is waited for, or its wearer is watched.
static void take(gw_falls *falls, const int16_t *sample, uint32_t size) {
    if (falls->is_watched) { watch(falls, sample); }
    if (!falls->peak) {
        if (size > BLOW) { falls->peak = size, falls->age = 0; }
        return;
    }
    falls->age++;
    if (size > falls->peak) { falls->peak = size, falls->age = 0; }
    if (falls->age < GW_FALLS_AFTER) { return; }
    judge(falls);
    look_back(falls);
}

void gw_falls_push(gw_falls *falls, const int16_t *samples, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        const int16_t *sample = samples + i * GW_AXES;
        int16_t *kept = falls->kept[(uint64_t)falls->samples % GW_FALLS_KEPT];
        for (int32_t a = 0; a < GW_AXES; a++) { kept[a] = sample[a]; }
        falls->samples++;
        const uint32_t size = square(sample);
        if (size > BLOW || falls->peak || falls->is_watched) { take(falls, sample, size); }
    }
}
