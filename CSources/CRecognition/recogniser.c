#include "crecognition.h"
#include <string.h>

// Whether windows of that length make what the network reads.
static bool takes(const gw_network *network, gw_input input, const void *work, int32_t length) {
    const int32_t count = gw_input_count(input, length);
    return count > 0 && gw_network_inputs(network) == count && (gw_input_work(input, length) == 0 || work);
}

gw_status gw_recogniser_init(
    gw_recogniser *recogniser, gw_frontend *frontend, gw_network *network, gw_input input, void *work, gw_wearing *wearing) {
    if (!takes(network, input, work, gw_frontend_window(frontend)->length) || (input == GW_INPUT_WORN && !wearing)) { return GW_EINVAL; }
    recogniser->frontend = frontend;
    recogniser->network = network;
    recogniser->input = input;
    recogniser->work = work;
    recogniser->wearing = wearing;
    recogniser->prototypes = NULL;
    recogniser->first = NULL;
    recogniser->movement = NULL;
    return GW_OK;
}

gw_status gw_recogniser_use_prototypes(gw_recogniser *recogniser, const gw_prototypes *prototypes) {
    gw_type type;
    int32_t count;
    gw_network_embedding(recogniser->network, &type, &count);
    if (prototypes && (prototypes->width != count || prototypes->width > GW_PROTOTYPES_WIDTH_MAX || prototypes->count < 1 ||
                          prototypes->count > GW_PROTOTYPES_MAX)) {
        return GW_EINVAL;
    }
    recogniser->prototypes = prototypes;
    return GW_OK;
}

gw_status gw_recogniser_use_first(gw_recogniser *recogniser, const gw_first *first) {
    if (first) {
        if (first->input == GW_INPUT_WORN || recogniser->input == GW_INPUT_WORN ||
            !takes(first->network, first->input, first->work, gw_frontend_window(recogniser->frontend)->length) ||
            gw_network_outputs(first->network) != gw_network_outputs(recogniser->network) || gw_network_remembers(recogniser->network) ||
            gw_network_remembers(first->network)) {
            return GW_EINVAL;
        }
    }
    recogniser->first = first;
    return GW_OK;
}

static void watch_movement(void *movement, const int16_t *samples, int32_t count) { gw_movement_push_resampled(movement, samples, count); }

void gw_recogniser_watch(gw_recogniser *recogniser, gw_movement *movement) {
    recogniser->movement = movement;
    gw_frontend_watch(recogniser->frontend, movement ? watch_movement : NULL, movement);
}

// Of a window that the network has just seen; before it is known which way is up it saw none.
static void measure(const gw_recogniser *recogniser, gw_decision *decision) {
    decision->has_novelty = recogniser->prototypes && decision->oriented != GW_ORIENTED_UNKNOWN && !decision->by_first;
    decision->novelty = 0;
    if (!decision->has_novelty) { return; }
    gw_type type;
    int32_t count;
    const void *embedding = gw_network_embedding(recogniser->network, &type, &count);
    decision->novelty = gw_prototypes_distance(recogniser->prototypes, embedding, type);
}

int32_t gw_input_classify(gw_network *network, gw_input input, gw_wearing *wearing, const gw_first *first, const int16_t *window,
    int32_t length, void *work, int16_t *probabilities, gw_oriented *oriented, bool *by_first) {
    *oriented = GW_ORIENTED_LEARNT;
    if (first) {
        const int16_t *row = gw_input_row(first->input, window, length, first->work);
        const int32_t class = gw_network_classify(first->network, row, probabilities);
        *by_first = probabilities[class] >= first->sure;
        if (*by_first) { return class; }
    }
    *by_first = false;
    if (input != GW_INPUT_WORN) { return gw_network_classify(network, gw_input_row(input, window, length, work), probabilities); }
    bool became_known;
    const int16_t *row = gw_wearing_row(wearing, window, length, work, &became_known);
    *oriented = gw_wearing_oriented(wearing);
    if (*oriented == GW_ORIENTED_UNKNOWN) { return gw_wearing_walks(wearing, gw_network_outputs(network), probabilities); }
    // What the network remembers was in other directions, or lies back.
    if (became_known) { gw_network_reset(network); }
    return gw_network_classify(network, row, probabilities);
}

int32_t gw_recogniser_push(gw_recogniser *recogniser, const int16_t *samples, int32_t count, gw_decision *decisions, int16_t *windows) {
    const gw_window *window = gw_frontend_window(recogniser->frontend);
    int32_t taken = 0, decided = 0;
    for (;;) {
        bool complete;
        taken += gw_frontend_push(recogniser->frontend, samples + taken * GW_AXES, count - taken, &complete);
        if (!complete) { return decided; }
        const int16_t *total = gw_window_total(window);
        if (windows) { memcpy(windows + decided * window->length * GW_AXES, total, (size_t)window->length * GW_AXES * sizeof *windows); }
        gw_decision *decision = &decisions[decided++];
        decision->samples = window->count;
        // The front end stops at a window's last sample: what comes with the same block is not counted yet.
        decision->moved = recogniser->movement ? gw_movement_so_far(recogniser->movement) : (gw_moved){0};
        decision->label = gw_input_classify(recogniser->network, recogniser->input, recogniser->wearing, recogniser->first, total,
            window->length, recogniser->work, decision->probabilities, &decision->oriented, &decision->by_first);
        measure(recogniser, decision);
    }
}
