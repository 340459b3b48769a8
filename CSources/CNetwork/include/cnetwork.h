// The fixed-point network: dense layers with TFLite's int8 arithmetic, soft-max in integers, arg-max.
//
// Integers only, no allocation: a network lives in memory that the caller sized with gw_network_size. Sums are int32 and
// wrap modulo 2^32 in every kernel, so each gives the same bits as the reference for any weights and inputs.
#ifndef GW_CNETWORK_H
#define GW_CNETWORK_H

#include "cfixed.h"
#include <stddef.h>

enum {
    GW_LAYERS_MAX = 16,
    GW_UNITS_MAX = 4096,   ///< inputs or outputs of a layer
    GW_CLASSES_MAX = 64,
    GW_SOFTMAX_ENTRIES = 256,
    GW_PROBABILITY_ONE = 1 << 15, ///< probabilities are Q0.15, limited to 32767
};

/// What follows a layer's requantised sums.
typedef enum gw_activation {
    GW_LINEAR = 0,
    GW_RELU = 1,    ///< limited below at the output's zero point
    GW_SIGMOID = 2, ///< a 256-entry table; its output has scale 1/256 and zero point -128
} gw_activation;

/// A dense layer: out[o] = activation(requantise(bias[o] + sum over i of (in[i] - input_zero_point) * weights[o][i]) + output_zero_point).
///
/// Units     weights: int8 -127...127, symmetric, one scale per output; bias: int32 in input scale x weight scale;
///           multipliers[o]: input scale x weight scale / output scale (output: before a sigmoid's table).
/// Source    TFLite's int8 quantisation specification, reference kernel of FULLY_CONNECTED.
typedef struct gw_dense {
    int32_t inputs, outputs;
    const int8_t *weights;             ///< [outputs][inputs]
    const int32_t *bias;               ///< [outputs]
    const gw_multiplier *multipliers;  ///< [outputs]
    int32_t input_zero_point, output_zero_point;
    gw_activation activation;
    gw_multiplier output_scale;        ///< of the sums after requantisation: the sigmoid's table needs it
} gw_dense;

/// How the last layer's int8 become probabilities.
typedef enum gw_output {
    GW_SOFTMAX = 0,     ///< of the outputs at the last layer's output_scale
    GW_INDEPENDENT = 1, ///< each output of a last sigmoid layer stands alone
} gw_output;

/// A whole network. Everything it points to is read by gw_network_init only.
typedef struct gw_network_spec {
    int32_t layer_count;
    const gw_dense *layers;
    gw_multiplier input_multiplier; ///< from Q3.12 g (or another int16 input) to the first layer's int8
    gw_output output;
} gw_network_spec;

/// A way to run dense layers on some CPU. All give the same bits.
typedef struct gw_kernel gw_kernel;

/// Kernel number `index`, from "reference" (0) to the fastest, or NULL past the last that this program has.
const gw_kernel *gw_kernel_at(int32_t index);

/// "reference", "avx2", "avx512-vnni", "neon" or "neon-dotprod".
const char *gw_kernel_name(const gw_kernel *kernel);

/// Whether this CPU can run it.
bool gw_kernel_available(const gw_kernel *kernel);

/// The fastest kernel that this CPU has.
const gw_kernel *gw_kernel_best(void);

typedef struct gw_network gw_network;

/// Bytes for a network under a kernel, weights packed and scratch included; 0 when the spec's counts are out of range.
size_t gw_network_size(const gw_network_spec *spec, const gw_kernel *kernel);

/// Checks the spec, packs the weights into `memory` and makes the tables.
///
/// Shapes    memory: 64-byte aligned, at least gw_network_size(spec, kernel) bytes; it may be moved only by calling this again.
/// Errors    GW_EINVAL when layers do not fit each other or a number is out of its range; GW_ENOMEM; `memory` is then undefined.
gw_status gw_network_init(void *memory, size_t size, const gw_network_spec *spec, const gw_kernel *kernel, gw_network **out);

int32_t gw_network_inputs(const gw_network *network);
int32_t gw_network_outputs(const gw_network *network);

/// int8 in, the last layer's int8 out (before soft-max).
///
/// Shapes    input[inputs], output[outputs].
/// Cost      inputs x outputs multiply-accumulates a layer; no allocation, no floating point.
void gw_network_infer(gw_network *network, const int8_t *input, int8_t *output);

/// int16 in (Q3.12 g for raw windows), probabilities out.
///
/// Units     input: the unit that input_multiplier takes; probabilities: Q0.15.
/// Shapes    input[inputs], probabilities[outputs].
/// Returns   the arg-max of the last layer's int8; the first of equal ones wins.
int32_t gw_network_classify(gw_network *network, const int16_t *input, int16_t *probabilities);

/// The last layer's int8 to what a TFLite network with a soft-max at its end gives: int8 with scale 1/256 and zero point -128.
/// The outputs of a last sigmoid layer are that already.
///
/// Shapes    logits[outputs], probabilities[outputs]; may be the same.
void gw_network_finish(const gw_network *network, const int8_t *logits, int8_t *probabilities);

/// The last layer's int8 of the latest gw_network_classify. Shapes: output[outputs].
void gw_network_outputs_copy(const gw_network *network, int8_t *output);

/// e to the power of every difference that two int8 logits can have: table[d] = exp(-d * scale).
///
/// Units     scale: of the logits; table: Q0.31.
/// Errors    GW_EINVAL when the scale is out of range.
/// Source    gemmlowp's exponential on Q5.26, as TFLite's reference kernel calls it.
gw_status gw_softmax_table(gw_multiplier scale, int32_t table[GW_SOFTMAX_ENTRIES]);

/// Soft-max of int8 logits.
///
/// Units     table: of the logits' scale; probabilities: Q0.15.
/// Shapes    logits[n], probabilities[n], 1 <= n <= GW_CLASSES_MAX.
/// Errors    GW_EINVAL when n is out of range.
/// Source    gemmlowp's fixed-point soft-max as TFLite's reference kernel has it (Q12.19 sum).
gw_status gw_softmax(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], int16_t *probabilities);

/// The same to TFLite's int8: scale 1/256, zero point -128.
gw_status gw_softmax_int8(const int8_t *logits, int32_t n, const int32_t table[GW_SOFTMAX_ENTRIES], int8_t *probabilities);

#endif
