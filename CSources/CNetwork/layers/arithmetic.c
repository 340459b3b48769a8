#include "blocks.h"

// Two tensors of one shape, element by element; what has another shape was brought to it before.

static bool two_of_one_shape(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 2 && gw_same_shape(&sources[0], &layer->output) && gw_same_shape(&sources[1], &layer->output) &&
           sources[0].type == sources[1].type;
}

static bool two_alike(const gw_layer *layer, const gw_tensor *sources) {
    return two_of_one_shape(layer, sources) && sources[0].type == layer->output.type;
}

static bool sum_valid(const gw_layer *layer, const gw_tensor *sources) {
    if (!two_alike(layer, sources)) { return false; }
    for (int32_t i = 0; i < 3; i++) {
        if (!gw_multiplier_valid(layer->scales[i])) { return false; }
    }
    return layer->scales[0].shift <= 1 && layer->scales[1].shift <= 1; // at most 1, so that a shifted value stays within int32
}

// The tensors of a layer whose sources and output are all int8, as kernels take them.
static gw_pair pair_of(const gw_step *step) {
    const gw_layer *layer = &step->layer;
    return (gw_pair){.a = step->sources[0],
        .b = step->sources[1],
        .zero_points = {step->inputs[0].zero_point, step->inputs[1].zero_point},
        .output_zero_point = layer->output.zero_point,
        .low = layer->low,
        .high = layer->high,
        .scales = {layer->scales[0], layer->scales[1], layer->scales[2]},
        .subtracts = layer->operation == GW_SUBTRACT};
}

// How many elements a kernel made.
static int32_t run_in_vectors(gw_step *step, int32_t (*run)(const gw_pair *, int32_t, int8_t *)) {
    const gw_pair pair = pair_of(step);
    return run && step->inputs[0].type == GW_INT8 && step->layer.output.type == GW_INT8
               ? run(&pair, gw_elements(&step->layer.output), step->output)
               : 0;
}

// Both are brought to twice the larger scale with LEFT bits to spare, added, and brought to the output's scale.
static void sum(gw_step *step, int32_t sign) {
    const gw_layer *layer = &step->layer;
    enum { LEFT = 20 };
    const int32_t count = gw_elements(&layer->output);
    if (layer->output.type == GW_INT16) {
        step->kernel->wide->add_wide(
            step->sources[0], step->sources[1], count, layer->scales, sign < 0, layer->low, layer->high, step->output);
        return;
    }
    for (int32_t i = run_in_vectors(step, step->kernel->add); i < count; i += GW_BLOCK) {
        int32_t a[GW_BLOCK], b[GW_BLOCK];
        const int32_t some = count - i < GW_BLOCK ? count - i : GW_BLOCK;
        gw_widen(&step->inputs[0], step->sources[0], i, some, a);
        gw_widen(&step->inputs[1], step->sources[1], i, some, b);
        for (int32_t j = 0; j < some; j++) { a[j] *= 1 << LEFT, b[j] *= 1 << LEFT; }
        step->kernel->twice(a, some, layer->scales[0]); // shifts of at most one to the left: nothing is limited
        step->kernel->twice(b, some, layer->scales[1]);
        for (int32_t j = 0; j < some; j++) { a[j] = gw_saturate32(a[j] + sign * (int64_t)b[j]); }
        step->kernel->twice(a, some, layer->scales[2]);
        gw_narrow(layer, layer->output.zero_point, a, i, some, step->output);
    }
}

static void run_add(gw_step *step) { sum(step, 1); }

static void run_subtract(gw_step *step) { sum(step, -1); }

// The result may be of the other type: squares of int16 are kept in int8 by LiteRT.
static bool multiply_valid(const gw_layer *layer, const gw_tensor *sources) {
    return two_of_one_shape(layer, sources) && gw_multiplier_valid(layer->scales[0]);
}

static void run_multiply(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const int32_t count = gw_elements(&layer->output);
    for (int32_t i = run_in_vectors(step, step->kernel->multiply); i < count; i += GW_BLOCK) {
        int32_t a[GW_BLOCK], b[GW_BLOCK];
        const int32_t some = count - i < GW_BLOCK ? count - i : GW_BLOCK;
        gw_widen(&step->inputs[0], step->sources[0], i, some, a);
        gw_widen(&step->inputs[1], step->sources[1], i, some, b);
        for (int32_t j = 0; j < some; j++) { a[j] *= b[j]; } // at most 2^30
        step->kernel->twice(a, some, layer->scales[0]);
        gw_narrow(layer, layer->output.zero_point, a, i, some, step->output);
    }
}

static void run_multiply_once(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_tensor *left = &step->inputs[0], *right = &step->inputs[1];
    const int32_t count = gw_elements(&layer->output);
    for (int32_t i = 0; i < count; i++) {
        const int32_t a = gw_get(left->type, step->sources[0], i) - left->zero_point;
        const int32_t b = gw_get(right->type, step->sources[1], i) - right->zero_point;
        const int64_t value = (int64_t)gw_requantise(a * b, layer->scales[0]) + layer->output.zero_point; // a * b: at most 2^30
        gw_put(layer->output.type, step->output, i, gw_limit(layer, value));
    }
}

static bool divide_valid(const gw_layer *layer, const gw_tensor *sources) {
    return two_alike(layer, sources) && gw_multiplier_valid(layer->scales[0]);
}

// The left number with all the bits that int32 has, times the reciprocal of the right one: TFLite's integer DIV. Where that shifts by 32
// bits, which C leaves open, the quotient is less than half a step.
static int64_t quotient(int32_t a, int32_t b, gw_multiplier scale) {
    if (b == 0) { return a == 0 ? 0 : a < 0 ? INT32_MIN : INT32_MAX; }
    if (b < 0) { a = -a, b = -b; }
    const int32_t over = __builtin_clz((uint32_t)b), room = a == 0 ? 0 : __builtin_clrsb(a);
    const int32_t reciprocal = gw_reciprocal_q31((int32_t)(((uint32_t)b << over) - (UINT32_C(1) << 31)));
    const int32_t whole = gw_multiply_q31((int32_t)(a * (INT64_C(1) << room)), reciprocal);
    scale.shift -= 31 - over + room;
    return scale.shift < -31 ? 0 : gw_requantise_twice(whole, scale);
}

static void run_divide(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_type type = layer->output.type;
    const int32_t count = gw_elements(&layer->output);
    for (int32_t i = 0; i < count; i++) {
        const int32_t a = gw_get(type, step->sources[0], i) - step->inputs[0].zero_point;
        const int32_t b = gw_get(type, step->sources[1], i) - step->inputs[1].zero_point;
        gw_put(type, step->output, i, gw_limit(layer, quotient(a, b, layer->scales[0]) + layer->output.zero_point));
    }
}

static bool extreme_valid(const gw_layer *layer, const gw_tensor *sources) {
    const int32_t zero = layer->output.zero_point;
    return two_alike(layer, sources) && sources[0].zero_point == zero && sources[1].zero_point == zero;
}

static void extreme(gw_step *step, bool is_largest) {
    const gw_type type = step->layer.output.type;
    const int32_t count = gw_elements(&step->layer.output);
    for (int32_t i = 0; i < count; i++) {
        const int32_t a = gw_get(type, step->sources[0], i), b = gw_get(type, step->sources[1], i);
        gw_put(type, step->output, i, gw_limit(&step->layer, (a > b) == is_largest ? a : b));
    }
}

static void run_maximum(gw_step *step) { extreme(step, true); }

static void run_minimum(gw_step *step) { extreme(step, false); }

const gw_operator gw_operator_add = {.valid = sum_valid, .run = run_add, .overlap = gw_overlap_elements};
const gw_operator gw_operator_subtract = {.valid = sum_valid, .run = run_subtract, .overlap = gw_overlap_elements};
const gw_operator gw_operator_multiply = {.valid = multiply_valid, .run = run_multiply, .overlap = gw_overlap_elements};
const gw_operator gw_operator_multiply_once = {.valid = multiply_valid, .run = run_multiply_once, .overlap = gw_overlap_elements};
const gw_operator gw_operator_divide = {.valid = divide_valid, .run = run_divide, .overlap = gw_overlap_elements};
const gw_operator gw_operator_maximum = {.valid = extreme_valid, .run = run_maximum, .overlap = gw_overlap_elements};
const gw_operator gw_operator_minimum = {.valid = extreme_valid, .run = run_minimum, .overlap = gw_overlap_elements};
