// The classification loop's one call: a block of samples in, decisions out.
//
// Front end and network in a row, in memory that the caller gives once. No allocation, no clock.
#ifndef GW_CRECOGNITION_H
#define GW_CRECOGNITION_H

#include "cnetwork.h"
#include "cfeatures.h"

/// How it is known which way is up.
typedef enum gw_oriented {
    GW_ORIENTED_UNKNOWN = 0,    ///< it is not; walking is all that can be told
    GW_ORIENTED_CONFIGURED = 1, ///< by gw_wearing_configure
    GW_ORIENTED_LEARNT = 2,     ///< from the wearer's walking; also of networks that need no orientation
} gw_oriented;

/// One window's classification.
typedef struct gw_decision {
    int64_t samples;                       ///< 50 Hz samples from the start (or reset) to the window's end; its end time is samples / 50 s
    int32_t label;                         ///< the class with the highest output; -1 where none can be told
    int16_t probabilities[GW_CLASSES_MAX]; ///< Q0.15
    gw_oriented oriented;
    bool by_first;    ///< the first network was sure enough, and the other one was not asked
    bool has_novelty; ///< whether the recogniser has prototypes, a class could be told, and the network that has them was asked
    int32_t novelty;  ///< gw_prototypes_distance, 0 without
    gw_moved moved;   ///< up to the window's end; zeros where nothing watches movement
} gw_decision;

/// What of a window a network takes, all of it int16 in Q3.12.
typedef enum gw_input {
    GW_INPUT_WINDOW = 0,              ///< its samples, x, y, z of each
    GW_INPUT_FEATURES = 1,            ///< gw_features
    GW_INPUT_WINDOW_AND_FEATURES = 2, ///< the samples, then the features
    GW_INPUT_RICH = 3,                ///< gw_rich_features
    GW_INPUT_SHIFTED = 5,             ///< the samples as Swift-HAR has them: an iPhone's signs; each axis from its least value, or from its
                                      ///< greatest where all are negative
    GW_INPUT_WORN = 4,                ///< gw_wearing_row: features in the wearer's own directions, then the place of the body
} gw_input;

enum {
    GW_PLACEMENTS_MAX = 8,
    GW_WORN_FEATURES = GW_WEARING_FEATURES + GW_PLACEMENTS_MAX,
    GW_WALKING_PROBABLE = 19661, ///< probability of walking, Q0.15, from which a window tells how the sensor is worn
};

/// How the sensor is worn and what networks on GW_INPUT_WORN read. Plain memory that the caller owns; it outlives gaps and restarts.
typedef struct gw_wearing {
    gw_network *gait;      ///< GW_GAIT_FEATURES to {something else, walking}
    gw_network *placement; ///< a profile to at most GW_PLACEMENTS_MAX places of the body
    gw_orientation orientation;
    gw_frame configured; ///< counts before walking has shown another one
    bool is_configured;
    int32_t configured_place; ///< a class of the placement network, which is then not asked; -1: it finds it
    int32_t place;            ///< the class that was configured or found; -1 before it is known
    int32_t joined[2];        ///< gw_wearing_join; -1: none
    uint32_t limbs;           ///< gw_wearing_limb: bit k for class k
    int32_t walking;          ///< the class of walking of the network that decides; -1: it has none
    int16_t walks;            ///< probability of walking in the last window, Q0.15
    int16_t row[GW_WORN_FEATURES];
} gw_wearing;

/// Joins both networks, which must outlive this; nothing is known then.
///
/// Units     walking: the class of walking of the network that decides; -1: it has none.
/// Errors    GW_EINVAL when a network does not take those numbers, `gait` has not two classes or `placement` too many.
GW_MUST_CHECK gw_status gw_wearing_init(gw_wearing *wearing, gw_network *gait, gw_network *placement, int32_t walking);

/// Two classes of the placement network that are one place of the body: what is found is the most probable place, then the more probable
/// class of both.
///
/// Errors    GW_EINVAL for a class that the network does not have.
gw_status gw_wearing_join(gw_wearing *wearing, int32_t one, int32_t other);

/// A class of the placement network that is a place on an arm or a leg. Whoever lies may have it turned over for hours, so that being
/// upside down there does not show that the sensor was turned; only walking does.
///
/// Errors    GW_EINVAL for a class that the network does not have.
gw_status gw_wearing_limb(gw_wearing *wearing, int32_t place);

/// Says how the sensor is worn before walking has shown it.
///
/// Units     frame: NULL where it is not known; place: a class of the placement network, which is then never asked; -1: it finds it.
/// Errors    GW_EINVAL for a place that the network does not have.
gw_status gw_wearing_configure(gw_wearing *wearing, const gw_frame *frame, int32_t place);

/// How it is known which way is up.
gw_oriented gw_wearing_oriented(const gw_wearing *wearing);

/// Goes on with what was learnt before.
void gw_wearing_use(gw_wearing *wearing, const gw_orientation *orientation);

/// What a network takes of the next window; where the wearer walks with a probability of 0.6, the orientation learns from it
/// (from 0.9 on, the direction ahead learns more).
///
/// Shapes    window[length][3] Q3.12 g; work: GW_WEARING_WORK bytes, 8-byte aligned; *became_known tells whether the orientation is
///           learnt or configured since this window.
/// Returns   GW_WORN_FEATURES numbers, Q3.12: the window's, then the probability of each place of the body (1 and 0 where it is configured,
///           all 0 before it is known); valid until the next call.
const int16_t *gw_wearing_row(gw_wearing *wearing, const int16_t *window, int32_t length, void *work, bool *became_known);

/// What can be told of the last window without knowing which way is up: that its wearer walks.
///
/// Shapes    probabilities[classes], Q0.15: that of walking, and the rest of 1 in equal parts, which says nothing of the other classes.
/// Returns   the class of walking from a probability of 0.6 on, or -1.
int32_t gw_wearing_walks(const gw_wearing *wearing, int32_t classes, int16_t *probabilities);

/// How many numbers that are for a window of `length`; 0 when there is no such input, or not of windows so short or long.
int32_t gw_input_count(gw_input input, int32_t length);

/// Bytes that making them needs; 0 for GW_INPUT_WINDOW.
size_t gw_input_work(gw_input input, int32_t length);

/// The numbers: `window` itself, or a row in `work` that is valid until the next call. Not of GW_INPUT_WORN, which gw_wearing_row makes.
///
/// Shapes    window[length][3] Q3.12 g; work: gw_input_work bytes, 8-byte aligned. gw_input_count must not be 0.
const int16_t *gw_input_row(gw_input input, const int16_t *window, int32_t length, void *work);

/// A small network that decides where it is sure enough, so that a larger one is not asked. Both have the same classes.
typedef struct gw_first {
    gw_network *network;
    gw_input input; ///< not GW_INPUT_WORN
    void *work;     ///< gw_input_work bytes, 8-byte aligned; NULL where that is 0
    int32_t sure;   ///< of its class's probability, Q0.15: from here on it decides
} gw_first;

/// One window to its class.
///
/// Shapes    as gw_input_row and gw_network_classify; wearing: for GW_INPUT_WORN, otherwise NULL; first: NULL where `network` sees every
///           window; *by_first tells whether it has not seen this one.
/// Returns   the class; -1 where none can be told since it is not known which way is up: the probabilities are then gw_wearing_walks'.
int32_t gw_input_classify(gw_network *network, gw_input input, gw_wearing *wearing, const gw_first *first, const int16_t *window,
    int32_t length, void *work, int16_t *probabilities, gw_oriented *oriented, bool *by_first);

/// Where what a network knows lies among its embeddings (gw_network_embedding): means of a class at a place of the body, with a deviation
/// for each number. What lies far from all of them is nothing that the network knows.
///
/// Units     scales: 2^24 / the number's usual deviation around a mean, in the embedding's integers; means: of numbers so scaled, in
///           1/256 of that deviation; precisions: that deviation over the prototype's own, Q8, 1 to 2047; offsets: the sum of the
///           natural logarithms of 65536 / precision^2, Q16.
/// Shapes    scales[width], means[count][width], precisions[count][width], offsets[count].
typedef struct gw_prototypes {
    int32_t count, width;
    const int32_t *scales;
    const int16_t *means;
    const int16_t *precisions;
    const int32_t *offsets;
} gw_prototypes;

enum {
    GW_PROTOTYPES_MAX = 512,       ///< count
    GW_PROTOTYPES_WIDTH_MAX = 512, ///< width
    GW_PROTOTYPES_FARTHEST = 4095, ///< 16 of a prototype's own deviations: what is farther counts as this
};

/// How far an embedding lies from the nearest prototype: the sum of squares of its distances in deviations, and the offset; Q8. It is twice
/// the negative logarithm of a normal density, but for a constant.
///
/// Shapes    embedding[width] integers of `type`.
/// Source    quadratic discriminant analysis with diagonal covariances, shrunk to the pooled one.
int32_t gw_prototypes_distance(const gw_prototypes *prototypes, const void *embedding, gw_type type);

/// A front end and the network that takes its windows; both must outlive this.
typedef struct gw_recogniser {
    gw_frontend *frontend;
    gw_network *network;
    gw_input input;
    void *work;
    gw_wearing *wearing;
    const gw_prototypes *prototypes; ///< NULL: decisions have no novelty
    const gw_first *first;           ///< NULL: `network` sees every window
    const gw_movement *movement;     ///< NULL: nothing watches
} gw_recogniser;

/// Joins both.
///
/// Shapes    work: gw_input_work bytes, 8-byte aligned, which must outlive the recogniser; NULL where that is 0. wearing: the same for
///           GW_INPUT_WORN, otherwise NULL.
/// Errors    GW_EINVAL when the network does not take as many numbers as the input has.
GW_MUST_CHECK gw_status gw_recogniser_init(
    gw_recogniser *recogniser, gw_frontend *frontend, gw_network *network, gw_input input, void *work, gw_wearing *wearing);

/// Lets a small network decide first from now on; `first` must outlive the recogniser. NULL: none.
///
/// Errors    GW_EINVAL where it has other inputs or another number of classes, or where the recogniser's network keeps a state or learns
///           how it is worn, and has to see every window.
GW_MUST_CHECK gw_status gw_recogniser_use_first(gw_recogniser *recogniser, const gw_first *first);

/// Measures the novelty of every decision from now on.
///
/// Shapes    prototypes: must outlive the recogniser; NULL to measure no more.
/// Errors    GW_EINVAL where they are not as wide as the network's embedding, or too many or too wide.
GW_MUST_CHECK gw_status gw_recogniser_use_prototypes(gw_recogniser *recogniser, const gw_prototypes *prototypes);

/// Shows every sample of the blocks to come to `movement`, too, which must outlive this or be taken away by NULL. Decisions then say what
/// it counted.
void gw_recogniser_watch(gw_recogniser *recogniser, gw_movement *movement);

/// Takes a block and writes the decisions that it completes.
///
/// Units     samples: Q3.12 g at the front end's rate.
/// Shapes    samples[count][3]; decisions[gw_frontend_capacity(frontend, count)]; windows[as many][length][3] for the filtered windows
///           that were decided on, Q3.12 g, or NULL.
/// Returns   how many decisions were written. Any cutting of a stream into blocks gives the same decisions.
int32_t gw_recogniser_push(gw_recogniser *recogniser, const int16_t *samples, int32_t count, gw_decision *decisions, int16_t *windows);

#endif
