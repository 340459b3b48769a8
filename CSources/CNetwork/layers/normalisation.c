#include "blocks.h"

// (x - mean) / sqrt(variance + epsilon) over the n channels of each position. With their sum S and the sum of their squares Q that is
// (n x - S) / sqrt(n Q - S^2 + n^2 epsilon): in integers, and exact but for the root. With a mean of zero in the place of theirs it is
// x / sqrt(mean of the squares + epsilon).

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && sources->type == layer->output.type && gw_same_shape(sources, &layer->output) &&
           gw_multiplier_valid(layer->scales[0]) && layer->scales[0].multiplier != 0 && layer->scales[0].shift >= 0 &&
           gw_multiplier_valid(layer->scales[1]);
}

// By how much a number below 2^61 can be moved to the left; a power of two is as well in `exponent`.
static int32_t room(uint64_t value, int32_t exponent) { return value == 0 ? 60 : __builtin_clzll(value) - 3 - exponent; }

static uint64_t moved(uint64_t value, int32_t left) {
    if (value == 0 || left < -62) { return 0; }
    return left >= 0 ? value << left : (uint64_t)gw_round_shift((int64_t)value, -left);
}

// factor / sqrt(n^2 variance + n^2 epsilon), to 30 bits; n^2 variance is not zero.
static gw_multiplier over_deviation(gw_multiplier factor, uint64_t variance, int32_t n, gw_multiplier epsilon) {
    const uint64_t added = (uint64_t)((int64_t)n * n * epsilon.multiplier); // below 2^55, times 2^exponent
    const int32_t exponent = epsilon.shift - 15, first = room(variance, 0), second = room(added, exponent);
    // Both as far to the left as they have room for, by an even number of bits: half of it is the root's.
    const int32_t half = (first < second ? first : second) >> 1;
    const uint64_t value = moved(variance, 2 * half) + moved(added, exponent + 2 * half);
    const uint64_t root = gw_square_root(value);                          // 2^29 ... 2^31
    const uint64_t inverse = ((UINT64_C(1) << 62) + root / 2) / root;     // 2^62 / root: 2^31 ... 2^33
    const uint64_t product = (inverse / 2) * (uint32_t)factor.multiplier; // 2^60 ... 2^63
    const int32_t right = 33 - __builtin_clzll(product), shift = factor.shift + half + right - 61;
    if (shift < -31) { return (gw_multiplier){0, 0}; } // no number is large enough
    const int32_t multiplier = gw_saturate32((int64_t)((product + (UINT64_C(1) << (right - 1))) >> right));
    return (gw_multiplier){multiplier, shift > 30 ? 30 : shift};
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
    for (int32_t first = 0; first < count; first += n) {
        gw_sums sums = sums_of(input, step->sources[0], first, n);
        if (layer->operation == GW_ROOT_MEAN_SQUARE) { sums.values = 0; }
        const uint64_t variance = (uint64_t)(n * sums.squares - sums.values * sums.values);
        const bool varies = variance > 0;
        const gw_multiplier factor = varies ? over_deviation(layer->scales[0], variance, n, layer->scales[1]) : (gw_multiplier){0, 0};
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
const gw_operator gw_operator_root_mean_square = {.valid = valid, .run = run, .overlap = gw_overlap_positions};
