#include "gw_movement.h"
#include <stddef.h>

struct gw_movement {
    gw_resampler resampler;
    gw_steps steps;
    gw_falls falls;

    bool resamples;
};

size_t gw_movement_size(void) { return sizeof(gw_movement); }

gw_status gw_movement_init(void *memory, size_t size, int32_t rate, const gw_fall_model *model, gw_movement **out) {
    if (size < sizeof(gw_movement)) { return GW_ENOMEM; }
    gw_movement *movement = memory;
    gw_status status = gw_resampler_init(&movement->resampler, rate);
    if (status != GW_OK) { return status; }
    status = gw_falls_init(&movement->falls, model);
    if (status != GW_OK) { return status; }
    gw_steps_init(&movement->steps);
    movement->resamples = rate != GW_SAMPLING_RATE * 1000;
    *out = movement;
    return GW_OK;
}

void gw_movement_push_resampled(gw_movement *movement, const int16_t *samples, int32_t count) {
    gw_steps_push(&movement->steps, samples, count);
    gw_falls_push(&movement->falls, samples, count);
}

void gw_movement_push(gw_movement *movement, const int16_t *samples, int32_t count) {
    if (!movement->resamples) {
        gw_movement_push_resampled(movement, samples, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        int16_t out[6][GW_AXES];
        const int32_t made = gw_resampler_push(&movement->resampler, samples + i * GW_AXES, out);
        gw_movement_push_resampled(movement, out[0], made);
    }
}

void gw_movement_interrupt(gw_movement *movement) {
    gw_resampler_reset(&movement->resampler);
    gw_steps_interrupt(&movement->steps);
    gw_falls_interrupt(&movement->falls);
}

gw_moved gw_movement_so_far(const gw_movement *movement) {
    const gw_steps *steps = &movement->steps;
    return (gw_moved){gw_steps_count(steps), steps->squares, steps->samples, gw_steps_cadence(steps)};
}

const gw_steps *gw_movement_steps(const gw_movement *movement) { return &movement->steps; }

gw_falls *gw_movement_falls(gw_movement *movement) { return &movement->falls; }
