#include "../kernel.h"

// Rows one by one, inputs one by one, the zero point subtracted where the specification has it.
static void accumulate(const gw_packed *layer, const int8_t *input, int32_t *sums, bool backwards) {
    (void)backwards;
    for (int32_t o = 0; o < layer->outputs; o++) {
        const int8_t *row = layer->weights + (int64_t)o * layer->inputs;
        uint32_t sum = (uint32_t)layer->bias[o];
        for (int32_t i = 0; i < layer->inputs; i++) {
            sum += (uint32_t)((input[i] - layer->input_zero_point) * row[i]);
        }
        sums[o] = (int32_t)sum;
    }
}

void gw_requantise_reference(const gw_packed *layer, const int32_t *sums, int8_t *output) {
    for (int32_t o = 0; o < layer->outputs; o++) {
        gw_multiplier m = {layer->multipliers[o], layer->shifts[o]};
        int64_t value = (int64_t)gw_requantise(sums[o], m) + layer->output_zero_point;
        output[o] = (int8_t)(value < layer->low ? layer->low : value > layer->high ? layer->high : value);
    }
}

void gw_quantise_reference(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output) {
    for (int32_t i = 0; i < count; i++) {
        int64_t value = (int64_t)gw_requantise(input[i], m) + zero_point;
        output[i] = (int8_t)(value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value);
    }
}

static bool available(void) { return true; }

const gw_kernel gw_kernel_reference = {
    .name = "reference", .rows = 1, .group = 1, .batch = 1, .folds = false, .input_offset = 0,
    .available = available, .accumulate = accumulate, .requantise = gw_requantise_reference, .quantise = gw_quantise_reference,
};
