// CNetwork: every kernel of this CPU against the reference, and the reference against LiteRT.
#include "check.h"
#include "cnetwork.h"
#include "../Vectors/litert_vectors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct placed {
    void *memory;
    gw_network *network;
} placed;

static placed place(const gw_network_spec *spec, const gw_kernel *kernel) {
    placed p = {0};
    size_t size = gw_network_size(spec, kernel);
    CHECK(size > 0, "size");
    p.memory = aligned_alloc(64, size);
    memset(p.memory, 0xa5, size);
    gw_status status = gw_network_init(p.memory, size, spec, kernel, &p.network);
    CHECK(status == GW_OK, "init: %d", status);
    return p;
}

static void litert(const gw_kernel *kernel) {
    for (int n = 0; n < LITERT_NETWORKS; n++) {
        const struct litert_network *v = &litert_networks[n];
        gw_network_spec spec = {v->layer_count, v->layers, {1 << 30, 1}, v->output};
        placed p = place(&spec, kernel);
        int32_t inputs = gw_network_inputs(p.network), outputs = gw_network_outputs(p.network);
        for (int c = 0; c < LITERT_CASES; c++) {
            int8_t got[GW_CLASSES_MAX];
            int16_t probabilities[GW_CLASSES_MAX], input[GW_UNITS_MAX];
            gw_network_infer(p.network, v->inputs + c * inputs, got);
            // Where a table follows, gw_network_infer's output is behind it.
            const int8_t *expected = (v->output == GW_SOFTMAX ? v->sums : v->outputs) + c * outputs;
            CHECK(memcmp(got, expected, (size_t)outputs) == 0, "%s: network %d, case %d: %d, LiteRT %d", gw_kernel_name(kernel), n, c, got[0], expected[0]);
            for (int32_t i = 0; i < inputs; i++) { input[i] = (int16_t)(v->inputs[c * inputs + i] - v->layers[0].input_zero_point); }
            int32_t label = gw_network_classify(p.network, input, probabilities);
            int8_t finished[GW_CLASSES_MAX];
            gw_network_finish(p.network, got, finished);
            CHECK(memcmp(finished, v->outputs + c * outputs, (size_t)outputs) == 0, "network %d, case %d: soft-max to int8 is not LiteRT's", n, c);
            for (int32_t o = 0; o < outputs; o++) {
                double litert_probability = (v->outputs[c * outputs + o] + 128) / 256.0;
                CHECK(fabs(probabilities[o] / 32768.0 - litert_probability) <= 1 / 256.0 + 1e-9, "network %d, case %d: %d, LiteRT %g", n, c, probabilities[o], litert_probability);
                CHECK(got[label] >= got[o] && (got[label] > got[o] || label <= o), "arg-max %d", label);
            }
        }
        free(p.memory);
    }
}

enum { MOST_INPUTS = 600, MOST_OUTPUTS = 300 };

typedef struct random_layer {
    int8_t weights[MOST_INPUTS * MOST_OUTPUTS];
    int32_t bias[MOST_OUTPUTS];
    gw_multiplier multipliers[MOST_OUTPUTS];
    gw_dense dense;
} random_layer;

// `wildness` 0 is an ordinary layer; 1 has extreme weights, biases, shifts and zero points.
static void make_layer(random_layer *l, int32_t inputs, int32_t outputs, int32_t zero, int wildness) {
    for (int32_t i = 0; i < inputs * outputs; i++) {
        l->weights[i] = (int8_t)(wildness ? (random_bits() % 3 ? (random_bits() % 2 ? 127 : -127) : 0) : random_between(-127, 127));
    }
    for (int32_t o = 0; o < outputs; o++) {
        l->bias[o] = wildness ? (int32_t)random_bits() : random_between(-5000, 5000);
        l->multipliers[o].multiplier = random_bits() % 20 == 0 ? 0 : (int32_t)((1u << 30) + random_bits() % (1u << 30));
        l->multipliers[o].shift = wildness ? random_between(-31, 30) : random_between(-12, -6);
    }
    l->dense = (gw_dense){
        .inputs = inputs, .outputs = outputs, .weights = l->weights, .bias = l->bias, .multipliers = l->multipliers,
        .input_zero_point = zero, .output_zero_point = wildness ? (random_bits() % 2 ? -128 : 127) : random_between(-128, 127),
        .activation = (gw_activation)(random_bits() % 3), .output_scale = {1 << 30, -3}};
}

static void shapes(const gw_kernel *kernel) {
    static random_layer layers[2];
    static int16_t input[MOST_INPUTS];
    for (int round = 0; round < 300; round++) {
        int wild = round % 2;
        int32_t inputs = round < 40 ? round / 2 + 1 : random_between(1, MOST_INPUTS), hidden = random_between(1, MOST_OUTPUTS);
        make_layer(&layers[0], inputs, hidden, wild ? (round % 4 == 1 ? -128 : 127) : random_between(-128, 127), wild);
        int32_t zero = layers[0].dense.activation == GW_SIGMOID ? -128 : layers[0].dense.output_zero_point;
        make_layer(&layers[1], hidden, random_between(1, GW_CLASSES_MAX), zero, wild);
        gw_dense dense[2] = {layers[0].dense, layers[1].dense};
        gw_network_spec spec = {2, dense, {1 << 30, random_between(-12, 2)}, dense[1].activation == GW_SIGMOID ? GW_INDEPENDENT : GW_SOFTMAX};
        placed reference = place(&spec, gw_kernel_at(0)), tested = place(&spec, kernel);
        for (int c = 0; c < 4; c++) {
            int8_t in8[MOST_INPUTS], out8[2][GW_CLASSES_MAX];
            int16_t probabilities[2][GW_CLASSES_MAX] = {{0}};
            for (int32_t i = 0; i < inputs; i++) {
                in8[i] = (int8_t)(c == 0 ? -128 : c == 1 ? 127 : random_between(-128, 127));
                input[i] = (int16_t)random_bits();
            }
            gw_network_infer(reference.network, in8, out8[0]);
            gw_network_infer(tested.network, in8, out8[1]);
            size_t outputs = (size_t)dense[1].outputs;
            CHECK(memcmp(out8[0], out8[1], outputs) == 0, "%s: %d-%d-%d differs", gw_kernel_name(kernel), inputs, hidden, dense[1].outputs);
            int32_t label[2] = {gw_network_classify(reference.network, input, probabilities[0]), gw_network_classify(tested.network, input, probabilities[1])};
            CHECK(label[0] == label[1] && memcmp(probabilities[0], probabilities[1], outputs * 2) == 0, "%s: probabilities differ", gw_kernel_name(kernel));
        }
        free(reference.memory);
        free(tested.memory);
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
        gw_multiplier_from_ratio(thousandths, 10000, &scale);
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

static void refusals(void) {
    static random_layer layers[2];
    make_layer(&layers[0], 4, 3, 0, 0);
    layers[0].dense.activation = GW_LINEAR;
    make_layer(&layers[1], 3, 2, layers[0].dense.output_zero_point, 0);
    layers[1].dense.activation = GW_LINEAR;
    const gw_kernel *kernel = gw_kernel_best();
    static _Alignas(64) uint8_t memory[1 << 16];
    gw_network *network;
    for (int fault = 0; fault <= 11; fault++) {
        gw_dense dense[2] = {layers[0].dense, layers[1].dense};
        gw_network_spec spec = {2, dense, {1 << 30, 0}, GW_SOFTMAX};
        size_t size = sizeof memory;
        uint8_t *place_at = memory;
        int8_t kept = layers[0].weights[5];
        gw_multiplier kept_factor = layers[0].multipliers[1];
        if (fault == 1) { spec.layer_count = 0; }
        if (fault == 2) { spec.layer_count = GW_LAYERS_MAX + 1; }
        if (fault == 3) { dense[1].inputs = 4; }
        if (fault == 4) { dense[1].outputs = GW_CLASSES_MAX + 1; }
        if (fault == 5) { dense[0].input_zero_point = 128; }
        if (fault == 6) { dense[1].input_zero_point ^= 1; }
        if (fault == 7) { layers[0].weights[5] = INT8_MIN; }
        if (fault == 8) { layers[0].multipliers[1].multiplier = 12; }
        if (fault == 9) { size = gw_network_size(&spec, kernel) - 1; }
        if (fault == 10) { place_at += 8, size -= 8; }
        if (fault == 11) { spec.output = GW_INDEPENDENT; }
        gw_status expected = fault == 0 ? GW_OK : fault == 9 || fault == 10 ? GW_ENOMEM : GW_EINVAL;
        CHECK(gw_network_init(place_at, size, &spec, kernel, &network) == expected, "fault %d", fault);
        layers[0].weights[5] = kept;
        layers[0].multipliers[1] = kept_factor;
    }
}

int main(void) {
    softmax();
    refusals();
    const gw_kernel *kernel;
    for (int32_t i = 0; (kernel = gw_kernel_at(i)); i++) {
        if (!gw_kernel_available(kernel)) {
            printf("skipped: kernel %s, which this CPU does not have\n", gw_kernel_name(kernel));
            continue;
        }
        printf("kernel %s\n", gw_kernel_name(kernel));
        litert(kernel);
        if (i > 0) { shapes(kernel); }
    }
    return finish("CNetwork");
}
