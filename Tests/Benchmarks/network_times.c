// Runs a network so many times: network_times TIMES. The network is an exported header's, which defines `network` (see peers_arm and peers_micro, where REFERENCE takes the kernel in plain C).
#include <stdlib.h>

int main(int argc, char **argv) {
    gw_network_spec spec = network;
#if defined(REFERENCE)
    const gw_kernel *kernel = gw_kernel_at(0);
#else
    const gw_kernel *kernel = gw_kernel_best();
#endif
    spec.advance = 0; // all of the window is new
    gw_memory sizes;
    gw_network *made;
    if (argc != 2 || gw_network_memory(&spec, kernel, &sizes) != GW_OK) { return 64; }
    if (gw_network_init(aligned_alloc(64, (sizes.total + 63) / 64 * 64), sizes.total, &spec, kernel, &made) != GW_OK) { return 70; }
    static int16_t input[GW_ELEMENTS_MAX], output[GW_CLASSES_MAX];
    for (int32_t i = 0; i < gw_network_inputs(made); i++) { input[i] = (int16_t)(i * 31 % 256 - 128); }
    for (int times = atoi(argv[1]); times > 0; times--) { gw_network_infer(made, input, output); }
    return 0;
}
