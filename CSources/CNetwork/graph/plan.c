#include "plan.h"
#include "tensors.h"
#include "../layers/step.h"

// A tensor's life: from the layer that makes it to the last that reads it (0: the network's input).
typedef struct gw_life {
    int32_t from, to;
    size_t bytes;
    bool placed;
} gw_life;

// holders[t]: the tensor in whose place t lies. A copy lies in that of its source.
static void find_holders(const gw_network_spec *spec, int32_t holders[]) {
    holders[0] = 0;
    for (int32_t l = 1; l <= spec->layer_count; l++) {
        const gw_layer *layer = &spec->layers[l - 1];
        const gw_operator *operator = gw_operator_of(layer->operation);
        const bool is_copy = operator->is_copy && operator->is_copy(layer, gw_tensor_at(spec, layer->sources[0]));
        holders[l] = is_copy ? holders[layer->sources[0]] : l;
    }
}

static void find_lives(const gw_network_spec *spec, const gw_overlap kept[], const int32_t holders[], gw_life lives[]) {
    const int32_t last = spec->layer_count;
    for (int32_t t = 0; t <= last; t++) {
        const gw_tensor *shape = gw_tensor_at(spec, t);
        lives[t] = (gw_life){t, t, gw_aligned((size_t)gw_elements(shape) * gw_size_of(shape->type)), false};
    }
    for (int32_t l = 1; l <= last; l++) {
        for (int32_t s = 0; s < spec->layers[l - 1].source_count; s++) { lives[holders[spec->layers[l - 1].sources[s]]].to = l; }
    }
    for (int32_t l = 1; l <= last; l++) {
        if (gw_overlapping(&kept[l - 1]) > 0) { lives[l].from = 0, lives[l].to = last + 1; }
    }
    lives[holders[last]].to = last + 1;
}

static bool overlap(const gw_life *a, const gw_life *b) { return a->from <= b->to && b->from <= a->to; }

// The lowest place that is free during the tensor's whole life.
static size_t lowest_place(const gw_life lives[], const size_t offsets[], int32_t count, int32_t tensor) {
    size_t offset = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t t = 0; t < count; t++) {
            if (!lives[t].placed || !overlap(&lives[t], &lives[tensor])) { continue; }
            if (offset < offsets[t] + lives[t].bytes && offsets[t] < offset + lives[tensor].bytes) {
                offset = offsets[t] + lives[t].bytes;
                moved = true;
            }
        }
    }
    return offset;
}

gw_plan gw_plan_tensors(const gw_network_spec *spec, const gw_overlap kept[]) {
    gw_life lives[GW_LAYERS_MAX + 1];
    int32_t holders[GW_LAYERS_MAX + 1];
    gw_plan plan = {.bytes = 0};
    const int32_t count = spec->layer_count + 1;
    find_holders(spec, holders);
    find_lives(spec, kept, holders, lives);
    for (;;) { // the largest first
        int32_t next = -1;
        for (int32_t t = 0; t < count; t++) {
            if (holders[t] == t && !lives[t].placed && (next < 0 || lives[t].bytes > lives[next].bytes)) { next = t; }
        }
        if (next < 0) { break; }
        plan.offsets[next] = lowest_place(lives, plan.offsets, count, next);
        lives[next].placed = true;
        size_t end = plan.offsets[next] + lives[next].bytes;
        plan.bytes = end > plan.bytes ? end : plan.bytes;
    }
    for (int32_t t = 0; t < count; t++) { plan.offsets[t] = plan.offsets[holders[t]]; }
    return plan;
}
