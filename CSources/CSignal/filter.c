#include "csignal.h"
#include "sections.h"
#include <string.h>

enum { CHUNK = 64, WORTH_A_VECTOR = 8 };

// The median of each sample and the two before it; samples[n + 2][3] to medians[n][3], Q3.12 to Q7.24.
static void run_medians(const int16_t *samples, int32_t n, int32_t *medians) {
    for (int32_t i = 0; i < n * GW_AXES; i++) {
        int16_t a = samples[i], b = samples[i + GW_AXES], c = samples[i + 2 * GW_AXES];
        int16_t low = a < b ? a : b, high = a < b ? b : a;
        int16_t upper = high < c ? high : c;
        medians[i] = (low > upper ? low : upper) * (1 << GUARD_BITS);
    }
}

// A section over n samples of the three axes together: three independent feedback chains hide each other's latency.
// history[0] is the section's input, history[1] its output. `second_zero` and `gain` are constants at each call, so that
// each use compiles to its own loop.
static inline void run_section(
    const gw_section *section, int32_t history[2][2][GW_AXES], int32_t (*samples)[GW_AXES], int32_t n, bool second_zero, bool gain) {
    const int64_t half = INT64_C(1) << (COEFFICIENT_BITS - 1);
    const int64_t a1 = section->a1, a2 = section->a2;
    int32_t x1[GW_AXES], x2[GW_AXES], y1[GW_AXES], y2[GW_AXES];
    for (int32_t axis = 0; axis < GW_AXES; axis++) {
        x1[axis] = history[0][0][axis];
        x2[axis] = history[0][1][axis];
        y1[axis] = history[1][0][axis];
        y2[axis] = history[1][1][axis];
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t axis = 0; axis < GW_AXES; axis++) {
            int32_t x = samples[i][axis];
            int64_t zeros = second_zero ? (int64_t)x + 2 * (int64_t)x1[axis] + x2[axis] : (int64_t)x + x1[axis];
            int64_t sum = (gain ? zeros * section->gain : zeros * (INT64_C(1) << COEFFICIENT_BITS)) + half;
            if (second_zero) { sum -= a2 * y2[axis]; }
            int32_t y = (int32_t)((sum - a1 * y1[axis]) >> COEFFICIENT_BITS);
            x2[axis] = x1[axis];
            x1[axis] = x;
            y2[axis] = y1[axis];
            y1[axis] = y;
            samples[i][axis] = y;
        }
    }
    for (int32_t axis = 0; axis < GW_AXES; axis++) { // the output's history is still the next section's input history
        history[0][0][axis] = x1[axis];
        history[0][1][axis] = x2[axis];
    }
}

static void remember_output(int32_t history[2][GW_AXES], int32_t (*samples)[GW_AXES], int32_t n) {
    for (int32_t axis = 0; axis < GW_AXES; axis++) {
        history[1][axis] = n > 1 ? samples[n - 2][axis] : history[0][axis];
        history[0][axis] = samples[n - 1][axis];
    }
}

static void round_to_q12(int32_t (*samples)[GW_AXES], int32_t n, int16_t *out) {
    for (int32_t i = 0; i < n; i++) {
        for (int32_t axis = 0; axis < GW_AXES; axis++) {
            out[i * GW_AXES + axis] = gw_saturate16(gw_round_shift(samples[i][axis], GUARD_BITS));
        }
    }
}

void gw_sections_reference(gw_filter *filter, int32_t (*samples)[GW_AXES], int32_t n, int16_t *total, int16_t *gravity) {
    int32_t (*history)[2][GW_AXES] = filter->history;
    run_section(&noise_sections[0], &history[0], samples, n, true, true);
    for (int32_t i = 1; i < NOISE_SECTIONS; i++) { run_section(&noise_sections[i], &history[i], samples, n, true, false); }
    round_to_q12(samples, n, total);
    if (!gravity) { return remember_output(history[NOISE_SECTIONS], samples, n); }
    run_section(&gravity_sections[0], &history[NOISE_SECTIONS], samples, n, false, true);
    run_section(&gravity_sections[1], &history[NOISE_SECTIONS + 1], samples, n, true, true);
    round_to_q12(samples, n, gravity);
    remember_output(history[NOISE_SECTIONS + GRAVITY_SECTIONS], samples, n);
}

static gw_sections_run *sections_for(gw_filter_kernel kernel) {
#if defined(__x86_64__)
    if (kernel == GW_FILTER_BEST && __builtin_cpu_supports("avx2")) { return gw_sections_avx2; }
#endif
#if GW_HAVE_NEON_SECTIONS
    if (kernel == GW_FILTER_BEST && gw_sections_have_neon()) { return gw_sections_neon; }
#endif
    (void)kernel;
    return gw_sections_reference;
}

int32_t gw_filter_run(gw_filter *filter, const int16_t *samples, int32_t count, int16_t *total, int16_t *gravity) {
    int16_t raw[CHUNK + 2][GW_AXES];
    int32_t medians[CHUNK][GW_AXES];
    gw_sections_run *vector = sections_for(filter->kernel);
    int32_t written = 0;
    for (int32_t start = 0; start < count; start += CHUNK) {
        int32_t n = count - start < CHUNK ? count - start : CHUNK;
        memcpy(raw, filter->previous, sizeof filter->previous);
        memcpy(raw + 2, samples + start * GW_AXES, (size_t)n * sizeof *raw);
        memcpy(filter->previous, raw + n, sizeof filter->previous);
        run_medians(raw[0], n, medians[0]);
        int32_t skip = filter->primed ? 0 : 1; // the very first median stands for a sample before the stream
        filter->primed = 1;
        n -= skip;
        if (n > 0) {
            gw_sections_run *run = n >= WORTH_A_VECTOR ? vector : gw_sections_reference;
            run(filter, medians + skip, n, total + written * GW_AXES, gravity ? gravity + written * GW_AXES : NULL);
            written += n;
        }
    }
    return written;
}
