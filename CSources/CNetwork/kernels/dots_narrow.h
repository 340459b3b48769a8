// The outer loop of a kernel's dots_narrow. A kernel defines, before it includes this: TARGET (an attribute or nothing), VECTOR, LANES,
// vload(p), and
//   one(row, weights, inputs)             an output's sum
//   four(row, last, w, inputs, sums)      adds those of four outputs, which read each input once. Behind the last whole vector of inputs
//                                         comes `last`, zeros after the row's end: what follows an output's weights there does not count.

#include <string.h>

TARGET static inline void dots_narrow(const int16_t *row, const int8_t *weights, int32_t inputs, int32_t outputs, int64_t *sums) {
    enum { ROWS = 4 };
    const int32_t left = inputs % LANES;
    int16_t rest[LANES] = {0};
    memcpy(rest, row + inputs - left, (size_t)left * sizeof *rest);
    const VECTOR last = vload(rest);
    // Outputs that a whole vector behind another one's weights reaches.
    const int32_t reached = left == 0 ? 0 : (LANES - left + inputs - 1) / inputs;
    int32_t o = 0;
    for (; o + ROWS <= outputs - reached; o += ROWS) {
        const int8_t *w = weights + (ptrdiff_t)o * inputs;
        four(row, last, (const int8_t *[ROWS]){w, w + inputs, w + 2 * (ptrdiff_t)inputs, w + 3 * (ptrdiff_t)inputs}, inputs, sums + o);
    }
    for (; o < outputs; o++) { sums[o] += one(row, weights + (ptrdiff_t)o * inputs, inputs); }
}
