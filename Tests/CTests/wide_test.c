// CNetwork: what kernels make of int16 element by element, of short products and of depthwise convolutions, against plain sums.
#include "check.h"

#include "../../CSources/CNetwork/layers/product.h"
#include "../../CSources/CNetwork/layers/softmax.h"
#include <string.h>

enum { CASES = 4000, MOST = 77 };

static gw_multiplier random_multiplier(int32_t least, int32_t most) {
    return (gw_multiplier){(int32_t)((1u << 30) + random_bits() % (1u << 30)), random_between(least, most)};
}

// All numbers, or nothing but the largest.
static void fill(int16_t *values, int32_t count, bool largest) {
    for (int32_t i = 0; i < count; i++) { values[i] = largest ? (random_bits() % 2 ? INT16_MIN : INT16_MAX) : (int16_t)random_bits(); }
}

static int16_t limited(int64_t value, int32_t low, int32_t high) { return (int16_t)(value < low ? low : value > high ? high : value); }

static void elements(const gw_kernel *kernel) {
    for (int32_t number = 0; number < CASES; number++) {
        const int32_t count = random_between(1, MOST), low = random_between(INT16_MIN, INT16_MAX), high = random_between(low, INT16_MAX);
        const bool subtracts = random_bits() % 2;
        const gw_multiplier m = random_multiplier(-31, 30);
        const gw_multiplier scales[3] = {random_multiplier(-31, 1), random_multiplier(-31, 1), random_multiplier(-31, 30)};
        int16_t a[MOST], b[MOST], got[MOST];
        fill(a, count, number % 5 == 0), fill(b, count, number % 5 == 0);
        kernel->wide->rescale_wide(a, count, m, low, high, got);
        for (int32_t i = 0; i < count; i++) {
            const int16_t wanted = limited(gw_requantise_twice(a[i], m), low, high);
            CHECK(got[i] == wanted, "%s: %d * %d, %d: %d, not %d", kernel->name, a[i], m.multiplier, m.shift, got[i], wanted);
        }
        kernel->wide->add_wide(a, b, count, scales, subtracts, low, high, got);
        for (int32_t i = 0; i < count; i++) {
            const int64_t x = gw_requantise_twice(a[i] * (1 << 15), scales[0]), y = gw_requantise_twice(b[i] * (1 << 15), scales[1]);
            const int16_t wanted = limited(gw_requantise_twice(gw_saturate32(subtracts ? x - y : x + y), scales[2]), low, high);
            CHECK(got[i] == wanted, "%s: %d and %d: %d, not %d", kernel->name, a[i], b[i], got[i], wanted);
        }
    }
}

// Rows and weights as large as their bound allows, and any below.
static void short_products(const gw_kernel *kernel) {
    enum { INPUTS = 70, OUTPUTS = 70 };
    static _Alignas(64) int16_t packed_weights[1 << 14];
    if (!kernel->wide->product_short) { return; }
    for (int32_t number = 0; number < CASES; number++) {
        const int32_t inputs = random_between(1, INPUTS), outputs = random_between(1, OUTPUTS), size = 1 << random_between(1, 15);
        const int32_t low = number % 3 ? INT16_MIN : random_between(INT16_MIN, INT16_MAX), high = random_between(low, INT16_MAX);
        gw_packed packed = {.inputs = inputs, .outputs = outputs, .low = low, .high = high, .only_right = true};
        const gw_multiplier m = random_multiplier(-31, -2);
        static int16_t weights[INPUTS * OUTPUTS], row[INPUTS + 1], got[OUTPUTS];
        int64_t magnitude = 0;
        for (int32_t i = 0; i < inputs; i++) {
            row[i] = (int16_t)(number % 7 == 0 ? INT16_MIN : random_between(-size, size - 1));
            magnitude += row[i] < 0 ? -row[i] : row[i];
        }
        CHECK(kernel->wide->magnitude(row, inputs) == magnitude, "%s: the magnitude of %d", kernel->name, inputs);
        const int32_t room = magnitude > 0 ? (int32_t)(INT32_MAX / magnitude) : INT32_MAX, largest = room < INT16_MAX ? room : INT16_MAX;
        for (int32_t i = 0; i < inputs * outputs; i++) {
            weights[i] = (int16_t)(number % 2 ? (random_bits() % 2 ? largest : -largest) : random_between(-largest, largest));
        }
        memset(packed_weights, 0, gw_product_extents_wide(GW_INT16, kernel, &packed));
        gw_product_pack_wide(weights, GW_INT16, kernel, &packed, packed_weights);
        kernel->wide->product_short(&packed, packed_weights, row, m, got);
        for (int32_t o = 0; o < outputs; o++) {
            int64_t sum = 0;
            for (int32_t i = 0; i < inputs; i++) { sum += row[i] * weights[o * inputs + i]; }
            const int16_t wanted = limited(gw_requantise_reduced(sum, m), low, high);
            CHECK(got[o] == wanted, "%s: %lld * %d, %d: %d, not %d", kernel->name, (long long)sum, m.multiplier, m.shift, got[o], wanted);
        }
    }
}

// Sums as large as int32 allows, and any below; the kernel's offset is in the bias.
static void narrow_products(const gw_kernel *kernel) {
    enum { OUTPUTS = 70 };
    static _Alignas(64) uint8_t memory[1 << 20];
    static int8_t values[GW_NARROW_MOST * OUTPUTS];
    static int64_t bias[OUTPUTS];
    static gw_multiplier multipliers[OUTPUTS];
    static int16_t row[GW_NARROW_MOST + 32], got[OUTPUTS];
    static int64_t sums[OUTPUTS + 64];
    if (!kernel->wide->product_narrow) { return; }
    for (int32_t number = 0; number < CASES / 4; number++) {
        const int32_t inputs = random_between(1, GW_NARROW_MOST), outputs = random_between(1, OUTPUTS);
        const int32_t low = random_between(INT16_MIN, INT16_MAX), high = random_between(low, INT16_MAX);
        const gw_rounding rounding = random_bits() % 2 ? GW_ROUND_ONCE : GW_ROUND_REDUCED;
        fill(row, inputs, number % 5 == 0);
        for (int32_t o = 0; o < outputs; o++) {
            int64_t left = INT32_MAX;
            for (int32_t i = 0; i < inputs; i++) {
                int8_t *value = &values[o * inputs + i];
                *value = (int8_t)(number % 3 ? random_between(-127, 127) : 127);
                left -= INT64_C(32768) * (*value < 0 ? -*value : *value);
            }
            bias[o] = number % 2 ? left : random_between((int32_t)-left, (int32_t)left);
            multipliers[o] = random_multiplier(-31, 0);
        }
        const gw_weights weights = {GW_INT8, inputs, outputs, values, bias, multipliers, rounding};
        const gw_ends ends = {{GW_INT16, 1, 1, inputs, 0}, {GW_INT16, 1, 1, outputs, 0}, low, high};
        gw_arena arena = {memory, 0};
        gw_product product;
        gw_product_place(&weights, &ends, kernel, &arena, &product);
        CHECK(product.is_short && arena.used <= sizeof memory, "%s: %d inputs", kernel->name, inputs);
        const int8_t *rows = (const int8_t *)row;
        gw_product_run_rows(&product, &rows, 1, sums, got);
        for (int32_t o = 0; o < outputs; o++) {
            const gw_multiplier m = multipliers[o];
            int64_t sum = bias[o];
            for (int32_t i = 0; i < inputs; i++) { sum += row[i] * values[o * inputs + i]; }
            const int16_t wanted =
                limited(rounding == GW_ROUND_ONCE ? gw_requantise_wide(sum, m) : gw_requantise_reduced(sum, m), low, high);
            CHECK(got[o] == wanted, "%s: %lld * %d, %d: %d, not %d", kernel->name, (long long)sum, m.multiplier, m.shift, got[o], wanted);
        }
    }
}

static void depthwise(const gw_kernel *kernel) {
    enum { TAPS = 9, CHANNELS = 40, PADDED = 48, POSITIONS = 6 };
    static int16_t weights[TAPS * PADDED], inputs[TAPS][POSITIONS * CHANNELS + GW_DEPTHWISE_CHANNELS], got[POSITIONS * CHANNELS];
    static int32_t bias[PADDED], multipliers[PADDED], shifts[PADDED];
    if (!kernel->wide->depthwise_wide) { return; }
    for (int32_t number = 0; number < CASES; number++) {
        const int32_t taps = random_between(1, TAPS), channels = random_between(1, CHANNELS), count = random_between(1, POSITIONS);
        const int32_t padded = (channels + GW_DEPTHWISE_CHANNELS - 1) / GW_DEPTHWISE_CHANNELS * GW_DEPTHWISE_CHANNELS;
        const int32_t low = random_between(INT16_MIN, INT16_MAX), high = random_between(low, INT16_MAX), reach = 65535 / taps;
        const gw_rounding rounding = random_bits() % 2 ? GW_ROUND_ONCE : GW_ROUND_REDUCED;
        const int16_t *pointers[TAPS];
        for (int32_t t = 0; t < taps; t++) {
            fill(inputs[t], POSITIONS * CHANNELS, number % 5 == 0);
            pointers[t] = inputs[t];
        }
        memset(weights, 0, sizeof weights), memset(multipliers, 0, sizeof multipliers), memset(shifts, 0, sizeof shifts);
        for (int32_t c = 0; c < channels; c++) {
            int64_t left = INT32_MAX;
            for (int32_t t = 0; t < taps; t++) {
                const int32_t most = reach < INT16_MAX ? reach : INT16_MAX, weight = number % 3 ? random_between(-most, most) : most;
                weights[t * padded + c] = (int16_t)weight;
                left -= INT64_C(32768) * (weight < 0 ? -weight : weight);
            }
            bias[c] = random_between((int32_t)-left, (int32_t)left);
            multipliers[c] = random_multiplier(0, 0).multiplier, shifts[c] = random_between(-31, 0);
        }
        const gw_packed packed = {.inputs = taps,
            .outputs = channels,
            .padded = padded,
            .low = low,
            .high = high,
            .weights = (const int8_t *)weights,
            .bias = bias,
            .multipliers = multipliers,
            .shifts = shifts};
        kernel->wide->depthwise_wide(&packed, pointers, channels, count, rounding, got);
        for (int32_t i = 0; i < count * channels; i++) {
            const int32_t c = i % channels;
            const gw_multiplier m = {multipliers[c], shifts[c]};
            int64_t sum = bias[c];
            for (int32_t t = 0; t < taps; t++) { sum += inputs[t][i] * weights[t * padded + c]; }
            const int16_t wanted =
                limited(rounding == GW_ROUND_ONCE ? gw_requantise_wide(sum, m) : gw_requantise_reduced(sum, m), low, high);
            CHECK(got[i] == wanted, "%s: %lld * %d, %d: %d, not %d", kernel->name, (long long)sum, m.multiplier, m.shift, got[i], wanted);
        }
    }
}

// Rows of int8, of all sizes and scales, by the kernel's vectors and plainly.
static void softmax_rows(const gw_kernel *kernel) {
    static int8_t logits[GW_SOFTMAX_MAX], got[GW_SOFTMAX_MAX], wanted[GW_SOFTMAX_MAX];
    static gw_softmax_tables tables;
    for (int32_t number = 0; number < CASES; number++) {
        const int32_t n = random_between(1, number % 10 ? 200 : GW_SOFTMAX_MAX), low = random_between(-128, 127);
        const int32_t high = random_between(low, 127);
        const bool is_scaled = number % 2;
        const gw_multiplier output = is_scaled ? random_multiplier(-10, GW_SOFTMAX_FINEST) : (gw_multiplier){0, 0};
        const int8_t zero_point = (int8_t)(is_scaled ? random_between(-128, 127) : INT8_MIN);
        gw_softmax_tables_init(random_multiplier(-26, 8), output, zero_point, &tables);
        for (int32_t i = 0; i < n; i++) { logits[i] = (int8_t)random_between(low, high); }
        const gw_status status = is_scaled ? gw_softmax_scaled(logits, n, tables.exponentials, output, zero_point, wanted)
                                           : gw_softmax_int8(logits, n, tables.exponentials, wanted);
        CHECK(status == GW_OK, "%d", n);
        gw_softmax_int8_by(kernel, logits, n, &tables, got);
        CHECK(memcmp(got, wanted, (size_t)n) == 0, "%s: a soft-max of %d from %d to %d", kernel->name, n, low, high);
    }
}

// Tables of int8 and their sums, of all lengths, in place as well.
static void tables(const gw_kernel *kernel) {
    enum { MOST = 300 };
    for (int32_t number = 0; number < CASES; number++) {
        int8_t table[GW_TABLE_NARROW], source[MOST], got[MOST];
        uint8_t planes[GW_PLANES][GW_TABLE_NARROW];
        const int32_t n = random_between(0, MOST);
        for (int32_t i = 0; i < GW_TABLE_NARROW; i++) {
            table[i] = (int8_t)random_between(-128, 127);
            for (int32_t p = 0; p < GW_PLANES; p++) { planes[p][i] = (uint8_t)random_between(0, p < 2 ? 255 : 63); }
        }
        for (int32_t i = 0; i < n; i++) { source[i] = (int8_t)random_between(-128, 127); }
        const int32_t before = random_between(-1000, 1000);
        int32_t sum = before, wanted = before;
        const int32_t added = kernel->add_up ? kernel->add_up((const uint8_t (*)[GW_TABLE_NARROW])planes, source, n, &sum) : 0;
        CHECK(added >= 0 && added <= n, "%s: %d of %d added", kernel->name, added, n);
        for (int32_t i = 0; i < added; i++) {
            const int32_t at = source[i] + 128;
            wanted += planes[0][at] | planes[1][at] << 8 | planes[2][at] << 16;
        }
        CHECK(sum == wanted, "%s: the sum of %d entries is %d, not %d", kernel->name, n, sum, wanted);
        memcpy(got, source, sizeof got);
        const int32_t done = kernel->look_up ? kernel->look_up(table, got, n, got) : 0;
        CHECK(done >= 0 && done <= n, "%s: %d of %d looked up", kernel->name, done, n);
        for (int32_t i = 0; i < n; i++) {
            const int8_t entry = i < done ? table[source[i] + 128] : source[i];
            CHECK(got[i] == entry, "%s: %d instead of %d for %d", kernel->name, got[i], entry, source[i]);
        }
    }
}

int main(void) {
    const gw_kernel *kernel;
    for (int32_t i = 0; (kernel = gw_kernel_at(i)); i++) {
        if (!gw_kernel_available(kernel)) { continue; } // network_test names it
        elements(kernel);
        short_products(kernel);
        narrow_products(kernel);
        depthwise(kernel);
        softmax_rows(kernel);
        tables(kernel);
    }
    return finish("wide");
}
