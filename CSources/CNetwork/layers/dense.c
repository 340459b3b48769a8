#include "step.h"

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
    const int8_t *source = step->sources[0];
    uint8_t *output = step->output;
    // Behind the tensor lies at least this step's work.
    const int32_t batch = gw_product_batch(&step->product);
    for (int32_t r = 0; r < rows; r += batch) {
        const int8_t *some[GW_BATCH_MAX];
        const int32_t count = rows - r < batch ? rows - r : batch;
        for (int32_t i = 0; i < count; i++) { some[i] = source + (size_t)(r + i) * in; }
        gw_product_run_rows(&step->product, some, count, step->sums, output + (size_t)r * out);
    }
}

static void narrow(gw_step *step, int32_t first, int32_t end) {
    const gw_packed *packed = &step->product.packed;
    const gw_type type = step->inputs[0].type;
    const int32_t row = first / packed->outputs, rows = (end - first) / packed->outputs;
    step->inputs[0] = (gw_tensor){type, rows, 1, packed->inputs, step->inputs[0].zero_point};
    step->sources[0] = (const uint8_t *)step->sources[0] + (size_t)row * (size_t)packed->inputs * gw_size_of(type);
    step->output = (uint8_t *)step->output + (size_t)first * gw_size_of(type);
}

const gw_operator gw_operator_dense = {
    .valid = valid, .place = gw_step_place_product, .run = run, .work = gw_work_of_rows, .overlap = gw_overlap_rows, .narrow = narrow};
