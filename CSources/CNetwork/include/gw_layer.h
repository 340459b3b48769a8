// What a network is made of: tensors and the layers between them.
#ifndef GW_LAYER_H
#define GW_LAYER_H

#include "cfixed.h"
#include <stdbool.h>
#include <stddef.h>

enum {
    GW_LAYERS_MAX = 256,
    GW_SOURCES_MAX = 4,
    GW_EXTENT_MAX = 4096,      ///< height, width or channels of a tensor; inputs or outputs of a product
    GW_ELEMENTS_MAX = 1 << 17, ///< of a tensor
    GW_CLASSES_MAX = 64,       ///< outputs of the last layer
    GW_TREES_MAX = 4096,       ///< of a forest
    GW_NODES_MAX = 1 << 21,    ///< of a forest, and leaves
    GW_TABLE_NARROW = 256,     ///< int8 entries of a look-up table: for -128 ... 127
    GW_TABLE_WIDE = 513,       ///< int16 entries: for -32768, -32640, ... 32768
};

typedef enum gw_type { GW_INT8 = 0, GW_INT16 = 1 } gw_type;

/// Integers in rows: [height][width][channels], row-major. Time runs along height or width, as the network's maker chose; a
/// vector has only channels.
typedef struct gw_tensor {
    gw_type type;
    int32_t height, width, channels;
    int32_t zero_point; ///< 0 when int16
} gw_tensor;

/// How a sum becomes an output. TFLite's kernels differ, and a network gives the same bits only with the same one.
typedef enum gw_rounding {
    GW_ROUND_ONCE = 0,    ///< halves up (gw_requantise): LiteRT's FULLY_CONNECTED
    GW_ROUND_TWICE = 1,   ///< gw_requantise_twice: LiteRT's convolutions and int8 LSTM
    GW_ROUND_REDUCED = 2, ///< gw_requantise_reduced, by 16 bits of the multiplier: TFLite's int16 convolutions and LSTM
} gw_rounding;

/// out[o] = round((bias[o] + sum over i of (in[i] - zero point) * values[o][i]) * multipliers[o]).
///
/// Units     values: symmetric, one scale per output, int8 (-127 ... 127), or int16 (-32767 ... 32767) beside int16 inputs;
///           bias: in input scale x weight scale, within int32 beside int8 inputs;
///           multipliers[o]: input scale x weight scale / output scale.
/// Source    TFLite's quantisation specification; 16x8 where the inputs are int16.
typedef struct gw_weights {
    gw_type type;
    int32_t inputs, outputs;
    const void *values;               ///< [outputs][inputs]
    const int64_t *bias;              ///< [outputs]
    const gw_multiplier *multipliers; ///< [outputs]
    gw_rounding rounding;
} gw_weights;

/// A window that slides over height and width.
typedef struct gw_sliding {
    int32_t height, width;                   ///< of the window
    int32_t stride_height, stride_width;     ///< from one position to the next
    int32_t dilation_height, dilation_width; ///< between two elements of the window
    int32_t top, left;                       ///< padding before the first row and column
} gw_sliding;

typedef enum gw_operation {
    GW_DENSE = 0,       ///< weights on every row of weights.inputs elements
    GW_CONVOLUTION = 1, ///< weights on every patch [window height][window width][channels]
    GW_DEPTHWISE = 2,   ///< weights.inputs = window height x width, weights.outputs = channels; each reads one input channel
    GW_LSTM = 3,        ///< see gw_layer
    GW_AVERAGE_POOL = 4,
    GW_MAX_POOL = 5,
    GW_MEAN = 6,        ///< over height and width
    GW_ADD = 7,         ///< two tensors of one shape
    GW_CONCATENATE = 8, ///< along `axis`; equal scales
    GW_SLICE = 9,       ///< `first` and the following along height x width, as many as the output has
    GW_LOOKUP = 10,     ///< by `table`; int16 to int16 with straight lines between its entries
    GW_SIGMOID = 11,    ///< int16 to Q0.15 by interpolation in a table
    GW_TANH = 12,       ///< int16 to Q0.15 by interpolation in a table
    GW_RESCALE = 13,    ///< to another scale, zero point or type
    GW_GRU = 14,        ///< see gw_layer
    GW_GATHER = 15,     ///< `table` has the number of the source's element for each of the output, or -1 for its zero point
    GW_CONSTANT = 16,   ///< `table`'s elements, whatever the source holds
    GW_SUBTRACT = 17,   ///< as ADD; the right source from the left one
    GW_MULTIPLY = 18,   ///< two tensors of one shape
    GW_MAXIMUM = 19,    ///< of two tensors of one shape and one scale
    GW_MINIMUM = 20,
    GW_MATRIX_PRODUCT = 21, ///< see gw_layer
    GW_SOFTMAX_ROWS = 22,   ///< over the channels of every position, to Q0.8 - 128 (int8) or Q0.15
    GW_FOREST = 23,         ///< decision trees, whose leaves' values add up
    GW_DIVIDE = 24,         ///< the left source by the right one; by zero: the limit
} gw_operation;

/// A question of a tree, or a leaf.
typedef struct gw_tree_node {
    int16_t feature;   ///< element of the source that is looked at; -1: a leaf
    int16_t threshold; ///< what is greater goes to the second child
    int32_t child;     ///< the first of two nodes that lie behind this one; of a leaf: its row of values
} gw_tree_node;

/// out[c] = round(sum over trees of values[leaf][c] * scales[0]).
typedef struct gw_forest {
    int32_t tree_count, node_count, leaf_count;
    const int32_t *roots; ///< [tree_count], nodes
    const gw_tree_node *nodes;
    const int16_t *values; ///< [leaf_count][elements of the output]
} gw_forest;

/// A layer. What an operation does not use is zero.
///
/// LSTM: every element of height x width is one step. `weights` and `recurrent` have the rows of the gates i, f, z, o one after
/// the other; biases are in `weights`; both give gates in Q3.12. The cell is int16 with `cell_fraction` fraction bits; `scales[0]`
/// is 2^-30 / output scale. int8: LiteRT's arithmetic; int16: that of tflite-micro, the only one that has it.
///
/// GRU: the same with the gates z, r, o; h = (1 - z) o + z h. `scales[0]` as above. The rows of o are for r h, or, with `reset_after`,
/// for h, and what they give with their bias in `recurrent` is multiplied by r.
///
/// MATRIX_PRODUCT: every row of the left source times every row of the right one, in matrices of the same number `height`:
/// out[h][l][r] = round(sum over c of (left[h][l][c] - zero point) * (right[h][r][c] - zero point) * scales[0]), rounded as TFLite's
/// BATCH_MATMUL: twice (int8), with a reduced multiplier (int16).
typedef struct gw_layer {
    gw_operation operation;
    int32_t source_count;
    int32_t sources[GW_SOURCES_MAX]; ///< 0: the network's input; n: the output of layer n - 1
    gw_tensor output;
    int32_t low, high; ///< limits of the output; a ReLU is low = zero point
    gw_weights weights, recurrent;
    gw_sliding window;                ///< convolutions and pools
    gw_multiplier scales[3];          ///< ADD, SUBTRACT: of both sources after the shift to the left, of the result; others: [0]
    int32_t cell_fraction, cell_clip; ///< LSTM: 8 ... 15 bits; limit of the cell, 0 for none
    bool reset_after;                 ///< GRU
    int32_t axis, first;              ///< CONCATENATE: 0 height, 1 width, 2 channels; SLICE
    int32_t factor, shift;            ///< SIGMOID, TANH: round(input * factor / 2^shift) is the argument in 1/12288
    /// LOOKUP: int8 [GW_TABLE_NARROW] or int16 [GW_TABLE_WIDE], as the tensors are; GATHER: int32 [elements of the output]; CONSTANT:
    /// int8 or int16 [elements of the output].
    const void *table;
    gw_forest forest;
} gw_layer;

#endif
