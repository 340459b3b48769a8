// Times gw_network_classify: network_bench INPUTS HIDDEN OUTPUTS MILLISECONDS. Prints "kernel median_ns" for each kernel.
#include "cnetwork.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static gw_layer make_layer(int32_t source, int32_t inputs, int32_t outputs, int32_t low) {
    int8_t *weights = malloc((size_t)inputs * (size_t)outputs);
    int64_t *bias = malloc((size_t)outputs * sizeof *bias);
    gw_multiplier *multipliers = malloc((size_t)outputs * sizeof *multipliers);
    for (int32_t i = 0; i < inputs * outputs; i++) { weights[i] = (int8_t)(rand() % 255 - 127); }
    for (int32_t o = 0; o < outputs; o++) {
        bias[o] = rand() % 2000 - 1000;
        multipliers[o] = (gw_multiplier){(1 << 30) + rand() % (1 << 30), -9};
    }
    return (gw_layer){.operation = GW_DENSE,
        .source_count = 1,
        .sources = {source},
        .output = {GW_INT8, 1, 1, outputs, -128},
        .low = low,
        .high = 127,
        .weights = {GW_INT8, inputs, outputs, weights, bias, multipliers, GW_ROUND_ONCE}};
}

int main(int argc, char **argv) {
    if (argc != 5) { return 64; }
    int32_t inputs = atoi(argv[1]), hidden = atoi(argv[2]), outputs = atoi(argv[3]);
    gw_layer layers[2] = {make_layer(0, inputs, hidden, -128), make_layer(1, hidden, outputs, -128)};
    gw_network_spec spec = {{GW_INT8, 1, 1, inputs, -43}, 2, layers, {1538225647, -5}, GW_SOFTMAX, {1 << 30, -3}, false, 0};
    int16_t input[GW_EXTENT_MAX], probabilities[GW_CLASSES_MAX];
    for (int32_t i = 0; i < inputs; i++) { input[i] = (int16_t)(rand() % 8192 - 4096); }
    for (int32_t k = 0; gw_kernel_at(k); k++) {
        const gw_kernel *kernel = gw_kernel_at(k);
        if (!gw_kernel_available(kernel)) { continue; }
        gw_memory sizes;
        if (gw_network_memory(&spec, kernel, &sizes) != GW_OK) { return 1; }
        gw_network *network;
        if (gw_network_init(aligned_alloc(64, sizes.total), sizes.total, &spec, kernel, &network) != GW_OK) { return 1; }
        static double rounds[100000];
        int count = 0;
        for (double end = now() + atof(argv[4]) * 1e6; now() < end && count < 100000; count++) {
            double start = now();
            for (int i = 0; i < 16; i++) { gw_network_classify(network, input, probabilities); }
            rounds[count] = (now() - start) / 16;
        }
        qsort(rounds, (size_t)count, sizeof *rounds, ascending);
        printf("%s %.1f\n", gw_kernel_name(kernel), rounds[count / 2]);
    }
    return 0;
}
