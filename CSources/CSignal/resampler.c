#include "csignal.h"
#include "resampler_table.h"

// Positions are counted in 1/50000 of an input sample: output n lies at n * rate of them, an exact whole number.
enum { UNIT = GW_SAMPLING_RATE * 1000 };

// What one zero crossing of the kernel spans: an output sample when the rate falls, an input sample when it rises.
static int32_t crossing(const gw_resampler *resampler) { return resampler->rate > UNIT ? resampler->rate : UNIT; }

static void remember(gw_resampler *r, const int16_t *sample) {
    for (int32_t axis = 0; axis < GW_AXES; axis++) {
        r->history[r->next][axis] = r->history[r->next + GW_RESAMPLER_TAPS][axis] = sample[axis];
    }
    r->next = r->next + 1 == GW_RESAMPLER_TAPS ? 0 : r->next + 1;
}

// The kernel at a distance in units, Q0.15, by linear interpolation.
static int32_t kernel_at(const gw_resampler *r, int64_t distance) {
    int64_t place = (distance * r->reciprocal) >> 20; // table entries, 16 fraction bits
    int32_t entry = (int32_t)(place >> 16), fraction = (int32_t)(place & 0xffff);
    if (entry >= CROSSINGS * STEPS) { return 0; }
    int32_t here = kernel_table[entry], slope = kernel_table[entry + 1] - here;
    return here + (int32_t)gw_round_shift((int64_t)slope * fraction, 16);
}

// The taps of an output: from input `first` back from the newest to `last`, in whole inputs.
typedef struct gw_taps {
    int32_t first, last;
} gw_taps;

// `ahead`: how far the newest input lies beyond the output's reach, 0 ... UNIT - 1 units.
static gw_taps taps_at(const gw_resampler *r, int32_t ahead) {
    return (gw_taps){(ahead + UNIT - 1) / UNIT, (ahead + 2 * CROSSINGS * crossing(r)) / UNIT};
}

// Returns the sum of the weights.
static int32_t weigh(const gw_resampler *r, int32_t ahead, int32_t *weights) {
    const gw_taps taps = taps_at(r, ahead);
    int64_t distance = (int64_t)taps.first * UNIT - ahead - (int64_t)CROSSINGS * crossing(r);
    int32_t total = 0;
    for (int32_t i = 0; i <= taps.last - taps.first; i++, distance += UNIT) {
        weights[i] = kernel_at(r, distance < 0 ? -distance : distance);
        total += weights[i];
    }
    return total;
}

static int32_t reciprocal_of(int32_t total) { return (int32_t)((INT64_C(1) << 40) / total); }

static int32_t common_divisor(int32_t a, int32_t b) { return b == 0 ? a : common_divisor(b, a % b); }

// The kernel at every distance that outputs have, where there are few.
static void keep_phases(gw_resampler *r) {
    r->step = common_divisor(r->rate, UNIT);
    r->taps = 2 * CROSSINGS * crossing(r) / UNIT + 1;
    r->phases = UNIT / r->step * r->taps <= GW_RESAMPLER_WEIGHTS ? UNIT / r->step : 0;
    for (int32_t p = 0; p < r->phases; p++) {
        r->totals[p] = weigh(r, p * r->step, r->weights + p * r->taps);
        r->reciprocals[p] = reciprocal_of(r->totals[p]);
    }
}

gw_status gw_resampler_init(gw_resampler *resampler, int32_t rate) {
    if (rate < GW_RATE_MIN || rate > GW_RATE_MAX) { return GW_EINVAL; }
    resampler->rate = rate;
    resampler->reciprocal = (((int64_t)STEPS << 36) + crossing(resampler) / 2) / crossing(resampler);
    keep_phases(resampler);
    gw_resampler_reset(resampler);
    return GW_OK;
}

void gw_resampler_reset(gw_resampler *resampler) {
    resampler->started = 0;
    resampler->next = 0;
    resampler->position = UNIT; // one unit ahead of the first input, which the first push takes back
}

// round(sum / weight), halves up, by an estimate that is a few off at most: |sum| < 2^36, weight in 2^14 ... 2^20.
static int16_t divide_rounding(int64_t sum, int32_t weight, int32_t reciprocal) {
    const int32_t twice = 2 * weight;
    int32_t quotient = (int32_t)(((sum >> 8) * reciprocal) >> 32);
    int64_t rest = 2 * sum + weight - (int64_t)quotient * twice;
    for (; rest < 0; rest += twice) { quotient--; }
    for (; rest >= twice; rest -= twice) { quotient++; }
    return gw_saturate16(quotient);
}

// The output at r->position, whose taps are all in history.
static void interpolate(const gw_resampler *r, int16_t out[GW_AXES]) {
    const int32_t ahead = (int32_t)(-r->position - (int64_t)CROSSINGS * crossing(r));
    const gw_taps taps = taps_at(r, ahead);
    int32_t made[GW_RESAMPLER_TAPS], total, reciprocal;
    const int32_t *weights = made;
    if (r->phases > 0) {
        const int32_t phase = ahead / r->step;
        weights = r->weights + phase * r->taps;
        total = r->totals[phase];
        reciprocal = r->reciprocals[phase];
    } else {
        total = weigh(r, ahead, made);
        reciprocal = reciprocal_of(total);
    }
    const int16_t *sample = r->history[r->next + GW_RESAMPLER_TAPS - 1 - taps.first];
    int64_t x = 0, y = 0, z = 0;
    for (int32_t i = taps.last - taps.first; i >= 0; i--, sample -= GW_AXES) {
        const int32_t w = *weights++;
        x += (int64_t)w * sample[0];
        y += (int64_t)w * sample[1];
        z += (int64_t)w * sample[2];
    }
    out[0] = divide_rounding(x, total, reciprocal);
    out[1] = divide_rounding(y, total, reciprocal);
    out[2] = divide_rounding(z, total, reciprocal);
}

int32_t gw_resampler_push(gw_resampler *r, const int16_t *sample, int16_t out[][GW_AXES]) {
    if (!r->started) {
        for (int32_t i = 0; i < GW_RESAMPLER_TAPS; i++) { remember(r, sample); }
        r->started = 1;
    }
    remember(r, sample);
    r->position -= UNIT;
    const int64_t reach = (int64_t)CROSSINGS * crossing(r);
    int32_t written = 0;
    while (-r->position >= reach) {
        interpolate(r, out[written++]);
        r->position += r->rate;
    }
    return written;
}

int32_t gw_resampler_missing(const gw_resampler *r, int32_t count) {
    const int64_t units = (int64_t)CROSSINGS * crossing(r) + r->position + (int64_t)(count - 1) * r->rate;
    return units > 0 ? (int32_t)((units + UNIT - 1) / UNIT) : 0;
}
