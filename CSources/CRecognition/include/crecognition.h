// The classification loop's one call: a block of samples in, decisions out.
//
// Front end and network in a row, in memory that the caller gives once. No allocation, no clock.
#ifndef GW_CRECOGNITION_H
#define GW_CRECOGNITION_H

#include "cnetwork.h"
#include "csignal.h"

/// One window's classification.
typedef struct gw_decision {
    int64_t samples; ///< 50 Hz samples from the start (or reset) to the window's end; its end time is samples / 50 s
    int32_t label;   ///< the class with the highest output
    int16_t probabilities[GW_CLASSES_MAX]; ///< Q0.15
} gw_decision;

/// A front end and the network that takes its windows; both must outlive this.
typedef struct gw_recogniser {
    gw_frontend *frontend;
    gw_network *network;
} gw_recogniser;

/// Joins both.
///
/// Errors    GW_EINVAL when the network does not take the front end's window length x 3 inputs.
gw_status gw_recogniser_init(gw_recogniser *recogniser, gw_frontend *frontend, gw_network *network);

/// Takes a block and writes the decisions that it completes.
///
/// Units     samples: Q3.12 g at the front end's rate.
/// Shapes    samples[count][3]; decisions[gw_frontend_capacity(frontend, count)].
/// Returns   how many decisions were written. Any cutting of a stream into blocks gives the same decisions.
int32_t gw_recogniser_push(gw_recogniser *recogniser, const int16_t *samples, int32_t count, gw_decision *decisions);

#endif
