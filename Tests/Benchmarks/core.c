// One part of the core, to count its instructions under qemu: core network|features-80|front-end-50|front-end-100 KERNEL TIMES. The
// network is the header NETWORK_HEADER's, called `model`; KERNEL is a kernel's name, or "best".
#include "cfeatures.h"
#include "cnetwork.h"
#include NETWORK_HEADER
#include <stdlib.h>
#include <string.h>

enum { HOP = 64, LENGTH = 128, MOST_INPUTS = LENGTH * GW_AXES };

// A wearer's swing, without a library's sines.
static int16_t wave(int i) { return (int16_t)(GW_ONE_G / 2 + i * 2654435761u % 4096); }

static gw_network *load(const char *name) {
    const gw_kernel *kernel = gw_kernel_best();
    for (int32_t k = 0; gw_kernel_at(k); k++) {
        if (strcmp(gw_kernel_name(gw_kernel_at(k)), name) == 0) { kernel = gw_kernel_at(k); }
    }
    gw_memory sizes;
    gw_network *network;
    if (gw_network_memory(&model, kernel, &sizes) != GW_OK) { return NULL; }
    return gw_network_init(aligned_alloc(64, sizes.total), sizes.total, &model, kernel, &network) == GW_OK ? network : NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) { return 64; }
    const int times = atoi(argv[3]);
    static int16_t samples[2 * HOP][GW_AXES], inputs[MOST_INPUTS], outputs[GW_CLASSES_MAX], features[GW_RICH_FEATURES];
    for (int i = 0; i < 2 * HOP * GW_AXES; i++) { samples[i / GW_AXES][i % GW_AXES] = wave(i); }
    for (int i = 0; i < MOST_INPUTS; i++) { inputs[i] = wave(i); }
    if (strcmp(argv[1], "network") == 0) {
        gw_network *network = load(argv[2]);
        if (!network || gw_network_inputs(network) > MOST_INPUTS) { return 65; }
        for (int i = 0; i < times; i++) { gw_network_classify(network, inputs, outputs); }
    } else if (strcmp(argv[1], "features-80") == 0) {
        static uint64_t work[GW_RICH_WORK / 8 + 1];
        for (int i = 0; i < times; i++) {
            if (gw_rich_features(inputs, LENGTH, work, features) != GW_OK) { return 65; }
        }
    } else {
        const int32_t rate = strcmp(argv[1], "front-end-100") == 0 ? 100 : 50;
        static uint64_t memory[8192];
        gw_frontend *frontend;
        const gw_frontend_config config = {.rate = rate * 1000, .length = LENGTH, .hop = HOP};
        if (gw_frontend_init(memory, sizeof memory, &config, &frontend) != GW_OK) { return 65; }
        for (int i = 0; i < times; i++) {
            const int32_t count = HOP * rate / GW_SAMPLING_RATE;
            for (int32_t taken = 0; taken < count;) {
                bool complete = false;
                const int32_t more = gw_frontend_push(frontend, samples[taken], count - taken, &complete);
                if (more <= 0) { return 65; }
                taken += more;
            }
        }
    }
    return 0;
}
