// CSignal against scipy's filters and against itself cut into blocks.
#include "check.h"
#include "cfeatures.h"
#include "../Vectors/feature_vectors.h"
#include "../Vectors/filter_vectors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_decimal parsed(const char *text) {
    gw_decimal d = {0, 0};
    CHECK(gw_decimal_parse(text, &d) == GW_OK, "\"%s\"", text);
    return d;
}

static void scales(void) {
    static const struct {
        const char *scale, *offset;
        double factor, shift;
    } cases[] = {
        {"0.009582", "0", 0.009582, 0},
        {"0.000598550", "0", 0.00059855, 0},
        {"0.019163", "-2048", 0.019163, -2048},
        {"-0.009582", "12.5", -0.009582, 12.5},
        {"9.806650", "0", 9.80665, 0},
        {"0.0000012345", "-100000", 0.0000012345, -100000},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gw_scale scale;
        CHECK(gw_scale_from_decimals(parsed(cases[c].scale), parsed(cases[c].offset), &scale) == GW_OK, "%s", cases[c].scale);
        for (int i = 0; i < 20000; i++) {
            int32_t raw = (int32_t)random_bits() >> random_between(0, 28);
            double exact = ((double)raw + cases[c].shift) * cases[c].factor / 9.80665 * 4096;
            double limited = fmax(-32768, fmin(32767, exact));
            CHECK(fabs(gw_scale_apply(&scale, raw) - limited) <= 0.5 + 1e-4, "(%d + %g) * %g", raw, cases[c].shift, cases[c].factor);
        }
    }
    gw_scale scale;
    CHECK(gw_scale_from_ratio(1, 720, &scale) == GW_OK, "1/720 g");
    for (int32_t raw = INT16_MIN; raw <= INT16_MAX; raw++) {
        double exact = fmax(-32768, fmin(32767, floor(raw * 4096.0 / 720 + 0.5)));
        CHECK(gw_scale_apply(&scale, raw) == (int16_t)exact, "%d / 720 g", raw);
    }
    gw_scale three[GW_AXES];
    int32_t counts[7][GW_AXES];
    int16_t together[7][GW_AXES];
    for (int axis = 0; axis < GW_AXES; axis++) {
        CHECK(gw_scale_from_ratio(axis + 1, 720, &three[axis]) == GW_OK, "%d/720 g", axis + 1);
        for (int i = 0; i < 7; i++) { counts[i][axis] = (int32_t)random_bits() >> random_between(8, 28); }
    }
    gw_scale_block(three, counts[0], 7, together[0]);
    for (int i = 0; i < 7; i++) {
        for (int axis = 0; axis < GW_AXES; axis++) {
            CHECK(together[i][axis] == gw_scale_apply(&three[axis], counts[i][axis]), "sample %d, axis %d", i, axis);
        }
    }
    CHECK(gw_scale_from_decimals(parsed("0"), parsed("0"), &scale) == GW_EINVAL, "a scale of zero");
    CHECK(gw_scale_from_decimals(parsed("0.0000000000001"), parsed("0"), &scale) == GW_ERANGE, "too small");
    CHECK(gw_scale_from_decimals(parsed("0.01"), parsed("3000000000"), &scale) == GW_ERANGE, "too far an offset");
}

static void mounts(void) {
    const int32_t one = 1 << 30;
    gw_mount turn = {{{0, one, 0}, {-one, 0, 0}, {0, 0, one}}};
    int16_t samples[] = {100, -200, 300, 32767, -32768, 1};
    gw_mount_apply(&turn, samples, 2);
    const int16_t expected[] = {-200, -100, 300, -32768, -32767, 1};
    CHECK(memcmp(samples, expected, sizeof samples) == 0, "a quarter turn: %d %d %d", samples[0], samples[1], samples[2]);
}

static void filters(gw_filter_kernel kernel) {
    gw_filter filter = {.kernel = kernel};
    static int16_t total[FILTER_SAMPLES * 3], gravity[FILTER_SAMPLES * 3];
    int32_t written = gw_filter_run(&filter, filter_samples, FILTER_SAMPLES, total, gravity);
    CHECK(written == FILTER_SAMPLES - 1, "the median looks one sample ahead: %d", written);
    double worst_total = 0, worst_gravity = 0;
    for (int32_t i = 0; i < written * 3; i++) {
        worst_total = fmax(worst_total, fabs(total[i] - fmax(-32768, fmin(32767, filter_total[i] / 16.0))));
        worst_gravity = fmax(worst_gravity, fabs(gravity[i] - filter_gravity[i] / 16.0));
    }
    CHECK(worst_total < 1, "total is off by %g LSB", worst_total);
    CHECK(worst_gravity < 1, "gravity is off by %g LSB", worst_gravity);
}

// The extremes of a saturating sensor, through both kernels: equal bits, and no overflow for the sanitizers to find.
static void kernels_agree(void) {
    enum { N = 5000 };
    static int16_t samples[N * 3], total[2][N * 3], gravity[2][N * 3];
    for (int i = 0; i < N * 3; i++) {
        samples[i] = i / 300 % 3 == 0 ? (int16_t)random_bits() : i / 300 % 3 == 1 ? (i / 3 % 2 ? INT16_MAX : INT16_MIN) : INT16_MIN;
    }
    static int16_t alone[2][N * 3];
    for (int k = 0; k < 2; k++) {
        gw_filter filter = {.kernel = k == 0 ? GW_FILTER_BEST : GW_FILTER_REFERENCE}, without = filter;
        gw_filter_run(&filter, samples, N, total[k], gravity[k]);
        int32_t written = gw_filter_run(&without, samples, 1000, alone[k], NULL);
        gw_filter_run(&without, samples + 3000, N - 1000, alone[k] + written * 3, NULL);
        CHECK(memcmp(total[k], alone[k], (N - 1) * 6) == 0, "total without gravity differs");
    }
    CHECK(memcmp(total[0], total[1], (N - 1) * 6) == 0, "total differs");
    CHECK(memcmp(gravity[0], gravity[1], (N - 1) * 6) == 0, "gravity differs");
}

static double resample_error(int32_t rate, double hertz, int32_t *outputs) {
    static gw_resampler r;
    CHECK(gw_resampler_init(&r, rate) == GW_OK, "%d mHz", rate);
    double worst = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < rate / 1000 * 20; i++) {
        int16_t out[6][GW_AXES], sample[GW_AXES];
        double phase = 2 * acos(-1) * hertz * i * 1000 / rate;
        for (int axis = 0; axis < 3; axis++) { sample[axis] = (int16_t)lround(8000 * sin(phase + axis)); }
        int32_t count = gw_resampler_push(&r, sample, out);
        for (int32_t k = 0; k < count; k++, n++) {
            if (n < 100) { continue; } // the start knows no samples before the first
            for (int axis = 0; axis < 3; axis++) {
                worst = fmax(worst, fabs(out[k][axis] - 8000 * sin(2 * acos(-1) * hertz * n / 50 + axis)));
            }
        }
    }
    *outputs = n;
    return worst;
}

static void resampling(void) {
    static const int32_t rates[] = {400000, 104000, 100000, 62500, 52000, 49870, 26000, 12500};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        int32_t outputs;
        double hertz = fmin(rates[i], 50000) / 1000 * 0.3, error = resample_error(rates[i], hertz, &outputs);
        CHECK(error < 8000 * 0.002, "%d mHz: a %g Hz sine is off by %g of 8000", rates[i], hertz, error);
        int32_t expected = (int32_t)((int64_t)(rates[i] / 1000 * 20) * 50000 / rates[i]),
                lag = 8 * 50000 / (rates[i] < 50000 ? rates[i] : 50000);
        CHECK(abs(outputs - (expected - lag)) <= 5, "%d mHz: %d outputs, not %d - %d", rates[i], outputs, expected, lag);
    }
    gw_resampler r;
    CHECK(gw_resampler_init(&r, 9999) == GW_EINVAL && gw_resampler_init(&r, 400001) == GW_EINVAL, "rates out of range");
    // Alternating samples at 100 Hz lie beyond what 50 Hz can show.
    CHECK(gw_resampler_init(&r, 100000) == GW_OK, "a resampler");
    int32_t n = 0;
    for (int32_t i = 0; i < 400; i++) {
        int16_t out[6][GW_AXES], sample[GW_AXES] = {(int16_t)(i % 2 ? 8000 : -8000), 1000, -1000};
        for (int32_t k = gw_resampler_push(&r, sample, out); k > 0; k--, n++) {
            CHECK(n < 20 || abs(out[k - 1][0]) < 20, "an alias of %d", out[k - 1][0]);
            CHECK(out[k - 1][1] == 1000 && out[k - 1][2] == -1000, "a constant stays: %d", out[k - 1][1]);
        }
    }
}

typedef struct result {
    uint64_t hash;
    int32_t windows;
} result;

static result run_frontend(const int16_t *samples, int32_t count, int32_t block, int32_t rate, int32_t length, int32_t hop, bool early) {
    gw_frontend_config config = {.rate = rate, .length = length, .hop = hop, .kernel = GW_FILTER_BEST, .early = early};
    size_t size = gw_frontend_size(length);
    void *memory = malloc(size);
    gw_frontend *frontend;
    result r = {UINT64_C(14695981039346656037), 0};
    CHECK(gw_frontend_init(memory, size, &config, &frontend) == GW_OK, "init");
    for (int32_t start = 0; start < count; start += block) {
        int32_t n = count - start < block ? count - start : block, taken = 0, found = 0;
        bool complete;
        do {
            taken += gw_frontend_push(frontend, samples + (start + taken) * 3, n - taken, &complete);
            if (!complete) { break; }
            found++;
            r.windows++;
            const gw_window *window = gw_frontend_window(frontend);
            for (int32_t i = 0; i < length * 3; i++) { r.hash = (r.hash ^ (uint16_t)gw_window_total(window)[i]) * UINT64_C(1099511628211); }
            r.hash = (r.hash ^ (uint64_t)window->count) * UINT64_C(1099511628211);
        } while (true);
        CHECK(taken == n && found <= gw_frontend_capacity(frontend, n), "a block of %d: %d taken, %d windows", n, taken, found);
    }
    free(memory);
    return r;
}

static void streaming(void) {
    enum { N = 20000 };
    static int16_t samples[N * 3];
    for (int i = 0; i < N * 3; i++) { samples[i] = (int16_t)(random_bits() % 8192) - 4096; }
    static const int32_t blocks[] = {7, 64, 1000, N}, rates[] = {50000, 100000, 12500, 49870};
    static const int32_t shapes[][2] = {{128, 64}, {100, 20}, {1, 1}, {1024, 1024}};
    for (size_t s = 0; s < 8; s++) {
        const int32_t *shape = shapes[s / 2];
        const bool early = s % 2 == 1;
        for (size_t i = 0; i < 4; i++) {
            result one = run_frontend(samples, N, 1, rates[i], shape[0], shape[1], early);
            CHECK(one.windows > 0, "windows at %d mHz", rates[i]);
            for (size_t b = 0; b < 4; b++) {
                result other = run_frontend(samples, N, blocks[b], rates[i], shape[0], shape[1], early);
                CHECK(other.hash == one.hash && other.windows == one.windows, "blocks of %d at %d mHz differ", blocks[b], rates[i]);
            }
        }
    }
}

// Windows are complete with the sample at their end, and not before it.
static void no_sample_late(void) {
    enum { LENGTH = 128, HOP = 64, MOST = LENGTH + 4 * HOP };
    static int16_t samples[MOST * 3];
    for (int i = 0; i < MOST * 3; i++) { samples[i] = (int16_t)(random_bits() % 8192) - 4096; }
    for (int32_t windows = 1; windows <= 5; windows++) {
        const int32_t needed = LENGTH + (windows - 1) * HOP;
        const int32_t with = run_frontend(samples, needed, needed, 50000, LENGTH, HOP, true).windows,
                      without = run_frontend(samples, needed - 1, needed, 50000, LENGTH, HOP, true).windows;
        CHECK(with == windows && without == windows - 1, "%d and %d of %d windows", with, without, windows);
    }
}

// As many samples as the front end says are missing complete the next window, and one less does not.
static void says_what_is_missing(void) {
    static const int32_t rates[] = {400000, 125000, 104000, 100000, 62500, 52000, 50000, 49870, 25000, 12500, 10000};
    enum { N = 2048 };
    static uint64_t memory[8192];
    static int16_t samples[N * 3];
    for (int i = 0; i < N * 3; i++) { samples[i] = (int16_t)(random_bits() % 8192) - 4096; }
    for (size_t i = 0; i < 2 * sizeof rates / sizeof *rates; i++) {
        const int32_t rate = rates[i / 2];
        gw_frontend_config config = {.rate = rate, .length = 128, .hop = i % 4 < 2 ? 64 : 5, .early = i % 2};
        gw_frontend *frontend;
        CHECK(gw_frontend_init(memory, sizeof memory, &config, &frontend) == GW_OK, "%d mHz", rate);
        int32_t windows = 0;
        for (int32_t start = 0; windows < 40;) {
            const int32_t missing = gw_frontend_missing(frontend);
            start = start + missing > N ? 0 : start;
            bool complete;
            const int32_t before = missing > 0 ? missing - 1 : 0;
            CHECK(gw_frontend_push(frontend, samples + start * 3, before, &complete) == before && (!complete || missing == 0),
                "%d mHz: complete before %d samples", rate, missing);
            if (missing > 0) {
                CHECK(gw_frontend_missing(frontend) == 1, "%d mHz: %d missing after %d", rate, gw_frontend_missing(frontend), before);
                gw_frontend_push(frontend, samples + (start + before) * 3, 1, &complete);
            }
            CHECK(complete, "%d mHz: incomplete after %d samples", rate, missing);
            if (!complete) { break; }
            start += missing;
            windows++;
        }
        CHECK(windows == 40, "%d mHz: %d windows", rate, windows);
    }
}

static void refusals(void) {
    static uint64_t memory[4096];
    gw_frontend *frontend;
    gw_frontend_config config = {.rate = 50000, .length = 128, .hop = 64};
    CHECK(gw_frontend_init(memory, 100, &config, &frontend) == GW_ENOMEM, "too little memory");
    CHECK(gw_frontend_init((uint8_t *)memory + 4, sizeof memory - 4, &config, &frontend) == GW_ENOMEM, "misaligned memory");
    config.hop = 129;
    CHECK(gw_frontend_init(memory, sizeof memory, &config, &frontend) == GW_EINVAL, "hop over length");
    CHECK(gw_frontend_size(0) == 0 && gw_frontend_size(1025) == 0, "lengths out of range");
}

// The bounds that csignal.h states, in the features' own units.
static double bound(int32_t feature, const double *expected) {
    const double lsb = 1.0 / 4096;
    if (feature < GW_FEATURE_DEVIATION) { return 0.5 * lsb + 1e-9; }
    if (feature < GW_FEATURE_MAGNITUDE) { return lsb; }
    if (feature == GW_FEATURE_MAGNITUDE) { return 2 * lsb; }
    if (feature == GW_FEATURE_ENTROPY) { return 0.02; }
    if (feature < GW_FEATURE_FREQUENCY) {
        static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
        const int *pair = pairs[feature - GW_FEATURE_CORRELATION];
        return fmin(expected[3 + pair[0]], expected[3 + pair[1]]) < 20 * lsb ? 1 : 0.02;
    }
    return feature < GW_FEATURE_BAND ? lsb : 2 * lsb + fabs(expected[feature]) / 5000;
}

// As the same features of the small set; lengths are square roots of whole numbers, and strongest lines may be as strong as others.
static double rich_bound(int32_t feature, const double *expected) {
    const double lsb = 1.0 / 4096;
    if (feature < GW_RICH_CORRELATION) { return 0.5 * lsb + 1e-9; }
    if (feature < GW_RICH_MAGNITUDE) { return 0.02; }
    if (feature < GW_RICH_SIGNALS) { return lsb; }
    const int32_t kind = (feature - GW_RICH_SIGNALS) % GW_RICH_EACH;
    const double deviation = expected[feature - kind];
    if (kind == 4) { return deviation < 20 * lsb ? 8 : lsb; }
    return kind == 5 ? (deviation < 20 * lsb ? 0.3 : 0.02) : 2 * lsb + fabs(expected[feature]) / 5000;
}

static void features(void) {
    static uint64_t work[GW_FEATURES_WORK / 8];
    int16_t got[GW_FEATURES];
    for (size_t v = 0; v < sizeof feature_vectors / sizeof *feature_vectors; v++) {
        const feature_vector *expected = &feature_vectors[v];
        memset(work, 0xa5, sizeof work);
        CHECK(gw_features(expected->window, expected->length, work, got) == GW_OK, "window %zu", v);
        for (int32_t f = 0; f < GW_FEATURES; f++) {
            const double wanted = fmax(-8, fmin(32767.0 / 4096, expected->features[f])), value = got[f] / 4096.0;
            CHECK(fabs(value - wanted) <= bound(f, expected->features), "window %zu (%d samples), feature %d: %g, not %g", v,
                expected->length, f, value, wanted);
        }
    }
    static uint64_t larger[GW_RICH_WORK / 8];
    int16_t rich[GW_RICH_FEATURES];
    for (size_t v = 0; v < sizeof feature_vectors / sizeof *feature_vectors; v++) {
        const feature_vector *expected = &feature_vectors[v];
        memset(larger, 0xa5, sizeof larger);
        CHECK(gw_rich_features(expected->window, expected->length, larger, rich) == GW_OK, "window %zu", v);
        bool is_moving = true;
        for (int32_t a = 0; a < 3; a++) { is_moving = is_moving && expected->features[GW_FEATURE_DEVIATION + a] >= 20.0 / 4096; }
        for (int32_t f = 0; f < GW_RICH_FEATURES; f++) {
            if (f >= GW_RICH_CORRELATION && f < GW_RICH_MAGNITUDE && !is_moving) { continue; }
            const double wanted = fmax(-8, fmin(32767.0 / 4096, expected->rich[f])), value = rich[f] / 4096.0;
            CHECK(fabs(value - wanted) <= rich_bound(f, expected->rich), "window %zu (%d samples), rich feature %d: %g, not %g", v,
                expected->length, f, value, wanted);
        }
    }
    CHECK(gw_rich_features(feature_vectors[0].window, 15, larger, rich) == GW_EINVAL, "too short");
    CHECK(gw_features(feature_vectors[0].window, 15, work, got) == GW_EINVAL &&
              gw_features(feature_vectors[0].window, 1025, work, got) == GW_EINVAL,
        "lengths");
}

// Random windows of every size and strength: one number for the features of all, whatever the processor and its kernels.
static void same_everywhere(void) {
    static const int32_t lengths[] = {16, 50, 128, 200, 256, 1000, 1024};
    static int16_t window[GW_WINDOW_MAX * GW_AXES], features[GW_RICH_FEATURES];
    static uint64_t work[GW_RICH_WORK / 8];
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    random_state = 80;
    for (int32_t round = 0; round < 70; round++) {
        const int32_t length = lengths[round % 7], swing = 1 << (round % 14 + 1);
        for (int32_t i = 0; i < length * GW_AXES; i++) { window[i] = (int16_t)random_between(-swing, swing - 1); }
        CHECK(gw_rich_features(window, length, work, features) == GW_OK, "round %d", round);
        for (int32_t f = 0; f < GW_RICH_FEATURES; f++) { digest = (digest ^ (uint16_t)features[f]) * UINT64_C(0x100000001b3); }
        CHECK(gw_features(window, length, work, features) == GW_OK, "round %d", round);
        for (int32_t f = 0; f < GW_FEATURES; f++) { digest = (digest ^ (uint16_t)features[f]) * UINT64_C(0x100000001b3); }
    }
    CHECK(digest == UINT64_C(0x995a3ee41ad4c8ae), "features give %016llx", (unsigned long long)digest);
}

int main(void) {
    scales();
    mounts();
    filters(GW_FILTER_REFERENCE);
    filters(GW_FILTER_BEST);
    kernels_agree();
    resampling();
    streaming();
    no_sample_late();
    says_what_is_missing();
    features();
    same_everywhere();
    refusals();
    return finish("CSignal");
}
