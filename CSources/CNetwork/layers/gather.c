#include "step.h"
#include <string.h>

// Everything that only moves numbers: transposing, reversing, padding, repeating, cutting out.

static bool gather_valid(const gw_layer *layer, const gw_tensor *sources) {
    if (layer->source_count != 1 || !layer->table || sources->type != layer->output.type ||
        sources->zero_point != layer->output.zero_point) {
        return false;
    }
    const int32_t *places = layer->table, count = gw_elements(&layer->output), most = gw_elements(sources);
    for (int32_t i = 0; i < count; i++) {
        if (places[i] < -1 || places[i] >= most) { return false; }
    }
    return true;
}

// Elements that lie together in the source, or zeros.
typedef struct gw_run {
    int32_t place; // -1: zeros
    int32_t count;
} gw_run;

// Short runs are quicker one by one.
enum { SHORT = 6 };

static bool goes_on(const int32_t *places, int32_t i) {
    return places[i] < 0 ? places[i - 1] < 0 : places[i - 1] >= 0 && places[i] == places[i - 1] + 1;
}

// How many runs there are; and the runs, where they are wanted.
static int32_t runs_of(const int32_t *places, int32_t count, gw_run *runs) {
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool begins = i == 0 || !goes_on(places, i);
        if (runs && begins) { runs[n] = (gw_run){places[i], 1}; }
        if (runs && !begins) { runs[n - 1].count++; }
        n += begins ? 1 : 0;
    }
    return n;
}

// A count of runs and the runs, or zero and every element's place.
static void place_gather(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    const int32_t *places = layer->table, count = gw_elements(&layer->output), n = runs_of(places, count, NULL);
    const bool in_runs = n <= count / SHORT;
    const size_t bytes = in_runs ? (size_t)n * sizeof(gw_run) : (size_t)count * sizeof *places;
    int32_t *table = gw_take(&builder->weights, sizeof *table + bytes);
    step->table = table;
    if (!builder->weights.memory) { return; }
    table[0] = in_runs ? n : 0;
    if (in_runs) {
        (void)runs_of(places, count, (gw_run *)(void *)(table + 1));
    } else {
        memcpy(table + 1, places, bytes);
    }
}

// Eight bytes at a time: a call takes longer than what it copies.
static void copy_short(uint8_t *to, const uint8_t *from, size_t bytes) {
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) { memcpy(to + i, from + i, 8); }
    for (; i < bytes; i++) { to[i] = from[i]; }
}

static void copy_runs(const gw_step *step, const gw_run *runs, int32_t count) {
    const gw_tensor *output = &step->layer.output;
    const size_t size = gw_size_of(output->type);
    const uint8_t *source = step->sources[0];
    uint8_t *to = step->output;
    for (int32_t r = 0; r < count; r++) {
        const size_t bytes = (size_t)runs[r].count * size;
        if (runs[r].place < 0) {
            memset(to, (uint8_t)output->zero_point, bytes); // int16 has zero point 0
        } else if (bytes <= 64) {
            copy_short(to, source + (size_t)runs[r].place * size, bytes);
        } else {
            memcpy(to, source + (size_t)runs[r].place * size, bytes);
        }
        to += bytes;
    }
}

static void run_gather(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    const int32_t *table = step->table, *places = table + 1, count = gw_elements(output);
    if (table[0] > 0) { return copy_runs(step, (const gw_run *)(const void *)places, table[0]); }
    if (output->type == GW_INT8) {
        const int8_t *source = step->sources[0];
        int8_t *values = step->output;
        for (int32_t i = 0; i < count; i++) { values[i] = places[i] < 0 ? (int8_t)output->zero_point : source[places[i]]; }
    } else {
        const int16_t *source = step->sources[0];
        int16_t *values = step->output;
        for (int32_t i = 0; i < count; i++) { values[i] = places[i] < 0 ? 0 : source[places[i]]; }
    }
}

static bool constant_valid(const gw_layer *layer, const gw_tensor *sources) {
    (void)sources;
    return layer->source_count == 1 && layer->table;
}

static void place_constant(gw_step *step, const gw_layer *layer, gw_builder *builder) {
    step->table = gw_take_copy(&builder->weights, layer->table, (size_t)gw_elements(&layer->output) * gw_size_of(layer->output.type));
}

static void run_constant(gw_step *step) {
    const gw_tensor *output = &step->layer.output;
    memcpy(step->output, step->table, (size_t)gw_elements(output) * gw_size_of(output->type));
}

const gw_operator gw_operator_gather = {.valid = gather_valid, .place = place_gather, .run = run_gather, .overlap = gw_overlap_gathered};
const gw_operator gw_operator_constant = {
    .valid = constant_valid, .place = place_constant, .run = run_constant, .overlap = gw_overlap_constant};
