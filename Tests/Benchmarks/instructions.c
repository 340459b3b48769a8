// One dense layer for counting instructions under qemu: instructions KERNEL TIMES. KERNEL is a name, TIMES a repetition.
#include "cnetwork.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    enum { INPUTS = 384, HIDDEN = 240, CLASSES = 6 };
    if (argc != 3) { return 64; }
    static int8_t weights[INPUTS * HIDDEN];
    static int16_t input[INPUTS], output[CLASSES];
    static int64_t bias[HIDDEN];
    static gw_multiplier multipliers[HIDDEN];
    for (int i = 0; i < INPUTS * HIDDEN; i++) { weights[i] = (int8_t)(i * 31 % 255 - 127); }
    for (int o = 0; o < HIDDEN; o++) { multipliers[o] = (gw_multiplier){(1 << 30) + o, -9}; }
    gw_layer layers[2] = {{.operation = GW_DENSE,
                              .source_count = 1,
                              .sources = {0},
                              .output = {GW_INT8, 1, 1, HIDDEN, -128},
                              .low = -128,
                              .high = 127,
                              .weights = {GW_INT8, INPUTS, HIDDEN, weights, bias, multipliers, GW_ROUND_ONCE}},
        {.operation = GW_DENSE,
            .source_count = 1,
            .sources = {1},
            .output = {GW_INT8, 1, 1, CLASSES, 0},
            .low = -128,
            .high = 127,
            .weights = {GW_INT8, HIDDEN, CLASSES, weights, bias, multipliers, GW_ROUND_ONCE}}};
    gw_network_spec spec = {{GW_INT8, 1, 1, INPUTS, -43}, 2, layers, {1 << 30, 0}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
    for (int32_t k = 0; gw_kernel_at(k); k++) {
        if (strcmp(gw_kernel_name(gw_kernel_at(k)), argv[1]) != 0) { continue; }
        gw_memory sizes;
        if (gw_network_memory(&spec, gw_kernel_at(k), &sizes) != GW_OK) { return 1; }
        gw_network *network;
        if (gw_network_init(aligned_alloc(64, sizes.total), sizes.total, &spec, gw_kernel_at(k), &network) != GW_OK) { return 1; }
        for (int i = atoi(argv[2]); i > 0; i--) { gw_network_infer(network, input, output); }
        return 0;
    }
    return 69;
}
