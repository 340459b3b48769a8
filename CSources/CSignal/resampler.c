#include "csignal.h"
#include "resampler_table.h"

// Positions are counted in 1/50000 of an input sample: output n lies at n * rate of them, an exact whole number.
enum { UNIT = GW_SAMPLING_RATE * 1000 };

// What one zero crossing of the kernel spans: an output sample when the rate falls, an input sample when it rises.
static int32_t crossing(const gw_resampler *resampler) { return resampler->rate > UNIT ? resampler->rate : UNIT; }

gw_status gw_resampler_init(gw_resampler *resampler, int32_t rate) {
    if (rate < GW_RATE_MIN || rate > GW_RATE_MAX) { return GW_EINVAL; }
    resampler->rate = rate;
    resampler->started = 0;
    resampler->next = 0;
    resampler->position = UNIT; // one unit ahead of the first input, which the first push takes back
    resampler->reciprocal = (((int64_t)STEPS << 36) + crossing(resampler) / 2) / crossing(resampler);
    return GW_OK;
}

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

static int16_t divide_rounding(int64_t sum, int64_t weight) {
    int64_t twice = 2 * sum + weight, divisor = 2 * weight;
    int64_t quotient = twice / divisor;
    return gw_saturate16(quotient - (twice % divisor < 0 ? 1 : 0));
}

// The output at r->position, whose taps are all in history.
static void interpolate(const gw_resampler *r, int16_t out[GW_AXES]) {
    const int64_t reach = (int64_t)CROSSINGS * crossing(r);
    const int16_t (*newest)[GW_AXES] = &r->history[r->next + GW_RESAMPLER_TAPS - 1];
    int64_t sums[GW_AXES] = {0}, weight = 0;
    int32_t first = (int32_t)((-r->position - reach + UNIT - 1) / UNIT), last = (int32_t)((-r->position + reach) / UNIT);
    for (int32_t back = first; back <= last; back++) {
        int64_t distance = r->position + (int64_t)back * UNIT;
        int32_t w = kernel_at(r, distance < 0 ? -distance : distance);
        weight += w;
        for (int32_t axis = 0; axis < GW_AXES; axis++) { sums[axis] += (int64_t)w * newest[-back][axis]; }
    }
    for (int32_t axis = 0; axis < GW_AXES; axis++) { out[axis] = divide_rounding(sums[axis], weight); }
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
