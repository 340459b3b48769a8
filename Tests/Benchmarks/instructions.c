// One dense layer for counting instructions under qemu: instructions KERNEL TIMES. KERNEL is a name, TIMES a repetition.
#include "cnetwork.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    enum { INPUTS = 384, HIDDEN = 240, CLASSES = 6 };
    if (argc != 3) { return 64; }
    static int8_t weights[INPUTS * HIDDEN], input[INPUTS], output[CLASSES];
    static int32_t bias[HIDDEN];
    static gw_multiplier multipliers[HIDDEN];
    for (int i = 0; i < INPUTS * HIDDEN; i++) { weights[i] = (int8_t)(i * 31 % 255 - 127); }
    for (int o = 0; o < HIDDEN; o++) { multipliers[o] = (gw_multiplier){(1 << 30) + o, -9}; }
    gw_dense layers[2] = {{INPUTS, HIDDEN, weights, bias, multipliers, -43, -128, GW_RELU, {1 << 30, -3}},
                          {HIDDEN, CLASSES, weights, bias, multipliers, -128, 0, GW_LINEAR, {1 << 30, -3}}};
    gw_network_spec spec = {2, layers, {1 << 30, 0}, GW_SOFTMAX};
    for (int32_t k = 0; gw_kernel_at(k); k++) {
        if (strcmp(gw_kernel_name(gw_kernel_at(k)), argv[1]) != 0) { continue; }
        size_t size = gw_network_size(&spec, gw_kernel_at(k));
        gw_network *network;
        if (gw_network_init(aligned_alloc(64, size), size, &spec, gw_kernel_at(k), &network) != GW_OK) { return 1; }
        for (int i = atoi(argv[2]); i > 0; i--) { gw_network_infer(network, input, output); }
        return 0;
    }
    return 69;
}
