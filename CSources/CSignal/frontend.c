#include "csignal.h"
#include <string.h>

enum { STAGE = 64, PENDING = 6 };

struct gw_frontend {
    int32_t rate;
    bool early;
    int32_t pending_count;
    int16_t pending[PENDING][GW_AXES]; // resampled and not yet filtered, because a window was complete
    gw_filter filter;
    gw_resampler resampler;
    gw_window *window;
    gw_frontend_watcher watcher; // NULL: nobody
    void *context;
};

static size_t own_size(void) { return (sizeof(gw_frontend) + 7) / 8 * 8; }

size_t gw_frontend_size(int32_t length) {
    size_t window = gw_window_size(length);
    return window == 0 ? 0 : own_size() + window;
}

gw_status gw_frontend_init(void *memory, size_t size, const gw_frontend_config *config, gw_frontend **out) {
    if (!memory || (uintptr_t)memory % 8 != 0 || size < own_size()) { return GW_ENOMEM; }
    gw_frontend *frontend = memory;
    gw_status status = gw_resampler_init(&frontend->resampler, config->rate);
    if (status != GW_OK) { return status; }
    status = gw_window_init((uint8_t *)memory + own_size(), size - own_size(), config->length, config->hop, &frontend->window);
    if (status != GW_OK) { return status; }
    frontend->rate = config->rate;
    frontend->early = config->early && config->rate == GW_SAMPLING_RATE * 1000;
    frontend->filter.kernel = config->kernel;
    frontend->watcher = NULL;
    gw_frontend_reset(frontend);
    *out = frontend;
    return GW_OK;
}

void gw_frontend_reset(gw_frontend *frontend) {
    gw_filter_kernel kernel = frontend->filter.kernel;
    memset(&frontend->filter, 0, sizeof frontend->filter);
    frontend->filter.kernel = kernel;
    frontend->pending_count = 0;
    gw_resampler_reset(&frontend->resampler);
    gw_window_reset(frontend->window);
}

void gw_frontend_watch(gw_frontend *frontend, gw_frontend_watcher watcher, void *context) {
    frontend->watcher = watcher;
    frontend->context = context;
}

const gw_window *gw_frontend_window(const gw_frontend *frontend) { return frontend->window; }

int32_t gw_frontend_capacity(const gw_frontend *frontend, int32_t count) {
    int64_t at_50_hz = (int64_t)count * GW_SAMPLING_RATE * 1000 / frontend->rate + 1 + 2 * PENDING;
    return (int32_t)(at_50_hz / frontend->window->hop + 1);
}

// Brings up to `wanted` samples at 50 Hz into `stage`; *taken counts the input samples used.
static int32_t fill_stage(gw_frontend *f, const int16_t *samples, int32_t count, int32_t wanted, int16_t stage[][GW_AXES], int32_t *taken) {
    if (f->rate == GW_SAMPLING_RATE * 1000) {
        *taken = count < wanted ? count : wanted;
        if (*taken > 0) { memcpy(stage, samples, (size_t)*taken * sizeof *stage); }
        return *taken;
    }
    int32_t filled = 0;
    *taken = 0;
    while (filled < wanted) {
        if (f->pending_count == 0) {
            if (*taken == count) { break; }
            f->pending_count = gw_resampler_push(&f->resampler, samples + *taken * GW_AXES, f->pending);
            *taken += 1;
            continue;
        }
        int32_t n = f->pending_count < wanted - filled ? f->pending_count : wanted - filled;
        memcpy(stage + filled, f->pending, (size_t)n * sizeof *stage);
        memmove(f->pending, f->pending + n, (size_t)(f->pending_count - n) * sizeof *f->pending);
        f->pending_count -= n;
        filled += n;
    }
    return filled;
}

int32_t gw_frontend_missing(const gw_frontend *frontend) {
    const int32_t ahead = frontend->filter.primed || frontend->early ? 0 : 1;
    const int32_t outputs = frontend->window->until + ahead - frontend->pending_count;
    if (outputs <= 0 || frontend->rate == GW_SAMPLING_RATE * 1000) { return outputs > 0 ? outputs : 0; }
    return gw_resampler_missing(&frontend->resampler, outputs);
}

int32_t gw_frontend_push(gw_frontend *frontend, const int16_t *samples, int32_t count, bool *complete) {
    int16_t stage[STAGE][GW_AXES];
    int32_t consumed = 0;
    *complete = false;
    if (count > 0 && frontend->early && !frontend->filter.primed) { gw_filter_run(&frontend->filter, samples, 1, stage[0], NULL); }
    while (!*complete) {
        int32_t wanted = frontend->window->until + (frontend->filter.primed ? 0 : 1), taken;
        wanted = wanted < STAGE ? wanted : STAGE;
        int32_t filled = fill_stage(frontend, samples + consumed * GW_AXES, count - consumed, wanted, stage, &taken);
        consumed += taken;
        if (filled == 0) { break; }
        if (frontend->watcher) { frontend->watcher(frontend->context, stage[0], filled); }
        int32_t written = gw_filter_run(&frontend->filter, stage[0], filled, stage[0], NULL);
        gw_window_push(frontend->window, stage[0], written, complete);
    }
    return consumed;
}
