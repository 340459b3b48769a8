#include "blocks.h"
#include "sliding.h"

// Channels that are worked on together: their sums or maxima stay in registers.
enum { TILE = 16, HALF = TILE / 2, INT16_ROOM = 255 };

static bool same_numbers(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && layer->output.type == sources->type && layer->output.zero_point == sources->zero_point &&
           layer->output.channels == sources->channels;
}

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    return same_numbers(layer, sources) && gw_sliding_valid(&layer->window, sources, &layer->output);
}

// The rows and columns of the input under a window: from first, every `step`, so many.
typedef struct gw_span {
    int32_t first, step, count;
} gw_span;

static gw_span span(int32_t start, int32_t size, int32_t dilation, int32_t extent) {
    int32_t skipped = start < 0 ? (dilation - 1 - start) / dilation : 0;
    int32_t left = extent - 1 - start < 0 ? 0 : (extent - 1 - start) / dilation + 1, end = left < size ? left : size;
    return (gw_span){start + skipped * dilation, dilation, end > skipped ? end - skipped : 0};
}

// What lies under a window at one position of the output.
typedef struct gw_under {
    gw_span rows, columns;
    int32_t width, channels; // of the input
} gw_under;

static gw_under under(const gw_step *step, int32_t row, int32_t column) {
    const gw_sliding *w = &step->layer.window;
    const gw_tensor *input = &step->inputs[0];
    const gw_place place = gw_place_at(w, row, column);
    return (gw_under){span(place.top, w->height, w->dilation_height, input->height),
        span(place.left, w->width, w->dilation_width, input->width), input->width, input->channels};
}

// Element number `first` of channels at column `x` of row `y` of the span; and how far the next column's is.
static inline ptrdiff_t element(const gw_under *u, int32_t y, int32_t x, int32_t first) {
    return ((ptrdiff_t)(u->rows.first + y * u->rows.step) * u->width + u->columns.first + x * u->columns.step) * u->channels + first;
}

static inline ptrdiff_t across(const gw_under *u) { return (ptrdiff_t)u->columns.step * u->channels; }

// `count` is a constant where a whole tile or half of one is asked for, which compilers have vector instructions for if it is inlined.
#define INLINED static inline __attribute__((always_inline))

INLINED void largest_int8(const gw_under *u, const int8_t *input, int32_t first, int32_t count, int8_t low, int8_t high, int8_t *out) {
    int8_t most[TILE];
    for (int32_t c = 0; c < count; c++) { most[c] = low; }
    for (int32_t y = 0; y < u->rows.count; y++) {
        const int8_t *in = input + element(u, y, 0, first);
        for (int32_t x = 0; x < u->columns.count; x++, in += across(u)) {
            for (int32_t c = 0; c < count; c++) { most[c] = in[c] > most[c] ? in[c] : most[c]; }
        }
    }
    for (int32_t c = 0; c < count; c++) { out[c] = most[c] > high ? high : most[c]; }
}

INLINED void largest_int16(const gw_under *u, const int16_t *input, int32_t first, int32_t count, int16_t low, int16_t high, int16_t *out) {
    int16_t most[TILE];
    for (int32_t c = 0; c < count; c++) { most[c] = low; }
    for (int32_t y = 0; y < u->rows.count; y++) {
        const int16_t *in = input + element(u, y, 0, first);
        for (int32_t x = 0; x < u->columns.count; x++, in += across(u)) {
            for (int32_t c = 0; c < count; c++) { most[c] = in[c] > most[c] ? in[c] : most[c]; }
        }
    }
    for (int32_t c = 0; c < count; c++) { out[c] = most[c] > high ? high : most[c]; }
}

// int16 has room for the sum of 255 bytes, which then go to int32.
INLINED void sum_int8(const gw_under *u, const int8_t *input, int32_t first, int32_t count, int32_t *sums) {
    int16_t some[TILE];
    for (int32_t c = 0; c < count; c++) { sums[c] = 0; }
    for (int32_t y = 0; y < u->rows.count; y++) {
        for (int32_t from = 0; from < u->columns.count; from += INT16_ROOM) {
            const int32_t end = u->columns.count - from < INT16_ROOM ? u->columns.count : from + INT16_ROOM;
            for (int32_t c = 0; c < count; c++) { some[c] = 0; }
            const int8_t *in = input + element(u, y, from, first);
            for (int32_t x = from; x < end; x++, in += across(u)) {
                for (int32_t c = 0; c < count; c++) { some[c] = (int16_t)(some[c] + in[c]); }
            }
            for (int32_t c = 0; c < count; c++) { sums[c] += some[c]; }
        }
    }
}

// More than 2^16 values of 16 bits may not fit int32, which then limits each sum.
INLINED void sum_int16(const gw_under *u, const int16_t *input, int32_t first, int32_t count, int32_t *sums) {
    for (int32_t c = 0; c < count; c++) { sums[c] = 0; }
    for (int32_t y = 0; y < u->rows.count; y++) {
        const int16_t *in = input + element(u, y, 0, first);
        for (int32_t x = 0; x < u->columns.count; x++, in += across(u)) {
            for (int32_t c = 0; c < count; c++) { sums[c] = gw_saturate32((int64_t)sums[c] + in[c]); }
        }
    }
}

INLINED void sum_some(gw_type type, const gw_under *u, const void *input, int32_t first, int32_t count, int32_t *sums) {
    if (type == GW_INT8) {
        sum_int8(u, input, first, count, sums);
    } else {
        sum_int16(u, input, first, count, sums);
    }
}

// sums[count]: of channels `first` and the following, at most a tile.
static void sum_of(gw_type type, const gw_under *u, const void *input, int32_t first, int32_t count, int32_t *sums) {
    if (count == TILE) {
        sum_some(type, u, input, first, TILE, sums);
    } else if (count == HALF) {
        sum_some(type, u, input, first, HALF, sums);
    } else {
        sum_some(type, u, input, first, count, sums);
    }
}

// Within the limits; what lies at `at` and behind it.
INLINED void put_largest(const gw_step *step, const gw_under *u, int32_t first, int32_t count, int32_t at) {
    const gw_layer *layer = &step->layer;
    if (layer->output.type == GW_INT8) {
        largest_int8(u, step->sources[0], first, count, (int8_t)layer->low, (int8_t)layer->high, (int8_t *)step->output + at);
    } else {
        largest_int16(u, step->sources[0], first, count, (int16_t)layer->low, (int16_t)layer->high, (int16_t *)step->output + at);
    }
}

static inline int32_t tile(int32_t channels, int32_t first) { return channels - first < TILE ? channels - first : TILE; }

// Halves away from zero, as TFLite's AVERAGE_POOL_2D.
static inline int32_t average(int32_t sum, int32_t count) { return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count; }

static void run_average(gw_step *step) {
    const gw_tensor *result = &step->layer.output;
    int32_t at = 0, values[TILE];
    for (int32_t row = 0; row < result->height; row++) {
        for (int32_t column = 0; column < result->width; column++) {
            const gw_under u = under(step, row, column);
            const int32_t count = u.rows.count * u.columns.count;
            for (int32_t first = 0; first < result->channels; first += TILE) {
                const int32_t some = tile(result->channels, first);
                sum_of(result->type, &u, step->sources[0], first, some, values);
                for (int32_t c = 0; c < some; c++) { values[c] = count == 0 ? 0 : average(values[c], count); }
                gw_narrow(&step->layer, 0, values, at, some, step->output); // zero points are in the values
                at += some;
            }
        }
    }
}

static void run_largest(gw_step *step) {
    const gw_tensor *result = &step->layer.output;
    int32_t at = 0;
    for (int32_t row = 0; row < result->height; row++) {
        for (int32_t column = 0; column < result->width; column++, at += result->channels) {
            const gw_under u = under(step, row, column);
            int32_t first = 0;
            for (; first + TILE <= result->channels; first += TILE) { put_largest(step, &u, first, TILE, at + first); }
            const int32_t left = result->channels - first;
            if (left == HALF) {
                put_largest(step, &u, first, HALF, at + first);
            } else if (left > 0) {
                put_largest(step, &u, first, left, at + first);
            }
        }
    }
}

static bool mean_valid(const gw_layer *layer, const gw_tensor *sources) {
    return layer->source_count == 1 && layer->output.type == sources->type && gw_elements(&layer->output) == sources->channels &&
           gw_multiplier_valid(layer->scales[0]);
}

// The factor of the scales is divided by the count first, with as many bits as it has room for: TFLite's integer MEAN.
static gw_multiplier of_one(gw_multiplier m, int32_t count) {
    int32_t room = 31 - __builtin_clz((uint32_t)count);
    if (room > 31 + m.shift) { room = 31 + m.shift; }
    return (gw_multiplier){(int32_t)(((int64_t)m.multiplier << room) / count), m.shift - room};
}

// int8: the sums of channels are scaled as a product's are, by the kernel.
static void place_mean(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    if (layer->output.type != GW_INT8) { return; }
    const gw_tensor *output = &layer->output;
    const int32_t n = output->channels, padded = (n + TILE - 1) / TILE * TILE;
    const gw_multiplier m = of_one(layer->scales[0], gw_positions(&step->inputs[0]));
    const size_t bytes = (size_t)padded * sizeof(int32_t);
    int32_t *multipliers = gw_take(&builder->weights, bytes), *shifts = gw_take(&builder->weights, bytes);
    step->sums = gw_take(&builder->work, bytes);
    step->product = (gw_product){.input_type = GW_INT8, .rounding = GW_ROUND_TWICE, .kernel = builder->kernel};
    step->product.packed = (gw_packed){.outputs = n,
        .padded = padded,
        .output_zero_point = output->zero_point,
        .low = layer->low,
        .high = layer->high,
        .only_right = m.shift <= 0,
        .always_shifts = m.shift < 0,
        .is_small = m.shift <= 0 && m.shift >= -20 && gw_positions(&step->inputs[0]) < 1 << 22, // each adds less than 2^8
        .multipliers = multipliers,
        .shifts = shifts};
    if (!builder->weights.memory) { return; }
    for (int32_t c = 0; c < padded; c++) { multipliers[c] = m.multiplier, shifts[c] = m.shift; }
}

static void run_mean(gw_step *step) {
    const gw_tensor *input = &step->inputs[0];
    const int32_t count = gw_positions(input);
    const gw_under all = {{0, 1, 1}, {0, 1, count}, count, input->channels};
    const bool int8 = input->type == GW_INT8;
    const gw_multiplier m = int8 ? (gw_multiplier){0, 0} : of_one(step->layer.scales[0], count);
    int32_t some_sums[TILE];
    for (int32_t first = 0; first < input->channels; first += TILE) {
        const int32_t some = tile(input->channels, first);
        int32_t *sums = int8 ? (int32_t *)step->sums + first : some_sums;
        sum_of(input->type, &all, step->sources[0], first, some, sums);
        for (int32_t c = 0; c < some; c++) {
            if (int8) {
                sums[c] -= count * input->zero_point;
            } else {
                const int64_t value = (int64_t)gw_requantise_twice(sums[c], m); // zero points are 0
                gw_put(GW_INT16, step->output, first + c, gw_limit(&step->layer, value));
            }
        }
    }
    if (int8) { gw_product_requantise_rows(&step->product, step->sums, 1, step->output); }
}

static int64_t work(const gw_layer *layer, const gw_tensor *source) {
    (void)source;
    return (int64_t)gw_elements(&layer->output) * layer->window.height * layer->window.width;
}

static int64_t mean_work(const gw_layer *layer, const gw_tensor *source) {
    (void)layer;
    return gw_elements(source);
}

const gw_operator gw_operator_average_pool = {
    .valid = valid, .run = run_average, .work = work, .overlap = gw_overlap_sliding, .narrow = gw_sliding_narrow};
const gw_operator gw_operator_max_pool = {
    .valid = valid, .run = run_largest, .work = work, .overlap = gw_overlap_sliding, .narrow = gw_sliding_narrow};
const gw_operator gw_operator_mean = {.valid = mean_valid, .place = place_mean, .run = run_mean, .work = mean_work};
