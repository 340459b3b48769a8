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

// Copies the window's elements to a row; padding is the zero point.
static void gather(const gw_step *step, gw_place place, uint8_t *to) {
    const gw_sliding *window = &step->layer.window;
    const gw_tensor *input = &step->inputs[0];
    const size_t bytes = (size_t)input->channels * gw_size_of(input->type);
    const uint8_t *source = step->sources[0];
    bool whole = window->dilation_width == 1 && place.left >= 0 && place.left + window->width <= input->width;
    for (int32_t y = 0; y < window->height; y++) {
        int32_t first = gw_position(window, place, y, 0, input);
        if (whole && first >= 0) {
            memcpy(to, source + (size_t)first * bytes, bytes * (size_t)window->width);
            to += bytes * (size_t)window->width;
            continue;
        }
        for (int32_t x = 0; x < window->width; x++, to += bytes) {
            int32_t position = gw_position(window, place, y, x, input);
            if (position >= 0) {
                memcpy(to, source + (size_t)position * bytes, bytes);
            } else {
                memset(to, (uint8_t)input->zero_point, bytes); // int16 has zero point 0
            }
        }
    }
}

static void run(gw_step *step) {
    const gw_tensor *result = &step->layer.output, *input = &step->inputs[0];
    const gw_sliding *window = &step->layer.window;
    const gw_direct plain = direct(window, input);
    const size_t element = (size_t)input->channels * gw_size_of(input->type), bytes = (size_t)result->channels * gw_size_of(result->type);
    const size_t spare = gw_aligned(gw_product_row(&step->product));
    const int32_t positions = gw_positions(result);
    uint8_t *output = step->output;
    int32_t row = 0, column = 0;
    for (int32_t first = 0; first < positions; first += GW_TILE) {
        const void *rows[GW_TILE];
        const int32_t count = positions - first < GW_TILE ? positions - first : GW_TILE;
        for (int32_t i = 0; i < count; i++) {
            const gw_place place = gw_place_at(window, row, column);
            if (is_within(plain.rows, row) && is_within(plain.columns, column)) {
                // Behind the input lies at least this step's work: a kernel may read on to the end of a group.
                rows[i] = (const uint8_t *)step->sources[0] + (size_t)(place.top * input->width + place.left) * element;
            } else {
                uint8_t *gathered = (uint8_t *)step->row + spare * (size_t)i;
                gather(step, place, gathered);
                rows[i] = gathered;
            }
            if (++column == result->width) { row++, column = 0; }
        }
        step->backwards = !step->backwards;
        gw_product_run_rows(&step->product, rows, count, step->sums, output + (size_t)first * bytes, step->backwards);
    }
}

const gw_operator gw_operator_convolution = {.valid = valid, .place = gw_step_place_product, .run = run, .work = gw_work_of_rows};
