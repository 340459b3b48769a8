// The classification loop's one call: a block of samples in, decisions out.
//
// Front end and network in a row, in memory that the caller gives once. No allocation, no clock.
#ifndef GW_CRECOGNITION_H
#define GW_CRECOGNITION_H

#include "cnetwork.h"
#include "cfeatures.h"

/// One window's classification.
typedef struct gw_decision {
    int64_t samples; ///< 50 Hz samples from the start (or reset) to the window's end; its end time is samples / 50 s
    int32_t label;   ///< the class with the highest output
    int16_t probabilities[GW_CLASSES_MAX]; ///< Q0.15
} gw_decision;

/// What of a window a network takes, all of it int16 in Q3.12.
typedef enum gw_input {
    GW_INPUT_WINDOW = 0,   ///< its samples, x, y, z of each
    GW_INPUT_FEATURES = 1, ///< gw_features
    GW_INPUT_BOTH = 2,     ///< the samples, then the features
    GW_INPUT_RICH = 3,     ///< gw_rich_features
} gw_input;

/// How many numbers that are for a window of `length`; 0 when there is no such input, or not of windows so short or long.
int32_t gw_input_count(gw_input input, int32_t length);

/// Bytes that making them needs; 0 for GW_INPUT_WINDOW.
size_t gw_input_work(gw_input input, int32_t length);

/// The numbers: `window` itself, or a row in `work` that is valid until the next call.
///
/// Shapes    window[length][3] Q3.12 g; work: gw_input_work bytes, 8-byte aligned. gw_input_count must not be 0.
const int16_t *gw_input_row(gw_input input, const int16_t *window, int32_t length, void *work);

/// A front end and the network that takes its windows; both must outlive this.
typedef struct gw_recogniser {
    gw_frontend *frontend;
    gw_network *network;
    gw_input input;
    void *work;
} gw_recogniser;

/// Joins both.
///
/// Shapes    work: gw_input_work bytes, 8-byte aligned, which must outlive the recogniser; NULL where that is 0.
/// Errors    GW_EINVAL when the network does not take as many numbers as the input has.
gw_status gw_recogniser_init(gw_recogniser *recogniser, gw_frontend *frontend, gw_network *network, gw_input input, void *work);

/// Takes a block and writes the decisions that it completes.
///
/// Units     samples: Q3.12 g at the front end's rate.
/// Shapes    samples[count][3]; decisions[gw_frontend_capacity(frontend, count)]; windows[as many][length][3] for the filtered windows
///           that were decided on, Q3.12 g, or NULL.
/// Returns   how many decisions were written. Any cutting of a stream into blocks gives the same decisions.
int32_t gw_recogniser_push(gw_recogniser *recogniser, const int16_t *samples, int32_t count, gw_decision *decisions, int16_t *windows);

#endif
