#include "vectors.h"
#include <string.h>

void gw_frame_any_forward(gw_frame *frame) {
    int32_t flattest = 0;
    for (int32_t a = 1; a < GW_AXES; a++) {
        const int32_t now = frame->up[a] < 0 ? -frame->up[a] : frame->up[a], least = frame->up[flattest];
        if (now < (least < 0 ? -least : least)) { flattest = a; }
    }
    int64_t vector[GW_AXES] = {0, 0, 0};
    vector[flattest] = 1 << GW_FRAME_UNIT;
    gw_vector_flatten(vector, frame->up);
    gw_vector_normalise(vector, frame->forward);
    memcpy(frame->ahead, frame->forward, sizeof frame->ahead);
}

gw_status gw_frame_along(gw_frame *frame, int32_t up, int32_t forward) {
    const int32_t up_axis = (up < 0 ? -up : up) - 1, forward_axis = (forward < 0 ? -forward : forward) - 1;
    if (up_axis < 0 || up_axis >= GW_AXES || forward_axis >= GW_AXES || forward_axis == up_axis) { return GW_EINVAL; }
    *frame = (gw_frame){.up = {0, 0, 0}};
    frame->up[up_axis] = up < 0 ? -(1 << GW_FRAME_UNIT) : 1 << GW_FRAME_UNIT;
    if (forward_axis < 0) {
        gw_frame_any_forward(frame);
    } else {
        frame->forward[forward_axis] = forward < 0 ? -(1 << GW_FRAME_UNIT) : 1 << GW_FRAME_UNIT;
        frame->ahead[forward_axis] = frame->forward[forward_axis];
    }
    return GW_OK;
}

static void turn(const gw_frame *frame, int16_t *direction, int32_t cosine, int32_t sine) {
    int16_t left[GW_AXES];
    gw_frame_left_of(frame, direction, left);
    for (int32_t a = 0; a < GW_AXES; a++) { direction[a] = (int16_t)((cosine * direction[a] + sine * left[a]) >> GW_FRAME_UNIT); }
}

void gw_frame_turn(gw_frame *frame, int32_t cosine, int32_t sine) { turn(frame, frame->forward, cosine, sine); }

void gw_frame_turn_ahead(gw_frame *frame, int32_t cosine, int32_t sine) { turn(frame, frame->ahead, cosine, sine); }

void gw_frame_upright(gw_frame *frame, const int16_t *window, int32_t length) {
    int64_t sum[GW_AXES] = {0, 0, 0};
    for (int32_t i = 0; i < length; i++) {
        for (int32_t a = 0; a < GW_AXES; a++) { sum[a] += window[GW_AXES * i + a]; }
    }
    if (!gw_vector_normalise(sum, frame->up)) { *frame = (gw_frame){.up = {1 << GW_FRAME_UNIT, 0, 0}}; }
    gw_frame_any_forward(frame);
}
