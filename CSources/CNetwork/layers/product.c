#include "product.h"
#include <string.h>

static bool values_valid(const gw_weights *weights) {
    int64_t count = (int64_t)weights->inputs * weights->outputs;
    for (int64_t i = 0; i < count; i++) {
        // The NEON kernel's int16 sums rely on it, and so does the bound on int64 sums.
        if (weights->type == GW_INT8 ? ((const int8_t *)weights->values)[i] == INT8_MIN
                                     : ((const int16_t *)weights->values)[i] == INT16_MIN) {
            return false;
        }
    }
    return true;
}

bool gw_weights_valid(const gw_weights *weights, gw_type input) {
    if (weights->inputs < 1 || weights->inputs > GW_EXTENT_MAX || weights->outputs < 1 || weights->outputs > GW_EXTENT_MAX) {
        return false;
    }
    if (weights->type != GW_INT8 && (weights->type != GW_INT16 || input != GW_INT16)) { return false; }
    if (weights->rounding > (input == GW_INT8 ? GW_ROUND_TWICE : GW_ROUND_REDUCED)) { return false; }
    const int64_t limit = input == GW_INT8 ? INT32_MAX : INT64_C(1) << 45; // so that a sum stays within 2^46
    for (int32_t o = 0; o < weights->outputs; o++) {
        if (!gw_multiplier_valid(weights->multipliers[o]) || weights->bias[o] > limit || weights->bias[o] < -limit) { return false; }
    }
    return values_valid(weights);
}

void gw_product_pack(const int8_t *from, const gw_kernel *kernel, const gw_packed *packed, int8_t *to) {
    const int32_t inputs = packed->inputs, rows = kernel->rows, group = kernel->group, panel = kernel->panel;
    for (int32_t o = 0; o < packed->outputs; o++, from += inputs) {
        const int32_t block = o / rows, first = block / panel * panel; // of the panel
        const int32_t together = packed->blocks - first < panel ? packed->blocks - first : panel;
        const ptrdiff_t line = (ptrdiff_t)first * packed->groups + (block - first); // blocks before it
        int8_t *place = to + (line * rows + o % rows) * group;
        for (int32_t i = 0; i < inputs; i += group, place += (ptrdiff_t)together * rows * group) {
            const int32_t some = inputs - i < group ? inputs - i : group;
            if (some == 4) {
                memcpy(place, from + i, 4); // a constant: no call
                continue;
            }
            for (int32_t j = 0; j < some; j++) { place[j] = from[i + j]; }
        }
    }
}

// Of an output's weights, all of int8: at most 4096 * 127.
static int32_t sum_of_narrow(const gw_weights *weights, int32_t o) {
    const int8_t *values = (const int8_t *)weights->values + (ptrdiff_t)o * weights->inputs;
    int32_t sum = 0;
    for (int32_t i = 0; i < weights->inputs; i++) { sum += values[i]; }
    return sum;
}

int32_t gw_folded_bias(const gw_weights *weights, const gw_kernel *kernel, int32_t zero_point, int32_t o) {
    uint32_t bias = (uint32_t)weights->bias[o];
    if (!kernel->folds) { return (int32_t)bias; }
    return (int32_t)(bias - (uint32_t)((zero_point + kernel->input_offset) * sum_of_narrow(weights, o)));
}

int64_t gw_largest_sum(const gw_weights *weights, int32_t o, int64_t bias) {
    const int8_t *values = (const int8_t *)weights->values + (int64_t)o * weights->inputs;
    int64_t most = bias < 0 ? -bias : bias;
    for (int32_t i = 0; i < weights->inputs; i++) { most += UINT8_MAX * (values[i] < 0 ? -values[i] : values[i]); }
    return most;
}

bool gw_weights_are_short(const gw_weights *weights) {
    if (weights->rounding == GW_ROUND_TWICE) { return false; }
    for (int32_t o = 0, at = 0; o < weights->outputs; o++) {
        int64_t most = weights->bias[o] < 0 ? -weights->bias[o] : weights->bias[o];
        for (int32_t i = 0; i < weights->inputs; i++, at++) {
            const int32_t value = weights->type == GW_INT8 ? ((const int8_t *)weights->values)[at] : ((const int16_t *)weights->values)[at];
            most += INT64_C(32768) * (value < 0 ? -value : value);
        }
        if (most > INT32_MAX || weights->multipliers[o].shift > 0) { return false; }
    }
    return true;
}

bool gw_packed_is_small(const gw_weights *weights, const int32_t *bias) {
    for (int32_t o = 0; o < weights->outputs; o++) {
        const int32_t shift = weights->multipliers[o].shift;
        if (gw_largest_sum(weights, o, bias[o]) >= 1 << 30 || shift > 0 || shift < -20) { return false; }
    }
    return true;
}

static void place_narrow(const gw_weights *weights, gw_arena *arena, gw_product *product) {
    const gw_kernel *kernel = product->kernel;
    gw_packed *packed = &product->packed;
    packed->groups = gw_pieces(weights->inputs, kernel->group);
    packed->blocks = gw_pieces(weights->outputs, kernel->rows);
    packed->padded = packed->blocks * kernel->rows;
    size_t rows = (size_t)product->packed.padded, bytes = rows * (size_t)packed->groups * (size_t)kernel->group;
    int8_t *values = gw_take(arena, bytes);
    int32_t *bias = gw_take(arena, rows * sizeof *bias);
    packed->weights = values;
    packed->bias = bias;
    if (!arena->memory) { return; }
    memset(values, 0, bytes);
    memset(bias, 0, rows * sizeof *bias);
    gw_product_pack(weights->values, kernel, packed, values);
    for (int32_t o = 0; o < weights->outputs; o++) { bias[o] = gw_folded_bias(weights, kernel, packed->input_zero_point, o); }
    packed->is_small = gw_packed_is_small(weights, bias);
}

static int32_t wide_group(const gw_kernel *kernel, gw_type weights) {
    return weights == GW_INT8 ? kernel->wide->narrow_group : kernel->wide->group;
}

size_t gw_product_extents_wide(gw_type weights, const gw_kernel *kernel, gw_packed *packed) {
    const int32_t group = wide_group(kernel, weights);
    packed->groups = gw_pieces(packed->inputs, group);
    packed->blocks = gw_pieces(packed->outputs, kernel->wide->rows);
    packed->padded = packed->blocks * kernel->wide->rows;
    return (size_t)packed->padded * (size_t)packed->groups * (size_t)group * gw_size_of(weights);
}

void gw_product_pack_wide(const void *weights, gw_type type, const gw_kernel *kernel, const gw_packed *packed, void *to) {
    const size_t size = gw_size_of(type), rows = (size_t)kernel->wide->rows, piece = (size_t)wide_group(kernel, type) * size,
                 block = (size_t)packed->groups * rows * piece;
    const uint8_t *from = weights;
    for (size_t o = 0; o < (size_t)packed->outputs; o++) {
        uint8_t *place = (uint8_t *)to + o / rows * block + o % rows * piece;
        size_t left = (size_t)packed->inputs * size;
        for (; piece == 4 && left >= 4; place += rows * 4, from += 4, left -= 4) { memcpy(place, from, 4); } // a constant: no call
        for (; left > 0; place += rows * piece) {
            const size_t some = left < piece ? left : piece;
            memcpy(place, from, some);
            from += some, left -= some;
        }
    }
}

static void place_wide(const gw_weights *weights, gw_arena *arena, gw_product *product) {
    const gw_kernel *kernel = product->kernel;
    gw_packed *packed = &product->packed;
    const size_t bytes = gw_product_extents_wide(weights->type, kernel, packed), padded = (size_t)packed->padded;
    void *values = gw_take(arena, bytes);
    int64_t *bias = gw_take(arena, padded * sizeof *bias);
    product->is_short =
        kernel->wide->product_narrow && weights->type == GW_INT8 && weights->inputs <= GW_NARROW_MOST && gw_weights_are_short(weights);
    int32_t *narrow_bias = product->is_short ? gw_take(arena, padded * sizeof *narrow_bias) : NULL;
    packed->bias = narrow_bias;
    product->weight_type = weights->type;
    product->wide_weights = values;
    product->wide_bias = bias;
    if (!arena->memory) { return; }
    memset(values, 0, bytes);
    memset(bias, 0, padded * sizeof *bias);
    gw_product_pack_wide(weights->values, weights->type, kernel, packed, values);
    const int64_t offset = weights->type == GW_INT8 ? kernel->wide->narrow_offset : 0;
    for (int32_t o = 0; o < weights->outputs; o++) { bias[o] = weights->bias[o] - (offset != 0 ? offset * sum_of_narrow(weights, o) : 0); }
    // Of which the lower half is enough: a sum that int32 holds comes out, whatever is beyond it on the way.
    for (size_t o = 0; o < padded && product->is_short; o++) { narrow_bias[o] = (int32_t)(uint32_t)(uint64_t)bias[o]; }
}

void gw_packed_place_factors(gw_packed *packed, const gw_weights *weights, int32_t count, gw_arena *arena) {
    const size_t bytes = (size_t)count * sizeof(int32_t);
    int32_t *multipliers = gw_take(arena, bytes), *shifts = gw_take(arena, bytes);
    packed->multipliers = multipliers;
    packed->shifts = shifts;
    if (!arena->memory) { return; }
    memset(multipliers, 0, bytes), memset(shifts, 0, bytes);
    packed->only_right = packed->always_shifts = packed->always_shifts_twice = true;
    for (int32_t o = 0; o < weights->outputs; o++) {
        multipliers[o] = weights->multipliers[o].multiplier;
        shifts[o] = weights->multipliers[o].shift;
        packed->only_right = packed->only_right && shifts[o] <= 0;
        packed->always_shifts = packed->always_shifts && shifts[o] < 0;
        packed->always_shifts_twice = packed->always_shifts_twice && shifts[o] < -1;
    }
}

void gw_product_place(const gw_weights *weights, const gw_ends *ends, const gw_kernel *kernel, gw_arena *arena, gw_product *product) {
    *product = (gw_product){.input_type = ends->input.type, .rounding = weights->rounding, .kernel = kernel};
    gw_packed *packed = &product->packed;
    packed->inputs = weights->inputs;
    packed->outputs = weights->outputs;
    packed->input_zero_point = ends->input.zero_point;
    packed->output_zero_point = ends->output.zero_point;
    packed->low = ends->low;
    packed->high = ends->high;
    if (product->input_type == GW_INT8) {
        place_narrow(weights, arena, product);
    } else {
        place_wide(weights, arena, product);
    }
    gw_packed_place_factors(packed, weights, packed->padded, arena);
}

size_t gw_product_sums(const gw_product *product) {
    return (size_t)product->packed.padded * (product->input_type == GW_INT8 ? sizeof(int32_t) : sizeof(int64_t));
}

int32_t gw_product_batch(const gw_product *product) {
    if (product->input_type != GW_INT8) { return 1; }
    const int32_t tile = product->kernel->tile;
    if (product->rounding != GW_ROUND_TWICE || !product->kernel->requantise_rows_twice) { return tile; }
    const size_t row = gw_aligned(gw_product_row(product)), sums = gw_product_sums(product);
    return gw_batch(row > sums ? row : sums, tile);
}

size_t gw_product_row(const gw_product *product) {
    const gw_packed *packed = &product->packed;
    return product->input_type == GW_INT8 ? (size_t)packed->groups * (size_t)product->kernel->group
                                          : (size_t)packed->inputs * sizeof(int16_t);
}

static void accumulate_wide(const gw_product *product, const int16_t *row, int64_t *sums) {
    const gw_packed *packed = &product->packed;
    if (product->weight_type == GW_INT8) {
        product->kernel->wide->sum_narrow(packed, product->wide_weights, product->wide_bias, row, sums);
    } else {
        product->kernel->wide->sum_wide(packed, product->wide_weights, product->wide_bias, row, sums);
    }
}

static inline int32_t scaled(int64_t sum, gw_multiplier m, gw_rounding rounding) {
    switch (rounding) {
    case GW_ROUND_ONCE: return gw_requantise_wide(sum, m);
    case GW_ROUND_TWICE: return gw_requantise_twice(gw_saturate32(sum), m);
    default: return gw_requantise_reduced(sum, m);
    }
}

int32_t gw_product_scaled(const gw_product *product, const int64_t *sums, int32_t o) {
    return scaled(sums[o], (gw_multiplier){product->packed.multipliers[o], product->packed.shifts[o]}, product->rounding);
}

// The rounding is a constant here, and with it most of the loop.
static inline void scale_from(int32_t first, const gw_packed *packed, const int64_t *sums, gw_rounding rounding, int16_t *output) {
    const int32_t *multipliers = packed->multipliers, *shifts = packed->shifts;
    for (int32_t o = first; o < packed->outputs; o++) {
        output[o] = gw_saturate16(scaled(sums[o], (gw_multiplier){multipliers[o], shifts[o]}, rounding));
    }
}

void gw_product_finish_wide(const gw_product *product, const int64_t *sums, int16_t *output) {
    const gw_packed *packed = &product->packed;
    const gw_kernel *kernel = product->kernel;
    const int16_t low = gw_saturate16(packed->low), high = gw_saturate16(packed->high);
    const int32_t made = kernel->wide->scale ? kernel->wide->scale(packed, sums, product->rounding, output) : 0;
    switch (product->rounding) {
    case GW_ROUND_ONCE: scale_from(made, packed, sums, GW_ROUND_ONCE, output); break;
    case GW_ROUND_TWICE: scale_from(made, packed, sums, GW_ROUND_TWICE, output); break;
    default: scale_from(made, packed, sums, GW_ROUND_REDUCED, output);
    }
    if (low == INT16_MIN && high == INT16_MAX) { return; }
    for (int32_t o = 0; o < packed->outputs; o++) { output[o] = output[o] < low ? low : output[o] > high ? high : output[o]; }
}

void gw_product_requantise_rows(const gw_product *product, const int32_t *sums, int32_t count, int8_t *output) {
    const gw_kernel *kernel = product->kernel;
    const gw_packed *packed = &product->packed;
    if (product->rounding == GW_ROUND_TWICE && kernel->requantise_rows_twice) {
        kernel->requantise_rows_twice(packed, sums, count, output);
        return;
    }
    for (int32_t r = 0; r < count; r++) {
        (product->rounding == GW_ROUND_ONCE ? kernel->requantise : kernel->requantise_twice)(
            packed, sums + (ptrdiff_t)r * packed->padded, output + (ptrdiff_t)r * packed->outputs);
    }
}

// A tile of which more than half is there is quicker than its rows one by one: in the place of what is missing stands the last row.
void gw_product_accumulate_rows(const gw_product *product, const int8_t *const *rows, int32_t count, int32_t *sums) {
    const gw_kernel *kernel = product->kernel;
    if (!kernel->accumulate_tile || 2 * count <= kernel->tile) {
        for (int32_t r = 0; r < count; r++) { kernel->accumulate(&product->packed, rows[r], sums + (ptrdiff_t)r * product->packed.padded); }
        return;
    }
    if (count == kernel->tile) {
        kernel->accumulate_tile(&product->packed, rows, sums);
        return;
    }
    const int8_t *inputs[GW_TILE_MAX];
    for (int32_t i = 0; i < kernel->tile; i++) { inputs[i] = rows[i < count ? i : count - 1]; }
    kernel->accumulate_tile(&product->packed, inputs, sums);
}

void gw_product_run_wide(const gw_product *product, const int16_t *row, int64_t *sums, int16_t *output) {
    if (product->is_short) {
        product->kernel->wide->product_narrow(&product->packed, product->wide_weights, row, product->rounding, output);
        return;
    }
    accumulate_wide(product, row, sums);
    gw_product_finish_wide(product, sums, output);
}

void gw_product_run_rows(gw_product *product, const int8_t *const *rows, int32_t count, void *sums, void *output) {
    const gw_packed *packed = &product->packed;
    product->packed.is_reversed = !packed->is_reversed;
    if (product->input_type == GW_INT16) {
        for (int32_t r = 0; r < count; r++) {
            const int16_t *row = (const int16_t *)(const void *)rows[r];
            gw_product_run_wide(product, row, sums, (int16_t *)output + (ptrdiff_t)r * packed->outputs);
        }
        return;
    }
    const int32_t tile = product->kernel->tile;
    for (int32_t r = 0; r < count; r += tile) {
        gw_product_accumulate_rows(product, rows + r, count - r < tile ? count - r : tile, (int32_t *)sums + (ptrdiff_t)r * packed->padded);
    }
    gw_product_requantise_rows(product, sums, count, output);
}
