#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

// Tables of 256 bytes in four registers, for processors that look up bytes across whole registers (VBMI).

#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

enum { LANES = 64 };

typedef struct table {
    __m512i parts[4];
} table;

VBMI static inline table table_of(const void *bytes) {
    table t;
    for (int32_t p = 0; p < 4; p++) { t.parts[p] = _mm512_loadu_si512((const uint8_t *)bytes + LANES * p); }
    return t;
}

// The entries at[i] + 128.
VBMI static inline __m512i found(const table *t, __m512i at) {
    const __m512i lower = _mm512_permutex2var_epi8(t->parts[0], at, t->parts[1]);
    return _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(t->parts[2], at, t->parts[3]), _mm512_movepi8_mask(at), lower);
}

VBMI static int32_t look_up(const int8_t *bytes, const int8_t *source, int32_t count, int8_t *output) {
    const table t = table_of(bytes);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) { _mm512_storeu_si512(output + i, found(&t, _mm512_loadu_si512(source + i))); }
    return i;
}

VBMI static int32_t add_up(const uint8_t planes[GW_PLANES][GW_TABLE_NARROW], const int8_t *source, int32_t count, int32_t *sum) {
    const __m512i zero = _mm512_setzero_si512();
    __m512i sums = zero;
    int32_t i = 0;
    for (int32_t p = 0; p < GW_PLANES; p++) {
        const table t = table_of(planes[p]);
        __m512i bytes = zero;
        for (i = 0; i + LANES <= count; i += LANES) {
            bytes = _mm512_add_epi64(bytes, _mm512_sad_epu8(found(&t, _mm512_loadu_si512(source + i)), zero));
        }
        sums = _mm512_add_epi64(sums, _mm512_sll_epi64(bytes, _mm_cvtsi32_si128(8 * p)));
    }
    *sum += (int32_t)_mm512_reduce_add_epi64(sums);
    return i;
}

int32_t gw_look_up_avx512(const int8_t *bytes, const int8_t *source, int32_t count, int8_t *output) {
    return __builtin_cpu_supports("avx512vbmi") ? look_up(bytes, source, count, output) : 0;
}

int32_t gw_add_up_avx512(const uint8_t planes[GW_PLANES][GW_TABLE_NARROW], const int8_t *source, int32_t count, int32_t *sum) {
    return __builtin_cpu_supports("avx512vbmi") ? add_up(planes, source, count, sum) : 0;
}
#endif
