#include "sliding.h"
#include <string.h>

static bool valid(const gw_layer *layer, const gw_tensor *sources) {
    const gw_weights *weights = &layer->weights;
    return layer->source_count == 1 && layer->output.type == sources->type && gw_weights_valid(weights, sources->type) &&
           gw_sliding_valid(&layer->window, sources, &layer->output) && weights->outputs == layer->output.channels &&
           weights->inputs == (int64_t)layer->window.height * layer->window.width * sources->channels;
}

// Positions of the output whose window lies wholly within the input: from first to before end.
typedef struct gw_inner {
    int32_t first, end;
} gw_inner;

static gw_inner inner(int32_t size, int32_t stride, int32_t dilation, int32_t before, int32_t extent) {
    int32_t last = extent - 1 - (size - 1) * dilation + before; // of the window's first element, from the padding's start
    return (gw_inner){(before + stride - 1) / stride, last < 0 ? 0 : last / stride + 1};
}

static inline bool is_within(gw_inner range, int32_t position) { return position >= range.first && position < range.end; }

// Where windows can be read as they lie in the input, one element after the other.
typedef struct gw_direct {
    gw_inner rows, columns;
} gw_direct;

static gw_direct direct(const gw_sliding *w, const gw_tensor *input) {
    bool in_one = w->height == 1 || (w->width == input->width && w->dilation_height == 1);
    if (!in_one || (w->width > 1 && w->dilation_width > 1)) { return (gw_direct){{0, 0}, {0, 0}}; }
    return (gw_direct){inner(w->height, w->stride_height, w->dilation_height, w->top, input->height),
        inner(w->width, w->stride_width, w->dilation_width, w->left, input->width)};
}

// In whole vectors: up to 15 bytes more are read and written. Behind the input lies this step's work, behind a row of the window the next
// one, or the sums, which are not there yet.
static inline void copy_in_vectors(uint8_t *to, const uint8_t *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 16) {
        uint8_t vector[16]; // the last one's ends may overlap
        memcpy(vector, from + i, 16);
        memcpy(to + i, vector, 16);
    }
}

// Copies one row of the window, whose elements lie one beside the other: what is inside the input, and padding before and behind it.
static void gather_row(const gw_tensor *input, const uint8_t *source, int32_t row, int32_t left, int32_t width, size_t bytes, uint8_t *to) {
    if (row >= 0 && row < input->height && left >= 0 && left + width <= input->width) {
        copy_in_vectors(to, source + ((size_t)row * (size_t)input->width + (size_t)left) * bytes, bytes * (size_t)width);
        return;
    }
    const int32_t right = input->width - left, first = left < 0 ? -left : 0, end = right < width ? right : width;
    if (row < 0 || row >= input->height || first >= end) {
        memset(to, (uint8_t)input->zero_point, bytes * (size_t)width); // int16 has zero point 0
        return;
    }
    memset(to, (uint8_t)input->zero_point, bytes * (size_t)first);
    memcpy(to + bytes * (size_t)first, source + ((size_t)row * (size_t)input->width + (size_t)(left + first)) * bytes,
        bytes * (size_t)(end - first));
    memset(to + bytes * (size_t)end, (uint8_t)input->zero_point, bytes * (size_t)(width - end));
}

// Copies the window's elements to a row; padding is the zero point.
static void gather(const gw_step *step, gw_place place, uint8_t *to) {
    const gw_sliding *window = &step->layer.window;
    const gw_tensor *input = &step->inputs[0];
    const size_t bytes = (size_t)input->channels * gw_size_of(input->type);
    for (int32_t y = 0; y < window->height; y++) {
        const int32_t row = place.top + y * window->dilation_height;
        if (window->dilation_width == 1) {
            gather_row(input, step->sources[0], row, place.left, window->width, bytes, to);
            to += bytes * (size_t)window->width;
            continue;
        }
        for (int32_t x = 0; x < window->width; x++, to += bytes) {
            gather_row(input, step->sources[0], row, place.left + x * window->dilation_width, 1, bytes, to);
        }
    }
}

// Where the output's positions are read from, one after the other.
typedef struct gw_walk {
    const gw_step *step;
    gw_direct plain;
    int32_t row, column;
    bool in_rows;             // the row's windows lie within the input's rows
    ptrdiff_t offset, across; // of the window's first element, in bytes; and from one column to the next
} gw_walk;

static inline void begin_row(gw_walk *walk) {
    const gw_tensor *input = &walk->step->inputs[0];
    const gw_place place = gw_place_at(&walk->step->layer.window, walk->row, 0);
    const ptrdiff_t element = (ptrdiff_t)input->channels * (ptrdiff_t)gw_size_of(input->type);
    walk->column = 0;
    walk->in_rows = is_within(walk->plain.rows, walk->row);
    walk->offset = ((ptrdiff_t)place.top * input->width + place.left) * element;
    walk->across = walk->step->layer.window.stride_width * element;
}

static inline int32_t between(int32_t low, int32_t value, int32_t high) { return value < low ? low : value > high ? high : value; }

// Of the next positions of a row, those from `first` to before `end`.
static inline void gather_some(const gw_walk *walk, int32_t first, int32_t end, int8_t *spare, size_t room, const int8_t **windows) {
    const gw_step *step = walk->step;
    for (int32_t i = first; i < end; i++) {
        int8_t *row = spare + room * (size_t)i;
        gather(step, gw_place_at(&step->layer.window, walk->row, walk->column + i), (uint8_t *)row);
        windows[i] = row;
    }
}

// The elements of the next `count` positions, all of one row: as they lie in the input, or gathered in `spare`.
static inline void next_of_row(gw_walk *walk, int32_t count, int8_t *spare, size_t room, const int8_t **windows) {
    const gw_step *step = walk->step;
    // Behind the input lies at least this step's work: a kernel may read on to the end of a group.
    const int8_t *source = (const int8_t *)step->sources[0] + walk->offset;
    const gw_inner plain = walk->plain.columns;
    const int32_t first = walk->in_rows ? between(0, plain.first - walk->column, count) : count;
    const int32_t end = between(first, plain.end - walk->column, count);
    gather_some(walk, 0, first, spare, room, windows);
    for (int32_t i = first; i < end; i++) { windows[i] = source + i * walk->across; }
    gather_some(walk, end, count, spare, room, windows);
    walk->column += count;
    walk->offset += count * walk->across;
}

static inline void next_windows(gw_walk *walk, int32_t count, int8_t *spare, size_t room, const int8_t **windows) {
    const int32_t width = walk->step->layer.output.width;
    for (int32_t done = 0; done < count;) {
        const int32_t left = width - walk->column, some = left < count - done ? left : count - done;
        next_of_row(walk, some, spare + room * (size_t)done, room, windows + done);
        done += some;
        if (walk->column == width) {
            walk->row++;
            begin_row(walk);
        }
    }
}

static void run(gw_step *step) {
    const gw_tensor *result = &step->layer.output;
    const size_t bytes = (size_t)result->channels * gw_size_of(result->type), spare = gw_aligned(gw_product_row(&step->product));
    const int32_t positions = gw_positions(result), batch = gw_product_batch(&step->product);
    gw_walk walk = {.step = step, .plain = direct(&step->layer.window, &step->inputs[0])};
    begin_row(&walk);
    for (int32_t first = 0; first < positions; first += batch) {
        const int8_t *rows[GW_BATCH_MAX];
        const int32_t count = positions - first < batch ? positions - first : batch;
        next_windows(&walk, count, step->row, spare, rows);
        gw_product_run_rows(&step->product, rows, count, step->sums, (uint8_t *)step->output + (size_t)first * bytes);
    }
}

const gw_operator gw_operator_convolution = {.valid = valid,
    .place = gw_step_place_product,
    .run = run,
    .work = gw_work_of_rows,
    .overlap = gw_overlap_sliding,
    .narrow = gw_sliding_narrow};
