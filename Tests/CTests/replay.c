// Replays samples through the C part alone: replay SAMPLES [UP FORWARD], with the worn network of the header NETWORK_HEADER, called
// `model`, as `gaitway model export --format c-header` writes it. Prints "end label p0 p1 ..." for each decision; label -1 where none
// can be told yet. UP and FORWARD are the sensor's axes while the wearer stands: 1, 2, 3 for x, y, z, negative for the opposite
// direction. Runs on other processors under qemu-user.
#include "crecognition.h"
#include NETWORK_HEADER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gw_network *load(const gw_network_spec *spec) {
    const gw_kernel *kernel = gw_kernel_best();
    gw_memory sizes;
    gw_network *network;
    if (gw_network_memory(spec, kernel, &sizes) != GW_OK) { return NULL; }
    return gw_network_init(aligned_alloc(64, sizes.total), sizes.total, spec, kernel, &network) == GW_OK ? network : NULL;
}

static int32_t class_of(const char *name) {
    for (int32_t c = 0; c < (int32_t)(sizeof model_labels / sizeof *model_labels); c++) {
        if (strcmp(model_labels[c], name) == 0) { return c; }
    }
    return -1;
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: replay SAMPLES [UP FORWARD]\n");
        return 64;
    }
    FILE *recording = fopen(argv[1], "rb");
    if (!recording) {
        perror(argv[1]);
        return 66;
    }
    if (model_gait_labels[0] == model_placement_labels[0]) { return 65; }
    static uint64_t memory[8192], work[GW_WEARING_WORK / 8 + 1];
    static gw_wearing wearing;
    gw_network *network = load(&model), *gait = load(&model_gait), *placement = load(&model_placement);
    if (!network || !gait || !placement) { return 65; }
    gw_frontend *frontend;
    gw_recogniser recogniser;
    gw_frontend_config config = {.rate = 50000, .length = 128, .hop = 64, .early = true};
    if (gw_frontend_init(memory, sizeof memory, &config, &frontend) != GW_OK) { return 65; }
    if (gw_wearing_init(&wearing, gait, placement, class_of("WALKING")) != GW_OK) { return 65; }
    gw_frame frame;
    if (argc == 4) {
        if (gw_frame_along(&frame, atoi(argv[2]), atoi(argv[3])) != GW_OK) { return 64; }
        if (gw_wearing_configure(&wearing, &frame, -1) != GW_OK) { return 64; }
    }
    if (gw_recogniser_init(&recogniser, frontend, network, GW_INPUT_WORN, work, &wearing) != GW_OK) { return 65; }

    gw_scale scales[GW_AXES];
    for (int axis = 0; axis < GW_AXES; axis++) {
        if (gw_scale_from_ratio(1, 720, &scales[axis]) != GW_OK) { return 1; }
    }
    int16_t samples[64][GW_AXES];
    int32_t counts[64][GW_AXES];
    gw_decision decisions[4];
    for (size_t n; (n = fread(samples, sizeof *samples, 64, recording)) > 0;) {
        for (size_t i = 0; i < n; i++) {
            for (int axis = 0; axis < GW_AXES; axis++) { counts[i][axis] = samples[i][axis]; }
        }
        gw_scale_block(scales, counts[0], (int32_t)n, samples[0]);
        int32_t made = gw_recogniser_push(&recogniser, samples[0], (int32_t)n, decisions, NULL);
        for (int32_t d = 0; d < made; d++) {
            printf("%lld %d", (long long)decisions[d].samples, decisions[d].label);
            for (int32_t c = 0; c < gw_network_outputs(network); c++) { printf(" %d", decisions[d].probabilities[c]); }
            printf("\n");
        }
    }
    return 0;
}
