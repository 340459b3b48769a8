// What a kernel for int8 products is given and must give; private to CNetwork.
#ifndef GW_KERNEL_H
#define GW_KERNEL_H

#include "cnetwork.h"

/// Weights as gw_product_place packed them. Outputs are padded to whole blocks of rows, inputs to whole groups; the blocks that a
/// kernel works on together lie together, so that it reads one stream:
/// weights[panel of blocks][group][block of the panel][row of the block][input of the group], zeros where there is no weight.
typedef struct gw_packed {
    int32_t inputs, outputs;
    int32_t groups, blocks;
    int32_t padded; // blocks * rows
    int32_t input_zero_point, output_zero_point;
    int32_t low, high;          // limits of the result
    bool only_right;            // no shift is to the left
    bool is_small;              // no sum leaves +-2^30, and shifts are 0 ... 20 bits to the right: rounding may be added before them
    bool always_shifts;         // every shift is one to the right at least
    bool always_shifts_twice;   // two at least
    bool is_reversed;           // alternates: the caches still hold the weights that the product before used last
    const int8_t *weights;      // 64-byte aligned
    const int32_t *bias;        // [blocks * rows]; with -zero_point * sum of the row's weights folded in where the kernel folds
    const int32_t *multipliers; // [blocks * rows]
    const int32_t *shifts;      // [blocks * rows]
} gw_packed;

/// Two int8 tensors of one shape, element by element, and the numbers of the layer that joins them.
typedef struct gw_pair {
    const int8_t *a, *b;
    int32_t zero_points[2], output_zero_point;
    int32_t low, high;       // limits of the result
    gw_multiplier scales[3]; // as gw_layer.scales
    bool subtracts;
} gw_pair;

// Rows of inputs that kernels work on together: most of them, and the one with the most registers.
enum { GW_TILE = 4, GW_TILE_MAX = 8 };

// Rows whose sums are made before all of them are scaled: at most so many, and more than a kernel's tile only while they lie in so many
// bytes.
enum { GW_BATCH_MAX = 32, GW_BATCH_BYTES = 8192 };

// Channels that depthwise kernels work on together, and bytes of their weights for one group of taps.
enum { GW_DEPTHWISE_CHANNELS = 16, GW_DEPTHWISE_BYTES = 64 };

// Planes of bytes in which tables of numbers below 2^24 lie.
enum { GW_PLANES = 3 };

typedef struct gw_wide gw_wide;

struct gw_kernel {
    const char *name;
    int32_t rows, group;  // block shape
    int32_t panel;        // blocks worked on together; the last panel has what is left
    int32_t tile;         // rows of inputs worked on together, at most GW_TILE_MAX
    bool folds;           // the zero point is in the bias
    bool sums_pairs;      // in 16 bits, which hold no two products of -128 and -128
    int32_t input_offset; // added to every input before the product (128: unsigned inputs), in the bias when it folds
    bool (*available)(void);
    /// sums[blocks * rows] = bias + weights . input; input[groups * group], of which those behind the last input may be anything.
    void (*accumulate)(const gw_packed *packed, const int8_t *input, int32_t *sums);
    /// The same of `tile` rows of inputs at once, so that each load of weights serves them all: sums[tile][blocks * rows]. What lies
    /// behind a row's inputs may be anything that can be read. NULL: one by one.
    void (*accumulate_tile)(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums);
    /// output[outputs] from the sums, rounded once: multiplier, zero point, limits.
    void (*requantise)(const gw_packed *packed, const int32_t *sums, int8_t *output);
    /// The same rounded twice. Behind the sums lie four bytes that can be read.
    void (*requantise_twice)(const gw_packed *packed, const int32_t *sums, int8_t *output);
    /// The same of several rows: sums[rows][blocks * rows of a block], output[rows][outputs]. NULL: one by one.
    void (*requantise_rows_twice)(const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output);
    /// gates[outputs] of an int8 LSTM: both parts rounded twice, the first limited to int16, and their sum.
    void (*gates)(const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates);
    /// sums[i][c] = bias[c] + the sum over `packed->inputs` taps of (inputs[tap][i * stride + c] - zero point) * weights[tap][c], for
    /// `count` positions and each of `packed->outputs` channels; a position's sums are `packed->padded`. Behind a position's channels lie
    /// bytes that can be read, up to a whole block. NULL: in plain C.
    void (*depthwise)(const gw_packed *packed, const int8_t *const *inputs, ptrdiff_t stride, int32_t count, int32_t *sums);
    /// Taps of one channel that lie together in its weights, GW_DEPTHWISE_BYTES of each block of channels at a time; the zero point is in
    /// the bias as `folds` and `input_offset` have it.
    int32_t depthwise_group;
    /// Puts weights[channels][taps] where it reads them.
    void (*pack_depthwise)(const gw_packed *packed, const int8_t *weights, int8_t *to);
    /// output[i] from the sum or difference, or the product, of a[i] and b[i]. Returns how many of `count` were made: from the first on, in
    /// whole vectors. NULL: none.
    int32_t (*add)(const gw_pair *pair, int32_t count, int8_t *output);
    int32_t (*multiply)(const gw_pair *pair, int32_t count, int8_t *output);
    /// output[i] = table[source[i] + 128], likewise.
    int32_t (*look_up)(const int8_t *table, const int8_t *source, int32_t count, int8_t *output);
    /// *sum += the entries source[i] + 128, likewise, of a table of numbers below 2^24: planes[p] has their bits 8 p and up.
    /// The sum must stay below 2^31.
    int32_t (*add_up)(const uint8_t planes[GW_PLANES][GW_TABLE_NARROW], const int8_t *source, int32_t count, int32_t *sum);
    /// output[i] = the gw_requantise_twice of a number that is not negative, by a shift of -31 ... 0, limited to 255, less 128;
    /// of whole vectors of 16. NULL: none.
    void (*shares)(const int32_t *values, int32_t count, gw_multiplier m, int8_t *output);
    /// values[i] to their gw_requantise_twice. Where a shift to the left takes a value beyond int32, it may be limited a little below that:
    /// no difference to what is limited to 16 bits behind it. By a shift of at most one, values of at most 2^30 stay within.
    void (*twice)(int32_t *values, int32_t count, gw_multiplier m);
    /// values[count] to their gw_sigmoid_q3_12 and gw_tanh_q15.
    void (*sigmoid)(int16_t *values, int32_t count);
    void (*tanh)(int16_t *values, int32_t count, int32_t integer_bits);
    /// output[i] = input[i] * m + zero_point, limited to int8: the network's input.
    void (*quantise)(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output);
    const gw_wide *wide; // for int16 inputs
};

extern const gw_kernel gw_kernel_reference;
void gw_twice_reference(int32_t *values, int32_t count, gw_multiplier m);
void gw_requantise_reference(const gw_packed *packed, const int32_t *sums, int8_t *output);
void gw_quantise_reference(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output);
/// From output `first` on: what is left behind a kernel's whole vectors.
void gw_requantise_twice_reference_from(int32_t first, const gw_packed *packed, const int32_t *sums, int8_t *output);
void gw_gates_reference_from(
    int32_t first, const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates);

/// Of one position; packed->weights[tap][channel], and the zero point is not in the bias.
void gw_depthwise_reference(const gw_packed *packed, const int8_t *const *inputs, int32_t *sums);

#if defined(__x86_64__)
void gw_depthwise_avx2(const gw_packed *packed, const int8_t *const *inputs, ptrdiff_t stride, int32_t count, int32_t *sums);
void gw_pack_depthwise_avx2(const gw_packed *packed, const int8_t *weights, int8_t *to);
void gw_depthwise_vnni(const gw_packed *packed, const int8_t *const *inputs, ptrdiff_t stride, int32_t count, int32_t *sums);
void gw_pack_depthwise_vnni(const gw_packed *packed, const int8_t *weights, int8_t *to);
extern const gw_kernel gw_kernel_avx2, gw_kernel_vnni;
int32_t gw_add_avx2(const gw_pair *pair, int32_t count, int8_t *output);
int32_t gw_multiply_avx2(const gw_pair *pair, int32_t count, int8_t *output);
void gw_values_twice_avx2(int32_t *values, int32_t count, gw_multiplier m);
void gw_shares_avx2(const int32_t *values, int32_t count, gw_multiplier m, int8_t *output);
int32_t gw_add_avx512(const gw_pair *pair, int32_t count, int8_t *output);
int32_t gw_multiply_avx512(const gw_pair *pair, int32_t count, int8_t *output);
void gw_values_twice_avx512(int32_t *values, int32_t count, gw_multiplier m);
void gw_shares_avx512(const int32_t *values, int32_t count, gw_multiplier m, int8_t *output);
int32_t gw_look_up_avx512(const int8_t *table, const int8_t *source, int32_t count, int8_t *output);
int32_t gw_add_up_avx512(const uint8_t planes[GW_PLANES][GW_TABLE_NARROW], const int8_t *source, int32_t count, int32_t *sum);
void gw_requantise_twice_avx2(const gw_packed *packed, const int32_t *sums, int8_t *output);
void gw_requantise_rows_twice_avx2(const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output);
void gw_gates_avx2(const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates);
void gw_sigmoid_avx2(int16_t *values, int32_t count);
void gw_tanh_avx2(int16_t *values, int32_t count, int32_t integer_bits);
void gw_sigmoid_avx512(int16_t *values, int32_t count);
void gw_tanh_avx512(int16_t *values, int32_t count, int32_t integer_bits);
#endif

// 32-bit ARM: gcc can switch NEON on for one file, clang has it only where the whole target does.
#if defined(__aarch64__) || (defined(__arm__) && (defined(__ARM_NEON) || !defined(__clang__)))
#define GW_HAVE_NEON 1
extern const gw_kernel gw_kernel_neon;
void gw_requantise_neon(const gw_packed *packed, const int32_t *sums, int8_t *output);
void gw_quantise_neon(const int16_t *input, int32_t count, gw_multiplier m, int32_t zero_point, int8_t *output);
void gw_requantise_twice_neon(const gw_packed *packed, const int32_t *sums, int8_t *output);
void gw_requantise_rows_twice_neon(const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output);
void gw_depthwise_neon(const gw_packed *packed, const int8_t *const *inputs, ptrdiff_t stride, int32_t count, int32_t *sums);
void gw_pack_depthwise_neon(const gw_packed *packed, const int8_t *weights, int8_t *to);
int32_t gw_add_neon(const gw_pair *pair, int32_t count, int8_t *output);
int32_t gw_multiply_neon(const gw_pair *pair, int32_t count, int8_t *output);
void gw_values_twice_neon(int32_t *values, int32_t count, gw_multiplier m);
void gw_gates_neon(const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates);
void gw_sigmoid_neon(int16_t *values, int32_t count);
void gw_tanh_neon(int16_t *values, int32_t count, int32_t integer_bits);

/// What the NEON kernels have in common, to initialise them with.
#define GW_NEON_SHARED                                                                                                                     \
    .panel = 1, .tile = GW_TILE, .folds = true, .input_offset = 0, .requantise = gw_requantise_neon, .quantise = gw_quantise_neon,         \
    .requantise_twice = gw_requantise_twice_neon, .requantise_rows_twice = gw_requantise_rows_twice_neon, .depthwise = gw_depthwise_neon,  \
    .depthwise_group = GW_DEPTHWISE_BYTES / GW_DEPTHWISE_CHANNELS, .pack_depthwise = gw_pack_depthwise_neon, .add = gw_add_neon,           \
    .multiply = gw_multiply_neon, .twice = gw_values_twice_neon, .gates = gw_gates_neon, .sigmoid = gw_sigmoid_neon, .tanh = gw_tanh_neon
#endif

#if defined(__aarch64__)
int32_t gw_look_up_neon(const int8_t *table, const int8_t *source, int32_t count, int8_t *output);
extern const gw_kernel gw_kernel_dotprod, gw_kernel_i8mm;
#endif

#endif
