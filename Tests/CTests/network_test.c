// CNetwork: the networks of Tests/Vectors against LiteRT and tflite-micro, every kernel of this CPU against the reference, refusals.
#include "layers.h"
#include "../../CSources/CNetwork/kernels/wide.h"
#include "../../CSources/CNetwork/layers/product.h"
#include "../Vectors/networks/all.h"
#include <math.h>

static void oracles(const gw_kernel *kernel) {
    for (int n = 0; n < NETWORK_COUNT; n++) {
        const struct network_vector *v = &network_vectors[n];
        placed p = place_network(v->spec, kernel);
        const int32_t inputs = gw_network_inputs(p.network), outputs = gw_network_outputs(p.network);
        for (int r = 0; r < NETWORK_ROWS; r++) {
            int16_t got[GW_CLASSES_MAX];
            if (v->fresh) { gw_network_reset(p.network); }
            gw_network_infer(p.network, v->inputs + r * inputs, got);
            gw_network_apply_softmax(p.network, got, got);
            const int16_t *expected = v->outputs + r * outputs;
            CHECK(memcmp(got, expected, (size_t)outputs * sizeof *got) == 0, "%s: %s, row %d: %d, not %d", gw_kernel_name(kernel), v->name,
                r, got[0], expected[0]);
        }
        free(p.memory);
    }
}

// Both networks must give the same integers and probabilities for extremes and random inputs.
static void compare(const gw_network_spec *spec, const gw_kernel *kernel, const char *what) {
    static int16_t quantised[GW_EXTENT_MAX], input[GW_EXTENT_MAX];
    placed reference = place_network(spec, gw_kernel_at(0)), tested = place_network(spec, kernel);
    const int32_t inputs = gw_network_inputs(reference.network);
    const size_t outputs = (size_t)gw_network_outputs(reference.network);
    for (int c = 0; c < 4; c++) {
        int16_t out[2][GW_CLASSES_MAX], probabilities[2][GW_CLASSES_MAX] = {{0}};
        for (int32_t i = 0; i < inputs; i++) {
            quantised[i] = (int16_t)(c == 0 ? -128 : c == 1 ? 127 : random_between(-128, 127));
            input[i] = (int16_t)random_bits();
        }
        gw_network_infer(reference.network, quantised, out[0]);
        gw_network_infer(tested.network, quantised, out[1]);
        CHECK(memcmp(out[0], out[1], outputs * 2) == 0, "%s: %s of %d inputs differs", gw_kernel_name(kernel), what, inputs);
        int32_t label[2] = {
            gw_network_classify(reference.network, input, probabilities[0]), gw_network_classify(tested.network, input, probabilities[1])};
        CHECK(label[0] == label[1] && memcmp(probabilities[0], probabilities[1], outputs * 2) == 0, "%s: %s: probabilities differ",
            gw_kernel_name(kernel), what);
    }
    free(reference.memory);
    free(tested.memory);
}

static int32_t random_zero(int wild) { return wild ? (random_bits() % 2 ? -128 : 127) : random_between(-128, 127); }

static void dense_shapes(const gw_kernel *kernel) {
    static random_weights weights[2];
    for (int round = 0; round < 300; round++) {
        int wild = round % 2;
        int32_t inputs = round < 40 ? round / 2 + 1 : random_between(1, 600), hidden = random_between(1, MOST_ROWS),
                outputs = random_between(1, GW_CLASSES_MAX);
        gw_layer layers[2] = {
            layer_on(GW_DENSE, 0, vector_of(hidden, random_zero(wild))), layer_on(GW_DENSE, 1, vector_of(outputs, random_zero(wild)))};
        layers[0].weights = make_weights(&weights[0], inputs, hidden, GW_ROUND_ONCE, wild);
        layers[1].weights = make_weights(&weights[1], hidden, outputs, round % 5 == 0 ? GW_ROUND_TWICE : GW_ROUND_ONCE, wild);
        if (round % 3 == 0) { layers[0].low = layers[0].output.zero_point; }
        if (round % 4 == 0) { layers[0].high = random_between(layers[0].low, 127); }
        gw_network_spec spec = {
            vector_of(inputs, random_zero(wild)), 2, layers, {1 << 30, random_between(-12, 2)}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
        compare(&spec, kernel, "dense");
    }
}

static void convolution_shapes(const gw_kernel *kernel) {
    static random_weights weights;
    for (int round = 0; round < 60; round++) {
        int32_t steps = random_between(1, 40), channels = random_between(1, 9), outputs = random_between(1, 40),
                size = random_between(1, 5);
        gw_tensor input = {GW_INT8, 1, steps, channels, random_zero(0)}, made = {GW_INT8, 1, steps, outputs, random_zero(0)};
        gw_layer layers[2] = {layer_on(GW_CONVOLUTION, 0, made), layer_on(GW_MEAN, 1, vector_of(outputs, 3))};
        layers[0].weights = make_weights(&weights, size * channels, outputs, GW_ROUND_TWICE, 0);
        layers[0].window = (gw_sliding){1, size, 1, 1, 1, 1, 0, (size - 1) / 2};
        layers[1].scales[0] = (gw_multiplier){1 << 30, 1};
        gw_network_spec spec = {input, 2, layers, {1 << 30, -3}, GW_LOGITS, {1 << 30, -3}, false, 0};
        compare(&spec, kernel, "convolution");
    }
}

static void recurrent_shapes(const gw_kernel *kernel, gw_operation operation, int32_t gates, const char *what) {
    static random_weights weights[2];
    for (int round = 0; round < 60; round++) {
        int32_t steps = random_between(1, 12), channels = random_between(1, 40), units = random_between(1, GW_CLASSES_MAX);
        gw_tensor input = {GW_INT8, 1, steps, channels, random_zero(round % 2)}, made = {GW_INT8, 1, steps, units, random_zero(round % 2)};
        gw_layer layers[2] = {layer_on(operation, 0, made), layer_on(GW_SLICE, 1, vector_of(units, made.zero_point))};
        layers[0].weights = make_weights(&weights[0], channels, gates * units, GW_ROUND_TWICE, 0);
        layers[0].recurrent = make_weights(&weights[1], units, gates * units, GW_ROUND_TWICE, 0);
        for (int32_t g = 0; g < gates * units; g++) {
            weights[0].multipliers[g].shift = weights[1].multipliers[g].shift = random_between(-4, 1);
        }
        if (operation == GW_LSTM) { layers[0].cell_fraction = random_between(8, 15); }
        layers[0].scales[0] = (gw_multiplier){1 << 30, -22};
        layers[1].first = steps - 1;
        gw_network_spec spec = {input, 2, layers, {1 << 30, -3}, GW_LOGITS, {1 << 30, -3}, round % 2 == 0, 0};
        compare(&spec, kernel, what);
    }
}

static int64_t dot(const int16_t *row, const gw_weights *weights, int32_t output) {
    const ptrdiff_t first = (ptrdiff_t)output * weights->inputs;
    return weights->type == GW_INT8 ? gw_dot_narrow_reference(row, (const int8_t *)weights->values + first, weights->inputs)
                                    : gw_dot_wide_reference(row, (const int16_t *)weights->values + first, weights->inputs);
}

// Lengths around whole vectors, and the largest numbers in the longest rows.
static void wide_sums(const gw_kernel *kernel) {
    enum { MOST = 85 }; // outputs: more than a kernel works on together
    static int16_t row[GW_EXTENT_MAX], wide[MOST * GW_EXTENT_MAX];
    static int8_t narrow[MOST * GW_EXTENT_MAX];
    static int64_t bias[MOST], sums[MOST + 16];
    static gw_multiplier multipliers[MOST];
    static _Alignas(64) uint8_t memory[(MOST + 16) * GW_EXTENT_MAX * 2 + 8192];
    for (int32_t o = 0; o < MOST; o++) { bias[o] = o * INT64_C(1000000007), multipliers[o] = (gw_multiplier){1 << 30, -3}; }
    for (int round = 0; round < 160; round++) {
        const int32_t count = round < 70   ? round + 1
                              : round < 80 ? GW_EXTENT_MAX
                                           : random_between(1, 700),
                      outputs = round % 3 == 0 ? random_between(1, MOST) : round % 9 + 1;
        const int wild = round % 2;
        const int16_t most = round % 4 == 1 ? INT16_MAX : -INT16_MAX;
        for (int32_t i = 0; i < count; i++) { row[i] = wild ? INT16_MIN : (int16_t)random_bits(); }
        for (int32_t i = 0; i < outputs * count; i++) {
            wide[i] = (int16_t)(wild ? most : random_between(-INT16_MAX, INT16_MAX));
            narrow[i] = (int8_t)(wild ? (most > 0 ? INT8_MAX : -INT8_MAX) : random_between(-INT8_MAX, INT8_MAX));
        }
        for (int32_t is_wide = 0; is_wide < 2; is_wide++) {
            const gw_weights weights = {
                is_wide ? GW_INT16 : GW_INT8, count, outputs, is_wide ? (void *)wide : narrow, bias, multipliers, GW_ROUND_ONCE};
            const gw_ends ends = {{GW_INT16, 1, 1, count, 0}, {GW_INT16, 1, 1, outputs, 0}, INT16_MIN, INT16_MAX};
            gw_arena arena = {memory, 0};
            gw_product product;
            gw_product_place(&weights, &ends, kernel, &arena, &product);
            CHECK(arena.used <= sizeof memory && gw_product_sums(&product) <= sizeof sums, "room for the test");
            if (is_wide) {
                kernel->wide->sum_wide(&product.packed, product.wide_weights, product.wide_bias, row, sums);
            } else {
                kernel->wide->sum_narrow(&product.packed, product.wide_weights, product.wide_bias, row, sums);
            }
            for (int32_t o = 0; o < outputs; o++) {
                CHECK(sums[o] == bias[o] + dot(row, &weights, o), "%s: %d inputs, output %d of %d, %s", kernel->name, count, o, outputs,
                    is_wide ? "int16" : "int8");
            }
            if (is_wide && wild && round % 4 == 1) {
                CHECK(dot(row, &weights, 0) == (int64_t)count * INT16_MIN * INT16_MAX, "the reference itself");
            }
        }
    }
}

// Every input, factors and shifts of all sizes, in place and not.
static void interpolated_curves(const gw_kernel *kernel) {
    static int16_t input[65536], got[65536], wanted[65536];
    for (int round = 0; round < 60; round++) {
        const int32_t factor = round < 10 ? 3 << (round / 2) : random_between(0, round < 20 ? 300 : INT16_MAX),
                      shift = round < 20 ? round % 4 : random_between(0, 31),
                      count = round < 2 || shift == 0 ? 65536 : random_between(1, 300), first = random_between(0, 65536 - count);
        for (int32_t i = 0; i < count; i++) { input[i] = (int16_t)(first + i - 32768); }
        for (int32_t is_tanh = 0; is_tanh < 2; is_tanh++) {
            (is_tanh ? gw_tanh_interpolated_reference : gw_sigmoid_interpolated_reference)(input, count, factor, shift, wanted);
            memcpy(got, input, (size_t)count * sizeof *got);
            const int16_t *from = round % 2 ? got : input;
            (is_tanh ? kernel->wide->tanh_interpolated : kernel->wide->sigmoid_interpolated)(from, count, factor, shift, got);
            for (int32_t i = 0; i < count; i++) {
                CHECK(got[i] == wanted[i], "%s: %d * %d / 2^%d: %d, not %d", kernel->name, input[i], factor, shift, got[i], wanted[i]);
            }
        }
    }
}

// Every input, between entries as far apart as there are, in place and not.
static void wide_tables(const gw_kernel *kernel) {
    static int16_t input[65536], got[65536], wanted[65536], table[513];
    for (int round = 0; round < 40; round++) {
        const int32_t count = round < 2 ? 65536 : random_between(1, 300), first = random_between(0, 65536 - count);
        for (int32_t i = 0; i < 513; i++) { table[i] = round % 2 ? (i % 2 ? INT16_MIN : INT16_MAX) : (int16_t)random_bits(); }
        for (int32_t i = 0; i < count; i++) { input[i] = (int16_t)(first + i - 32768); }
        gw_look_up_wide_reference(table, input, count, wanted);
        memcpy(got, input, (size_t)count * sizeof *got);
        kernel->wide->look_up_wide(table, round % 2 ? got : input, count, got);
        for (int32_t i = 0; i < count; i++) { CHECK(got[i] == wanted[i], "%s: %d: %d, not %d", kernel->name, input[i], got[i], wanted[i]); }
    }
}

// The steps of an int16 soft-max, with all scales.
static void softmax_steps(const gw_kernel *kernel) {
    enum { MOST = 77 };
    for (int round = 0; round < 3000; round++) {
        const int32_t count = random_between(1, MOST), shift = random_between(1, 31);
        const gw_multiplier m = {1 << 30 | (int32_t)(random_bits() >> 34), random_between(-31, 30)};
        const int16_t factor = (int16_t)random_between(0, INT16_MAX);
        int16_t input[MOST], got[MOST], wanted[MOST], maximum = INT16_MIN;
        for (int32_t i = 0; i < count; i++) {
            input[i] = round % 5 == 0 ? (random_bits() % 2 ? INT16_MIN : INT16_MAX) : (int16_t)random_bits();
            maximum = input[i] > maximum ? input[i] : maximum;
        }
        kernel->wide->below_maximum(input, count, maximum, m, got);
        gw_below_maximum_reference(input, count, maximum, m, wanted);
        CHECK(memcmp(got, wanted, (size_t)count * sizeof *got) == 0, "%s: %d below the maximum, %d, %d", kernel->name, count, m.multiplier,
            m.shift);
        memcpy(got, input, sizeof got), memcpy(wanted, input, sizeof wanted);
        kernel->wide->share(got, count, factor, shift);
        gw_share_reference(wanted, count, factor, shift);
        CHECK(memcmp(got, wanted, (size_t)count * sizeof *got) == 0, "%s: %d times %d over 2^%d", kernel->name, count, factor, shift);
    }
}

// What int16 LSTMs and GRUs do behind their curves, with all numbers and with the largest.
static void cells(const gw_kernel *kernel) {
    enum { MOST = 67, SIZE = MOST * sizeof(int16_t) };
    for (int round = 0; round < 3000; round++) {
        const int32_t units = random_between(1, MOST), fraction = random_between(8, 15),
                      clip = round % 3 == 0 ? 0 : random_between(1, INT16_MAX), low = random_between(INT16_MIN, 0),
                      high = random_between(low, INT16_MAX);
        const gw_multiplier m = {1 << 30 | (int32_t)(random_bits() >> 34), random_between(-31, 1)};
        int16_t gates[3][MOST], update[MOST], cell[MOST], first[MOST], got[MOST], wanted[MOST];
        int32_t mixed[MOST], wanted_mixed[MOST];
        for (int32_t u = 0; u < MOST; u++) {
            const bool is_largest = round % 5 == 0;
            for (int32_t g = 0; g < 3; g++) {
                gates[g][u] = is_largest ? (random_bits() % 2 ? INT16_MIN : INT16_MAX) : (int16_t)random_bits();
            }
            update[u] = is_largest ? INT16_MAX : (int16_t)(random_bits() >> 49);
            first[u] = is_largest ? INT16_MIN : (int16_t)random_bits();
        }
        const size_t bytes = (size_t)units * sizeof *got;
#define SAME(what) CHECK(memcmp(got, wanted, bytes) == 0, "%s: " what " of %d units", kernel->name, units)
        memcpy(got, first, SIZE), memcpy(wanted, first, SIZE);
        kernel->wide->update_cells(gates[0], gates[1], gates[2], units, fraction, clip, got);
        gw_update_cells_reference(gates[0], gates[1], gates[2], units, fraction, clip, wanted);
        SAME("cells");
        memcpy(cell, got, bytes);
        kernel->wide->add_limited(got, gates[0], units);
        gw_add_limited_reference(wanted, gates[0], units);
        SAME("limited sums");
        kernel->wide->multiply_twice(gates[0], cell, units, m, low, high, got);
        gw_multiply_twice_reference(gates[0], cell, units, m, low, high, wanted);
        SAME("scaled products");
        kernel->wide->multiply_q15(update, gates[0], units, got);
        gw_multiply_q15_reference(update, gates[0], units, wanted);
        SAME("products");
        memcpy(got, first, SIZE), memcpy(wanted, first, SIZE);
        kernel->wide->mix(update, gates[0], units, got, mixed);
        gw_mix_reference(update, gates[0], units, wanted, wanted_mixed);
        SAME("mixtures");
        CHECK(memcmp(mixed, wanted_mixed, (size_t)units * sizeof *mixed) == 0, "%s: mixtures of %d units", kernel->name, units);
#undef SAME
    }
}

// Sums of all sizes: a kernel makes whole vectors, or none.
static void scaling(const gw_kernel *kernel) {
    enum { MOST = 23 };
    if (!kernel->wide->scale) { return; }
    for (int round = 0; round < 3000; round++) {
        int32_t multipliers[MOST], shifts[MOST];
        int64_t sums[MOST];
        int16_t got[MOST];
        const int32_t outputs = random_between(1, MOST);
        const bool is_small = round % 3 != 0, only_right = round % 50 != 0;
        for (int32_t o = 0; o < outputs; o++) {
            multipliers[o] = random_bits() % 8 == 0 ? INT32_MAX - random_between(0, 70000) : (int32_t)(random_bits() >> 33);
            shifts[o] = random_between(-31, only_right ? 0 : 30);
            sums[o] = is_small ? (int32_t)(random_bits() >> random_between(32, 60)) : (int64_t)random_bits() >> random_between(18, 40);
            if (random_bits() % 20 == 0) { sums[o] = random_bits() % 2 ? INT32_MAX : INT32_MIN; }
        }
        const gw_packed packed = {.outputs = outputs, .multipliers = multipliers, .shifts = shifts, .only_right = only_right};
        for (gw_rounding rounding = GW_ROUND_ONCE; rounding <= GW_ROUND_REDUCED; rounding++) {
            const int32_t made = kernel->wide->scale(&packed, sums, rounding, got);
            CHECK(made >= 0 && made <= outputs && (made > 0 || outputs < 8 || !is_small || !only_right || rounding == GW_ROUND_TWICE),
                "%s: %d of %d outputs", kernel->name, made, outputs);
            for (int32_t o = 0; o < made; o++) {
                const gw_multiplier m = {multipliers[o], shifts[o]};
                const int32_t wanted = rounding == GW_ROUND_ONCE ? gw_requantise_wide(sums[o], m) : gw_requantise_reduced(sums[o], m);
                CHECK(got[o] == gw_saturate16(wanted), "%s: %lld * %d, %d: %d, not %d", kernel->name, (long long)sums[o], m.multiplier,
                    m.shift, got[o], wanted);
            }
        }
    }
}

static void softmax(void) {
    double worst = 0;
    int32_t table[GW_SOFTMAX_ENTRIES];
    for (int round = 0; round < 5000; round++) {
        int8_t logits[GW_CLASSES_MAX];
        int16_t got[GW_CLASSES_MAX];
        int32_t n = random_between(1, 10);
        gw_multiplier scale;
        int64_t thousandths = random_between(1, 3000);
        CHECK(gw_multiplier_from_ratio(thousandths, 10000, &scale) == GW_OK, "the scale");
        double sum = 0;
        for (int32_t i = 0; i < n; i++) {
            logits[i] = (int8_t)random_between(-128, 127);
            sum += exp(logits[i] * (double)thousandths / 10000);
        }
        CHECK(gw_softmax_table(scale, table) == GW_OK && gw_softmax(logits, n, table, got) == GW_OK, "softmax of %d", n);
        for (int32_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(got[i] / 32768.0 - fmin(exp(logits[i] * (double)thousandths / 10000) / sum, 32767 / 32768.0)));
        }
    }
    CHECK(worst < 1e-4, "soft-max is off by %g", worst);
    const int8_t logits[2] = {127, -128};
    int16_t got[2];
    for (int32_t shift = -26; shift <= 30; shift++) {
        CHECK(gw_softmax_table((gw_multiplier){INT32_MAX, shift}, table) == GW_OK, "a scale of 2^%d", shift);
        CHECK(gw_softmax(logits, 2, table, got) == GW_OK && got[0] >= got[1], "soft-max at a scale of 2^%d", shift);
    }
    CHECK(gw_softmax(logits, 0, table, got) == GW_EINVAL, "no logits");
    CHECK(gw_softmax_table((gw_multiplier){1 << 30, -27}, table) == GW_EINVAL, "too small a scale");
}

// Beside doubles: 127 or 255 steps to one, as onnxruntime has them, and steps that are finer.
static void softmax_to_a_scale(void) {
    int32_t table[GW_SOFTMAX_ENTRIES], different = 0, all = 0;
    for (int round = 0; round < 5000; round++) {
        int8_t logits[200], got[200];
        const int32_t n = random_between(1, 200), steps = round % 2 ? 255 : random_between(127, 40000);
        const int32_t zero_point = random_between(-128, 0);
        const int64_t thousandths = random_between(1, 3000);
        gw_multiplier scale, output;
        CHECK(gw_multiplier_from_ratio(thousandths, 10000, &scale) == GW_OK, "the scale");
        CHECK(gw_multiplier_from_ratio(steps, 256, &output) == GW_OK, "the scale of the probabilities");
        double sum = 0;
        for (int32_t i = 0; i < n; i++) {
            logits[i] = (int8_t)random_between(-128, 127);
            sum += exp(logits[i] * (double)thousandths / 10000);
        }
        CHECK(gw_softmax_table(scale, table) == GW_OK, "the table");
        CHECK(gw_softmax_scaled(logits, n, table, output, (int8_t)zero_point, got) == GW_OK, "soft-max of %d in %d steps", n, steps);
        for (int32_t i = 0; i < n; i++) {
            const double wanted = fmin(nearbyint(exp(logits[i] * (double)thousandths / 10000) / sum * steps) + zero_point, INT8_MAX);
            CHECK(fabs(got[i] - wanted) <= 1, "of %d in %d steps: %d, not %g", n, steps, got[i], wanted);
            different += got[i] != wanted, all++;
        }
    }
    CHECK(different < all / 1000, "%d of %d are a step off", different, all);
    int8_t one[1] = {0};
    CHECK(gw_softmax_scaled(one, 1, table, (gw_multiplier){1 << 30, GW_SOFTMAX_FINEST + 1}, 0, one) == GW_EINVAL, "steps too fine");
    CHECK(gw_softmax_scaled(one, 0, table, (gw_multiplier){1 << 30, 1}, 0, one) == GW_EINVAL, "no logits");
}

static void softmax_of_int16(void) {
    gw_softmax_curves curves;
    gw_softmax_curves_init(&curves);
    double worst = 0;
    for (int round = 0; round < 5000; round++) {
        int16_t logits[GW_CLASSES_MAX], got[GW_CLASSES_MAX];
        int32_t n = random_between(1, GW_CLASSES_MAX);
        gw_multiplier scale;
        int64_t millionths = random_between(30, 1000);
        CHECK(gw_multiplier_from_ratio(millionths * 65535, 10000000, &scale) == GW_OK, "the scale");
        double sum = 0;
        for (int32_t i = 0; i < n; i++) {
            logits[i] = (int16_t)random_bits();
            sum += exp((logits[i] - 32767) * (double)millionths / 1e6);
        }
        CHECK(gw_softmax_int16(logits, n, scale, &curves, got) == GW_OK, "softmax of %d", n);
        for (int32_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(got[i] / 32768.0 - exp((logits[i] - 32767) * (double)millionths / 1e6) / sum));
        }
    }
    CHECK(worst < 4e-3, "int16 soft-max is off by %g", worst);
    CHECK(gw_softmax_int16(0, 0, (gw_multiplier){1 << 30, 0}, &curves, 0) == GW_EINVAL, "no logits");
}

// A chain of layers uses the memory of those that are done again.
static void plan(void) {
    static random_weights weights;
    gw_layer layers[12];
    for (int i = 0; i < 12; i++) {
        layers[i] = layer_on(GW_DENSE, i, vector_of(64, 0));
        layers[i].weights = make_weights(&weights, 64, 64, GW_ROUND_ONCE, 0);
    }
    gw_network_spec spec = {vector_of(64, 0), 12, layers, {1 << 30, 0}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
    gw_memory chain = {0}, longer = {0};
    CHECK(gw_network_memory(&spec, gw_kernel_at(0), &chain) == GW_OK, "chain");
    layers[11].operation = GW_ADD, layers[11].source_count = 2, layers[11].sources[0] = 1, layers[11].sources[1] = 11;
    layers[11].scales[0] = layers[11].scales[1] = (gw_multiplier){1 << 30, 0}, layers[11].scales[2] = (gw_multiplier){1 << 30, -18};
    CHECK(gw_network_memory(&spec, gw_kernel_at(0), &longer) == GW_OK, "with a tensor that is read again at the end");
    CHECK(longer.scratch == chain.scratch + 64, "scratch %zu, then %zu", chain.scratch, longer.scratch);
    // A copy lies in the place of what it copies; with another factor it has one of its own.
    spec.layer_count = 1;
    layers[0] = layer_on(GW_RESCALE, 0, vector_of(64, 0));
    gw_memory copied = {0}, halved = {0};
    for (int i = 0; i < 2; i++) {
        layers[0].scales[0] = (gw_multiplier){1 << 30, 1 - i};
        CHECK(gw_network_memory(&spec, gw_kernel_at(0), i == 0 ? &copied : &halved) == GW_OK, "with a copy");
    }
    CHECK(copied.scratch + 64 == halved.scratch, "scratch %zu with a copy, %zu with another factor", copied.scratch, halved.scratch);
}

static void refusals(void) {
    static random_weights weights[2];
    static _Alignas(64) uint8_t memory[1 << 16];
    const gw_kernel *kernel = gw_kernel_best();
    gw_network *network;
    for (int fault = 0; fault <= 22; fault++) {
        gw_layer layers[2] = {layer_on(GW_DENSE, 0, vector_of(3, 0)), layer_on(GW_DENSE, 1, vector_of(2, 0))};
        layers[0].weights = make_weights(&weights[0], 4, 3, GW_ROUND_ONCE, 0);
        layers[1].weights = make_weights(&weights[1], 3, 2, GW_ROUND_ONCE, 0);
        gw_network_spec spec = {vector_of(4, 0), 2, layers, {1 << 30, 0}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
        gw_memory needed = {0};
        CHECK(gw_network_memory(&spec, kernel, &needed) == GW_OK, "the network");
        size_t size = sizeof memory;
        uint8_t *place_at = memory;
        switch (fault) {
        case 1: spec.layer_count = 0; break;
        case 2: spec.layer_count = GW_LAYERS_MAX + 1; break;
        case 3: layers[1].weights.inputs = 4; break;
        case 4: layers[1].output.channels = GW_CLASSES_MAX + 1; break;
        case 5: spec.input.zero_point = 128; break;
        case 6: layers[1].sources[0] = 2; break;
        case 7: weights[0].values[5] = INT8_MIN; break;
        case 8: weights[0].multipliers[1].multiplier = 12; break;
        case 9: size = needed.total - 1; break;
        case 10: place_at += 8, size -= 8; break;
        case 11: spec.output = GW_INDEPENDENT; break;
        case 12: layers[0].operation = (gw_operation)99; break;
        case 13: layers[0].source_count = 0; break;
        case 14: layers[0].sources[0] = -1; break;
        case 15: layers[0].low = 5, layers[0].high = 4; break;
        case 16: layers[0].weights.rounding = GW_ROUND_REDUCED; break;
        case 17: weights[0].bias[0] = INT64_C(1) << 31; break;
        case 18: layers[0].output.type = GW_INT16; break;
        case 19: spec.input.height = GW_EXTENT_MAX, spec.input.width = GW_EXTENT_MAX; break;
        case 20: layers[0].operation = GW_LOOKUP; break; // without a table
        case 21: layers[0].operation = GW_LSTM; break;
        case 22: layers[0].operation = GW_GRU; break;
        default: break;
        }
        gw_status expected = fault == 0 ? GW_OK : fault == 9 || fault == 10 ? GW_ENOMEM : GW_EINVAL;
        CHECK(gw_network_init(place_at, size, &spec, kernel, &network) == expected, "fault %d", fault);
    }
}

// A spec of a few bytes cannot ask for seconds of work.
static void bounded_work(void) {
    gw_tensor map = {GW_INT8, 64, 64, 1, 0};
    for (int32_t side = 8; side <= 200; side *= 5) {
        gw_layer layers[2] = {layer_on(GW_AVERAGE_POOL, 0, map), layer_on(GW_MEAN, 1, vector_of(1, 0))};
        layers[0].window = (gw_sliding){side, side, 1, 1, 1, 1, side / 2, side / 2};
        layers[1].scales[0] = (gw_multiplier){1 << 30, 0};
        gw_network_spec spec = {map, 2, layers, {1 << 30, 0}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
        gw_memory needed = {0};
        bool is_little = gw_network_work(&spec) <= GW_WORK_MAX;
        CHECK(gw_network_work(&spec) == 4096 * (int64_t)side * side + 4096, "work of a window of %d", side);
        CHECK(is_little == (side < 200), "a window of %d is little work", side);
        CHECK((gw_network_memory(&spec, gw_kernel_at(0), &needed) == GW_OK) == is_little, "a window of %d", side);
    }
}

// Trees that share nodes could ask for any number of questions.
static void forests(void) {
    static const int16_t values[2] = {5, -5};
    static const gw_tree_node nodes[6] = {{0, 3, 1}, {-1, 0, 0}, {-1, 0, 1}, {0, 7, 4}, {-1, 0, 1}, {-1, 0, 0}};
    static const gw_tree_node crossing[6] = {{0, 3, 4}, {-1, 0, 0}, {-1, 0, 1}, {0, 7, 4}, {-1, 0, 1}, {-1, 0, 0}};
    static const int32_t rising[2] = {0, 3}, same[2] = {0, 0}, late[2] = {1, 3}, falling[2] = {3, 0}, beyond[2] = {0, 6};
    const int32_t *const roots[] = {rising, same, late, falling, beyond, rising};
    for (int32_t i = 0; i < 6; i++) {
        gw_layer layer = layer_on(GW_FOREST, 0, vector_of(1, 0));
        layer.scales[0] = (gw_multiplier){1 << 30, 1};
        layer.forest = (gw_forest){2, 6, 2, roots[i], i == 5 ? crossing : nodes, values};
        gw_network_spec spec = {vector_of(1, 0), 1, &layer, {1 << 30, 0}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
        gw_memory needed = {0};
        CHECK((gw_network_memory(&spec, gw_kernel_at(0), &needed) == GW_OK) == (i == 0), "forest %d", i);
    }
}

static gw_network_spec spec_of_vectors(gw_layer *layer, const gw_support_vectors *support) {
    const gw_tensor number = {GW_INT16, 1, 1, 1, 0};
    *layer = layer_on(GW_SUPPORT_VECTORS, 0, number);
    layer->low = INT16_MIN, layer->high = INT16_MAX, layer->support = *support;
    return (gw_network_spec){number, 1, layer, {1 << 30, 0}, GW_LOGITS, {1 << 30, -3}, false, 0};
}

// In parts of 1/512: exp(-ln 2 |x - v|^2 / 4) and 1 + (x . v / 16)^3 of the vectors 3 and 5, the latter taken off.
static void support_vectors(void) {
    static const int32_t vectors[2] = {3, 5}, difference[2] = {1 << 30, -(1 << 30)};
    static const int64_t squares[2] = {9, 25}, none[2] = {0, 0}, one[1] = {INT64_C(1) << 57};
    static const gw_multiplier parts[1] = {{1 << 30, -31}};
    const gw_support_vectors radial = {1, 2, 1, 0, 0, vectors, squares, {1488522236, 24}, difference, none, parts};
    const gw_support_vectors cubic = {1, 2, 1, 3, 0, vectors, none, {1 << 30, 27}, difference, one, parts};
    // tanh(x . v / 4): 0.63515 of 3 / 4, 0.84828 of 5 / 4.
    const gw_support_vectors bent = {1, 2, 1, -1, 0, vectors, none, {1 << 30, 25}, difference, none, parts};
    const struct {
        const gw_support_vectors *support;
        int16_t input, expected;
    } cases[] = {{&radial, 3, 256}, {&radial, 4, 0}, {&radial, 5, -256}, {&radial, -32768, 0}, {&cubic, 3, 181}, {&cubic, 1, 500},
        {&cubic, 0, 512}, {&cubic, -1, 524}, {&bent, 1, -109}, {&bent, -1, 109}, {&bent, 0, 0}, {&bent, 30000, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gw_layer layer;
        const gw_network_spec spec = spec_of_vectors(&layer, cases[i].support);
        placed p = place_network(&spec, gw_kernel_at(0));
        int16_t got = 0;
        gw_network_infer(p.network, &cases[i].input, &got);
        CHECK(got == cases[i].expected, "support vectors at %d: %d, not %d", cases[i].input, got, cases[i].expected);
        free(p.memory);
    }
    static const int64_t beyond[2] = {0, (INT64_C(1) << 60) + 1};
    static const int32_t large[2] = {INT32_MAX, INT32_MIN}, many[5] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    static const gw_multiplier invalid[1] = {{5, 0}};
    gw_support_vectors wrong[12];
    for (int32_t i = 0; i < 12; i++) { wrong[i] = radial; }
    wrong[0].vectors = large, wrong[0].coefficients = large; // large and right
    wrong[1].inputs = 2, wrong[2].outputs = 2, wrong[3].degree = GW_DEGREE_MAX + 1, wrong[4].degree = -2;
    wrong[5].fraction = 16, wrong[6].added = beyond, wrong[7].bias = beyond + 1, wrong[8].multipliers = invalid;
    wrong[9].count = GW_EXTENT_MAX + 1, wrong[10].argument = invalid[0];
    wrong[11].count = 5, wrong[11].coefficients = many, wrong[11].vectors = many, wrong[11].added = (const int64_t[5]){0};
    for (int32_t i = 0; i < 12; i++) {
        gw_layer layer;
        const gw_network_spec spec = spec_of_vectors(&layer, &wrong[i]);
        gw_memory needed = {0};
        CHECK((gw_network_memory(&spec, gw_kernel_at(0), &needed) == GW_OK) == (i == 0), "wrong support vectors %d", i);
    }
}

// Of many, each has less than half a step.
static void many_alike(void) {
    static int8_t logits[GW_SOFTMAX_MAX], probabilities[GW_SOFTMAX_MAX];
    int32_t table[GW_SOFTMAX_ENTRIES];
    gw_softmax_table((gw_multiplier){1 << 30, -3}, table);
    for (int32_t n = 256; n <= GW_SOFTMAX_MAX; n *= 2) {
        CHECK(gw_softmax_int8(logits, n, table, probabilities) == GW_OK, "%d", n);
        CHECK(probabilities[0] == (n <= 256 ? -127 : -128), "%d alike: %d", n, probabilities[0]);
    }
}

int main(void) {
    forests();
    support_vectors();
    many_alike();
    softmax();
    softmax_to_a_scale();
    softmax_of_int16();
    plan();
    refusals();
    bounded_work();
    const gw_kernel *kernel;
    for (int32_t i = 0; (kernel = gw_kernel_at(i)); i++) {
        if (!gw_kernel_available(kernel)) {
            printf("skipped: kernel %s, which this CPU does not have\n", gw_kernel_name(kernel));
            continue;
        }
        printf("kernel %s\n", gw_kernel_name(kernel));
        oracles(kernel);
        if (i > 0) {
            dense_shapes(kernel);
            convolution_shapes(kernel);
            recurrent_shapes(kernel, GW_LSTM, 4, "LSTM");
            recurrent_shapes(kernel, GW_GRU, 3, "GRU");
            wide_sums(kernel);
            interpolated_curves(kernel);
            wide_tables(kernel);
            softmax_steps(kernel);
            cells(kernel);
            scaling(kernel);
        }
    }
    return finish("CNetwork");
}
