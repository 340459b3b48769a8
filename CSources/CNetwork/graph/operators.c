#include "../layers/step.h"

static const gw_operator *const operators[] = {
    [GW_DENSE] = &gw_operator_dense,
    [GW_CONVOLUTION] = &gw_operator_convolution,
    [GW_DEPTHWISE] = &gw_operator_depthwise,
    [GW_LSTM] = &gw_operator_lstm,
    [GW_AVERAGE_POOL] = &gw_operator_average_pool,
    [GW_MAX_POOL] = &gw_operator_max_pool,
    [GW_MEAN] = &gw_operator_mean,
    [GW_ADD] = &gw_operator_add,
    [GW_CONCATENATE] = &gw_operator_concatenate,
    [GW_SLICE] = &gw_operator_slice,
    [GW_LOOKUP] = &gw_operator_lookup,
    [GW_SIGMOID] = &gw_operator_sigmoid,
    [GW_TANH] = &gw_operator_tanh,
    [GW_RESCALE] = &gw_operator_rescale,
    [GW_GRU] = &gw_operator_gru,
    [GW_GATHER] = &gw_operator_gather,
    [GW_CONSTANT] = &gw_operator_constant,
    [GW_SUBTRACT] = &gw_operator_subtract,
    [GW_MULTIPLY] = &gw_operator_multiply,
    [GW_MAXIMUM] = &gw_operator_maximum,
    [GW_MINIMUM] = &gw_operator_minimum,
    [GW_MATRIX_PRODUCT] = &gw_operator_matrix_product,
    [GW_SOFTMAX_ROWS] = &gw_operator_softmax_rows,
    [GW_FOREST] = &gw_operator_forest,
    [GW_DIVIDE] = &gw_operator_divide,
};

const gw_operator *gw_operator_of(gw_operation operation) {
    return (uint32_t)operation < sizeof operators / sizeof operators[0] ? operators[operation] : 0;
}
