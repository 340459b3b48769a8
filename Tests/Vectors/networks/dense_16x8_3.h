#include "cnetwork.h"
static const int8_t dense_16x8_3_0[] = {
    108, 122, 119, 95, -81, -76, -58, 65, 123, 41, -1, 57,
};
static const int64_t dense_16x8_3_0_bias[] = {
    221600, -315000, -52000, -378800, -281400, -386600, 50600, 393000, 283600, 120000, -266000, -92000,
};
static const gw_multiplier dense_16x8_3_0_factors[] = {
    {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6}, {1760964746, -6},
};
static const int8_t dense_16x8_3_1[] = {
    10, -127, -92, 38, -64, 116, -90, 52, -12, 58, 122, 111, 59, -39, 90, -110, -1, -88, 71, 23, 82, 119, -40, 93,
    42, -54, 23, 114, 25, 1, 18, -53, 71, 5, -33, -78, 82, 55, 125, 77, -7, -6, -40, -112, -33, 86, 87, 99,
    111, -46, -91, -10, -45, -75, 71, 39, 71, -69, -91, 120, 100, -51, -94, 89, -107, -52, 78, -89, -54, -30, 3, 98,
    -82, -3, 126, -44, -1, -14, -16, -62, 96, 127, -120, -98, 105, -117, -74, -42, -62, -118, -12, -55, 67, 117, -19, -85,
    -116, -28, 56, 83, -28, 56, 93, -72, 0, 29, -44, -24, 68, -56, -66, 92, -7, 5, -25, -57, 33, 99, -55, -2,
};
static const int64_t dense_16x8_3_1_bias[] = {
    226000, 200000, -27600, -121400, -232000, -342200, 371400, -194600, -382400, -272600,
};
static const gw_multiplier dense_16x8_3_1_factors[] = {
    {1196417512, -7}, {1196417512, -7}, {1196417512, -7}, {1196417512, -7}, {1196417512, -7}, {1196417512, -7}, {1196417512, -7}, {1196417512, -7}, {1196417512, -7}, {1196417512, -7},
};
static const int8_t dense_16x8_3_2[] = {
    -121, 32, -12, 82, 80, -68, -89, -74, 49, -116, -58, 66, 109, 107, -72, -117, 87, -44, 34, -9, -88, -80, 73, 105,
    58, 14, -117, -34, 116, 83, -5, 118, 109, 66, 70, 12, 94, 69, -125, -28,
};
static const int64_t dense_16x8_3_2_bias[] = {
    -175800, -79000, 148600, -100000,
};
static const gw_multiplier dense_16x8_3_2_factors[] = {
    {1981155194, -8}, {1981155194, -8}, {1981155194, -8}, {1981155194, -8},
};
static const int8_t dense_16x8_3_3[] = {
    -4, -91, 9, -53, -41, -112, 25, -33, -36, 73, -8, 38, -81, -53, 89, -94, 99, -73, -74, 109,
};
static const int64_t dense_16x8_3_3_bias[] = {
    -158000, -348400, 165000, 23200, 76200,
};
static const gw_multiplier dense_16x8_3_3_factors[] = {
    {1623973817, -7}, {1623973817, -7}, {1623973817, -7}, {1623973817, -7}, {1623973817, -7},
};
static const char *const dense_16x8_3_labels[] = {"0", "1", "2", "3", "4"};
static const gw_layer dense_16x8_3_layers[] = {
    {.operation = GW_DENSE, .source_count = 1, .sources = {0}, .output = {GW_INT16, 1, 1, 12, 0}, .low = 0, .high = 32767, .weights = {GW_INT8, 1, 12, dense_16x8_3_0, dense_16x8_3_0_bias, dense_16x8_3_0_factors, GW_ROUND_ONCE}},
    {.operation = GW_DENSE, .source_count = 1, .sources = {1}, .output = {GW_INT16, 1, 1, 10, 0}, .low = 0, .high = 32767, .weights = {GW_INT8, 12, 10, dense_16x8_3_1, dense_16x8_3_1_bias, dense_16x8_3_1_factors, GW_ROUND_ONCE}},
    {.operation = GW_DENSE, .source_count = 1, .sources = {2}, .output = {GW_INT16, 1, 1, 4, 0}, .low = 0, .high = 32767, .weights = {GW_INT8, 10, 4, dense_16x8_3_2, dense_16x8_3_2_bias, dense_16x8_3_2_factors, GW_ROUND_ONCE}},
    {.operation = GW_DENSE, .source_count = 1, .sources = {3}, .output = {GW_INT16, 1, 1, 5, 0}, .low = -32768, .high = 32767, .weights = {GW_INT8, 4, 5, dense_16x8_3_3, dense_16x8_3_3_bias, dense_16x8_3_3_factors, GW_ROUND_ONCE}},
    {.operation = GW_SIGMOID, .source_count = 1, .sources = {4}, .output = {GW_INT16, 1, 1, 5, 0}, .low = -32768, .high = 32767, .factor = 32493, .shift = 16},
};
// Window of 128 samples at 50 Hz, every 64; inputs are features.
static const gw_network_spec dense_16x8_3 = {
    .input = {GW_INT16, 1, 1, 1, 0}, .layer_count = 5, .layers = dense_16x8_3_layers,
    .input_multiplier = {2069964316, 1}, .output = GW_INDEPENDENT,
    .output_scale = {1717960704, -2}, .is_stateless = false};
static const int16_t dense_16x8_3_inputs[] = {-32768, -14266, -26312, -32768, 17643, 2577};
static const int16_t dense_16x8_3_outputs[] = {15620, 15246, 16975, 17077, 15341, 15894, 15543, 16849, 16693, 16029, 15735, 15379, 16916, 16979, 15572, 15620, 15246, 16975, 17077, 15341, 9334, 8840, 21378, 8612, 20613, 14987, 14816, 17517, 14915, 17773};
