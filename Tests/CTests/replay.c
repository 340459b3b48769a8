// Replays samples through the C part alone: replay SAMPLES, with the network of the header NETWORK_HEADER, called `model`, as
// `gaitway model export --format c-header` writes it. Prints "end label p0 p1 ..." for each decision. Runs on other processors
// under qemu-user.
#include "crecognition.h"
#include NETWORK_HEADER
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    FILE *recording = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!recording || model_labels[0][0] == 0) { return 66; }
    const gw_kernel *kernel = gw_kernel_best();
    gw_memory sizes;
    gw_network *network;
    static uint64_t memory[8192];
    gw_frontend *frontend;
    gw_recogniser recogniser;
    if (gw_network_memory(&model, kernel, &sizes) != GW_OK) { return 65; }
    if (gw_network_init(aligned_alloc(64, sizes.total), sizes.total, &model, kernel, &network) != GW_OK) { return 65; }
    const int32_t length = gw_network_inputs(network) / GW_AXES;
    gw_frontend_config config = {.rate = 50000, .length = length, .hop = length / 2};
    if (gw_frontend_init(memory, sizeof memory, &config, &frontend) != GW_OK) { return 65; }
    if (gw_recogniser_init(&recogniser, frontend, network, GW_INPUT_WINDOW, NULL, NULL) != GW_OK) { return 65; }

    gw_scale scale;
    if (gw_scale_from_ratio(1, 720, &scale) != GW_OK) { return 1; }
    int16_t counts[64][GW_AXES];
    gw_decision decisions[4];
    for (size_t n; (n = fread(counts, sizeof *counts, 64, recording)) > 0;) {
        for (size_t i = 0; i < n; i++) {
            for (int axis = 0; axis < GW_AXES; axis++) { counts[i][axis] = gw_scale_apply(&scale, counts[i][axis]); }
        }
        int32_t made = gw_recogniser_push(&recogniser, counts[0], (int32_t)n, decisions, NULL);
        for (int32_t d = 0; d < made; d++) {
            printf("%lld %d", (long long)decisions[d].samples, decisions[d].label);
            for (int32_t c = 0; c < gw_network_outputs(network); c++) { printf(" %d", decisions[d].probabilities[c]); }
            printf("\n");
        }
    }
    return 0;
}
