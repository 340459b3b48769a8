#include "../kernel.h"

#if GW_HAVE_NEON
#if defined(__arm__) && !defined(__clang__)
#pragma GCC target("fpu=neon")
#endif
#include "neon_rounding.h"

#define TARGET
#define VECTOR int16x8_t
#define LANES 8
#define vset(n) vdupq_n_s16(n)
#define vload(p) vld1q_s16(p)
#define vstore(p, v) vst1q_s16(p, v)
#define vadd vaddq_s16
#define vsub vsubq_s16
#define vadd_limited vqaddq_s16
#define vsub_limited vqsubq_s16
#define vmin vminq_s16
#define vand vandq_s16
#define vequal(a, b) vreinterpretq_s16_u16(vceqq_s16(a, b))
#define vgreater(a, b) vreinterpretq_s16_u16(vcgtq_s16(a, b))
#define vproduct vqrdmulhq_s16
#define vleft(v, bits) vshlq_s16(v, vdupq_n_s16((int16_t)(bits)))
#define vright(v, bits) vshlq_s16(v, vdupq_n_s16((int16_t)-(bits)))
#define vmiddle vrhaddq_s16
#define vselect(mask, a, b) vbslq_s16(vreinterpretq_u16_s16(mask), a, b)
#include "../curves.h"

void gw_sigmoid_neon(int16_t *values, int32_t count) { sigmoid(values, count); }

void gw_tanh_neon(int16_t *values, int32_t count, int32_t integer_bits) { tanh_of_all(values, count, integer_bits); }

static inline int32x4_t scaled(const gw_packed *packed, const int32_t *sums, int32_t o) {
    return gw_twice_neon(vld1q_s32(sums + o), vld1q_s32(packed->multipliers + o), vld1q_s32(packed->shifts + o));
}

void gw_gates_neon(const gw_packed *input, const int32_t *sums, const gw_packed *hidden, const int32_t *recurrent, int16_t *gates) {
    int32_t o = 0;
    for (; o + 4 <= input->outputs; o += 4) {
        int32x4_t from_input = vmovl_s16(vqmovn_s32(scaled(input, sums, o)));
        vst1_s16(gates + o, vqmovn_s32(vqaddq_s32(from_input, scaled(hidden, recurrent, o))));
    }
    gw_gates_reference_from(o, input, sums, hidden, recurrent, gates);
}

void gw_requantise_twice_neon(const gw_packed *packed, const int32_t *sums, int8_t *output) {
    const int16x8_t point = vset((int16_t)packed->output_zero_point), low = vset((int16_t)packed->low), high = vset((int16_t)packed->high);
    // A byte of the output could be any of the struct's, for all that the compiler knows.
    const int32_t *multipliers = packed->multipliers, *shifts = packed->shifts, outputs = packed->outputs;
    int32_t o = 0;
    if (packed->only_right) {
        for (; o + 8 <= outputs; o += 8) {
            int32x4_t a = gw_twice_right_neon(vld1q_s32(sums + o), vld1q_s32(multipliers + o), vld1q_s32(shifts + o));
            int32x4_t b = gw_twice_right_neon(vld1q_s32(sums + o + 4), vld1q_s32(multipliers + o + 4), vld1q_s32(shifts + o + 4));
            vst1_s8(output + o, gw_finished_neon(a, b, point, low, high));
        }
    } else {
        for (; o + 8 <= outputs; o += 8) {
            int32x4_t a = gw_twice_neon(vld1q_s32(sums + o), vld1q_s32(multipliers + o), vld1q_s32(shifts + o));
            int32x4_t b = gw_twice_neon(vld1q_s32(sums + o + 4), vld1q_s32(multipliers + o + 4), vld1q_s32(shifts + o + 4));
            vst1_s8(output + o, gw_finished_neon(a, b, point, low, high));
        }
    }
    if (o < outputs) { gw_requantise_twice_reference_from(o, packed, sums, output); }
}

// Rows whose shifts are to the right, eight outputs at a time. What is negative is rounded away from zero, unless limits above the zero
// point hide it (`corrects`). `limits`: int8's own do not do.
__attribute__((always_inline)) static inline void round_rows(
    const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output, const bool corrects, const bool limits) {
    const int32_t padded = packed->padded, outputs = packed->outputs, *multipliers = packed->multipliers, *shifts = packed->shifts;
    const int16x8_t point = vset((int16_t)packed->output_zero_point), low = vset((int16_t)packed->low), high = vset((int16_t)packed->high);
    for (int32_t o = 0; o < outputs; o += 8) {
        const int32x4_t m0 = vld1q_s32(multipliers + o), m1 = vld1q_s32(multipliers + o + 4);
        const int32x4_t s0 = vld1q_s32(shifts + o), s1 = vld1q_s32(shifts + o + 4);
        const int32_t *from = sums + o;
        int8_t *to = output + o;
        for (int32_t i = 0; i < rows; i++, from += padded, to += outputs) {
            const int32x4_t v0 = vld1q_s32(from), v1 = vld1q_s32(from + 4);
            const int32x4_t a = corrects ? gw_twice_right_neon(v0, m0, s0) : vrshlq_s32(vqrdmulhq_s32(v0, m0), s0);
            const int32x4_t b = corrects ? gw_twice_right_neon(v1, m1, s1) : vrshlq_s32(vqrdmulhq_s32(v1, m1), s1);
            const int16x8_t both = vqaddq_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b)), point);
            vst1_s8(to, vqmovn_s16(limits ? vminq_s16(vmaxq_s16(both, low), high) : both));
        }
    }
}

void gw_requantise_rows_twice_neon(const gw_packed *packed, const int32_t *sums, int32_t rows, int8_t *output) {
    if (!packed->only_right || packed->outputs % 8 != 0) {
        for (int32_t i = 0; i < rows; i++) { gw_requantise_twice_neon(packed, sums + i * packed->padded, output + i * packed->outputs); }
    } else if (packed->low < packed->output_zero_point) {
        round_rows(packed, sums, rows, output, true, true);
    } else if (packed->low > INT8_MIN || packed->high < INT8_MAX) {
        round_rows(packed, sums, rows, output, false, true);
    } else {
        round_rows(packed, sums, rows, output, false, false);
    }
}
#endif
