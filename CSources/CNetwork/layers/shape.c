#include "step.h"
#include <string.h>

static bool same_numbers(const gw_tensor *a, const gw_tensor *b) { return a->type == b->type && a->zero_point == b->zero_point; }

// Elements before the next one along the axis: [outer][extent along the axis x inner].
static int32_t outer(const gw_tensor *tensor, int32_t axis) { return axis == 0 ? 1 : axis == 1 ? tensor->height : gw_positions(tensor); }

static bool concatenate_valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_tensor *output = &layer->output;
    if (layer->axis < 0 || layer->axis > 2) { return false; }
    int32_t extents[3] = {0, 0, 0};
    for (int32_t i = 0; i < layer->source_count; i++) {
        const gw_tensor *source = &sources[i];
        int32_t of_source[3] = {source->height, source->width, source->channels},
                of_output[3] = {output->height, output->width, output->channels};
        for (int32_t a = 0; a < 3; a++) {
            if (a != layer->axis && of_source[a] != of_output[a]) { return false; }
            extents[a] += of_source[a];
        }
        if (!same_numbers(source, output)) { return false; }
    }
    return extents[layer->axis] == (layer->axis == 0 ? output->height : layer->axis == 1 ? output->width : output->channels);
}

static void run_concatenate(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    const int32_t rows = outer(output, step->layer.axis);
    const size_t size = gw_size_of(output->type), stride = (size_t)(gw_elements(output) / rows) * size;
    size_t offset = 0;
    for (int32_t i = 0; i < step->layer.source_count; i++) {
        const size_t bytes = (size_t)(gw_elements(&step->inputs[i]) / rows) * size;
        for (int32_t r = 0; r < rows; r++) {
            memcpy((uint8_t *)step->output + (size_t)r * stride + offset, (const uint8_t *)step->sources[i] + (size_t)r * bytes, bytes);
        }
        offset += bytes;
    }
}

static bool slice_valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && same_numbers(sources, &layer->output) && layer->output.channels == sources->channels &&
           layer->first >= 0 && layer->first <= gw_positions(sources) - gw_positions(&layer->output);
}

static void run_slice(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    const size_t row = (size_t)output->channels * gw_size_of(output->type);
    memcpy(step->output, (const uint8_t *)step->sources[0] + (size_t)step->layer.first * row, row * (size_t)gw_positions(output));
}

const gw_operator gw_operator_concatenate = {.valid = concatenate_valid, .run = run_concatenate, .overlap = gw_overlap_concatenated};
const gw_operator gw_operator_slice = {.valid = slice_valid, .run = run_slice, .overlap = gw_overlap_sliced};
