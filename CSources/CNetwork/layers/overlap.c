#include "sliding.h"

static const gw_overlap none = {0, 0, 0, NULL};

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

// The quotient, rounded up; of numbers from 0 on.
static int32_t rounded_up(int32_t value, int32_t by) { return (value + by - 1) / by; }

// In rows of `row` elements, of which those count that are whole. Nothing where the shift is not of whole rows.
static gw_overlap in_rows(gw_overlap overlap, int32_t row) {
    if (gw_overlapping(&overlap) == 0 || overlap.shift % row != 0) { return none; }
    return (gw_overlap){overlap.shift / row, rounded_up(overlap.from, row), overlap.to / row, NULL};
}

static gw_overlap in_elements(gw_overlap rows, int32_t row) {
    return gw_overlapping(&rows) == 0 ? none : (gw_overlap){rows.shift * row, rows.from * row, rows.to * row, NULL};
}

// What both say; nothing where they moved on by different shifts.
static gw_overlap both(gw_overlap a, gw_overlap b) {
    if (a.shift != b.shift) { return none; }
    return (gw_overlap){a.shift, larger(a.from, b.from), smaller(a.to, b.to), NULL};
}

// A run of elements that are as they were, and the longest one so far.
typedef struct gw_longest {
    gw_overlap run, best;
} gw_longest;

static void look_at(gw_longest *longest, int32_t i, bool is_equal) {
    if (is_equal) {
        longest->run.to = i + 1;
    } else {
        longest->run.from = longest->run.to = i + 1;
    }
    if (gw_overlapping(&longest->run) > gw_overlapping(&longest->best)) { longest->best = longest->run; }
}

// The part of an overlap in which a constant repeats.
static gw_overlap repeating(gw_overlap overlap, gw_type type, const void *constant) {
    gw_longest longest = {{overlap.shift, overlap.from, overlap.from, NULL}, none};
    for (int32_t i = overlap.from; i < overlap.to; i++) {
        look_at(&longest, i, gw_get(type, constant, i) == gw_get(type, constant, i + overlap.shift));
    }
    return longest.best;
}

// The overlap that all sources have, where their rows are of `rows[source]` elements; in rows.
static gw_overlap shared(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps, const int32_t rows[]) {
    gw_overlap result = none;
    bool found = false;
    for (int32_t s = 0; s < layer->source_count; s++) {
        if (overlaps[s].constant) { continue; }
        const gw_overlap own = in_rows(overlaps[s], rows[s]);
        result = found ? both(result, own) : own;
        found = true;
    }
    for (int32_t s = 0; s < layer->source_count; s++) {
        if (!overlaps[s].constant) { continue; }
        result = in_rows(repeating(in_elements(result, rows[s]), sources[s].type, overlaps[s].constant), rows[s]);
    }
    return result;
}

gw_overlap gw_overlap_elements(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    const int32_t ones[GW_SOURCES_MAX] = {1, 1, 1, 1};
    return shared(layer, sources, overlaps, ones);
}

gw_overlap gw_overlap_positions(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    (void)sources;
    return in_elements(in_rows(overlaps[0], layer->output.channels), layer->output.channels);
}

gw_overlap gw_overlap_rows(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    (void)sources;
    return in_elements(in_rows(overlaps[0], layer->weights.inputs), layer->weights.outputs);
}

gw_overlap gw_overlap_sliding(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    const gw_axis axis = gw_axis_of(&layer->window, sources, &layer->output);
    const gw_overlap in = in_rows(overlaps[0], axis.input_row);
    if (gw_overlapping(&in) == 0 || in.shift % axis.stride != 0) { return none; }
    // Padding stays where it is: windows that reach into it are worked on anew.
    const int32_t shift = in.shift / axis.stride, last = in.to - 1 - axis.reach + axis.before;
    const int32_t to = last < 0 ? 0 : last / axis.stride + 1;
    return in_elements(
        (gw_overlap){shift, rounded_up(in.from + axis.before, axis.stride), smaller(to, axis.extent - shift), NULL}, axis.output_row);
}

// Whether two elements of the output are of what is the same in the source, or zeros both.
static bool of_equal(const gw_overlap *source, int32_t place, int32_t then) {
    if (place < 0) { return then < 0; }
    return place >= source->from && place < source->to && then == place + source->shift;
}

gw_overlap gw_overlap_gathered(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    const gw_overlap *source = &overlaps[0];
    const int32_t *places = layer->table, count = gw_elements(&layer->output);
    // It moves on as the source does: by as many elements, by as many positions, or by the same part of the whole.
    const int64_t ratios[][2] = {{1, 1}, {layer->output.channels, sources->channels}, {count, gw_elements(sources)}};
    gw_overlap best = none;
    for (int32_t r = 0; r < 3 && gw_overlapping(source) > 0; r++) {
        const int64_t scaled = source->shift * ratios[r][0], shift = scaled / ratios[r][1];
        if (scaled % ratios[r][1] != 0 || shift >= count) { continue; }
        gw_longest longest = {{(int32_t)shift, 0, 0, NULL}, none};
        for (int32_t i = 0; i < count - shift; i++) { look_at(&longest, i, of_equal(source, places[i], places[i + shift])); }
        if (gw_overlapping(&longest.best) > gw_overlapping(&best)) { best = longest.best; }
    }
    return best;
}

gw_overlap gw_overlap_sliced(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    (void)sources;
    const gw_overlap *source = &overlaps[0];
    if (gw_overlapping(source) == 0) { return none; }
    const int32_t first = layer->first * layer->output.channels, count = gw_elements(&layer->output) - source->shift;
    return (gw_overlap){source->shift, larger(source->from - first, 0), smaller(source->to - first, count), NULL};
}

gw_overlap gw_overlap_concatenated(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    if (layer->axis != 2) { return none; }
    int32_t rows[GW_SOURCES_MAX] = {0};
    for (int32_t s = 0; s < layer->source_count; s++) { rows[s] = sources[s].channels; }
    return in_elements(shared(layer, sources, overlaps, rows), layer->output.channels);
}

gw_overlap gw_overlap_constant(const gw_layer *layer, const gw_tensor *sources, const gw_overlap *overlaps) {
    (void)sources;
    (void)overlaps;
    return (gw_overlap){0, 0, 0, layer->table};
}
