#include "cnetwork.h"
static const int8_t dense_6_0[] = {
    26, -114, -59, 86, -47, -78, -116, 61, 34, -115, 107, -108, -54, 15, -46, 14, 59, -20, -19, 20, 14, 44, 101, -122,
    -21, -35, 59, -34, 123, 9, -33, -38, 87, 5, -75, -121, -94, -67, -80, -47, -40, 93, -71, -27, -35, 45, -15, 98,
    -87, -89, -114, -33, 3, 60, 1, -100, -38, -75, -94, -53, -67, -57, -80, 101, -116,
};
static const int64_t dense_6_0_bias[] = {
    -1723, -1739, 1157, 1608, -665, -1937, 690, -397, -1883, -813, 1968, -1803, 1809,
};
static const gw_multiplier dense_6_0_factors[] = {
    {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8}, {1755434094, -8},
};
static const int8_t dense_6_1[] = {
    62, -104, -4, -104, 41, -89, 84, 120, -50, -69, -112, 100, -18, -23, 61, 48, 101, -46, -115, 50, 51, 59, 0, -124,
    6, -103, -98, 118, 67, 83, -95, 11, 6, -15, -45, 92, -35, 61, -66, -116, 16, -33, -52, 13, -18, -114, -40, -51,
    -2, 119, -16, -25, -87, 77, 90, 38, -44, -80, 83, -15, -99, 45, -73, 33, 55, -105, -66, -10, -92, -77, -92, 0,
    -85, 48, 63, -37, 89, -97,
};
static const int64_t dense_6_1_bias[] = {
    -454, -654, -132, 992, -1112, -476,
};
static const gw_multiplier dense_6_1_factors[] = {
    {1706364273, -8}, {1706364273, -8}, {1706364273, -8}, {1706364273, -8}, {1706364273, -8}, {1706364273, -8},
};
static const int8_t dense_6_2[] = {
    124, -47, -44, 9, 66, 22, -121, -72, -31, -32, -42, 120,
};
static const int64_t dense_6_2_bias[] = {
    1171, 90,
};
static const gw_multiplier dense_6_2_factors[] = {
    {2073745666, -7}, {2073745666, -7},
};
static const char *const dense_6_labels[] = {"0", "1"};
static const gw_layer dense_6_layers[] = {
    {.operation = GW_DENSE, .source_count = 1, .sources = {0}, .output = {GW_INT8, 1, 1, 13, -60}, .low = -60, .high = 127, .weights = {GW_INT8, 5, 13, dense_6_0, dense_6_0_bias, dense_6_0_factors, GW_ROUND_ONCE}},
    {.operation = GW_DENSE, .source_count = 1, .sources = {1}, .output = {GW_INT8, 1, 1, 6, 11}, .low = 11, .high = 76, .weights = {GW_INT8, 13, 6, dense_6_1, dense_6_1_bias, dense_6_1_factors, GW_ROUND_ONCE}},
    {.operation = GW_DENSE, .source_count = 1, .sources = {2}, .output = {GW_INT8, 1, 1, 2, 20}, .low = -128, .high = 127, .weights = {GW_INT8, 6, 2, dense_6_2, dense_6_2_bias, dense_6_2_factors, GW_ROUND_ONCE}},
};
// Window of 128 samples at 50 Hz, every 64; inputs are features.
static const gw_network_spec dense_6 = {
    .input = {GW_INT8, 1, 1, 5, -16}, .layer_count = 3, .layers = dense_6_layers,
    .input_multiplier = {1779382448, -6}, .output = GW_SOFTMAX,
    .output_scale = {2080930304, -3}, .is_stateless = false};
static const int16_t dense_6_inputs[] = {-128, 127, 127, 127, -128, 59, -109, -120, 49, -92, -59, 114, -63, -52, -100, -128, -128, 127, -128, -128, 27, -127, -18, 33, 16, -36, -51, 63, -99, 119};
static const int16_t dense_6_outputs[] = {58, -58, 124, -124, 64, -64, 127, -128, 79, -79, 69, -69};
