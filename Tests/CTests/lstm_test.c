// The LSTM layer gate by gate: sums, curves, cell and hidden state at every step, as Tests/Vectors/lstm_gates.py has them, which
// agrees with LiteRT (int8) and tflite-micro (int16).
#include "layers.h"
#include "../../CSources/CNetwork/layers/step.h"
#include "../Vectors/networks/all.h"

enum { STEPS = 6, INPUTS = 3, UNITS = 5, GATES = 4 };

typedef struct expected {
    const gw_network_spec *spec;
    const int16_t *inputs, *sums, *curves, *cells, *hidden;
} expected;

// The layer alone, one step at a time, in memory of its own.
static gw_step place_step(const gw_network_spec *spec, const gw_kernel *kernel, void *output) {
    static _Alignas(64) uint8_t weights[1 << 16], state[1 << 12], work[1 << 16];
    gw_layer layer = spec->layers[0];
    layer.output.width = 1;
    gw_builder builder = {.kernel = kernel, .weights = {weights, 0}, .state = {state, 0}, .work = {work, 0}};
    gw_step step = {.operator = gw_operator_of(GW_LSTM), .layer = layer, .inputs = {spec->input}, .output = output};
    step.inputs[0].width = 1;
    CHECK(step.operator->valid(&layer, step.inputs), "valid");
    step.operator->place(&step, &layer, &builder);
    CHECK(builder.weights.used <= sizeof weights && builder.state.used <= sizeof state && builder.work.used <= sizeof work, "room");
    return step;
}

static int16_t curve(gw_type type, int gate, int16_t sum) {
    if (type == GW_INT8) { return gate == 2 ? gw_tanh_q15(sum, 3) : gw_sigmoid_q3_12(sum); }
    return gate == 2 ? gw_tanh_interpolated(sum * 3) : gw_sigmoid_interpolated(sum * 3);
}

static void gates(const expected *e, const gw_kernel *kernel) {
    static _Alignas(64) int16_t input[64];
    int16_t output[UNITS];
    gw_step step = place_step(e->spec, kernel, output);
    const gw_type type = e->spec->input.type;
    step.sources[0] = input;
    for (int row = 0; row < NETWORK_ROWS; row++) {
        step.operator->reset(&step);
        for (int t = 0; t < STEPS; t++) {
            const int at = row * STEPS + t;
            for (int32_t i = 0; i < INPUTS; i++) { gw_put(type, input, i, e->inputs[at * INPUTS + i]); }
            step.operator->run(&step);
            for (int32_t g = 0; g < GATES * UNITS; g++) {
                const int16_t sum = e->sums[at * GATES * UNITS + g], after = e->curves[at * GATES * UNITS + g];
                CHECK(curve(type, g / UNITS, sum) == after, "row %d, step %d: the curve of gate %d", row, t, g);
                // tanh(cell) lies where the int8 input gate was.
                if (type == GW_INT16 || g >= UNITS) {
                    CHECK(step.gates[g] == after, "row %d, step %d, gate %d: %d, not %d", row, t, g, step.gates[g], after);
                }
            }
            for (int32_t u = 0; u < UNITS; u++) {
                CHECK(step.cell[u] == e->cells[at * UNITS + u], "row %d, step %d: cell %d is %d, not %d", row, t, u, step.cell[u],
                    e->cells[at * UNITS + u]);
                CHECK(gw_get(type, output, u) == e->hidden[at * UNITS + u], "row %d, step %d: hidden %d", row, t, u);
            }
        }
    }
}

// Every int16 through the kernel's vectors and through what is left behind them.
static void curves(const gw_kernel *kernel) {
    static int16_t values[65536 + 5];
    for (int32_t bits = -1; bits <= 7; bits++) { // -1: sigmoid
        for (int32_t i = 0; i < 65536 + 5; i++) { values[i] = (int16_t)i; }
        if (bits < 0) {
            kernel->sigmoid(values, 65536 + 5);
        } else {
            kernel->tanh(values, 65536 + 5, bits);
        }
        int32_t wrong = 0;
        for (int32_t i = 0; i < 65536 + 5; i++) {
            wrong += values[i] != (bits < 0 ? gw_sigmoid_q3_12((int16_t)i) : gw_tanh_q15((int16_t)i, bits));
        }
        CHECK(wrong == 0, "%s: %d of the curve with %d integer bits differ", kernel->name, wrong, bits);
    }
}

int main(void) {
    const expected all[] = {
        {&lstm_gates_8, lstm_gates_8_inputs, lstm_gates_8_sums, lstm_gates_8_curves, lstm_gates_8_cells, lstm_gates_8_hidden},
        {&lstm_gates_16, lstm_gates_16_inputs, lstm_gates_16_sums, lstm_gates_16_curves, lstm_gates_16_cells, lstm_gates_16_hidden},
    };
    for (int32_t k = 0; gw_kernel_at(k); k++) {
        if (gw_kernel_available(gw_kernel_at(k))) { curves(gw_kernel_at(k)); }
        for (int n = 0; n < 2 && gw_kernel_available(gw_kernel_at(k)); n++) { gates(&all[n], gw_kernel_at(k)); }
    }
    return finish("LSTM");
}
