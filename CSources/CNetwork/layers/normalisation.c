#include "blocks.h"

// (x - mean) / sqrt(variance + epsilon) over the n channels of each position. With their sum S and the sum of their squares Q that is
// (n x - S) / sqrt(n Q - S^2 + n^2 epsilon): in integers, and exact but for the root.

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && sources->type == layer->output.type && gw_same_shape(sources, &layer->output) &&
           gw_multiplier_valid(layer->scales[0]) && layer->scales[0].multiplier != 0 && layer->scales[0].shift >= 0 &&
           gw_multiplier_valid(layer->scales[1]);
}

// n^2 epsilon: below 2^55.
static uint64_t offset(int32_t n, gw_multiplier epsilon) {
    return (uint64_t)gw_round_shift((int64_t)n * n * epsilon.multiplier, 31 - epsilon.shift);
}

// factor / sqrt(value), 0 < value < 2^56, to 30 bits.
static gw_multiplier over_root(gw_multiplier factor, uint64_t value) {
    const int32_t up = (__builtin_clzll(value) - 2) / 2;                  // 3 ... 30
    const uint64_t root = gw_square_root(value << (2 * up));              // 2^30 ... 2^31
    const uint64_t inverse = ((UINT64_C(1) << 62) + root / 2) / root;     // 2^31 ... 2^32: 2^62 / root
    const uint64_t product = (inverse / 2) * (uint32_t)factor.multiplier; // 2^60 ... 2^62
    const bool is_small = product < UINT64_C(1) << 61;
    const int64_t multiplier = gw_round_shift((int64_t)product, is_small ? 30 : 31);
    return (gw_multiplier){gw_saturate32(multiplier), factor.shift + up - 30 - (is_small ? 1 : 0)}; // -28 ... 30
}

typedef struct gw_sums {
    int64_t values, squares; // at most 2^27, 2^42
} gw_sums;

static gw_sums sums_of(const gw_tensor *input, const void *source, int32_t first, int32_t n) {
    gw_sums sums = {0, 0};
    for (int32_t i = 0; i < n; i += GW_BLOCK) {
        int32_t values[GW_BLOCK];
        const int32_t some = n - i < GW_BLOCK ? n - i : GW_BLOCK;
        gw_widen(input, source, first + i, some, values);
        for (int32_t c = 0; c < some; c++) {
            sums.values += values[c];
            sums.squares += (int64_t)values[c] * values[c];
        }
    }
    return sums;
}

static void run(gw_step *step) {
    const gw_layer *layer = &step->layer;
    const gw_tensor *input = &step->inputs[0];
    const int32_t n = input->channels, count = gw_elements(input);
    const uint64_t least = offset(n, layer->scales[1]);
    for (int32_t first = 0; first < count; first += n) {
        const gw_sums sums = sums_of(input, step->sources[0], first, n);
        const uint64_t value = (uint64_t)(n * sums.squares - sums.values * sums.values) + least;
        const gw_multiplier factor = value == 0 ? (gw_multiplier){0, 0} : over_root(layer->scales[0], value);
        for (int32_t i = 0; i < n; i += GW_BLOCK) {
            int32_t values[GW_BLOCK];
            const int32_t some = n - i < GW_BLOCK ? n - i : GW_BLOCK;
            gw_widen(input, step->sources[0], first + i, some, values);
            for (int32_t c = 0; c < some; c++) { values[c] = n * values[c] - (int32_t)sums.values; } // within 2^28
            step->kernel->twice(values, some, factor);
            gw_narrow(layer, layer->output.zero_point, values, first + i, some, step->output);
        }
    }
}

const gw_operator gw_operator_normalisation = {.valid = valid, .run = run, .overlap = gw_overlap_positions};
