// Made by network_vectors.py with ai-edge-litert 2.3.0, tflite-micro 0.dev20261023182759; do not edit.
#include "dense_0.h"
#include "dense_3.h"
#include "dense_6.h"
#include "dense_7.h"
#include "dense_11.h"
#include "convolution_0.h"
#include "convolution_1.h"
#include "convolution_2.h"
#include "convolution_3.h"
#include "convolution_5.h"
#include "convolution_11.h"
#include "lstm_0.h"
#include "lstm_1.h"
#include "lstm_3.h"
#include "dense_16x8_1.h"
#include "dense_16x8_3.h"
#include "convolution_16x8_1.h"
#include "convolution_16x8_2.h"
#include "convolution_16x8_3.h"
#include "lstm_16x8_0.h"
#include "lstm_16x8_1.h"
#include "lstm_gates_8.h"
#include "lstm_gates_16.h"
enum { NETWORK_ROWS = 6, NETWORK_COUNT = 21 };
static const struct network_vector {
    const char *name;
    const gw_network_spec *spec;
    const int16_t *inputs, *outputs;
    bool fresh; // its state is forgotten before each row
} network_vectors[NETWORK_COUNT] = {
    {"dense_0", &dense_0, dense_0_inputs, dense_0_outputs, true},
    {"dense_3", &dense_3, dense_3_inputs, dense_3_outputs, false},
    {"dense_6", &dense_6, dense_6_inputs, dense_6_outputs, true},
    {"dense_7", &dense_7, dense_7_inputs, dense_7_outputs, false},
    {"dense_11", &dense_11, dense_11_inputs, dense_11_outputs, false},
    {"convolution_0", &convolution_0, convolution_0_inputs, convolution_0_outputs, true},
    {"convolution_1", &convolution_1, convolution_1_inputs, convolution_1_outputs, false},
    {"convolution_2", &convolution_2, convolution_2_inputs, convolution_2_outputs, true},
    {"convolution_3", &convolution_3, convolution_3_inputs, convolution_3_outputs, false},
    {"convolution_5", &convolution_5, convolution_5_inputs, convolution_5_outputs, false},
    {"convolution_11", &convolution_11, convolution_11_inputs, convolution_11_outputs, false},
    {"lstm_0", &lstm_0, lstm_0_inputs, lstm_0_outputs, true},
    {"lstm_1", &lstm_1, lstm_1_inputs, lstm_1_outputs, false},
    {"lstm_3", &lstm_3, lstm_3_inputs, lstm_3_outputs, false},
    {"dense_16x8_1", &dense_16x8_1, dense_16x8_1_inputs, dense_16x8_1_outputs, false},
    {"dense_16x8_3", &dense_16x8_3, dense_16x8_3_inputs, dense_16x8_3_outputs, false},
    {"convolution_16x8_1", &convolution_16x8_1, convolution_16x8_1_inputs, convolution_16x8_1_outputs, false},
    {"convolution_16x8_2", &convolution_16x8_2, convolution_16x8_2_inputs, convolution_16x8_2_outputs, true},
    {"convolution_16x8_3", &convolution_16x8_3, convolution_16x8_3_inputs, convolution_16x8_3_outputs, false},
    {"lstm_16x8_0", &lstm_16x8_0, lstm_16x8_0_inputs, lstm_16x8_0_outputs, true},
    {"lstm_16x8_1", &lstm_16x8_1, lstm_16x8_1_inputs, lstm_16x8_1_outputs, false},
};
