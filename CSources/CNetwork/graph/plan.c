#include "plan.h"
#include "tensors.h"
#include "../layers/step.h"

// A tensor's life: from the layer that makes it to the last that reads it (0: the network's input).
typedef struct gw_life {
    int32_t from, to;
    size_t bytes;
    bool placed;
} gw_life;

static void find_lives(const gw_network_spec *spec, const gw_overlap kept[], gw_life lives[]) {
    const int32_t last = spec->layer_count;
    for (int32_t t = 0; t <= last; t++) {
        const gw_tensor *shape = gw_tensor_at(spec, t);
        lives[t] = (gw_life){t, t, gw_aligned((size_t)gw_elements(shape) * gw_size_of(shape->type)), false};
    }
    for (int32_t l = 1; l <= last; l++) {
        for (int32_t s = 0; s < spec->layers[l - 1].source_count; s++) { lives[spec->layers[l - 1].sources[s]].to = l; }
    }
    for (int32_t l = 1; l <= last; l++) {
        if (gw_overlapping(&kept[l - 1]) > 0) { lives[l].from = 0, lives[l].to = last + 1; }
    }
    lives[last].to = last + 1;
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
    gw_plan plan = {.bytes = 0};
    const int32_t count = spec->layer_count + 1;
    find_lives(spec, kept, lives);
    for (int32_t done = 0; done < count; done++) { // the largest first
        int32_t next = -1;
        for (int32_t t = 0; t < count; t++) {
            if (!lives[t].placed && (next < 0 || lives[t].bytes > lives[next].bytes)) { next = t; }
        }
        plan.offsets[next] = lowest_place(lives, plan.offsets, count, next);
        lives[next].placed = true;
        size_t end = plan.offsets[next] + lives[next].bytes;
        plan.bytes = end > plan.bytes ? end : plan.bytes;
    }
    return plan;
}
