#include "step.h"
#include <string.h>

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && layer->output.type == sources->type && gw_weights_valid(&layer->weights, sources->type) &&
           gw_elements(sources) % layer->weights.inputs == 0 &&
           gw_elements(sources) / layer->weights.inputs * layer->weights.outputs == gw_elements(&layer->output);
}

static void run(gw_step *step) {
    const gw_packed *packed = &step->product.packed;
    const size_t size = gw_size_of(step->inputs[0].type);
    const size_t in = (size_t)packed->inputs * size, out = (size_t)packed->outputs * size;
    const int32_t rows = gw_elements(&step->inputs[0]) / packed->inputs;
    const uint8_t *source = step->sources[0];
    uint8_t *output = step->output;
    step->backwards = !step->backwards;
    if (rows == 1) { // a tensor begins at an aligned place and has room to a whole group behind it
        gw_product_run(&step->product, source, step->sums, output, step->backwards);
        return;
    }
    for (int32_t r = 0; r < rows; r++) {
        memcpy(step->row, source + (size_t)r * in, in);
        gw_product_run(&step->product, step->row, step->sums, output + (size_t)r * out, false);
    }
}

const gw_operator gw_operator_dense = {.valid = valid, .place = gw_step_place_product, .run = run};
