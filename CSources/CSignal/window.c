#include "csignal.h"

static size_t samples_bytes(int32_t length) { return (size_t)length * 2 * GW_AXES * sizeof(int16_t); }

size_t gw_window_size(int32_t length) {
    if (length < 1 || length > GW_WINDOW_MAX) { return 0; }
    return sizeof(gw_window) + samples_bytes(length);
}

gw_status gw_window_init(void *memory, size_t size, int32_t length, int32_t hop, gw_window **out) {
    if (length < 1 || length > GW_WINDOW_MAX || hop < 1 || hop > length) { return GW_EINVAL; }
    if (!memory || (uintptr_t)memory % 8 != 0 || size < gw_window_size(length)) { return GW_ENOMEM; }
    gw_window *window = memory;
    window->length = length;
    window->hop = hop;
    window->total = (int16_t *)(void *)(window + 1);
    gw_window_reset(window);
    *out = window;
    return GW_OK;
}

void gw_window_reset(gw_window *window) {
    window->next = 0;
    window->until = window->length;
    window->count = 0;
}

int32_t gw_window_push(gw_window *window, const int16_t *total, int32_t count, bool *complete) {
    int32_t taken = count < window->until ? count : window->until;
    for (int32_t i = 0; i < taken; i++) {
        int32_t first = window->next * GW_AXES, second = (window->next + window->length) * GW_AXES;
        for (int32_t axis = 0; axis < GW_AXES; axis++) {
            window->total[first + axis] = window->total[second + axis] = total[i * GW_AXES + axis];
        }
        window->next = window->next + 1 == window->length ? 0 : window->next + 1;
    }
    window->count += taken;
    window->until -= taken;
    *complete = window->until == 0;
    if (*complete) { window->until = window->hop; }
    return taken;
}

const int16_t *gw_window_total(const gw_window *window) { return window->total + window->next * GW_AXES; }
