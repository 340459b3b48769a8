#include "../kernel.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>

#if defined(__clang__)
#define DOTPROD __attribute__((target("dotprod")))
#else
#define DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

enum { ROWS = 16, GROUP = 4 };

// Four inputs (one lane of x) against four rows' four weights an instruction; sixteen rows share each load of x.
DOTPROD static inline void four_inputs(int32x4_t acc[4], const int8_t *w, int8x16_t x) {
    for (int32_t r = 0; r < 4; r++) { acc[r] = vdotq_s32(acc[r], vld1q_s8(w + r * 16), x); }
}

DOTPROD static void accumulate(const gw_packed *packed, const int8_t *input, int32_t *sums, bool backwards) {
    (void)backwards;
    const int8_t *w = packed->weights;
    for (int32_t b = 0; b < packed->blocks; b++) {
        int32x4_t acc[4];
        for (int32_t r = 0; r < 4; r++) { acc[r] = vld1q_s32(packed->bias + b * ROWS + r * 4); }
        for (int32_t g = 0; g < packed->groups; g++, w += ROWS * GROUP) {
            int8x16_t x = vreinterpretq_s8_s32(vld1q_dup_s32((const int32_t *)(const void *)(input + g * GROUP)));
            four_inputs(acc, w, x);
        }
        for (int32_t r = 0; r < 4; r++) { vst1q_s32(sums + b * ROWS + r * 4, acc[r]); }
    }
}

static bool available(void) { return (getauxval(AT_HWCAP) & (1UL << 20)) != 0; } // HWCAP_ASIMDDP

const gw_kernel gw_kernel_dotprod = {
    .name = "neon-dotprod", .rows = ROWS, .group = GROUP, .batch = 1, .folds = true, .input_offset = 0,
    .available = available, .accumulate = accumulate, .requantise = gw_requantise_neon, .quantise = gw_quantise_neon,
    .requantise_twice = gw_requantise_twice_neon, .gates = gw_gates_neon, .sigmoid = gw_sigmoid_neon, .tanh = gw_tanh_neon,
    .dots_narrow = gw_dots_narrow_neon, .dot_wide = gw_dot_wide_neon,
};
#endif
