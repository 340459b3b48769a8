// Weights times a row of inputs: what dense layers, convolutions and LSTM gates have in common. Private to CNetwork.
#ifndef GW_PRODUCT_H
#define GW_PRODUCT_H

#include "../graph/arena.h"
#include "../kernels/wide.h"

typedef struct gw_product {
    gw_type input_type;
    gw_rounding rounding;
    gw_packed packed;         // beside int16 inputs: weights are not used, the bias where it is short
    const gw_kernel *kernel;  // int8 inputs
    gw_type weight_type;      // int16 inputs
    const void *wide_weights; // in the kernel's blocks of wide_rows
    const int64_t *wide_bias; // [padded]
    bool is_short;            // rows go through the kernel's product_narrow: packed.bias is there
} gw_product;

/// What goes in and comes out of a product.
typedef struct gw_ends {
    gw_tensor input, output;
    int32_t low, high;
} gw_ends;

static inline size_t gw_size_of(gw_type type) { return type == GW_INT8 ? 1 : 2; }

/// How many parts of a size something has, the last one perhaps smaller.
static inline int32_t gw_pieces(int32_t count, int32_t size) { return (count + size - 1) / size; }

/// Whether the weights are in range and can follow such an input.
bool gw_weights_valid(const gw_weights *weights, gw_type input);

/// What the sum of output `o` of int8 weights cannot exceed either way, with this bias, for any inputs as kernels take them.
int64_t gw_largest_sum(const gw_weights *weights, int32_t o, int64_t bias);

/// The bias of output `o` of int8 weights as the kernel adds it: with what its inputs' zero point and offset make of the weights.
int32_t gw_folded_bias(const gw_weights *weights, const gw_kernel *kernel, int32_t zero_point, int32_t o);

/// What gw_packed.is_small says, of int8 weights and the biases that kernels add, for any inputs as kernels take them.
bool gw_packed_is_small(const gw_weights *weights, const int32_t *bias);

/// Whether no sum of int16 inputs leaves int32, no shift is to the left, and the rounding is not GW_ROUND_TWICE.
bool gw_weights_are_short(const gw_weights *weights);

/// Packs the weights into the arena; with no memory there it only counts. The input's rows must lie 64-byte aligned, with
/// gw_product_row bytes that can be read.
void gw_product_place(const gw_weights *weights, const gw_ends *ends, const gw_kernel *kernel, gw_arena *arena, gw_product *product);

/// Bytes of a row of sums, and of a row of inputs.
size_t gw_product_sums(const gw_product *product);
size_t gw_product_row(const gw_product *product);

/// One output's int64 sum, scaled and rounded, without zero point and limits.
int32_t gw_product_scaled(const gw_product *product, const int64_t *sums, int32_t output);

/// Rows of so many bytes whose sums are made before all of them are scaled: whole tiles.
static inline int32_t gw_batch(size_t bytes, int32_t tile) {
    const int32_t most = GW_BATCH_BYTES / bytes < GW_BATCH_MAX ? (int32_t)(GW_BATCH_BYTES / bytes) : GW_BATCH_MAX;
    return most < tile ? tile : most / tile * tile;
}

/// How many rows gw_product_run_rows takes at most, 1 ... GW_BATCH_MAX: those of int16 go one by one.
int32_t gw_product_batch(const gw_product *product);

/// Takes memory for `count` factors where kernels read them, zeros behind those of the outputs; and what gw_packed says of their shifts.
void gw_packed_place_factors(gw_packed *packed, const gw_weights *weights, int32_t count, gw_arena *arena);

/// Puts weights[outputs][inputs] where the kernel reads them; what lies behind the last output and input must be zero there.
void gw_product_pack(const int8_t *weights, const gw_kernel *kernel, const gw_packed *packed, int8_t *to);

/// Groups, blocks and padded outputs of a product of int16 inputs, from its inputs and outputs. Returns the bytes of its packed weights.
size_t gw_product_extents_wide(gw_type weights, const gw_kernel *kernel, gw_packed *packed);

/// weights[outputs][inputs] as kernels read them beside int16 inputs. Where there is none, `to` keeps what it has: zeros.
void gw_product_pack_wide(const void *weights, gw_type type, const gw_kernel *kernel, const gw_packed *packed, void *to);

/// A row's int64 sums to int16 outputs, within the limits.
void gw_product_finish_wide(const gw_product *product, const int64_t *sums, int16_t *output);

/// One row of int16 to its outputs, within the limits; `sums` has room for gw_product_sums.
void gw_product_run_wide(const gw_product *product, const int16_t *row, int64_t *sums, int16_t *output);

/// `count` rows of int8 (1 ... the kernel's tile) to their sums[count][packed.padded].
void gw_product_accumulate_rows(const gw_product *product, const int8_t *const *rows, int32_t count, int32_t *sums);

/// int8 outputs [count][outputs] of their rows' int32 sums.
void gw_product_requantise_rows(const gw_product *product, const int32_t *sums, int32_t count, int8_t *output);

/// `count` rows (1 ... gw_product_batch), of int8 or int16, to their outputs, which lie one after the other. Behind each row lie bytes that
/// can be read, up to a whole group; `sums` has room for gw_product_sums of each row of a batch.
void gw_product_run_rows(gw_product *product, const int8_t *const *rows, int32_t count, void *sums, void *output);

#endif
