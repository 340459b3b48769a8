#include "cnetwork.h"
static const int8_t dense_0_0[] = {
    36, 63, 28, -105, -4, -96, -6, -15, 65,
};
static const int64_t dense_0_0_bias[] = {
    -111,
};
static const gw_multiplier dense_0_0_factors[] = {
    {1573288260, -5},
};
static const char *const dense_0_labels[] = {"0"};
static const gw_layer dense_0_layers[] = {
    {.operation = GW_DENSE, .source_count = 1, .sources = {0}, .output = {GW_INT8, 1, 1, 1, -42}, .low = -128, .high = 127, .weights = {GW_INT8, 9, 1, dense_0_0, dense_0_0_bias, dense_0_0_factors, GW_ROUND_ONCE}},
};
// Window of 128 samples at 50 Hz, every 64; inputs are features.
static const gw_network_spec dense_0 = {
    .input = {GW_INT8, 1, 1, 9, -31}, .layer_count = 1, .layers = dense_0_layers,
    .input_multiplier = {1539574936, -5}, .output = GW_SOFTMAX,
    .output_scale = {1635058560, -7}, .is_stateless = false};
static const int16_t dense_0_inputs[] = {127, -128, -128, -128, -128, 127, -128, -128, 127, -57, -107, -93, 27, 54, 115, 89, -18, 22, 100, 46, 86, 40, -75, -35, 0, 29, -12, 127, -128, 127, -128, 127, 127, -128, 127, -128, -17, 123, -76, -127, -54, 3, 34, 49, 27, -17, -45, 41, 62, -65, 79, 104, -28, -98};
static const int16_t dense_0_outputs[] = {127, 127, 127, 127, 127, 127};
