#include "gw_steps.h"

struct gw_step_counter {
    gw_resampler resampler;
    gw_steps steps;
    bool resamples;
};

size_t gw_step_counter_size(void) { return sizeof(gw_step_counter); }

gw_status gw_step_counter_init(void *memory, size_t size, int32_t rate, gw_step_counter **out) {
    if (size < sizeof(gw_step_counter)) { return GW_ENOMEM; }
    gw_step_counter *counter = memory;
    const gw_status status = gw_resampler_init(&counter->resampler, rate);
    if (status != GW_OK) { return status; }
    gw_steps_init(&counter->steps);
    counter->resamples = rate != 50000;
    *out = counter;
    return GW_OK;
}

void gw_step_counter_push(gw_step_counter *counter, const int16_t *samples, int32_t count) {
    if (!counter->resamples) {
        gw_steps_push(&counter->steps, samples, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        int16_t out[6][GW_AXES];
        const int32_t made = gw_resampler_push(&counter->resampler, samples + i * GW_AXES, out);
        gw_steps_push(&counter->steps, out[0], made);
    }
}

void gw_step_counter_interrupt(gw_step_counter *counter) {
    gw_resampler_reset(&counter->resampler);
    gw_steps_interrupt(&counter->steps);
}

const gw_steps *gw_step_counter_steps(const gw_step_counter *counter) { return &counter->steps; }
