// Replays samples through the C part alone: replay NETWORK SAMPLES, the first as Tests/EndToEnd/test_recordings.py writes it.
// Prints "end label p0 p1 ..." for each decision. Runs on other processors under qemu-user.
#include "crecognition.h"
#include <stdio.h>
#include <stdlib.h>

static void *read_array(FILE *file, size_t size, size_t count) {
    void *memory = malloc(size * count);
    if (!memory || fread(memory, size, count, file) != count) { exit(66); }
    return memory;
}

static int32_t read_number(FILE *file) {
    int32_t value;
    if (fread(&value, sizeof value, 1, file) != 1) { exit(66); }
    return value;
}

static gw_multiplier read_multiplier(FILE *file) {
    int32_t multiplier = read_number(file);
    return (gw_multiplier){multiplier, read_number(file)};
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL, *recording = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!file || !recording) { return 66; }
    static gw_dense layers[GW_LAYERS_MAX];
    gw_network_spec spec = {.layers = layers, .output = GW_SOFTMAX};
    spec.layer_count = read_number(file);
    spec.input_multiplier = read_multiplier(file);
    for (int32_t i = 0; i < spec.layer_count; i++) {
        gw_dense *l = &layers[i];
        l->inputs = read_number(file), l->outputs = read_number(file);
        l->input_zero_point = read_number(file), l->output_zero_point = read_number(file);
        l->activation = (gw_activation)read_number(file);
        l->output_scale = read_multiplier(file);
        l->weights = read_array(file, 1, (size_t)l->inputs * (size_t)l->outputs);
        l->bias = read_array(file, 4, (size_t)l->outputs);
        l->multipliers = read_array(file, sizeof(gw_multiplier), (size_t)l->outputs);
    }
    const gw_kernel *kernel = gw_kernel_best();
    size_t size = gw_network_size(&spec, kernel);
    gw_network *network;
    static uint64_t memory[8192];
    gw_frontend_config config = {.rate = 50000, .length = layers[0].inputs / GW_AXES, .hop = layers[0].inputs / GW_AXES / 2};
    gw_frontend *frontend;
    gw_recogniser recogniser;
    if (gw_network_init(aligned_alloc(64, size), size, &spec, kernel, &network) != GW_OK) { return 65; }
    if (gw_frontend_init(memory, sizeof memory, &config, &frontend) != GW_OK) { return 65; }
    if (gw_recogniser_init(&recogniser, frontend, network) != GW_OK) { return 65; }

    gw_scale scale;
    if (gw_scale_from_ratio(1, 720, &scale) != GW_OK) { return 1; }
    int16_t counts[64][GW_AXES];
    gw_decision decisions[4];
    for (size_t n; (n = fread(counts, sizeof *counts, 64, recording)) > 0;) {
        for (size_t i = 0; i < n; i++) {
            for (int axis = 0; axis < GW_AXES; axis++) { counts[i][axis] = gw_scale_apply(&scale, counts[i][axis]); }
        }
        int32_t made = gw_recogniser_push(&recogniser, counts[0], (int32_t)n, decisions);
        for (int32_t d = 0; d < made; d++) {
            printf("%lld %d", (long long)decisions[d].samples, decisions[d].label);
            for (int32_t c = 0; c < gw_network_outputs(network); c++) { printf(" %d", decisions[d].probabilities[c]); }
            printf("\n");
        }
    }
    return 0;
}
