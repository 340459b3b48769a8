// The fixed-point network: layers with TFLite's int8 and int16 arithmetic, soft-max in integers, arg-max.
//
// Integers only, no allocation: a network lives in memory that the caller sized with gw_network_memory. Sums of int8 layers are
// int32 and wrap modulo 2^32 in every kernel, so each gives the same bits as the reference for any weights and inputs.
#ifndef GW_CNETWORK_H
#define GW_CNETWORK_H

#include "gw_layer.h"
#include "gw_softmax.h"

/// How the last layer's integers become probabilities.
typedef enum gw_output {
    GW_SOFTMAX = 0,     ///< soft-max at the last layer's scale, which is part of the network
    GW_INDEPENDENT = 1, ///< each output is a probability already: scale 1/256 and zero point -128 (int8), 1/32768 (int16)
    GW_LOGITS = 2,      ///< the last layer's integers are what the network gives; classify takes their soft-max
} gw_output;

/// A whole network. Everything it points to is read by gw_network_init only.
typedef struct gw_network_spec {
    gw_tensor input;
    int32_t layer_count;
    const gw_layer *layers;
    gw_multiplier input_multiplier; ///< from Q3.12 g (or another int16 input) to the input tensor's integers
    gw_output output;
    gw_multiplier output_scale; ///< of the last layer's integers, for soft-max
    bool is_stateless;          ///< LSTM state starts anew with every inference
    /// Elements of the input that are gone with the next one, where windows move on: what lies behind them then comes first. Layers that
    /// slide over such windows compute what is new. An input that is something else is allowed, and computed whole. 0: none is expected.
    int32_t advance;
} gw_network_spec;

/// A way to run products on some CPU. All give the same bits.
typedef struct gw_kernel gw_kernel;

/// Kernel number `index`, from "reference" (0) to the fastest, or NULL past the last that this program has.
const gw_kernel *gw_kernel_at(int32_t index);

/// "reference", "avx2", "avx512-vnni", "neon", "neon-dotprod" or "neon-i8mm".
const char *gw_kernel_name(const gw_kernel *kernel);

/// Whether this CPU can run it.
bool gw_kernel_available(const gw_kernel *kernel);

/// The fastest kernel that this CPU has.
const gw_kernel *gw_kernel_best(void);

typedef struct gw_network gw_network;

/// What a network takes, in bytes.
typedef struct gw_memory {
    size_t weights; ///< packed weights, tables and the network's own description
    size_t state;   ///< LSTM state, kept from one inference to the next; the input, where windows move on
    size_t scratch; ///< the most that is in use at once during an inference; outputs that are kept for the next one
    size_t total;   ///< what gw_network_init takes: all of it
} gw_memory;

/// The most that one inference may take: a few seconds of the slowest boards. DeepConvLSTM and InceptionTime as published take 55 and 61
/// million.
enum { GW_WORK_MAX = 100000000 };

/// Whether the layers fit each other and all numbers are in their ranges, however much work it is.
bool gw_network_fits(const gw_network_spec *spec);

/// Multiply-accumulates of one inference; layers without any count the elements that they go through. `spec` may be too large to run, and
/// nothing else may be wrong with it.
int64_t gw_network_work(const gw_network_spec *spec);

/// Plans the memory of a network under a kernel: each tensor has a place as long as somebody still reads it.
///
/// Errors    GW_EINVAL when the layers do not fit each other, a number is out of its range or the work is more than GW_WORK_MAX.
GW_MUST_CHECK gw_status gw_network_memory(const gw_network_spec *spec, const gw_kernel *kernel, gw_memory *out);

/// Checks the spec, packs the weights into `memory` and makes the tables.
///
/// Shapes    memory: 64-byte aligned, at least the total that gw_network_memory says; it may be moved only by calling this again.
/// Errors    GW_EINVAL as gw_network_memory; GW_ENOMEM; `memory` is then undefined.
GW_MUST_CHECK gw_status gw_network_init(void *memory, size_t size, const gw_network_spec *spec, const gw_kernel *kernel, gw_network **out);

/// Elements of the input and of the last layer.
int32_t gw_network_inputs(const gw_network *network);
int32_t gw_network_outputs(const gw_network *network);

/// Whether what it saw before changes what it gives: it has recurrent layers whose state is kept.
bool gw_network_remembers(const gw_network *network);

/// Forgets what LSTM layers remember: hidden state at zero, cell at zero.
void gw_network_reset(gw_network *network);

/// Quantised integers in, the last layer's integers out (before soft-max).
///
/// Units     int8 tensors' values are widened to int16; an input outside int8 is limited.
/// Shapes    input[inputs], output[outputs].
void gw_network_infer(gw_network *network, const int16_t *input, int16_t *output);

/// int16 in (Q3.12 g for raw windows), probabilities out.
///
/// Units     input: the unit that input_multiplier takes; probabilities: Q0.15.
/// Shapes    input[inputs], probabilities[outputs].
/// Returns   the arg-max of the last layer's integers; the first of equal ones wins.
int32_t gw_network_classify(gw_network *network, const int16_t *input, int16_t *probabilities);

/// The last layer's integers to what the TFLite network gives at its end: after soft-max int8 with scale 1/256 and zero point
/// -128, or int16 with scale 1/32768; otherwise they are that already.
///
/// Shapes    last[outputs], finished[outputs]; may be the same.
void gw_network_apply_softmax(const gw_network *network, const int16_t *last, int16_t *finished);

/// Is shown the integers of every tensor as an inference makes them: 0 the input, n the output of layer n - 1. A later layer may
/// use the same memory.
typedef void (*gw_observer)(void *context, int32_t tensor, gw_type type, const void *values, int32_t count);

/// gw_network_infer under the eyes of `observer`.
void gw_network_observe(gw_network *network, const int16_t *input, gw_observer observer, void *context);

/// What the last layer read in the latest inference: an embedding of the input; valid until the next one.
///
/// Returns   *count integers of *type.
const void *gw_network_embedding(const gw_network *network, gw_type *type, int32_t *count);

/// The last layer's integers of the latest inference. Shapes: output[outputs].
void gw_network_outputs_copy(const gw_network *network, int16_t *output);

#endif
