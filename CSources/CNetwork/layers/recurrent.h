// What layers with a state from step to step have in common. Private to CNetwork.
#ifndef GW_RECURRENT_H
#define GW_RECURRENT_H

#include "step.h"
#include <string.h>

/// A step's other product, its first or second one, in memory of its own.
static inline gw_product *gw_place_recurrent(const gw_weights *weights, const gw_ends *ends, gw_builder *builder, int32_t number) {
    gw_product *product = gw_take(&builder->weights, sizeof *product);
    if (!product) { product = &builder->counted[number]; }
    gw_product_place(weights, ends, builder->kernel, &builder->weights, product);
    return product;
}

/// Nothing has been seen yet: hidden state and cell stand for zero.
static inline void gw_recurrent_reset(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    for (int32_t u = 0; u < output->channels; u++) {
        gw_put(output->type, step->hidden, u, output->zero_point);
        step->cell[u] = 0;
    }
}

/// Every position of the input is one step: its numbers to `row`, then `one`, then the hidden state to the output.
static inline void gw_recurrent_run(gw_step *step, void (*one)(gw_step *)) {
    const gw_tensor *input = &step->inputs[0], *result = &step->layer.output;
    const size_t size = gw_size_of(input->type), in = (size_t)input->channels * size, out = (size_t)result->channels * size;
    const int32_t steps = gw_positions(input);
    for (int32_t t = 0; t < steps; t++) {
        memcpy(step->row, (const uint8_t *)step->sources[0] + (size_t)t * in, in);
        one(step);
        memcpy((uint8_t *)step->output + (size_t)t * out, step->hidden, out);
    }
}

static inline int64_t gw_recurrent_work(const gw_layer *layer, const gw_tensor *source) {
    return (int64_t)gw_positions(source) * layer->weights.outputs * (layer->weights.inputs + layer->recurrent.inputs);
}

#endif
