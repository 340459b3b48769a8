#include "kept.h"
#include "tensors.h"
#include <string.h>

enum { WORTHWHILE = 4 }; // a kept tensor needs memory of its own: at least one of so many elements stays

bool gw_find_kept(const gw_network_spec *spec, gw_overlap kept[GW_LAYERS_MAX]) {
    gw_overlap overlaps[GW_LAYERS_MAX + 1] = {{spec->advance, 0, gw_elements(&spec->input) - spec->advance, NULL}};
    if (spec->advance == 0) { overlaps[0].to = 0; }
    bool any = false;
    for (int32_t i = 0; i < spec->layer_count; i++) {
        const gw_layer *layer = &spec->layers[i];
        const gw_operator *operator = gw_operator_of(layer->operation);
        gw_tensor sources[GW_SOURCES_MAX];
        gw_overlap of_sources[GW_SOURCES_MAX];
        for (int32_t s = 0; s < layer->source_count; s++) {
            sources[s] = *gw_tensor_at(spec, layer->sources[s]);
            of_sources[s] = overlaps[layer->sources[s]];
        }
        gw_overlap *own = &overlaps[i + 1];
        *own = operator->overlap ? operator->overlap(layer, sources, of_sources) : (gw_overlap){0, 0, 0, NULL};
        const bool keeps = operator->narrow && gw_overlapping(own) > 0 && gw_overlapping(own) >= gw_elements(&layer->output) / WORTHWHILE;
        kept[i] = keeps ? *own : (gw_overlap){0, 0, 0, NULL};
        any = any || keeps;
    }
    return any;
}

static void run_part(const gw_step *step, int32_t first, int32_t end) {
    if (first == end) { return; }
    gw_step part = *step;
    part.operator->narrow(&part, first, end);
    part.operator->run(&part);
}

void gw_run_rest(const gw_step *step) {
    const gw_overlap *kept = &step->kept;
    const size_t size = gw_size_of(step->layer.output.type);
    uint8_t *output = step->output;
    memmove(output + (size_t)kept->from * size, output + (size_t)(kept->from + kept->shift) * size, (size_t)gw_overlapping(kept) * size);
    run_part(step, 0, kept->from);
    run_part(step, kept->to, gw_elements(&step->layer.output));
}
