#include "step.h"

// Trees lie one after the other and share no nodes, so that all ways down together are no longer than there are nodes; children lie
// behind their parent, so that each way ends.
static bool trees_valid(const gw_forest *forest, int32_t features) {
    if (forest->roots[0] != 0) { return false; }
    for (int32_t t = 0; t < forest->tree_count; t++) {
        const int32_t end = t + 1 < forest->tree_count ? forest->roots[t + 1] : forest->node_count;
        if (forest->roots[t] >= end || end > forest->node_count) { return false; }
        for (int32_t n = forest->roots[t]; n < end; n++) {
            const gw_tree_node *node = &forest->nodes[n];
            if (node->feature < 0) {
                if (node->child < 0 || node->child >= forest->leaf_count) { return false; }
            } else if (node->feature >= features || node->child <= n || node->child > end - 2) {
                return false;
            }
        }
    }
    return true;
}

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_forest *f = &layer->forest;
    if (layer->source_count != 1 || sources->type != layer->output.type || !gw_multiplier_valid(layer->scales[0])) { return false; }
    if (!f->roots || !f->nodes || !f->values || f->tree_count < 1 || f->tree_count > GW_TREES_MAX || f->node_count < 1 ||
        f->node_count > GW_NODES_MAX || f->leaf_count < 1 || f->leaf_count > GW_NODES_MAX || gw_elements(&layer->output) > GW_CLASSES_MAX) {
        return false;
    }
    return trees_valid(f, gw_elements(sources));
}

static void place(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const gw_forest *f = &layer->forest;
    const size_t row = (size_t)gw_elements(&layer->output) * sizeof *f->values;
    step->forest = *f;
    step->forest.roots = gw_take_copy(&builder->weights, f->roots, (size_t)f->tree_count * sizeof *f->roots);
    step->forest.nodes = gw_take_copy(&builder->weights, f->nodes, (size_t)f->node_count * sizeof *f->nodes);
    step->forest.values = gw_take_copy(&builder->weights, f->values, (size_t)f->leaf_count * row);
}

static void run(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_forest *forest = &step->forest;
    const gw_type type = layer->output.type;
    const int32_t classes = gw_elements(&layer->output);
    int32_t sums[GW_CLASSES_MAX] = {0}; // at most 2^12 x 2^15
    for (int32_t t = 0; t < forest->tree_count; t++) {
        const gw_tree_node *node = &forest->nodes[forest->roots[t]];
        while (node->feature >= 0) {
            node = &forest->nodes[node->child + (gw_get(type, step->sources[0], node->feature) > node->threshold)];
        }
        const int16_t *values = forest->values + (size_t)node->child * (size_t)classes;
        for (int32_t c = 0; c < classes; c++) { sums[c] += values[c]; }
    }
    for (int32_t c = 0; c < classes; c++) {
        gw_put(type, step->output, c, gw_limit(layer, (int64_t)gw_requantise_twice(sums[c], layer->scales[0]) + layer->output.zero_point));
    }
}

static int64_t work(const gw_layer *layer, const gw_tensor *source) {
    (void)source;
    return (int64_t)layer->forest.tree_count * (gw_elements(&layer->output) + 16); // a tree's depth, which is not known
}

const gw_operator gw_operator_forest = {.valid = valid, .place = place, .run = run, .work = work};
