// CNetwork: rows of sums that are rounded twice, with every kernel that has rows of its own, against the reference one by one.
#include "check.h"

#include "../../CSources/CNetwork/kernels/kernel.h"
#include <string.h>

enum { CASES = 20000, MOST_ROWS = 33, MOST_OUTPUTS = 64 };

static int32_t multipliers[MOST_OUTPUTS], shifts[MOST_OUTPUTS], sums[MOST_ROWS * MOST_OUTPUTS + 1];

// Shifts of 0 ... 20 bits to the right, or of one at least; limits as a ReLU has them, or any.
static gw_packed random_packed(int32_t *rows) {
    const int32_t outputs = random_between(1, MOST_OUTPUTS), padded = (outputs + 15) / 16 * 16, least = random_between(0, 1);
    const int32_t point = random_between(-128, 127), low = random_between(0, 1) ? point : random_between(-128, 127);
    const int32_t most = random_between(least, 20);
    *rows = random_between(1, MOST_ROWS);
    gw_packed packed = {.outputs = outputs,
        .padded = padded,
        .output_zero_point = point,
        .low = low,
        .high = random_between(low, 127),
        .only_right = true,
        .always_shifts = true,
        .is_small = true,
        .multipliers = multipliers,
        .shifts = shifts};
    memset(multipliers, 0, sizeof multipliers), memset(shifts, 0, sizeof shifts);
    for (int32_t o = 0; o < outputs; o++) {
        multipliers[o] = (int32_t)((1u << 30) + random_bits() % (1u << 30));
        shifts[o] = -random_between(least, most);
        packed.always_shifts = packed.always_shifts && shifts[o] < 0;
    }
    const int32_t size = 1 << random_between(0, 29);
    for (int32_t i = 0; i < *rows * padded; i++) {
        // Every fourth near a half of what is shifted out.
        const int32_t half = 1 << (shifts[i % padded] < 0 ? -shifts[i % padded] : 0);
        sums[i] = random_between(0, 3) ? random_between(-size, size) : random_between(-500, 500) * half;
    }
    return packed;
}

int main(void) {
    static int8_t expected[MOST_ROWS * MOST_OUTPUTS], got[MOST_ROWS * MOST_OUTPUTS];
    const gw_kernel *kernel, *reference = gw_kernel_at(0);
    for (int32_t number = 0; number < CASES; number++) {
        int32_t rows;
        const gw_packed packed = random_packed(&rows);
        for (int32_t r = 0; r < rows; r++) {
            reference->requantise_twice(&packed, sums + r * packed.padded, expected + r * packed.outputs);
        }
        for (int32_t k = 1; (kernel = gw_kernel_at(k)); k++) {
            if (!gw_kernel_available(kernel) || !kernel->requantise_rows_twice) { continue; }
            memset(got, 0, sizeof got);
            kernel->requantise_rows_twice(&packed, sums, rows, got);
            const bool is_equal = memcmp(got, expected, (size_t)(rows * packed.outputs)) == 0;
            CHECK(is_equal, "%s: case %d of %d outputs and %d rows differs", kernel->name, (int)number, (int)packed.outputs, (int)rows);
        }
    }
    return finish("rounding");
}
