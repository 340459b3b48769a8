// A layer made ready to run, and what each operation is to the network. Private to CNetwork.
#ifndef GW_STEP_H
#define GW_STEP_H

#include "overlap.h"
#include "product.h"

typedef struct gw_step gw_step;

/// Where a step's memory comes from. The work of all steps lies in one place: each begins at its start.
typedef struct gw_builder {
    const gw_kernel *kernel;
    gw_arena weights, state, work;
    gw_product counted[2]; // stand for a step's other products while there is no memory
} gw_builder;

typedef struct gw_operator {
    /// Whether the layer's numbers and tensors go together. Tensors themselves have been checked.
    bool (*valid)(const gw_layer *layer, const gw_tensor *sources);
    /// Takes memory for weights, state and work; with none in the builder it only counts. NULL: nothing to take.
    void (*place)(gw_step *step, const gw_layer *layer, gw_builder *builder);
    void (*run)(gw_step *step);
    /// NULL: nothing is remembered.
    void (*reset)(gw_step *step);
    /// Multiply-accumulates of one inference, or the elements that it goes through. NULL: as many as the output has.
    int64_t (*work)(const gw_layer *layer, const gw_tensor *source);
    /// What the output has in common with that of the inference before, out of what the sources have. NULL: nothing.
    gw_overlap (*overlap)(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps);
    /// Makes a step run for elements first <= i < end of its output alone, whole rows of what the overlap is found in. NULL: it cannot.
    void (*narrow)(gw_step *step, int32_t first, int32_t end);
    /// Whether the output has its only source's numbers in the same order, so that both may lie in one place. NULL: never.
    bool (*is_copy)(const gw_layer *layer, const gw_tensor *source);
} gw_operator;

struct gw_step {
    const gw_operator *operator;
    const gw_kernel *kernel;
    gw_layer layer; // its numbers; its pointers were the caller's
    gw_tensor inputs[GW_SOURCES_MAX];
    const void *sources[GW_SOURCES_MAX];
    void *output;
    union { // of what is one or the other
        gw_product product;
        gw_forest forest;
        gw_support_vectors support;
    };
    gw_product *recurrent, *candidate; // of an LSTM or GRU
    void *row;                         // work: rows of the product's inputs, each 64-byte aligned; or a matrix, packed as weights are
    void *sums, *recurrent_sums;       // or the packed matrix's biases
    int16_t *gates;
    void *hidden;  // state of an LSTM or GRU
    int16_t *cell; // of a GRU: the hidden state in Q0.15
    const void *table;
    gw_overlap kept; // of the output: what stays from one inference to the next
};

/// Takes memory for a layer that is one product, with a batch of rows, where they are gathered, and their sums as work.
static inline void gw_step_place_product(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    gw_ends ends = {step->inputs[0], layer->output, layer->low, layer->high};
    gw_product_place(&layer->weights, &ends, builder->kernel, &builder->weights, &step->product);
    const size_t batch = (size_t)gw_product_batch(&step->product);
    step->row = gw_take(&builder->work, gw_aligned(gw_product_row(&step->product)) * batch);
    step->sums = gw_take(&builder->work, gw_product_sums(&step->product) * batch);
}

/// The operator of an operation, or NULL.
const gw_operator *gw_operator_of(gw_operation operation);

#define GW_OPERATOR(number, operator) extern const gw_operator gw_operator_##operator;
GW_OPERATIONS(GW_OPERATOR)
#undef GW_OPERATOR

static inline int32_t gw_positions(const gw_tensor *tensor) { return tensor->height * tensor->width; }

static inline int32_t gw_elements(const gw_tensor *tensor) { return gw_positions(tensor) * tensor->channels; }

/// Multiply-accumulates of a layer whose every output has a row of the weights.
static inline int64_t gw_work_of_rows(const gw_layer *layer, const gw_tensor *source) {
    (void)source;
    return (int64_t)gw_elements(&layer->output) * layer->weights.inputs;
}

static inline bool gw_same_shape(const gw_tensor *a, const gw_tensor *b) {
    return a->height == b->height && a->width == b->width && a->channels == b->channels;
}

static inline int32_t gw_get(gw_type type, const void *values, int32_t index) {
    return type == GW_INT8 ? ((const int8_t *)values)[index] : ((const int16_t *)values)[index];
}

static inline void gw_put(gw_type type, void *values, int32_t index, int32_t value) {
    if (type == GW_INT8) {
        ((int8_t *)values)[index] = (int8_t)value;
    } else {
        ((int16_t *)values)[index] = (int16_t)value;
    }
}

/// `value` within the layer's limits.
static inline int32_t gw_limit(const gw_layer *layer, int64_t value) {
    return (int32_t)(value < layer->low ? layer->low : value > layer->high ? layer->high : value);
}

#endif
