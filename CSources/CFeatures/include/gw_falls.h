// Falls in acceleration at 50 Hz, wherever on the body the sensor is and whichever way up.
//
// A gate of a few integer operations a sample waits for a blow; what a second and a half later is known of the seconds around it goes to
// trees; whether the wearer stays down is watched from then on.
#ifndef GW_FALLS_H
#define GW_FALLS_H

#include "csignal.h"

enum {
    GW_FALLS_BEFORE = 125, ///< samples before a blow that are looked at: 2.5 s
    GW_FALLS_AFTER = 75,   ///< samples after it: 1.5 s
    GW_FALLS_KEPT = 256,   ///< samples that are kept
    GW_FALLS_FEATURES = 22,
    GW_FALLS_TREES_MAX = 128,
    GW_FALLS_DEPTH = 3, ///< of each tree
    GW_FALLS_NODES = (1 << GW_FALLS_DEPTH) - 1,
    GW_FALLS_LEAVES = 1 << GW_FALLS_DEPTH,
    GW_FALLS_EVENTS = 4, ///< that can wait to be taken
    GW_FALLS_REST = 250, ///< samples after a fall in which no other one is reported: 5 s
};

/// What is known of a blow, int16 each: cosines in Q3.12, lengths in Q3.12 g, times of other blows as shares of this one's length.
///
/// Windows in samples about the blow: A -125 ... -75, B -75 ... -25, D 6 ... 25, E 25 ... 50, F 50 ... 75; AB and EF are both together.
typedef enum gw_fall_feature {
    GW_FALL_UPRIGHT_AGAIN = 0, ///< greatest cosine of the mean of 9 samples after the blow with that of AB
    GW_FALL_FORCE = 1,         ///< greatest length of the mean of 5 samples about the blow
    GW_FALL_TURN_AE = 2,       ///< cosine of the means of A and E
    GW_FALL_TURN_AB_EF = 3,
    GW_FALL_TURN_A_LAST = 4,      ///< of A and the last 20 samples
    GW_FALL_RATIO_BEFORE = 5,     ///< longest sample more than 12 before the blow, as a share of the blow's
    GW_FALL_RATIO_AFTER = 6,      ///< the same after it
    GW_FALL_DOWN = 7,             ///< the mean of A along EF
    GW_FALL_HORIZONTAL = 8,       ///< greatest length across AB within half a second of the blow
    GW_FALL_RESTLESS = 9,         ///< samples after the blow whose length is more than 1/4 g from 1 g
    GW_FALL_LONGEST_LATE = 10,    ///< longest sample of F
    GW_FALL_CHANGE_LATE = 11,     ///< mean change from sample to sample in the last 20
    GW_FALL_LEAST_BEFORE = 12,    ///< least cosine of the mean of 9 samples before the blow with that of AB
    GW_FALL_LENGTH = 13,          ///< greatest mean length of 9 samples about the blow
    GW_FALL_TURN_DF = 14,         ///< cosine of the means of D and F
    GW_FALL_VARIANCE_LATE = 15,   ///< of F, Q6.24 g^2 / 2^10
    GW_FALL_JERK = 16,            ///< mean change from sample to sample in 13 samples about the blow
    GW_FALL_IMPULSE = 17,         ///< mean length of 21 samples about the blow, less 1 g
    GW_FALL_CHANGE_BEFORE = 18,   ///< mean change from sample to sample in A
    GW_FALL_RESTLESS_BEFORE = 19, ///< mean distance of the length from 1 g in A
    GW_FALL_TURN_AB = 20,
    GW_FALL_TURNING_BEFORE = 21, ///< sum of 1 - cosine of neighbouring means of 10 samples before the blow
} gw_fall_feature;

/// Trees whose answers add up. Each has seven questions, level by level: whether a feature is greater than a threshold goes right.
typedef struct gw_fall_model {
    int32_t trees;             ///< at most GW_FALLS_TREES_MAX
    int32_t limit;             ///< a sum of leaves from here on is a fall; leaves are log-odds in 1/64
    const int8_t *features;    ///< [trees][GW_FALLS_NODES], gw_fall_feature
    const int16_t *thresholds; ///< [trees][GW_FALLS_NODES]
    const int8_t *leaves;      ///< [trees][GW_FALLS_LEAVES]
} gw_fall_model;

typedef enum gw_fall_kind {
    GW_FALL_IMPACT = 0,    ///< a blow as of a fall, 1.5 s ago
    GW_FALL_FALLEN = 1,    ///< its wearer is still down after the time to confirm
    GW_FALL_RECOVERED = 2, ///< its wearer is up again
} gw_fall_kind;

typedef struct gw_fall_event {
    gw_fall_kind kind;
    int64_t impact; ///< sample of the blow, counted from gw_falls_init
    int64_t at;     ///< sample at which this became known
} gw_fall_event;

/// The latest blow that was judged.
typedef struct gw_fall_candidate {
    int64_t impact;
    int32_t peak; ///< its length, Q3.12 g
    int16_t features[GW_FALLS_FEATURES];
} gw_fall_candidate;

/// Plain memory that the caller owns; the model must outlive it.
typedef struct gw_falls {
    const gw_fall_model *model;           ///< NULL: blows are judged by nobody
    int32_t extra;                        ///< added to the model's limit
    int32_t confirm;                      ///< samples down until a fall is confirmed
    int16_t kept[GW_FALLS_KEPT][GW_AXES]; ///< a ring
    int64_t samples;                      ///< taken since gw_falls_init
    int64_t first;                        ///< of those that are kept: those before count as equal to it
    int64_t last_fall;                    ///< sample of the latest fall's blow; below 0: none
    int64_t down_since;                   ///< sample from which the one that is watched is confirmed: the first blow's
    uint32_t peak;                        ///< square of the length of the blow that is waited for, Q6.24 g^2; 0: none
    int32_t age;                          ///< samples since it
    int32_t up[GW_AXES];                  ///< while a fall is watched: sum of AB
    int32_t second[GW_AXES];              ///< sum of the samples of the second that goes on
    int32_t in_second, upright, walking;  ///< samples of it; seconds in a row in which its wearer was upright, and walked
    bool is_watched, is_confirmed, has_candidate;
    int32_t event_count;
    gw_fall_event events[GW_FALLS_EVENTS];
    gw_fall_candidate candidate;
} gw_falls;

/// Starts; nothing was seen yet. Falls are confirmed after 10 s.
///
/// Shapes    model: NULL where blows are to be judged by nobody.
/// Errors    GW_EINVAL for a model with too many trees or features that do not exist.
GW_MUST_CHECK gw_status gw_falls_init(gw_falls *falls, const gw_fall_model *model);

/// Units     extra: of the leaves, 1/64; confirm: samples at 50 Hz, at least 1.
void gw_falls_configure(gw_falls *falls, int32_t extra, int32_t confirm);

/// Takes samples.
///
/// Units     samples: Q3.12 g at 50 Hz.
/// Shapes    samples[count][3].
/// Overflow  squares of a sample fit uint32; sums over windows are int64.
/// Cost      three products and two comparisons a sample while nothing happens.
void gw_falls_push(gw_falls *falls, const int16_t *samples, int32_t count);

/// What comes next does not follow what came; a fall is watched on.
void gw_falls_interrupt(gw_falls *falls);

/// The oldest event that was not taken yet.
///
/// Returns   whether there is one.
bool gw_falls_take(gw_falls *falls, gw_fall_event *event);

/// The latest blow that was judged, once.
///
/// Returns   whether there is one since the last call.
bool gw_falls_candidate(gw_falls *falls, gw_fall_candidate *candidate);

/// The sum of a model's leaves for those features.
int32_t gw_fall_model_sum(const gw_fall_model *model, const int16_t features[GW_FALLS_FEATURES]);

#endif
