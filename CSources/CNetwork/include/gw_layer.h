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
    GW_ELEMENTS_MAX = 1 << 18, ///< of a tensor
    GW_CLASSES_MAX = 64,       ///< outputs of the last layer
    GW_TREES_MAX = 4096,       ///< of a forest
    GW_NODES_MAX = 1 << 21,    ///< of a forest, and leaves
    GW_DEGREE_MAX = 8,         ///< of a polynomial kernel
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

/* What a layer does: X(its number, from 0, and which of the operators in layers/ does it). Programs know the numbers: new ones go to
   the end. */
// clang-format off
#define GW_OPERATIONS(X) \
    X(GW_DENSE, dense)                   /* weights on every row of weights.inputs elements */ \
    X(GW_CONVOLUTION, convolution)       /* weights on every patch [window height][window width][channels] */ \
    X(GW_DEPTHWISE, depthwise)           /* weights.inputs = window height x width, weights.outputs = channels; of one channel each */ \
    X(GW_LSTM, lstm)                     /* see gw_layer */ \
    X(GW_AVERAGE_POOL, average_pool) \
    X(GW_MAX_POOL, max_pool) \
    X(GW_MEAN, mean)                     /* over height and width */ \
    X(GW_ADD, add)                       /* two tensors of one shape */ \
    X(GW_CONCATENATE, concatenate)       /* along `axis`; equal scales */ \
    X(GW_SLICE, slice)                   /* `first` and the following along height x width, as many as the output has */ \
    X(GW_LOOKUP, lookup)                 /* by `table`; int16 to int16 with straight lines between its entries */ \
    X(GW_SIGMOID, sigmoid)               /* int16 to Q0.15 by interpolation in a table */ \
    X(GW_TANH, tanh)                     /* int16 to Q0.15 by interpolation in a table */ \
    X(GW_RESCALE, rescale)               /* to another scale, zero point or type */ \
    X(GW_GRU, gru)                       /* see gw_layer */ \
    X(GW_GATHER, gather)                 /* `table`: for each element of the output the number of the source's; -1: its zero point */ \
    X(GW_CONSTANT, constant)             /* `table`'s elements, whatever the source holds */ \
    X(GW_SUBTRACT, subtract)             /* as ADD; the right source from the left one */ \
    X(GW_MULTIPLY, multiply)             /* two tensors of one shape */ \
    X(GW_MAXIMUM, maximum)               /* of two tensors of one shape and one scale */ \
    X(GW_MINIMUM, minimum) \
    X(GW_MATRIX_PRODUCT, matrix_product) /* see gw_layer */ \
    X(GW_SOFTMAX_ROWS, softmax_rows)     /* over the channels of every position, to Q0.8 - 128 (int8) or Q0.15 */ \
    X(GW_FOREST, forest)                 /* decision trees, whose leaves' values add up */ \
    X(GW_DIVIDE, divide)                 /* the left source by the right one; by zero: the limit, but 0 / 0 is 0 */ \
    X(GW_NORMALISE, normalisation)       /* the channels of every position: minus their mean, over their standard deviation */ \
    X(GW_ROOT_MEAN_SQUARE, root_mean_square) /* the channels of every position over the root of the mean of their squares */ \
    X(GW_SUPPORT_VECTORS, support_vectors) /* weighted sums of a kernel's values at the source and each vector */ \
    X(GW_MULTIPLY_ONCE, multiply_once)   /* as MULTIPLY, rounded once, halves up, as runtimes in float round */ \
    X(GW_SCALED_SOFTMAX, scaled_softmax) /* as SOFTMAX_ROWS, int8 to any scale and zero point */ \
    X(GW_MATRIX_PRODUCT_ONCE, matrix_product_once) /* as MATRIX_PRODUCT, int8, rounded once, halves up */ \
    X(GW_SCALED_NORMALISATION, scaled_normalisation) /* see gw_layer */
// clang-format on

#define GW_OPERATION(number, name) number,
typedef enum gw_operation { GW_OPERATIONS(GW_OPERATION) } gw_operation;
#undef GW_OPERATION

/// "GW_DENSE", ..., as C code writes it; NULL of a number that is none.
const char *gw_operation_name(gw_operation operation);

/// A question of a tree, or a leaf.
typedef struct gw_tree_node {
    int16_t feature;   ///< element of the source that is looked at; -1: a leaf
    int16_t threshold; ///< what is greater goes to the second child
    int32_t child;     ///< the first of two nodes that lie behind this one; of a leaf: its row of values
} gw_tree_node;

/// out[c] = round(sum over trees of values[leaf][c] * scales[0]).
typedef struct gw_forest {
    int32_t tree_count, node_count, leaf_count;
    const int32_t *roots; ///< [tree_count], nodes: rising from 0, each tree's nodes lie from its root to the next one
    const gw_tree_node *nodes;
    const int16_t *values; ///< [leaf_count][elements of the output]
} gw_forest;

/// out[o] = round((bias[o] + sum over v of coefficients[o][v] * k[v]) / 2^16 * multipliers[o]), with the kernel's values k in Q4.27.
///
/// degree 0    k[v] = exp(-|x - v|^2 * argument / 2^26): argument is of squared distances in source scale^2 / 2^fraction, and makes Q5.26;
///             what is beyond 32 counts as 32.
/// degree d    k[v] = ((x . v + added[v]) * argument / 2^30)^d: argument makes Q1.30, which no input may leave. Before the power the
///             largest of them is shifted to the left as far as it goes, and the sums are shifted back.
/// degree -1   k[v] = tanh((x . v + added[v]) * argument / 2^26): argument makes Q5.26.
///
/// Units     vectors: in source scale / 2^fraction, with the source's zero point taken off;
///           added: of degree 0, |v|^2 in source scale^2 / 2^fraction; otherwise what is added to x . v; within +-2^60;
///           coefficients: the magnitudes of a row add up to 2^33 at most; bias: in their unit / 2^27, within +-2^60.
/// Errors    exp and tanh within 2.5e-7 of themselves; the values' Q4.27 within 2^-28. 16 bits are too few for sums that nearly cancel out.
typedef struct gw_support_vectors {
    int32_t inputs, count, outputs; ///< elements of the source, vectors, elements of the output
    int32_t degree, fraction;       ///< fraction: 0 ... 15
    const int32_t *vectors;         ///< [count][inputs]
    const int64_t *added;           ///< [count]
    gw_multiplier argument;
    const int32_t *coefficients;      ///< [outputs][count]
    const int64_t *bias;              ///< [outputs]
    const gw_multiplier *multipliers; ///< [outputs]
} gw_support_vectors;

/// A layer. What an operation does not use is zero.
///
/// LSTM: every element of height x width is one step. `weights` and `recurrent` have the rows of the gates i, f, g, o one after
/// the other; biases are in `weights`; both give gates in Q3.12. The cell is int16 with `cell_fraction` fraction bits; `scales[0]`
/// is 2^-30 / output scale. int8: LiteRT's arithmetic; int16: that of tflite-micro, the only one that has it.
///
/// GRU: the same with the gates z, r, n; h = (1 - z) n + z h. `scales[0]` as above. The rows of n are for r h, or, with `reset_after`,
/// for h, and what they give with their bias in `recurrent` is multiplied by r.
///
/// MATRIX_PRODUCT: every row of the left source times every row of the right one, in matrices of the same number `height`:
/// out[h][l][r] = round(sum over c of (left[h][l][c] - zero point) * (right[h][r][c] - zero point) * scales[0]), rounded as TFLite's
/// BATCH_MATMUL: twice (int8), with a reduced multiplier (int16).
///
/// SCALED_NORMALISATION: int8. With NORMALISE's numbers n[c], rounded to steps of 1 / `scales[0]` (2^23 steps to one at most), of the
/// channels of every position: out[c] = round((n[c] * values[c] + bias[c]) * multipliers[c]), rounded once. `weights` have one input and
/// as many outputs as there are channels; their values are -1, 0 and 1, biases within +-2^30.
typedef struct gw_layer {
    gw_operation operation;
    int32_t source_count;
    int32_t sources[GW_SOURCES_MAX]; ///< 0: the network's input; n: the output of layer n - 1
    gw_tensor output;
    int32_t low, high; ///< limits of the output; a ReLU is low = zero point
    gw_weights weights, recurrent;
    gw_sliding window; ///< convolutions and pools
    /// ADD, SUBTRACT: of both sources after the shift to the left, of the result; NORMALISE: 1 / output scale (a half or more), and
    /// what is added to the variance / input scale^2 / 2^16; ROOT_MEAN_SQUARE: gain / output scale and the same;
    /// SCALED_NORMALISATION: steps to one, and the same; SCALED_SOFTMAX: of the logits, and gw_softmax_scaled's scale; others: [0].
    gw_multiplier scales[3];
    int32_t cell_fraction, cell_clip; ///< LSTM: 8 ... 15 bits; limit of the cell, 0 for none
    bool reset_after;                 ///< GRU
    int32_t axis, first;              ///< CONCATENATE: 0 height, 1 width, 2 channels; SLICE
    int32_t factor, shift;            ///< SIGMOID, TANH: round(input * factor / 2^shift) is the argument in 1/12288
    /// LOOKUP: int8 [GW_TABLE_NARROW] or int16 [GW_TABLE_WIDE], as the tensors are; GATHER: int32 [elements of the output]; CONSTANT:
    /// int8 or int16 [elements of the output].
    const void *table;
    gw_forest forest;
    gw_support_vectors support;
} gw_layer;

#endif
