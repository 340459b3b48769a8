// Layers made of random numbers, for tests that compare one kernel with another.
#ifndef LAYERS_H
#define LAYERS_H

#include "check.h"
#include "cnetwork.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_WEIGHTS = 600 * 300, MOST_ROWS = 300 };

typedef struct random_weights {
    int8_t values[MOST_WEIGHTS];
    int64_t bias[MOST_ROWS];
    gw_multiplier multipliers[MOST_ROWS];
} random_weights;

// `wildness` 0 is an ordinary layer; 1 has extreme weights, biases and shifts.
static inline gw_weights make_weights(random_weights *w, int32_t inputs, int32_t outputs, gw_rounding rounding, int wildness) {
    for (int32_t i = 0; i < inputs * outputs; i++) {
        w->values[i] = (int8_t)(wildness ? (random_bits() % 3 ? (random_bits() % 2 ? 127 : -127) : 0) : random_between(-127, 127));
    }
    for (int32_t o = 0; o < outputs; o++) {
        int32_t any = (int32_t)random_bits();
        w->bias[o] = wildness ? (any == INT32_MIN ? 0 : any) : random_between(-5000, 5000);
        w->multipliers[o].multiplier = random_bits() % 20 == 0 ? 0 : (int32_t)((1u << 30) + random_bits() % (1u << 30));
        w->multipliers[o].shift = wildness ? random_between(-31, 30) : random_between(-12, -6);
    }
    return (gw_weights){.type = GW_INT8,
        .inputs = inputs,
        .outputs = outputs,
        .values = w->values,
        .bias = w->bias,
        .multipliers = w->multipliers,
        .rounding = rounding};
}

static inline gw_tensor vector_of(int32_t channels, int32_t zero_point) { return (gw_tensor){GW_INT8, 1, 1, channels, zero_point}; }

static inline gw_layer layer_on(gw_operation operation, int32_t source, gw_tensor output) {
    return (gw_layer){.operation = operation, .source_count = 1, .sources = {source}, .output = output, .low = INT8_MIN, .high = INT8_MAX};
}

typedef struct placed {
    void *memory;
    gw_network *network;
} placed;

static inline placed place_network(const gw_network_spec *spec, const gw_kernel *kernel) {
    placed p = {0};
    gw_memory sizes = {0};
    CHECK(gw_network_memory(spec, kernel, &sizes) == GW_OK, "memory");
    CHECK(sizes.total == sizes.weights + sizes.state + sizes.scratch, "the parts make the whole");
    p.memory = aligned_alloc(64, sizes.total);
    memset(p.memory, 0xa5, sizes.total);
    gw_status status = gw_network_init(p.memory, sizes.total, spec, kernel, &p.network);
    CHECK(status == GW_OK, "init: %d", status);
    return p;
}

#endif
