#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

enum { CHANNELS = GW_DEPTHWISE_CHANNELS, GROUP = 4, ABREAST = 4 };

// Four taps of each channel, one channel after the other.
void gw_pack_depthwise_vnni(const gw_packed *packed, const int8_t *weights, int8_t *to) {
    for (int32_t block = 0; block < packed->blocks; block++) {
        for (int32_t g = 0; g < packed->groups; g++) {
            for (int32_t i = 0; i < CHANNELS * GROUP; i++) {
                const int32_t channel = block * CHANNELS + i / GROUP, tap = g * GROUP + i % GROUP;
                const bool is_there = channel < packed->outputs && tap < packed->inputs;
                *to++ = is_there ? weights[(ptrdiff_t)channel * packed->inputs + tap] : 0;
            }
        }
    }
}

// How a tap is read: four positions that lie one after the other, four that do not, or one.
typedef enum reading { TOGETHER, APART, SINGLE } reading;

// A position in each quarter.
VNNI __attribute__((always_inline)) static inline __m512i read(const int8_t *bytes, ptrdiff_t stride, const reading how) {
    if (how == TOGETHER) { return _mm512_loadu_si512(bytes); }
    __m512i all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)bytes));
    if (how == SINGLE) { return all; }
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)(const void *)(bytes + stride)), 1);
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)(const void *)(bytes + 2 * stride)), 2);
    return _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)(const void *)(bytes + 3 * stride)), 3);
}

VNNI __attribute__((always_inline)) static inline __m512i weights_of(const int8_t *weights, int32_t quarter) {
    return _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(const void *)weights + quarter));
}

// Four taps' bytes lie together for each channel once they are unpacked twice: sums of four channels in each vector.
VNNI __attribute__((always_inline)) static inline void add_products(
    __m512i low, __m512i lower, __m512i high, __m512i higher, const int8_t *weights, __m512i acc[4]) {
    acc[0] = _mm512_dpbusd_epi32(acc[0], _mm512_unpacklo_epi16(low, lower), weights_of(weights, 0));
    acc[1] = _mm512_dpbusd_epi32(acc[1], _mm512_unpackhi_epi16(low, lower), weights_of(weights, 1));
    acc[2] = _mm512_dpbusd_epi32(acc[2], _mm512_unpacklo_epi16(high, higher), weights_of(weights, 2));
    acc[3] = _mm512_dpbusd_epi32(acc[3], _mm512_unpackhi_epi16(high, higher), weights_of(weights, 3));
}

VNNI __attribute__((always_inline)) static inline void add_group(const __m512i x[GROUP], const int8_t *weights, __m512i acc[4]) {
    add_products(_mm512_unpacklo_epi8(x[0], x[1]), _mm512_unpacklo_epi8(x[2], x[3]), _mm512_unpackhi_epi8(x[0], x[1]),
        _mm512_unpackhi_epi8(x[2], x[3]), weights, acc);
}

// A last tap alone.
VNNI __attribute__((always_inline)) static inline void add_single(__m512i x, const int8_t *weights, __m512i acc[4]) {
    const __m512i low = _mm512_unpacklo_epi8(x, x), high = _mm512_unpackhi_epi8(x, x);
    add_products(low, low, high, high, weights, acc);
}

// One block of channels. vpdpbusd multiplies unsigned by signed: inputs are moved up by 128, which the bias takes back.
VNNI __attribute__((always_inline)) static inline void run_block(
    const gw_packed *packed, int32_t block, const int8_t *const *inputs, ptrdiff_t at, ptrdiff_t stride, int32_t *sums, const reading how) {
    const int8_t *weights = packed->weights + (ptrdiff_t)block * packed->groups * GW_DEPTHWISE_BYTES;
    const int32_t taps = packed->inputs;
    const __m512i signs = _mm512_set1_epi8((char)0x80);
    __m512i acc[4];
    for (int32_t k = 0; k < 4; k++) { acc[k] = _mm512_setzero_si512(); }
    int32_t tap = 0;
    for (; tap + GROUP <= taps; tap += GROUP, weights += GW_DEPTHWISE_BYTES) {
        __m512i x[GROUP];
        for (int32_t t = 0; t < GROUP; t++) { x[t] = _mm512_xor_si512(read(inputs[tap + t] + at, stride, how), signs); }
        add_group(x, weights, acc);
    }
    if (tap < taps) {
        // The weights of taps that are not there are 0, whatever they are multiplied by.
        const __m512i first = _mm512_xor_si512(read(inputs[tap] + at, stride, how), signs);
        __m512i x[GROUP] = {first, first, first, first};
        for (int32_t t = 1; tap + t < taps; t++) { x[t] = _mm512_xor_si512(read(inputs[tap + t] + at, stride, how), signs); }
        if (tap + 1 == taps) {
            add_single(first, weights, acc);
        } else {
            add_group(x, weights, acc);
        }
    }
    // Each vector has four channels of four positions: to sixteen channels of one.
    const __m512i a = _mm512_shuffle_i32x4(acc[0], acc[1], 0x44), b = _mm512_shuffle_i32x4(acc[0], acc[1], 0xee);
    const __m512i c = _mm512_shuffle_i32x4(acc[2], acc[3], 0x44), d = _mm512_shuffle_i32x4(acc[2], acc[3], 0xee);
    const __m512i bias = _mm512_loadu_si512(packed->bias + block * CHANNELS);
    sums += block * CHANNELS;
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_shuffle_i32x4(a, c, 0x88), bias));
    if (how == SINGLE) { return; }
    _mm512_storeu_si512(sums + packed->padded, _mm512_add_epi32(_mm512_shuffle_i32x4(a, c, 0xdd), bias));
    _mm512_storeu_si512(sums + 2 * packed->padded, _mm512_add_epi32(_mm512_shuffle_i32x4(b, d, 0x88), bias));
    _mm512_storeu_si512(sums + 3 * packed->padded, _mm512_add_epi32(_mm512_shuffle_i32x4(b, d, 0xdd), bias));
}

VNNI void gw_depthwise_vnni(const gw_packed *packed, const int8_t *const *inputs, ptrdiff_t stride, int32_t count, int32_t *sums) {
    for (int32_t block = 0; block < packed->blocks; block++) {
        const ptrdiff_t first = block * CHANNELS;
        int32_t i = 0;
        for (; i + ABREAST <= count; i += ABREAST) {
            if (stride == CHANNELS) {
                run_block(packed, block, inputs, i * stride + first, stride, sums + i * packed->padded, TOGETHER);
            } else {
                run_block(packed, block, inputs, i * stride + first, stride, sums + i * packed->padded, APART);
            }
        }
        for (; i < count; i++) { run_block(packed, block, inputs, i * stride + first, stride, sums + i * packed->padded, SINGLE); }
    }
}
#endif
