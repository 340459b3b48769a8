// CNetwork: windows that move on. Networks that keep what overlaps give each tensor the bits of those that compute all of it, under every
// kernel, after gaps and resets as well.
#include "graphs.h"

enum { GRAPHS = 800, WINDOWS = 6 };

static int32_t keeping;

// Elements of one step in time.
static int32_t row_of(const gw_tensor *input) { return input->height == 1 ? input->channels : input->width * input->channels; }

static void fill(const gw_tensor *input, int16_t *values, int32_t first) {
    for (int32_t i = first; i < elements(input); i++) {
        values[i] = (int16_t)random_between(least_value(input->type), most_value(input->type));
    }
}

// The window after `before`: moved on, the same once more, moved on by another number of steps, or another one.
static void next_window(const graph *g, const int16_t *before, int16_t *after) {
    const gw_tensor *input = &g->spec.input;
    const int32_t count = elements(input), how = at_random(8);
    const int32_t gone = how == 0 ? 0 : how == 1 ? at_random(count) / row_of(input) * row_of(input) : how == 2 ? count : g->spec.advance;
    memcpy(after, before + gone, (size_t)(count - gone) * sizeof *after);
    fill(input, after, count - gone);
}

static void try_kernel(const graph *g, const gw_kernel *kernel, int32_t number, int16_t windows[][MOST_ELEMENTS]) {
    static seen expected, got;
    static graph whole;
    whole = *g;
    whole.spec.layers = whole.layers;
    whole.spec.advance = 0;
    void *first = 0, *second = 0;
    gw_network *moving = placed(g, kernel, &first), *plain = placed(&whole, kernel, &second);
    CHECK(moving && plain, "%s: graph %d is refused", gw_kernel_name(kernel), number);
    for (int32_t w = 0; moving && plain && w < WINDOWS; w++) {
        if ((number + w) % 11 == 0) { gw_network_reset(moving), gw_network_reset(plain); }
        expected.count = got.count = 0;
        gw_network_observe(plain, windows[w], note, &expected);
        gw_network_observe(moving, windows[w], note, &got);
        const int32_t wrong = first_difference(g, &expected, &got);
        CHECK(wrong < 0, "%s: graph %d, window %d: tensor %d of operation %d differs", gw_kernel_name(kernel), number, w, wrong,
            wrong > 0 ? (int)g->layers[wrong - 1].operation : -1);
    }
    free(first);
    free(second);
}

static void try_graph(int32_t number) {
    static graph g;
    static int16_t windows[WINDOWS][MOST_ELEMENTS];
    random_state = (uint64_t)number;
    make_graph(&g);
    // Even steps: windows slide by one or two.
    const int32_t row = row_of(&g.spec.input), steps = elements(&g.spec.input) / row;
    g.spec.advance = row * random_between(1, at_random(4) ? 2 : steps / 4) * (at_random(4) ? 2 : 1);
    fill(&g.spec.input, windows[0], 0);
    for (int32_t w = 1; w < WINDOWS; w++) { next_window(&g, windows[w - 1], windows[w]); }
    gw_memory sizes = {0};
    const gw_kernel *kernel;
    for (int32_t k = 0; (kernel = gw_kernel_at(k)); k++) {
        if (gw_kernel_available(kernel)) { try_kernel(&g, kernel, number, windows); }
    }
    const size_t kept = gw_network_memory(&g.spec, gw_kernel_at(0), &sizes) == GW_OK ? sizes.state : 0;
    g.spec.advance = 0;
    keeping += gw_network_memory(&g.spec, gw_kernel_at(0), &sizes) == GW_OK && kept > sizes.state;
}

// Three causal convolutions: more than half of each layer's output stays where half of the window is new.
static void causal(void) {
    static graph g;
    used_numbers = used_rows = 0;
    g.spec = (gw_network_spec){.input = {GW_INT8, 128, 1, 3, 5},
        .layers = g.layers,
        .layer_count = 4,
        .input_multiplier = {1 << 30, -4},
        .output = GW_LOGITS,
        .output_scale = {1 << 30, -3},
        .advance = 64 * 3};
    for (int32_t l = 0; l < 4; l++) {
        const gw_tensor *input = tensor_at(&g, l);
        const bool is_last = l == 3;
        g.layers[l] = (gw_layer){.operation = is_last ? GW_DENSE : GW_CONVOLUTION,
            .source_count = 1,
            .sources = {l},
            .output = {GW_INT8, is_last ? 1 : 128, 1, is_last ? 6 : 16, 3},
            .low = INT8_MIN,
            .high = INT8_MAX,
            .window = {5, 1, 1, 1, 1 << l, 1, 4 << l, 0}};
        g.layers[l].weights =
            random_weights(GW_INT8, false, is_last ? 128 * 16 : 5 * input->channels, g.layers[l].output.channels, -14, -7);
    }
    static int16_t windows[WINDOWS][MOST_ELEMENTS];
    fill(&g.spec.input, windows[0], 0);
    for (int32_t w = 1; w < WINDOWS; w++) { next_window(&g, windows[w - 1], windows[w]); }
    const gw_kernel *kernel;
    for (int32_t k = 0; (kernel = gw_kernel_at(k)); k++) {
        if (gw_kernel_available(kernel)) { try_kernel(&g, kernel, 0, windows); }
    }
    gw_memory moving = {0}, whole = {0};
    CHECK(gw_network_memory(&g.spec, gw_kernel_at(0), &moving) == GW_OK, "causal convolutions are refused");
    g.spec.advance = 0;
    CHECK(gw_network_memory(&g.spec, gw_kernel_at(0), &whole) == GW_OK && moving.state == whole.state + 384, "they keep the input");
    CHECK(moving.scratch > whole.scratch, "and their outputs");
}

// An advance that no window has.
static void refused(void) {
    static graph g;
    random_state = 1;
    make_graph(&g);
    gw_memory sizes;
    g.spec.advance = -1;
    CHECK(gw_network_memory(&g.spec, gw_kernel_at(0), &sizes) == GW_EINVAL, "a negative one");
    g.spec.advance = elements(&g.spec.input) + 1;
    CHECK(gw_network_memory(&g.spec, gw_kernel_at(0), &sizes) == GW_EINVAL, "one beyond the input");
    g.spec.advance = elements(&g.spec.input);
    CHECK(gw_network_memory(&g.spec, gw_kernel_at(0), &sizes) == GW_OK, "windows that do not overlap");
}

int main(void) {
    is_moving = true;
    for (int32_t number = 1; number <= GRAPHS; number++) { try_graph(number); }
    causal();
    refused();
    printf("%d of %d graphs keep something\n", keeping, GRAPHS);
    CHECK(keeping > GRAPHS / 5, "%d graphs keep something", keeping);
    return finish("overlap");
}
